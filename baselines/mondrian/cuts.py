"""Where a partition may be cut along one dimension: the rules of Mondrian, for all partitions of a depth at once.

With the rows of a partition sorted by value, m is a median and a boundary lies just after the rows equal to m or just
before them. A cut is allowable if both sides reach k. Rules:

* `lhs`: after the lower median (LeFevre, DeWitt and Ramakrishnan, ICDE 2006, and the UTD Anonymization ToolBox).
* `lhs_rhs`: as `lhs` or, where that is not allowable, before it (Zettel, CEUR-WS 2438, paper 4). In one dimension no
  cut is missed: if any boundary is allowable, one of these two is.
* `nearest`: that of these two which halves the partition best.
* `rhs`: before the interpolated median (the package anonypy).
* `floor`: after the value at which the cumulative count reaches half the size rounded down (qiyuangong/Mondrian).
* `relaxed`: rows equal to the lower median are dealt to both sides, so that these are halves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

RULES = ("lhs", "lhs_rhs", "nearest", "rhs", "floor", "relaxed")
AFTER, BEFORE, WITHIN = 0, 1, 2  # where a boundary lies, as seen from the rows equal to m


@dataclass(frozen=True, eq=False)
class Cuts:
    """The cut of each partition along one dimension; arrays (partitions,).

    Attributes
    ----------
    allowable : bool array
    left : int64 array
        Rows on the left.
    median : int64 array
        The value m.
    boundary : int8 array
        `AFTER`, `BEFORE` or `WITHIN` the rows equal to it.
    """

    allowable: np.ndarray
    left: np.ndarray
    median: np.ndarray
    boundary: np.ndarray

    def arrays(self) -> tuple[np.ndarray, ...]:
        """All four."""
        return self.allowable, self.left, self.median, self.boundary

    def where(self, here: np.ndarray, other: Cuts) -> Cuts:
        """These cuts where a bool array says so, else others."""
        return Cuts(*(np.where(here, one, two) for one, two in zip(self.arrays(), other.arrays(), strict=True)))


Allowable = Callable[[np.ndarray], np.ndarray]  # of the rows on the left, whether both sides reach k


def cuts(rule: str, values: np.ndarray, starts: np.ndarray, sizes: np.ndarray, allowable: Allowable) -> Cuts:
    """The cuts of a rule.

    Parameters
    ----------
    rule : str
        One of `RULES`, or `before`: before the lower median.
    values : int64 array (rows,)
        By partition, rising within each.
    starts, sizes : int64 arrays (partitions,)
        Sizes are at least 2.
    allowable : callable (int64 array (partitions,)) -> bool array (partitions,)
    """
    position = starts + {"rhs": sizes // 2, "floor": sizes // 2 - 1}.get(rule, (sizes + 1) // 2 - 1)
    median = values[position]
    if rule == "relaxed":
        left = (sizes + 1) // 2
        varied = values[starts] < values[starts + sizes - 1]
        return _cuts(allowable(left) & varied, left, median, WITHIN)
    first, end = _run(values, starts, position)

    def at(boundary: int) -> Cuts:
        left = (end if boundary == AFTER else first) - starts
        return _cuts(allowable(left), left, median, boundary)

    if rule in ("rhs", "before"):
        return at(BEFORE)
    if rule in ("lhs", "floor"):
        return at(AFTER)
    after, before = at(AFTER), at(BEFORE)
    if rule == "lhs_rhs":
        return after.where(after.allowable, before)
    nearer = abs(2 * after.left - sizes) <= abs(2 * before.left - sizes)
    return after.where(after.allowable & (nearer | ~before.allowable), before)


def _run(values: np.ndarray, starts: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first row, and the one past the last, that equals the row at each position, in its partition."""
    begins = np.empty(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    begins[starts] = True
    runs = np.append(np.flatnonzero(begins), len(values))
    run = np.searchsorted(runs, position, side="right")
    return runs[run - 1], runs[run]


def _cuts(allowable: np.ndarray, left: np.ndarray, median: np.ndarray, boundary: int) -> Cuts:
    return Cuts(allowable, left, median, np.full(len(left), boundary, dtype=np.int8))
