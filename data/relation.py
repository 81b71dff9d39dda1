"""The canonical relation: an immutable table of numbers, addresses, times and categories over numpy arrays.

It is to mechanisms that recode tables what the event log is to the others. Every column is an int64 array; its kind
tells what the integers mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

NUMBER, IPV4, TIME, CATEGORY = "number", "ipv4", "time", "category"
KINDS = (NUMBER, IPV4, TIME, CATEGORY)
ADDRESSES = 1 << 32  # of IPv4


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Attributes
    ----------
    values : int64 array (rows,)
        Numbers; IPv4 addresses as ``o1 * 2**24 + o2 * 2**16 + o3 * 2**8 + o4``; microseconds since 1970-01-01 UTC; or
        indices into `labels`.
    kind : {"number", "ipv4", "time", "category"}
    labels : tuple of str
        Distinct, of a category alone. Their order is that of the codes, for whoever wants one: `read_relation` sorts
        numbers with a fraction by value and texts by their characters.

    Raises
    ------
    ValueError
        If the kind is unknown, or a value is no address or has no label.
    """

    values: np.ndarray
    kind: str = NUMBER
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # A view, so that freezing it does not freeze the caller's array.
        values = np.asarray(self.values, dtype=np.int64).view()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "labels", tuple(self.labels))
        if self.kind not in KINDS:
            raise ValueError(f"a column is one of {', '.join(KINDS)}, not {self.kind!r}")
        end = {IPV4: ADDRESSES, CATEGORY: len(self.labels)}.get(self.kind)
        if end is not None and len(values) and not 0 <= values.min() <= values.max() < end:
            raise ValueError(f"a value of a column of kind {self.kind} is not within 0 and {end - 1}")

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: np.ndarray) -> Column:
        """The column of some rows, given by index or as a bool array."""
        return Column(self.values[rows], self.kind, self.labels)

    def texts(self, values: Iterable[int] | None = None) -> list[str]:
        """The texts of all values of the column, or of the given ones."""
        return spelled(self.values if values is None else values, self.kind, self.labels)


@dataclass(frozen=True, eq=False)
class Relation:
    """A relation.

    Parameters
    ----------
    columns : mapping of str to Column
        At least one, all of the same length. Rows may repeat.

    Raises
    ------
    ValueError
        If there is no column or they differ in length.
    """

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        if len({len(column) for column in self.columns.values()}) != 1:
            raise ValueError("a relation has at least one column, and all have the same number of rows")

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: np.ndarray) -> Relation:
        """The relation of some rows, given by index or as a bool array."""
        return Relation({name: column.take(rows) for name, column in self.columns.items()})

    def distinct(self, names: Sequence[str]) -> tuple[Relation, np.ndarray]:
        """The distinct rows of some columns, in the order of their first row.

        Parameters
        ----------
        names : sequence of str
            The columns to keep.

        Returns
        -------
        relation : Relation
        of_row : int64 array (rows,)
            The distinct row of each row.
        """
        of_row, first = grouped([self[name].values for name in names])
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return Relation({name: self[name].take(first[order]) for name in names}), rank[of_row]


def grouped(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are equal in all columns, as groups in lexicographic order.

    Parameters
    ----------
    columns : sequence of int64 arrays (rows,)

    Returns
    -------
    groups : int64 array (rows,)
        The group of each row.
    first : int64 array (groups,)
        The first row of each group.
    """
    order = np.lexsort(tuple(columns)[::-1])
    begins = np.zeros(len(order), dtype=bool)
    begins[:1] = True
    for column in columns:
        ordered = column[order]
        begins[1:] |= ordered[1:] != ordered[:-1]
    groups = np.empty(len(order), dtype=np.int64)
    groups[order] = np.cumsum(begins) - 1
    return groups, order[begins]  # the sort is stable


def spelled(values: Iterable[int], kind: str, labels: Sequence[str] = ()) -> list[str]:
    """Texts of integers: numbers, dotted addresses, ISO 8601 in UTC, or labels."""
    values = np.asarray(values, dtype=np.int64)
    if kind == IPV4:
        octets = [((values >> shift) & 255).tolist() for shift in (24, 16, 8, 0)]
        return [f"{a}.{b}.{c}.{d}" for a, b, c, d in zip(*octets, strict=True)]
    if kind == TIME:
        whole = not (values % 1_000_000).any()
        return [f"{text}Z" for text in np.datetime_as_string(values.astype("datetime64[us]"), "s" if whole else "us")]
    if kind == CATEGORY:
        return [labels[code] for code in values.tolist()]
    return list(map(str, values.tolist()))
