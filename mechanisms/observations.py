"""What an audit looks at in every release of many: counts, sizes, times, and the release as a whole, as integers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from data.graph import OUTSIDE, DirectlyFollowsGraph
from data.hashing import mix
from data.log import DURATION, EventLog
from data.release import Release

RELEASED, EMPTY, REFUSED, FAILED, TIMED_OUT = range(5)
NOTHING = -(2**62)  # of a time or a place that the release does not have
GAPS = ("least gap", "median gap", "largest gap")
PLACES = ("earliest start", "first place", "last place")  # of the cases of the target's variant
MOST_COUNTS = 64  # variants whose counts are looked at
RAREST = 1e-3  # share of the draws that has such a variant, at least
EDGE = "→"  # in a graph, an edge stands for a variant


@dataclass(frozen=True)
class Draws:
    """Releases of one log, as a multiset of variants each.

    Attributes
    ----------
    ends : int64 array (draws,)
        `RELEASED`, `EMPTY`, `REFUSED`, `FAILED` or `TIMED_OUT`.
    variants : tuple of tuples of str
        Distinct; the edges, as triples, if graphs are released.
    draw, variant, count : int64 arrays (rows,)
        How many cases of a variant a draw has.
    timed : int64 array (draws, 6), optional
        Of each draw the least, the median and the largest time between two events of a case; of its cases of the
        target's variant the earliest start, the first and the last place. In microseconds, and from 0 on.
    """

    ends: np.ndarray
    variants: tuple[tuple[str, ...], ...]
    draw: np.ndarray
    variant: np.ndarray
    count: np.ndarray
    timed: np.ndarray | None = None


def draws_of_pairs(
    numbers: np.ndarray, counts: np.ndarray, answers: np.ndarray, labels: Sequence[str], draws: int
) -> Draws:
    """Many answers to a query of directly-follows pairs, drawn at once.

    Parameters
    ----------
    numbers, counts, answers : int64 arrays (pairs of all answers,)
        Each pair as `data.graph.edge_numbers` numbers it, its count, and the draw that it is of.
    labels : sequence of str
    draws : int
    """
    names = ["", *labels]
    distinct, variant = np.unique(numbers, return_inverse=True)
    pairs = [divmod(number, len(names)) for number in distinct.tolist()]
    ends = np.full(draws, EMPTY)
    ends[answers] = RELEASED
    return Draws(ends, tuple((names[s], EDGE, names[t]) for s, t in pairs), answers, variant, counts)


def draws_of_counts(
    sequences: tuple[np.ndarray, np.ndarray], counts: np.ndarray, answers: np.ndarray, labels: Sequence[str], draws: int
) -> Draws:
    """Many answers to a query of variants, drawn at once; empty sequences are left out, as in releases.

    Parameters
    ----------
    sequences : int64 arrays (events of all sequences,) and (sequences + 1,)
        Activity codes, and where each sequence starts.
    counts, answers : int64 arrays (sequences,)
        Cases of each, and the draw that it is of. The same sequence may stand there twice.
    labels : sequence of str
    draws : int
    """
    activities, offsets = sequences
    lengths = np.diff(offsets)
    filled = np.flatnonzero(lengths)
    width = int(lengths.max(initial=0))
    padded = np.full((len(lengths), width), -1)
    padded[np.arange(width) < lengths[:, None]] = activities
    distinct, variant = np.unique(padded[filled], axis=0, return_inverse=True)
    pairs, places = np.unique(answers[filled] * max(len(distinct), 1) + variant.ravel(), return_inverse=True)
    draw, variant = np.divmod(pairs, max(len(distinct), 1))
    ends = np.full(draws, EMPTY)
    ends[draw] = RELEASED
    names = tuple(tuple(labels[code] for code in row[row >= 0]) for row in distinct)
    cases = np.bincount(places, counts[filled], minlength=len(pairs)).astype(np.int64)
    return Draws(ends, names, draw, variant, cases)


class Recorder:
    """Collects releases, one a draw.

    Parameters
    ----------
    draws : int
        How many are to come.
    target : tuple of str
        Trace of the case that an audit is about.
    """

    def __init__(self, draws: int, target: tuple[str, ...]) -> None:
        self._target = target
        self._ends: list[int] = []
        self._known: dict[tuple[str, ...], int] = {}
        self._rows: list[tuple[int, int, int]] = []
        self._timed = np.full((draws, len(GAPS) + len(PLACES)), NOTHING)

    def add(self, release: Release) -> None:
        """The next draw is a release."""
        draw = len(self._ends)
        if isinstance(release, DirectlyFollowsGraph):
            found, size = _edges(release), len(release)
        else:
            found, size = _variants(release), release.n_cases
            self._timed[draw] = *_gaps(release), *_places(release, [sequence for sequence, _ in found], self._target)
        self._ends.append(RELEASED if size else EMPTY)
        for sequence, count in found:
            self._rows.append((draw, self._known.setdefault(sequence, len(self._known)), count))

    def add_end(self, end: int) -> None:
        """The next draw is no release."""
        self._ends.append(end)

    def draws(self) -> Draws:
        """All that was added."""
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 3).T
        return Draws(np.array(self._ends), tuple(self._known), *rows, self._timed)


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


def _places(log: EventLog, sequences: list[tuple[str, ...]], target: tuple[str, ...]) -> tuple[int, int, int]:
    """Earliest start, first and last place of the cases of one variant."""
    if target not in sequences:
        return (NOTHING,) * 3
    cases = np.flatnonzero(log.variants.of_case == sequences.index(target))
    return int(log.timestamps[log.offsets[cases]].min()), int(cases[0]), int(cases[-1])


def frequent(first: Draws, second: Draws) -> list[tuple[str, ...]]:
    """The variants that the first half of the draws has often; an event must not be chosen by the second half."""
    seen: dict[tuple[str, ...], int] = {}
    least = 0.0
    for draws in (first, second):
        half = len(draws.ends) // 2
        counts = np.bincount(draws.variant[draws.draw < half], minlength=len(draws.variants))
        for sequence, count in zip(draws.variants, counts.tolist(), strict=True):
            seen[sequence] = seen.get(sequence, 0) + count
        least += RAREST * half
    order = sorted(seen, key=lambda sequence: -seen[sequence])[:MOST_COUNTS]
    return [sequence for sequence in order if seen[sequence] >= least]


def observe(draws: Draws, target: tuple[str, ...], counted: Sequence[tuple[str, ...]]) -> tuple[list[str], np.ndarray]:
    """What an audit looks at; the same columns for all draws with the same target and variants.

    Parameters
    ----------
    draws : Draws
    target : tuple of str
        Trace of the case in which the logs differ.
    counted : sequence of tuples of str
        Variants whose cases are counted, besides the target.

    Returns
    -------
    names : list of str
        What each column is.
    values : int64 array (draws, columns)
    """
    sequences, size = draws.variants, len(draws.ends)
    found = {
        name: np.bincount(draws.draw, draws.count * weights[draws.variant], minlength=size).astype(np.int64)
        for name, weights in _properties(sequences, target, counted).items()
    }
    wanted = {target, *_steps(target)}
    parts = np.array([sequence in wanted for sequence in sequences], dtype=bool)
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    longest = np.zeros(size, dtype=np.int64)
    np.maximum.at(longest, draws.draw, lengths[draws.variant])
    found |= {
        "parts of the case": np.bincount(draws.draw[parts[draws.variant]], minlength=size),
        "variants": np.bincount(draws.draw, minlength=size),
        "longest trace": longest,
        "end": draws.ends,
        "whole release": _wholes(draws),
    }
    if draws.timed is not None:
        found |= dict(zip(GAPS + PLACES, draws.timed.T, strict=True))
        found["range of gaps"] = found["largest gap"] - found["least gap"]
    return list(found), np.column_stack(list(found.values()))


def _steps(target: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The edges of a case in a graph, its start and end too."""
    return [(source, EDGE, following) for source, following in pairwise(("", *target, ""))]


def _properties(
    sequences: Sequence[tuple[str, ...]], target: tuple[str, ...], counted: Sequence[tuple[str, ...]]
) -> dict[str, np.ndarray]:
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
    for sequence in counted:
        count(f"cases of {_text(sequence)}", [other == sequence for other in sequences])
    return found


def _text(sequence: tuple[str, ...]) -> str:
    if len(sequence) == 3 and sequence[1] == EDGE:
        return f"<{sequence[0] or 'start'} {EDGE} {sequence[2] or 'end'}>"
    return f"<{','.join(sequence)}>"


def _wholes(draws: Draws) -> np.ndarray:
    """A number of each whole release, the same for the same multiset of variants; int64 (draws,)."""
    named = np.array([_number(sequence) for sequence in draws.variants], dtype=np.uint64)
    whole = mix(draws.ends)
    np.add.at(whole, draws.draw, mix(named[draws.variant] + draws.count.astype(np.uint64)))
    return (whole >> np.uint64(1)).astype(np.int64)


def _number(sequence: tuple[str, ...]) -> int:
    """A number of 64 bits that stands for a variant, in all runs the same."""
    return int.from_bytes(hashlib.blake2b("\0".join(sequence).encode(), digest_size=8).digest(), "little")
