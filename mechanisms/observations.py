"""What an audit looks at in every release of many: counts, sizes, times, and the release as a whole, as integers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from data.graph import OUTSIDE, DirectlyFollowsGraph
from data.hashing import mix
from data.log import DURATION, EventLog
from data.release import Release

RELEASED, EMPTY, REFUSED, FAILED = range(4)
NOTHING = -(2**62)  # of a time that the release does not have
MOST_COUNTS = 64  # variants whose counts are looked at
RAREST = 1e-3  # share of the draws that has such a variant, at least
WHOLES = 4096  # distinct releases that are told apart
EDGE = "→"  # in a graph, an edge stands for a variant


@dataclass(frozen=True)
class Draws:
    """Releases of one log, as a multiset of variants each.

    Attributes
    ----------
    ends : int64 array (draws,)
        `RELEASED`, `EMPTY`, `REFUSED` or `FAILED`.
    variants : tuple of tuples of str
        Distinct; the edges, as triples, if graphs are released.
    draw, variant, count : int64 arrays (rows,)
        How many cases of a variant a draw has.
    gaps : int64 array (draws, 3), optional
        Of each draw, the least, the median and the largest time of the events of the activity in question,
        microseconds since the event before.
    """

    ends: np.ndarray
    variants: tuple[tuple[str, ...], ...]
    draw: np.ndarray
    variant: np.ndarray
    count: np.ndarray
    gaps: np.ndarray | None = None


class Recorder:
    """Collects releases, one a draw."""

    def __init__(self, draws: int) -> None:
        self._ends: list[int] = []
        self._known: dict[tuple[str, ...], int] = {}
        self._rows: list[tuple[int, int, int]] = []
        self._gaps = np.full((draws, 3), NOTHING)

    def add(self, release: Release) -> None:
        """The next draw is a release."""
        draw = len(self._ends)
        if isinstance(release, DirectlyFollowsGraph):
            found, size = _edges(release), len(release)
        else:
            found, size = _variants(release), release.n_cases
            self._gaps[draw] = _gaps(release)
        self._ends.append(RELEASED if size else EMPTY)
        for sequence, count in found:
            self._rows.append((draw, self._known.setdefault(sequence, len(self._known)), count))

    def add_end(self, end: int) -> None:
        """The next draw is no release."""
        self._ends.append(end)

    def draws(self) -> Draws:
        """All that was added."""
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 3).T
        return Draws(np.array(self._ends), tuple(self._known), *rows, self._gaps)


def _variants(log: EventLog) -> list[tuple[tuple[str, ...], int]]:
    variants, labels = log.variants, log.labels
    codes, offsets = variants.activities.tolist(), variants.offsets.tolist()
    return [
        (tuple(labels[code] for code in codes[offsets[v] : offsets[v + 1]]), count)
        for v, count in enumerate(variants.counts.tolist())
    ]


def _edges(graph: DirectlyFollowsGraph) -> list[tuple[tuple[str, ...], int]]:
    names = {OUTSIDE: "", **dict(enumerate(graph.labels))}
    rows = zip(graph.sources.tolist(), graph.targets.tolist(), graph.frequencies.tolist(), strict=True)
    return [((names[source], EDGE, names[target]), count) for source, target, count in rows]


def _gaps(log: EventLog) -> tuple[int, int, int]:
    """Least, median and largest duration of the events behind the first of a case, microseconds."""
    later = ~log.first_events
    if not later.any():
        return (NOTHING,) * 3
    values = np.rint(log.attributes[DURATION] * 1e6).astype(np.int64) if DURATION in log.attributes else log.gaps
    ordered = np.sort(values[later])
    return int(ordered[0]), int(ordered[len(ordered) // 2]), int(ordered[-1])


def observe(first: Draws, second: Draws, target: tuple[str, ...]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The same observations of the draws of two logs.

    Parameters
    ----------
    first, second : Draws
    target : tuple of str
        Trace of the case in which the logs differ.

    Returns
    -------
    names : list of str
        What each column is.
    first, second : int64 arrays (draws, columns)
    """
    index = {sequence: place for place, sequence in enumerate(dict.fromkeys(first.variants + second.variants))}
    sides = [(draws, _recoded(draws, index)) for draws in (first, second)]
    frequent = _frequent(sides, len(index))
    timed = first.gaps is not None and second.gaps is not None
    properties = _properties(list(index), target, frequent)
    wanted = {target, *_steps(target)}
    parts = np.array([sequence in wanted for sequence in index], dtype=bool)
    columns = [[], []]
    for side, (draws, variant) in zip(columns, sides, strict=True):
        for weights in properties.values():
            side.append(_sums(draws, draws.count * weights[variant]))
        distinct = np.bincount(draws.draw, minlength=len(draws.ends))
        present = np.bincount(draws.draw[parts[variant]], minlength=len(draws.ends))
        longest = np.zeros(len(draws.ends), dtype=np.int64)
        lengths = np.array([len(sequence) for sequence in index], dtype=np.int64)
        np.maximum.at(longest, draws.draw, lengths[variant])
        side += [present, distinct, longest, draws.ends, *(_of_gaps(draws.gaps) if timed else ())]
    names = [*properties, "parts of the case", "variants", "longest trace", "end"]
    names += ["least gap", "median gap", "largest gap", "range of gaps"] if timed else []
    whole = _wholes(*(_hashes(draws, variant) for draws, variant in sides))
    names.append("whole release")
    return names, *(np.column_stack([*side, ids]) for side, ids in zip(columns, whole, strict=True))


def _steps(target: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The edges of a case in a graph, its start and end too."""
    return [(source, EDGE, following) for source, following in pairwise(("", *target, ""))]


def _recoded(draws: Draws, index: dict[tuple[str, ...], int]) -> np.ndarray:
    places = np.array([index[sequence] for sequence in draws.variants], dtype=np.int64)
    return places[draws.variant] if len(places) else draws.variant


def _frequent(sides: list[tuple[Draws, np.ndarray]], variants: int) -> np.ndarray:
    """The variants that the first half of the draws has often; an event must not be chosen by the second half."""
    seen = np.zeros(variants, dtype=np.int64)
    least = 0.0
    for draws, variant in sides:
        half = len(draws.ends) // 2
        seen += np.bincount(variant[draws.draw < half], minlength=variants)
        least += RAREST * half
    order = np.argsort(-seen, kind="stable")[:MOST_COUNTS]
    return order[seen[order] >= least]


def _properties(sequences: list[tuple[str, ...]], target: tuple[str, ...], frequent: np.ndarray) -> dict:
    """What cases are counted by: weights of every variant, int64 (variants,), by name."""
    found = {"cases": np.ones(len(sequences), dtype=np.int64)}

    def count(name: str, weights: list[int]) -> None:
        found[name] = np.array(weights, dtype=np.int64)

    count(f"cases of {_text(target)}", [sequence == target for sequence in sequences])
    for length in range(1, len(target) + 1):
        start = target[:length]
        count(f"cases that begin {_text(start)}", [sequence[:length] == start for sequence in sequences])
    for pair in dict.fromkeys(pairwise(target)):
        count(f"pairs {_text(pair)}", [list(pairwise(s)).count(pair) for s in sequences])
    for activity in dict.fromkeys(target):
        count(f"events {activity}", [sequence.count(activity) for sequence in sequences])
    for place in frequent.tolist():
        sequence = sequences[place]
        count(f"cases of {_text(sequence)}", [other == sequence for other in sequences])
    return found


def _text(sequence: tuple[str, ...]) -> str:
    if len(sequence) == 3 and sequence[1] == EDGE:
        return f"<{sequence[0] or 'start'} {EDGE} {sequence[2] or 'end'}>"
    return f"<{','.join(sequence)}>"


def _sums(draws: Draws, values: np.ndarray) -> np.ndarray:
    return np.bincount(draws.draw, values, minlength=len(draws.ends)).astype(np.int64)


def _of_gaps(gaps: np.ndarray) -> list[np.ndarray]:
    return [*gaps.T, gaps[:, 2] - gaps[:, 0]]


def _hashes(draws: Draws, variant: np.ndarray) -> np.ndarray:
    """A number of each whole release, the same for the same multiset of variants; uint64 (draws,)."""
    mixed = mix(mix(variant) + draws.count.astype(np.uint64))
    whole = mix(draws.ends)
    np.add.at(whole, draws.draw, mixed)
    return whole


def _wholes(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hashes as small numbers; folded into `WHOLES` cells if the first halves hold more of them."""
    known = np.unique(np.concatenate((first[: len(first) // 2], second[: len(second) // 2])))
    if len(known) > WHOLES:
        return tuple((hashes % np.uint64(WHOLES)).astype(np.int64) for hashes in (first, second))
    places = (np.searchsorted(known, hashes).clip(max=len(known) - 1) for hashes in (first, second))
    return tuple(
        np.where(known[place] == hashes, place, len(known)).astype(np.int64)
        for place, hashes in zip(places, (first, second), strict=True)
    )
