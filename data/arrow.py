"""Arrow arrays from numpy arrays and texts, and back, by their buffers.

pyarrow's own `array` and `to_numpy` import pandas, which costs every run of a mechanism 0.2 s of CPU.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

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


def integers(column: pa.ChunkedArray, dtype: type = np.int64) -> np.ndarray:
    """The values of an integer or time column without nulls; `dtype` has its width."""
    return np.concatenate([np.empty(0, dtype), *(to_integers(chunk, dtype) for chunk in column.chunks)])


def codes(column: pa.ChunkedArray) -> tuple[np.ndarray, list[str]]:
    """Codes by first appearance, int32, and the distinct values of a text column without nulls."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return np.empty(0, dtype=np.int32), []
    found = np.concatenate([to_integers(chunk.indices.cast(pa.int32()), np.int32) for chunk in chunks])
    values = chunks[0].dictionary.to_pylist()
    # A dictionary may hold values that no row has, and in any order. Of repeated indices the last assignment counts.
    first = np.full(len(values), len(found))
    first[found[::-1]] = np.arange(len(found))[::-1]
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(found))]
    renamed = np.zeros(len(values), dtype=np.int32)
    renamed[order] = np.arange(len(order))
    return renamed[found], [values[code] for code in order]


def is_text(kind: pa.DataType) -> bool:
    """Whether a column type is text, encoded as a dictionary or not."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
