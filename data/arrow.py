"""Arrow arrays from numpy arrays and texts, and back, by their buffers.

pyarrow's own `array` and `to_numpy` import pandas, which costs every run of a mechanism 0.2 s of CPU.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

TIME_TYPE = pa.timestamp("us", tz="UTC")


def from_integers(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """The Arrow array over an integer array; `kind` is an integer or time type of the same width."""
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


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
