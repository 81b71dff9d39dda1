"""Mondrian's partitions, all of one depth at once.

For every dimension there is one order of the rows, sorted by partition and value. A depth costs a few passes over each
of them, so the whole takes time in proportion to dimensions, rows and depths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from baselines.mondrian.cuts import AFTER, BEFORE, Cuts, cuts

SCOPES = ("dimension", "partition")
WIDTHS = ("region", "data")


@dataclass(frozen=True, eq=False)
class Boxes:
    """A box of values for each partition; arrays (dimensions, partitions).

    Attributes
    ----------
    low, high : int64 arrays
    low_open, high_open : bool arrays
        Whether the bound itself is outside.
    """

    low: np.ndarray
    high: np.ndarray
    low_open: np.ndarray
    high_open: np.ndarray

    def take(self, partitions: np.ndarray) -> Boxes:
        """The boxes of some partitions, given by index or as a bool array."""
        return Boxes(*(array[:, partitions] for array in self.arrays()))

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.low, self.high, self.low_open, self.high_open

    def closed(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest integer inside, int64 arrays (dimensions, partitions)."""
        return self.low + self.low_open, self.high - self.high_open


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of rows into classes.

    Attributes
    ----------
    classes : int64 array (rows,)
    boxes : Boxes
        One a class.
    cuts, rhs_cuts : int
        All cuts, and those before the rows equal to the median.
    depth : int
        Depths at which there were partitions to cut.
    """

    classes: np.ndarray
    boxes: Boxes
    cuts: int
    rhs_cuts: int
    depth: int


def partition(
    values: Sequence[np.ndarray],
    domains: Sequence[tuple[int, int]],
    *,
    k: int,
    rule: str = "lhs_rhs",
    scope: str = "dimension",
    width: str = "region",
    units: np.ndarray | None = None,
    rows: np.ndarray | None = None,
) -> Partition:
    """Cut the rows into classes.

    A partition is cut along the dimension of the widest range, as a share of the domain, among those with an
    allowable cut; the first of equals.

    Parameters
    ----------
    values : sequence of int64 arrays (rows,)
        One a dimension.
    domains : sequence of (int, int)
        Smallest and largest value of each dimension.
    k : int
    rule : str
        One of `baselines.mondrian.cuts.RULES`.
    scope : {"dimension", "partition"}
        Of `lhs_rhs`: the second boundary counts in every dimension in which the first is not allowable, or only in
        partitions in which the first is allowable in none. Only the latter refines the result of `lhs`.
    width : {"region", "data"}
        The range is that of the box, or of the values present.
    units : int64 array (rows,), optional
        Codes of what k counts instead of rows.
    rows : int array (rows,), optional
        The order in which rows of equal values are dealt by the rule `relaxed`.
    """
    growing = _Growing(values, domains, k, units, rows)
    stages = ("lhs", "before") if (rule, scope) == ("lhs_rhs", "partition") else (rule,)
    rhs_cuts = depth = 0
    while growing.open:
        dimension, found = growing.best_cuts(stages, width)
        rhs_cuts += int(((found.boundary == BEFORE) & (dimension >= 0)).sum())
        growing.cut(dimension, found)
        depth += 1
    boxes = Boxes(*(np.concatenate(arrays, axis=1) for arrays in zip(*map(Boxes.arrays, growing.done), strict=True)))
    return Partition(growing.classes, boxes, growing.n_done - 1, rhs_cuts, depth)


class _Growing:
    """The partitions that may still be cut, and those that are done.

    Attributes
    ----------
    values : sequence of int64 arrays (all rows,)
    spans : float64 array (dimensions,)
    orders : list of int64 arrays (rows,)
        For each dimension the open rows by partition and value.
    sizes : int64 array (partitions,)
    boxes : Boxes
    classes : int64 array (all rows,)
        Of the rows whose partition is done.
    done : list of Boxes
    n_done : int
    """

    def __init__(
        self,
        values: Sequence[np.ndarray],
        domains: Sequence[tuple[int, int]],
        k: int,
        units: np.ndarray | None,
        rows: np.ndarray | None,
    ) -> None:
        rows = np.arange(len(values[0])) if rows is None else rows
        self.values, self.k, self.units = values, k, units
        self.spans = np.array([high - low for low, high in domains], dtype=float)
        self.orders = [rows[np.argsort(column[rows], kind="stable")] for column in values]
        self.sizes = np.array([len(rows)])
        low, high = np.array(domains, dtype=np.int64).T[:, :, None]
        self.boxes = Boxes(low, high, np.zeros(low.shape, dtype=bool), np.zeros(low.shape, dtype=bool))
        self.classes = np.empty(len(rows), dtype=np.int64)
        self.done: list[Boxes] = []
        self.n_done = 0
        self._set_aside(self.sizes < 2 * k)

    @property
    def open(self) -> bool:
        """Whether a partition may still be cut."""
        return len(self.sizes) > 0

    @property
    def starts(self) -> np.ndarray:
        """The first row of each partition in the orders."""
        return np.cumsum(self.sizes) - self.sizes

    def best_cuts(self, stages: Sequence[str], width: str) -> tuple[np.ndarray, Cuts]:
        """The dimension of each partition's cut, -1 if there is none, and the cut.

        A later stage is for partitions in which the earlier ones allow no cut.
        """
        columns = [column[order] for column, order in zip(self.values, self.orders, strict=True)]
        widths = self._widths(columns, width)
        dimension = best = None
        for stage in stages:
            found = [
                cuts(stage, column, self.starts, self.sizes, self._allowable(order))
                for column, order in zip(columns, self.orders, strict=True)
            ]
            # The widest; the first of equals, as argmax has it.
            able = np.where([each.allowable for each in found], widths, 0)
            widest = np.argmax(able, axis=0)
            chosen = _at(found, widest)
            widest[able.max(axis=0) <= 0] = -1
            if best is None:
                dimension, best = widest, chosen
            else:
                best = best.where(dimension >= 0, chosen)
                dimension = np.where(dimension >= 0, dimension, widest)
        return dimension, best

    def cut(self, dimension: np.ndarray, best: Cuts) -> None:
        """Cut the partitions that have a dimension to be cut along; the others are done."""
        sides = self._sides(dimension, best.left)
        cut = dimension >= 0
        left = best.left[cut]
        self._set_aside(~cut)
        if len(self.orders) > 1:  # the only dimension stays sorted
            self.orders = [self._parted(order, left, sides) for order in self.orders]
        self.sizes = np.column_stack((left, self.sizes - left)).ravel()
        self.boxes = _halves(self.boxes, dimension[cut], best.median[cut], best.boundary[cut])
        self._set_aside(self.sizes < 2 * self.k)

    def _widths(self, columns: Sequence[np.ndarray], width: str) -> np.ndarray:
        """Ranges as shares of the domains, (dimensions, partitions)."""
        low, high = self.boxes.low, self.boxes.high
        if width == "data":
            starts, ends = self.starts, self.starts + self.sizes - 1
            low, high = (np.array([column[places] for column in columns]) for places in (starts, ends))
        ranges = np.subtract(high, low, dtype=float)  # of integers, a difference may exceed 64 bits
        spans = self.spans[:, None]
        return np.divide(ranges, spans, out=np.zeros(ranges.shape), where=spans > 0)

    def _allowable(self, order: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Whether both sides reach k, as a function of the rows on the left."""
        if self.units is None:
            return lambda left: (left >= self.k) & (self.sizes - left >= self.k)
        parts = np.repeat(np.arange(len(self.sizes)), self.sizes)
        places = np.arange(len(order)) - self.starts[parts]
        units, n_units = self.units[order], int(self.units.max()) + 1

        def allowable(left: np.ndarray) -> np.ndarray:
            sides = 2 * parts + (places >= left[parts])
            distinct = np.unique(sides * n_units + units) // n_units
            return (np.bincount(distinct, minlength=2 * len(left)).reshape(-1, 2) >= self.k).all(axis=1)

        return allowable

    def _sides(self, dimension: np.ndarray, left: np.ndarray) -> np.ndarray:
        """Whether each row is to go to the right, bool (all rows,)."""
        sides = np.zeros(len(self.classes), dtype=bool)
        parts = np.repeat(np.arange(len(self.sizes)), self.sizes)
        right = np.arange(len(parts)) - self.starts[parts] >= left[parts]
        for d, order in enumerate(self.orders):
            here = right & (dimension[parts] == d)
            sides[order[here]] = True
        return sides

    def _parted(self, order: np.ndarray, left: np.ndarray, sides: np.ndarray) -> np.ndarray:
        """The order with the left rows of every partition before its right ones."""
        right = sides[order]
        rank = np.cumsum(~right)  # of the left rows, up to and with each row
        before = np.repeat(rank[self.starts] - ~right[self.starts], self.sizes)  # left rows of earlier partitions
        starts, place = np.repeat(self.starts, self.sizes), np.arange(len(order))
        parted = np.empty_like(order)
        # A left row has `rank - before - 1` left ones before it in its partition; a right row all of them, and the
        # right ones that came before it.
        to_left = starts + rank - before - 1
        to_right = place + np.repeat(left, self.sizes) - (rank - before)
        parted[np.where(right, to_right, to_left)] = order
        return parted

    def _set_aside(self, done: np.ndarray) -> None:
        """Give some partitions their class."""
        if not done.any():
            return
        parts = np.repeat(np.where(done, np.cumsum(done) - 1 + self.n_done, -1), self.sizes)
        self.classes[self.orders[0][parts >= 0]] = parts[parts >= 0]
        self.done.append(self.boxes.take(done))
        self.n_done += int(done.sum())
        self.orders = [order[parts < 0] for order in self.orders]
        self.sizes, self.boxes = self.sizes[~done], self.boxes.take(~done)


def _at(found: Sequence[Cuts], dimension: np.ndarray) -> Cuts:
    """Of the cuts along every dimension those along one, which differs from partition to partition."""
    here = dimension, np.arange(len(dimension))
    return Cuts(*(np.array(arrays)[here] for arrays in zip(*map(Cuts.arrays, found), strict=True)))


def _halves(boxes: Boxes, dimension: np.ndarray, median: np.ndarray, boundary: np.ndarray) -> Boxes:
    """The two boxes of every partition, left and right in turn."""
    low, high, low_open, high_open = (np.repeat(array, 2, axis=1) for array in boxes.arrays())
    left = np.arange(0, 2 * len(dimension), 2)
    high[dimension, left], high_open[dimension, left] = median, boundary == BEFORE
    low[dimension, left + 1], low_open[dimension, left + 1] = median, boundary == AFTER
    return Boxes(low, high, low_open, high_open)
