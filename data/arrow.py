"""Arrow arrays from numpy arrays and texts, and back, by their buffers.

pyarrow's own `array` and `to_numpy` import pandas, which costs every run of a mechanism 0.2 s of CPU.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

TIME_TYPE = pa.timestamp("us", tz="UTC")


def from_integers(values: np.ndarray, kind: pa.DataType, valid: np.ndarray | None = None) -> pa.Array:
    """The Arrow array over an array of numbers; `kind` is a type of numbers or times of the same width.

    It is null where a bool array, if given, is False.
    """
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(np.ascontiguousarray(values))])


def from_texts(values: Sequence[str]) -> pa.StringArray:
    """The Arrow array of some texts."""
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)])
    # Offsets of 32 bits, as Parquet readers of other languages expect: 2 GB of distinct texts.
    offsets = pa.py_buffer(ends.astype(np.int32))
    return pa.StringArray.from_buffers(len(encoded), offsets, pa.py_buffer(b"".join(encoded)))


def to_integers(array: pa.Array, dtype: type) -> np.ndarray:
    """The values of an integer or time array without nulls; `dtype` has its width."""
    data = array.buffers()[1]
    return np.frombuffer(data, dtype=dtype)[array.offset : array.offset + len(array)]


def to_microseconds(times: pa.Array) -> tuple[pa.Array, int]:
    """Timestamps in microseconds, and how many had parts of one, which are cut off.

    Raises
    ------
    pyarrow.ArrowInvalid
        If a time is outside the range of microseconds.
    """
    kind = pa.timestamp("us", times.type.tz)
    if times.type.unit != "ns":
        return times.cast(kind), 0
    nanoseconds = times.cast(pa.int64())
    whole = pc.divide(nanoseconds, 1000)
    rest = pc.subtract(nanoseconds, pc.multiply(whole, 1000))
    whole = pc.if_else(pc.less(rest, 0), pc.subtract(whole, 1), whole)  # times before 1970 too are cut downwards
    return whole.cast(kind), pc.sum(pc.not_equal(rest, 0), min_count=0).as_py()


def codes(texts: pa.Array) -> tuple[np.ndarray, list[str]]:
    """Codes by first appearance, int32, and the distinct values of an array of texts without nulls."""
    encoded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
    found = to_integers(encoded.indices.cast(pa.int32()), np.int32)
    # A dictionary may hold values that no row has, and in any order. Of repeated indices the last assignment counts.
    first = np.full(len(encoded.dictionary), len(found))
    first[found[::-1]] = np.arange(len(found))[::-1]
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(found))]
    renamed = np.zeros(len(first), dtype=np.int32)
    renamed[order] = np.arange(len(order))
    return renamed[found], encoded.dictionary.take(from_integers(order, pa.int64())).to_pylist()


def is_text(kind: pa.DataType) -> bool:
    """Whether a column type is text, encoded as a dictionary or not."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
