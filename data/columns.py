"""Columns that grow block by block while a log is read, and do not stand in memory twice.

Numbers grow in memory maps, which Linux enlarges by moving pages, so nothing is copied and nothing left behind. Texts
stay encoded block by block; what they are, numbers or texts, is decided in the end and carried out block by block.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PAGESIZE, mmap

import numpy as np
import pyarrow as pa

from data.arrow import codes, is_text, to_integers
from data.log import ACTIVITY, CASE, KEYS, TIMESTAMP, EventLog
from data.order import arrange

INT, FLOAT, BOOLEAN = "int", "float", "boolean"  # as XES calls them
TYPES = frozenset((INT, FLOAT, BOOLEAN))
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
# Neither a code with leading zeros nor an integer of more digits than a float holds.
NUMBER = re.compile(r"(?![+-]?[0-9]{17})[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf|nan", re.I)
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
KNOWN_AT_ONCE = 1 << 16  # distinct texts


class Numbers:
    """Numbers of one type."""

    def __init__(self, dtype: type) -> None:
        self.dtype = np.dtype(dtype)
        self.memory = mmap(-1, PAGESIZE, MAP_PRIVATE | MAP_ANONYMOUS)
        self.bytes = 0

    def __len__(self) -> int:
        return self.bytes // self.dtype.itemsize

    def add(self, numbers: np.ndarray) -> None:
        """Add a block."""
        end = self.bytes + len(numbers) * self.dtype.itemsize
        if end > len(self.memory):
            self.memory.resize(2 * end)  # pages that are not written to take no memory
        if numbers.any():  # as they are 0, the times of a release without any take none either
            self.memory[self.bytes : end] = numbers.astype(self.dtype, copy=False).tobytes()
        self.bytes = end

    def values(self) -> np.ndarray:
        """The column, not a copy; nothing can be added afterwards."""
        return np.frombuffer(self.memory, self.dtype, len(self))


class Codes:
    """Texts as codes by first appearance.

    Attributes
    ----------
    known : dict
        The code of each distinct text.
    codes : Numbers
        int32.
    """

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.codes = Numbers(np.int32)

    def add(self, texts: pa.Array) -> None:
        """Add a block of texts without nulls."""
        found, distinct = codes(texts)
        numbers = [self.known.setdefault(text, len(self.known)) for text in distinct]
        self.codes.add(np.array(numbers, np.int32)[found])

    def taken(self) -> np.ndarray:
        """The codes, of which none are left, int32."""
        codes, self.codes = self.codes.values(), Numbers(np.int32)
        return codes


class Texts:
    """Texts and nulls, which turn out to be numbers if all of them are written as such.

    Parameters
    ----------
    types : set of str
        Types out of `TYPES` that the texts may turn out to be.
    decimal : str
        Decimal sign of floats.
    """

    def __init__(self, types: Iterable[str] = (), decimal: str = ".") -> None:
        self.types = set(types)
        self.swap = str.maketrans({decimal: ".", ".": decimal})
        self.blocks: list[pa.Array] = []
        self.some_null = self.some_text = False

    def add(self, texts: pa.Array, types: Iterable[str] = ()) -> None:
        """Add a block, which is declared to be of one of some types."""
        self.some_null = self.some_null or texts.null_count > 0
        self.some_text = self.some_text or texts.null_count < len(texts)
        if texts.null_count == len(texts):
            texts = pa.nulls(len(texts))  # which take no memory
        else:
            texts = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
            self.types = {kind for kind in self.types & {*types} if self._fit(texts.dictionary.to_pylist(), kind)}
        self.blocks.append(texts)

    def values(self) -> np.ndarray:
        """The column: int64, float64 (NaN where null), bool, or texts with None where null; empties the blocks."""
        if INT in self.types and not self.some_null:
            return self._converted(int, 0, np.int64)
        if FLOAT in self.types and self.some_text:
            return self._converted(lambda text: float(text.translate(self.swap)), math.nan, np.float64)
        if BOOLEAN in self.types and not self.some_null:
            return self._converted(BOOLEANS.get, False, bool)
        return self._converted(_Distinct().first, None, object)

    def _fit(self, distinct: Sequence[str], kind: str) -> bool:
        if kind == INT:
            return all(INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63 for text in distinct)
        if kind == FLOAT:
            return all(NUMBER.fullmatch(text.translate(self.swap)) for text in distinct)
        return BOOLEANS.keys() >= {*distinct}

    def _converted(self, convert: Callable[[str], object], null: object, dtype: type) -> np.ndarray:
        column = np.empty(sum(map(len, self.blocks)), dtype)
        row = 0
        for block in _taken(self.blocks):
            rows = slice(row, row := row + len(block))
            if pa.types.is_null(block.type):
                column[rows] = null
            else:
                distinct = np.array([*map(convert, block.dictionary.to_pylist()), null], dtype)
                column[rows] = distinct[to_integers(block.indices.cast(pa.int32()).fill_null(-1), np.int32)]
        return column


class Values:
    """Values of one Arrow type that is not text."""

    def __init__(self) -> None:
        self.blocks: list[pa.Array] = []

    def add(self, values: pa.Array, types: Iterable[str] = ()) -> None:
        """Add a block; only texts turn out to be of another type."""
        self.blocks.append(values)

    def values(self) -> np.ndarray:
        """The column as Arrow gives it to numpy; empties the blocks."""
        column = pa.chunked_array(self.blocks)
        self.blocks.clear()
        return column.to_numpy()


class Events:
    """The events of a log while it is read.

    Attributes
    ----------
    activities : Codes
    times : Numbers
        int64.
    attributes : dict of Texts or Values

    Parameters
    ----------
    decimal : str
        Decimal sign of attributes that may turn out to be floats.
    """

    def __init__(self, decimal: str = ".") -> None:
        self.decimal = decimal
        self.activities = Codes()
        self.times = Numbers(np.int64)
        self.attributes: dict[str, Texts | Values] = {}

    def __len__(self) -> int:
        return len(self.times)

    def add(
        self,
        activities: pa.Array,
        times: pa.Array,
        attributes: Mapping[str, pa.Array],
        types: Mapping[str, Iterable[str]] = {},
    ) -> None:
        """Add a block of events.

        Parameters
        ----------
        activities, times : Arrow arrays without nulls
        attributes : mapping of str to Arrow array
            All that the events before have, and perhaps more.
        types : mapping of str to set of str
            What the texts of an attribute may turn out to be, where not just texts.

        Raises
        ------
        ValueError
            If an attribute has the name of a column that every log has.
        """
        for key, values in attributes.items():
            if key not in self.attributes:
                self.attributes[key] = self._column(key, values.type, types.get(key, ()))
            self.attributes[key].add(values, types.get(key, ()))
        self.activities.add(activities)
        self.times.add(to_integers(times, np.int64))

    def _column(self, key: str, kind: pa.DataType, types: Iterable[str]) -> Texts | Values:
        if key in KEYS:
            raise ValueError(f"the further column {key!r} has the name of one that every log has; rename it")
        if not is_text(kind):
            return Values()
        column = Texts(types, self.decimal)
        column.add(pa.nulls(len(self)), types)
        return column

    def log(self, cases: Callable[[], np.ndarray], case_ids: Sequence[str]) -> tuple[EventLog, int]:
        """The canonical log, and how many of its events came out of order; empties the columns.

        Parameters
        ----------
        cases : callable () -> int32 array (events,)
            Gives the case codes, and does not keep them: each column is released when it is no longer needed.
        case_ids : sequence of distinct str
        """
        labels = tuple(self.activities.known)
        columns = {CASE: cases(), ACTIVITY: self.activities.taken(), TIMESTAMP: self.times.values()}
        del self.times
        columns |= {key: column.values() for key, column in self.attributes.items()}
        offsets, out_of_order = arrange(columns, CASE, TIMESTAMP, len(case_ids))
        activities, times = columns.pop(ACTIVITY), columns.pop(TIMESTAMP)
        return EventLog(activities, times, offsets, labels, case_ids, columns), out_of_order


class _Distinct:
    """One object for all equal texts, as far as few enough are distinct that it pays."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def first(self, text: str) -> str:
        """The first text that was equal."""
        if len(self.known) > KNOWN_AT_ONCE:
            self.known.clear()
        return self.known.setdefault(text, text)


def _taken(blocks: list[pa.Array]) -> Iterator[pa.Array]:
    """The blocks, first come first, each released when the next is asked for."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()
