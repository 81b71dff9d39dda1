"""The event that tells the outputs on two neighbouring logs apart best, looked for among integer observations.

Looked at are the points, both tails and the sets of values likelier on one log (Neyman, Pearson) of every observation.
Their order by likelihood is learned on one half of the draws, and the events are compared on the other, as a set made
of values of few draws each suits these draws best. For the same reason the winner must be tested on draws that had no
part in this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

MOST_VALUES = 1024  # of an observation; of more, only those are told apart that occur again and again
REPEATED = 5  # times that such a value occurs, at least
PARTS = 32  # of about equal size, of the others
SHORTLIST = 200  # events that an approximation leaves to the exact score
MOST_SPANS = 3  # that are put into words
HASHED = 2**53  # larger numbers mean nothing
DEVIATIONS = 3.3  # of the approximation

Sides = tuple[np.ndarray, np.ndarray]  # values on the first log and on the second
Score = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


@dataclass(frozen=True)
class Event:
    """A set of values of one observation.

    Attributes
    ----------
    column : int
        Which observation.
    bounds : int64 array (cuts,)
        Cuts of the integers into ranges: number i begins at cut i - 1.
    members : bool array (cuts + 1,)
        The ranges that belong to the event.
    swapped : bool
        Whether it is likelier on the second log.
    """

    column: int
    bounds: np.ndarray
    members: np.ndarray
    swapped: bool

    def hits(self, first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
        """How often it occurs on the log where it is likelier, and on the other one."""
        counts = self.hits_on(first), self.hits_on(second)
        return counts[::-1] if self.swapped else counts

    def hits_on(self, draws: np.ndarray) -> int:
        """How often it occurs among some draws, int64 (draws, observations)."""
        return int(self.members[_ranges(draws[:, self.column], self.bounds)].sum())

    def text(self, name: str) -> str:
        """The event in words."""
        low = [None, *self.bounds.tolist()]
        high = [*(self.bounds - 1).tolist(), None]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], self.members, [False])).astype(np.int8)))
        spans = [(low[start], high[end - 1]) for start, end in edges.reshape(-1, 2).tolist()]
        if spans == [(None, None)]:
            return f"any {name}"
        if len(spans) > MOST_SPANS or self.bounds.max(initial=0) > HASHED:
            return f"{name} in {int(self.members.sum())} of {len(self.members)} ranges"
        return f"{name} " + " or ".join(map(_span, spans))


def _span(limits: tuple[int | None, int | None]) -> str:
    start, end = limits
    if start == end:
        return f"= {start}"
    if None in limits:
        return f"≥ {start}" if end is None else f"≤ {end}"
    return f"from {start} to {end}"


def best_event(first: np.ndarray, second: np.ndarray, score: Score) -> Event:
    """The event with the highest score in either order of the logs; the first of several.

    Parameters
    ----------
    first, second : int64 arrays (draws, observations)
        Equally many draws on either log.
    score : callable (hits where likelier, hits on the other log, draws) -> float array
    """
    half = len(first) // 2
    found = [
        (event, *counts)
        for column in range(first.shape[1])
        for event, *counts in _candidates(
            column, (first[:half, column], second[:half, column]), (first[half:, column], second[half:, column])
        )
    ]
    hits = np.array([counts for _, *counts in found])
    draws = len(first) - half
    quick = _approximate(hits[:, 0] / draws, hits[:, 1] / draws, draws)
    chosen = np.sort(np.argsort(-quick, kind="stable")[:SHORTLIST])
    exact = score(hits[chosen, 0], hits[chosen, 1], draws)
    return found[chosen[int(np.argmax(exact))]][0]()


def _candidates(column: int, learned: Sides, compared: Sides) -> Iterator[tuple[Callable[[], Event], int, int]]:
    """Events of one observation, each made when called, with its hits where it is likelier and on the other log."""
    bounds = _cuts(np.concatenate(learned))
    known, counts = (
        np.array([np.bincount(_ranges(side, bounds), minlength=len(bounds) + 1) for side in sides])
        for sides in (learned, compared)
    )
    rising = np.arange(counts.shape[1])
    ratio = np.argsort(-(known[0] + 0.5) / (known[1] + 0.5), kind="stable")
    for order in (rising, rising[::-1], ratio, ratio[::-1]):
        sums = np.cumsum(counts[:, order], axis=1)
        for size in range(1, len(order)):
            yield from _both(column, bounds, order[:size], sums[:, size - 1])
    for place in rising:
        yield from _both(column, bounds, rising[place : place + 1], counts[:, place])


def _both(column: int, bounds: np.ndarray, members: np.ndarray, counts: np.ndarray) -> Iterator[tuple]:
    """One event in the order of the logs in which it is likelier."""
    swapped = bool(counts[1] > counts[0])

    def make() -> Event:
        inside = np.zeros(len(bounds) + 1, dtype=bool)
        inside[members] = True
        return Event(column, bounds, inside, swapped)

    yield (make, *sorted(counts.tolist(), reverse=True))


def _cuts(values: np.ndarray) -> np.ndarray:
    """Where to cut the integers so that frequent values stand alone and the others lie in parts of about equal size."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= MOST_VALUES:
        alone, parts = distinct, distinct[:0]
    else:
        repeated = counts >= REPEATED
        alone = distinct[repeated][np.argsort(-counts[repeated], kind="stable")[:MOST_VALUES]]
        rest = np.sort(values[~np.isin(values, alone)])
        parts = rest[np.arange(1, PARTS) * len(rest) // PARTS] if len(rest) else distinct[:0]
    return np.unique(np.concatenate((alone, alone + 1, parts)))


def _ranges(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    return np.searchsorted(bounds, values, side="right")


def _approximate(first: np.ndarray, second: np.ndarray, draws: int) -> np.ndarray:
    """About the lower bound on the logarithm of the ratio of two probabilities (Wilson's limits)."""
    square = DEVIATIONS**2 / draws

    def limit(share: np.ndarray, sign: int) -> np.ndarray:
        width = np.sqrt(square * share * (1 - share) + square**2 / 4)
        return (share + square / 2 + sign * width) / (1 + square)

    return np.log(np.maximum(limit(first, -1), 1e-300)) - np.log(limit(second, 1))
