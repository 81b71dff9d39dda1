"""The attributes that are recoded, the quasi-identifiers; an address may be one of them or four, its octets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from data.relation import ADDRESSES, CATEGORY, IPV4, Column, Relation
from mechanisms import Infeasible, ParameterError

ROWS = "rows"
OCTETS, INTEGER = "octets", "integer"
ENCODINGS = (OCTETS, INTEGER)


@dataclass(frozen=True)
class Attribute:
    """One attribute.

    Attributes
    ----------
    name : str
        Of the column or, of an octet, that with ``.1`` to ``.4``.
    column : Column
    octet : bool
    """

    name: str
    column: Column
    octet: bool = False

    @property
    def domain(self) -> tuple[int, int]:
        """Smallest and largest value that the attribute may have; of numbers and times, that it has."""
        if self.octet:
            return 0, 255
        if self.column.kind == IPV4:
            return 0, ADDRESSES - 1
        if self.column.kind == CATEGORY:
            return 0, len(self.column.labels) - 1
        return int(self.column.values.min()), int(self.column.values.max())

    @property
    def public_domain(self) -> bool:
        """Whether the domain does not depend on the rows."""
        return self.octet or self.column.kind == IPV4


def attributes_of(relation: Relation, names: str | Sequence[str], encoding: str) -> list[Attribute]:
    """The attributes of some columns, in that order.

    Parameters
    ----------
    relation : Relation
    names : str or sequence of str
        A text separates them by ``,`` or ``+``.
    encoding : {"octets", "integer"}
        Of addresses.

    Raises
    ------
    ParameterError
        If there is no such column or encoding.
    """
    if encoding not in ENCODINGS:
        raise ParameterError(f"encoding must be one of {', '.join(ENCODINGS)}; it is {encoding!r}")
    found: list[Attribute] = []
    for name in columns_of(relation, names, "attributes"):
        column = relation[name]
        if column.kind == IPV4 and encoding == OCTETS:
            octets = enumerate((24, 16, 8, 0), start=1)
            found += [Attribute(f"{name}.{i}", Column(column.values >> shift & 255), octet=True) for i, shift in octets]
        else:
            found.append(Attribute(name, column))
    if not found:
        raise ParameterError(f"attributes must name at least one column, of {', '.join(relation.names)}")
    if len({attribute.name for attribute in found}) < len(found):
        raise ParameterError(f"attributes: an octet has the name of a column, in {', '.join(named(found))}; rename it")
    return found


def columns_of(relation: Relation, names: str | Sequence[str], parameter: str) -> list[str]:
    """The distinct names that a parameter gives, all of them columns.

    Raises
    ------
    ParameterError
        If one is not.
    """
    names = names_in(names)
    for name in names:
        if name not in relation.names:
            raise ParameterError(f"{parameter}: no column {name!r}; the input has {', '.join(relation.names)}")
    return names


def names_in(names: str | Sequence[str]) -> list[str]:
    """The distinct names that a text separates by ``,`` or ``+``, or of a sequence."""
    return list(dict.fromkeys(filter(None, re.split("[,+]", names) if isinstance(names, str) else names)))


def units_of(relation: Relation, unit: str) -> np.ndarray | None:
    """What k counts: None for rows, else the code of each row's value in the column `unit`, int64 (rows,)."""
    if unit == ROWS:
        return None
    (name,) = columns_of(relation, [unit], "unit")
    return np.unique(relation[name].values, return_inverse=True)[1]


def check_k(relation: Relation, units: np.ndarray | None, k: int) -> None:
    """Refuse a k that is none or that not even all rows together reach."""
    if k < 1:
        raise ParameterError(f"k must be a whole number of at least 1; it is {k}")
    of = "rows" if units is None else "distinct values of the unit"
    if (n := relation.n_rows if units is None else len(np.unique(units))) < k:
        raise Infeasible(f"the input has {n} {of}, fewer than k = {k}; choose a smaller k")


def threshold(suppression: int | str, rows: int) -> int:
    """The number of rows that may be suppressed, given as such or as a share of all like ``1%``."""
    text = str(suppression)
    number, percent = text.removesuffix("%"), text.endswith("%")
    if re.fullmatch(r"\d+(\.\d+)?" if percent else r"\d+", number):
        share = float(number)
        if not percent:
            return int(number)
        if share <= 100:
            return int(rows * share / 100)
    raise ParameterError(f"suppression must be a number of rows or a share such as 1%; it is {suppression!r}")


def factorized(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of integers in their order, int64 (rows,), and the distinct integers, rising."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low >= 1 << 16:
        distinct, codes = np.unique(values, return_inverse=True)
        return codes, distinct
    present = np.bincount(values - low) > 0
    return (np.cumsum(present) - 1)[values - low], np.flatnonzero(present) + low


def named(attributes: Iterable[Attribute]) -> list[str]:
    """The names of attributes."""
    return [attribute.name for attribute in attributes]
