"""A released relation: rows whose attributes are recoded, class by class."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from data.arrow import from_integers, from_texts, to_integers
from data.io import check_present, naming
from data.log import LogError
from data.relation import CATEGORY, NUMBER, Column
from data.relation_io import CONTENT, KIND, from_array, to_array, whole, write_table

RELEASE = b"relation release"
SUPPRESSED = b"suppressed"  # number of rows, in the metadata of a file
PART = b"part"  # of a column: one of the following
TEXT, BOUND, KEPT = b"text", b"bound", b"kept"
LOW, HIGH = "_lo", "_hi"  # ends of the names of the columns of bounds
STAR = "*"


@dataclass(frozen=True, eq=False)
class Recoded:
    """How an attribute reads in each class.

    Attributes
    ----------
    texts : tuple of str (classes,)
        What is published; ``*`` for suppressed rows.
    low, high : int64 arrays (classes,), optional
        The closed interval that the text stands for, if the values are ordered; not defined for suppressed rows.
    kind : {"number", "ipv4", "time", "category"}
        What the bounds are; a category has none.
    """

    texts: tuple[str, ...]
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    kind: str = NUMBER

    def bounds(self) -> dict[str, np.ndarray]:
        """Low and high under the ends of the names of their columns; empty if there are none."""
        return {} if self.low is None else {LOW: self.low, HIGH: self.high}


@dataclass(frozen=True, eq=False)
class RelationRelease:
    """A released relation.

    Attributes
    ----------
    classes : int64 array (rows,)
        The class of each row: 0 for the first rows, rising; rows of one class read alike, of two classes not. So the
        place of a row tells nothing but its class.
    recoded : mapping of str to Recoded
        Every quasi-identifier.
    suppressed : int
        Rows that are suppressed; if there are any, they are the last class.
    kept : mapping of str to Column
        Further columns, released as they are, on request of the data owner.

    Raises
    ------
    ValueError
        If the parts do not fit together.
    """

    classes: np.ndarray
    recoded: Mapping[str, Recoded]
    suppressed: int = 0
    kept: Mapping[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        classes = np.asarray(self.classes, dtype=np.int64).view()
        classes.flags.writeable = False
        object.__setattr__(self, "classes", classes)
        steps = np.diff(classes, prepend=0)
        if len(classes) and (steps[0] or steps.min() < 0 or steps.max() > 1):
            raise ValueError("classes must rise from 0 one by one")
        if not self.recoded or any(len(each.texts) != self.n_classes for each in self.recoded.values()):
            raise ValueError(
                f"every attribute, at least one, must have a text for each of the {self.n_classes} classes"
            )
        if self.suppressed not in (0, *self.sizes[-1:]):
            raise ValueError("the suppressed rows must be the last class")

    @property
    def n_rows(self) -> int:
        return len(self.classes)

    @property
    def n_classes(self) -> int:
        """Number of classes, that of the suppressed rows included."""
        return int(self.classes[-1]) + 1 if self.n_rows else 0

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows of each class, int64 (classes,), that of the suppressed rows included."""
        return np.bincount(self.classes)

    @property
    def published_sizes(self) -> np.ndarray:
        """Rows of each class that is not suppressed, int64."""
        return self.sizes[: self.n_classes - (self.suppressed > 0)]


def write_relation_release(release: RelationRelease, path: str | os.PathLike) -> None:
    """Write a released relation, whole or not at all, as .parquet, .csv or .csv.gz.

    An attribute has a column of texts under its own name and, if it is ordered, two of bounds: `NAME_lo` and
    `NAME_hi`, null where the row is suppressed. Kept columns follow.

    Raises
    ------
    LogError
        If the suffix is of an unknown kind, the folder does not exist, or two columns would have the same name.
    """
    fields, arrays = [], []

    def add(name: str, array: pa.Array, part: bytes, kind: str) -> None:
        arrays.append(array)
        fields.append(pa.field(name, array.type, metadata={PART: part, KIND: kind.encode()}))

    published = np.arange(release.n_rows) < release.n_rows - release.suppressed
    for name, recoded in release.recoded.items():
        add(name, _texts(recoded.texts, release.classes), TEXT, recoded.kind)
        for end, bound in recoded.bounds().items():
            bounds = from_integers(bound[release.classes], pa.int64(), None if published.all() else published)
            add(name + end, bounds, BOUND, recoded.kind)
    for name, column in release.kept.items():
        add(name, to_array(column), KEPT, column.kind)
    names = [each.name for each in fields]
    if twice := [name for name in names if names.count(name) > 1]:
        raise LogError(f"{path}: two columns of the release would be called {twice[0]!r}; rename a column of the input")
    marks = {CONTENT: RELEASE, SUPPRESSED: str(release.suppressed).encode()}
    write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=marks)), path)


def is_relation_release(schema: pa.Schema) -> bool:
    """Whether a Parquet file of this schema is marked as a released relation."""
    return (schema.metadata or {}).get(CONTENT) == RELEASE


def read_relation_release(path: str | os.PathLike) -> RelationRelease:
    """Read a Parquet file that `write_relation_release` wrote.

    Raises
    ------
    LogError
        If it is missing, empty or no released relation.
    """
    import pyarrow.parquet as pq

    path = Path(path)
    check_present(path)
    with naming(path, "release"):
        with pq.ParquetFile(path, pre_buffer=False) as file:
            if not is_relation_release(file.schema_arrow):
                raise LogError(f"{path}: no released relation in Parquet, as our mechanisms write it")
            table = file.read(use_threads=False)
        table.validate(full=True)
        return _from_table(table)


def _from_table(table: pa.Table) -> RelationRelease:
    parts = {part: {} for part in (TEXT, BOUND, KEPT)}
    for each, column in zip(table.schema, table.columns, strict=True):
        parts[each.metadata[PART]][each.name] = whole(column), each.metadata[KIND].decode()
    suppressed = int(table.schema.metadata[SUPPRESSED])
    bounds = {name: _integers(array) for name, (array, _) in parts[BOUND].items()}
    texts = {name: from_array(array, CATEGORY) for name, (array, _) in parts[TEXT].items()}
    first = np.zeros(table.num_rows, dtype=bool)
    first[:1] = True
    if suppressed:
        first[-suppressed] = True
    for values in (*bounds.values(), *(column.values for column in texts.values())):
        first[1:] |= values[1:] != values[:-1]
    recoded = {}
    for name, column in texts.items():
        low, high = (bounds[name + end][first] if name + end in bounds else None for end in (LOW, HIGH))
        recoded[name] = Recoded(tuple(column.texts(column.values[first])), low, high, parts[TEXT][name][1])
    kept = {name: from_array(array, kind) for name, (array, kind) in parts[KEPT].items()}
    return RelationRelease(np.cumsum(first) - 1, recoded, suppressed, kept)


def _integers(array: pa.Array) -> np.ndarray:
    """The values of an array, 0 where it is null."""
    return to_integers(array.fill_null(0), np.int64)


def _texts(texts: tuple[str, ...], classes: np.ndarray) -> pa.DictionaryArray:
    """Texts of classes as a column; a text that several classes share is held once."""
    place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes = np.array([place[text] for text in texts], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(from_integers(codes[classes], pa.int32()), from_texts(list(place)))
