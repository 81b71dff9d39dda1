"""A release tree that grows length by length; sequences are read off it at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mechanisms import Infeasible


@dataclass(frozen=True)
class Prefixes:
    """The kept prefixes of one length.

    Attributes
    ----------
    parents : int64 array (prefixes,)
        Index among the prefixes that are one activity shorter.
    activities : int64 array (prefixes,)
        Last activity.
    nodes : int64 array (prefixes,)
        Node of the log's prefix tree, or `NOWHERE`.
    counts : int64 array (prefixes,)
        Released count; later levels do not use it.
    """

    parents: np.ndarray
    activities: np.ndarray
    nodes: np.ndarray
    counts: np.ndarray

    def __len__(self) -> int:
        return len(self.parents)

    def __getitem__(self, at: np.ndarray) -> Prefixes:
        return Prefixes(self.parents[at], self.activities[at], self.nodes[at], self.counts[at])


class Ended(NamedTuple):
    """Prefixes that are released as whole variants: index among the prefixes of their length, and released count."""

    parents: np.ndarray
    counts: np.ndarray


MAX_PREFIXES = 5_000_000
MARGIN = 2  # of an estimate from a sample
ROOT = Prefixes(*np.array([[0], [-1], [0], [0]]))
EMPTY = Prefixes(*np.empty((4, 0), dtype=np.int64))


@dataclass(frozen=True)
class VariantCounts:
    """Activity sequences and how many cases of each are released.

    Attributes
    ----------
    activities : int64 array (events of all variants,)
        Activity codes of the log, one variant after the other; one variant may be empty.
    offsets : int64 array (variants + 1,)
        Variant `v` is ``activities[offsets[v]:offsets[v + 1]]``.
    counts : int64 array (variants,)
        Positive. Two variants may be the same sequence if a query releases what it has cut off.
    answers : int64 array (variants,), optional
        Which of several independent answers, drawn at once, each variant is of.
    """

    activities: np.ndarray
    offsets: np.ndarray
    counts: np.ndarray
    answers: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def lengths(self) -> np.ndarray:
        """Number of activities of each variant, int64 (variants,)."""
        return np.diff(self.offsets)


class Cap:
    """The number of prefixes that a query may keep, of all lengths together, open or ended."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.kept = 0
        self.level = 1

    def keep(self, number: int) -> None:
        """Account for some more, before they are made."""
        self.kept += number
        if self.kept > self.limit:
            self._refuse(f"level {self.level} brings the kept prefixes to {self.kept}")

    def expect(self, number: float, level: int) -> None:
        """Refuse at once what is sure to exceed the limit, from an estimate of the prefixes up to a level."""
        if number > MARGIN * self.limit:
            self._refuse(f"about {number:.3g} prefixes are to be expected up to level {level}")

    def _refuse(self, found: str) -> None:
        raise Infeasible(
            f"{found}, {self.limit} are allowed (max_prefixes); raise pruning or epsilon, or lower max_length"
        )


def grow(
    draw: Callable[[list[Prefixes], bool], tuple[Prefixes, Ended]],
    levels: int,
    cap: Cap,
    *,
    release_open: bool,
    answers: int = 1,
) -> VariantCounts:
    """Grow the tree by `draw` and release what it ends.

    Parameters
    ----------
    draw : callable (prefixes of each length so far, last) -> (kept extensions, ended)
        One level: which extensions of the longest prefixes by one activity, and which of these as wholes, to keep.
    levels : int
    cap : Cap
        That which `draw` uses.
    release_open : bool
        Whether prefixes still open after the last level are released as whole variants.
    answers : int
        How many trees to grow, side by side: each from an empty prefix of its own.
    """
    lengths = [ROOT[np.zeros(answers, dtype=np.int64)]]
    ended = []
    for level in range(1, levels + 1):
        cap.level = level
        extended, whole = draw(lengths, level == levels)
        ended.append(whole)
        if not len(extended):
            break
        lengths.append(extended)
    if release_open and len(lengths) > levels:
        ended.append(Ended(np.arange(len(lengths[-1])), lengths[-1].counts))
    blocks = [sequences(lengths[: length + 1], whole.parents) for length, whole in enumerate(ended)]
    roots = [_roots(lengths[: length + 1], whole.parents) for length, whole in enumerate(ended)]
    sizes = np.repeat([block.shape[1] for block in blocks], [block.shape[0] for block in blocks])
    return VariantCounts(
        np.concatenate([block.ravel() for block in blocks]),
        np.concatenate(([0], np.cumsum(sizes))),
        np.concatenate([whole.counts for whole in ended]),
        np.concatenate(roots),
    )


def _roots(lengths: list[Prefixes], at: np.ndarray) -> np.ndarray:
    """Which tree some of the longest prefixes belong to."""
    for prefixes in reversed(lengths[1:]):
        at = prefixes.parents[at]
    return at


def sequences(lengths: list[Prefixes], at: np.ndarray) -> np.ndarray:
    """The activities of some of the longest prefixes, int64 (prefixes, length)."""
    found = np.empty((len(at), len(lengths) - 1), dtype=np.int64)
    if not len(at):  # most lengths of a long query
        return found
    for position in range(len(lengths) - 1, 0, -1):
        found[:, position - 1] = lengths[position].activities[at]
        at = lengths[position].parents[at]
    return found
