"""Frequency sets: the distinct vectors of attribute codes and how many rows have each, and their roll-up.

The frequency set at a higher level is a group-by-sum of that at a lower one (LeFevre, DeWitt and Ramakrishnan,
"Incognito", SIGMOD 2005), so the rows are looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baselines.relational.hierarchies import Hierarchy

LARGEST_KEY = 1 << 62
DENSE = 4  # tables of so many places a vector are counted directly, larger ones by sorting


@dataclass(frozen=True, eq=False)
class Frequencies:
    """A frequency set.

    Attributes
    ----------
    codes : tuple of int arrays (vectors,)
        One an attribute; where k counts units, those of the units as the last.
    rows : int64 array (vectors,)
        How many rows have each vector.
    attributes : int
        Number of attributes.
    """

    codes: tuple[np.ndarray, ...]
    rows: np.ndarray
    attributes: int

    def __len__(self) -> int:
        return len(self.rows)

    def raised(self, steps: Sequence[np.ndarray | None]) -> Frequencies:
        """The frequency set with the codes of some attributes replaced by those above them.

        Parameters
        ----------
        steps : sequence of int64 arrays or None
            One an attribute; None leaves it as it is.
        """
        steps = (*steps, *([None] * (len(self.codes) - len(steps))))
        codes = tuple(c if step is None else step[c] for c, step in zip(self.codes, steps, strict=True))
        return collected(codes, self.rows, self.attributes)

    def classes(self) -> tuple[np.ndarray, np.ndarray]:
        """What k counts and the number of rows of each class, int64 arrays (classes,)."""
        if len(self.codes) == self.attributes:
            return self.rows, self.rows
        keys, size = keys_of(self.codes[: self.attributes])
        _, support = sums_by_key(keys, size, np.ones(len(keys), dtype=np.int64))
        return support, sums_by_key(keys, size, self.rows)[1]


def frequencies_of(hierarchies: Sequence[Hierarchy], units: np.ndarray | None) -> Frequencies:
    """The frequency set of all rows at level 0 of every hierarchy."""
    codes = tuple(hierarchy.codes for hierarchy in hierarchies)
    rows = np.ones(len(codes[0]), dtype=np.int64)
    return collected(codes if units is None else (*codes, units), rows, len(hierarchies))


def collected(codes: tuple[np.ndarray, ...], rows: np.ndarray, attributes: int) -> Frequencies:
    """The frequency set of vectors that may repeat."""
    first, sums = sums_by_key(*keys_of(codes), rows)
    return Frequencies(tuple(each[first] for each in codes), sums, attributes)


def keys_of(codes: Sequence[np.ndarray]) -> tuple[np.ndarray, int]:
    """One integer a vector, equal for equal vectors, rising with them in lexicographic order, and their upper end."""
    keys, size = codes[0].astype(np.int64), int(codes[0].max()) + 1
    for each in codes[1:]:
        radix = int(each.max()) + 1
        if size * radix > LARGEST_KEY:
            distinct, keys = np.unique(keys, return_inverse=True)
            size = len(distinct)
        keys, size = keys * radix + each, size * radix
    return keys, size


def sums_by_key(keys: np.ndarray, size: int, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of one item of each key, and the sum of the positive weights of its items, by rising key; int64."""
    if size <= DENSE * len(keys):
        sums = np.bincount(keys, weights, minlength=size)
        present = np.flatnonzero(sums)
        place = np.empty(size, dtype=np.int64)
        place[keys] = np.arange(len(keys))
        return place[present], sums[present].astype(np.int64)
    order = np.argsort(keys)
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return order[begins], np.add.reduceat(weights[order], begins)


def numbered(codes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Equal vectors as classes, in lexicographic order: the class of each row, and a row of each; int64."""
    keys, size = keys_of(codes)
    first, _ = sums_by_key(keys, size, np.ones(len(keys), dtype=np.int64))
    if size <= DENSE * len(keys):
        number = np.empty(size, dtype=np.int64)
        number[keys[first]] = np.arange(len(first))
        return number[keys], first
    return np.searchsorted(keys[first], keys), first


def outliers(classes: tuple[np.ndarray, np.ndarray], k: int) -> int:
    """Rows in classes that do not reach k."""
    support, rows = classes
    return int(rows[support < k].sum())
