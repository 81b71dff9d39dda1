"""Read and write event logs by file suffix: .parquet, .csv, .csv.gz, .xes, .xes.gz."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from data.arrow import TIME_TYPE, from_integers, from_texts, to_integers
from data.files import replacing
from data.log import ACTIVITY, CASE, KEYS, TIMESTAMP, EventLog, LogError


def read_log(path: str | os.PathLike) -> EventLog:
    """Read an event log.

    Parameters
    ----------
    path : path
        A file ending in .parquet, .csv, .csv.gz, .xes or .xes.gz.

    Raises
    ------
    LogError
        If the file is missing, empty, of an unknown kind, or not an event log.
    """
    path = Path(path)
    if not path.is_file():
        raise LogError(f"{path}: no such file")
    if path.stat().st_size == 0:
        raise LogError(f"{path}: empty file (the run that should have written it did not succeed)")
    try:
        return _by_suffix(path, READERS)(path)
    except (pa.ArrowException, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: not a readable event log: {error}") from error


def write_log(log: EventLog, path: str | os.PathLike) -> None:
    """Write an event log, whole or not at all (temporary name, then rename).

    Activity labels that no event carries are left out, so a release does not tell of activities it lost.

    Raises
    ------
    LogError
        If the suffix is of an unknown kind or the folder does not exist.
    """
    path = Path(path)
    write = _by_suffix(path, WRITERS)
    if not path.absolute().parent.is_dir():
        raise LogError(f"{path}: the folder does not exist; create it first")
    with replacing(path) as temporary:
        write(log, temporary)


def to_table(log: EventLog) -> pa.Table:
    """The log as an Arrow table, one row an event, text columns dictionary-encoded."""
    used = np.zeros(len(log.labels), dtype=bool)
    used[log.activities] = True
    codes = (np.cumsum(used) - 1)[log.activities].astype(np.int32)
    labels = [label for label, keep in zip(log.labels, used, strict=True) if keep]
    columns = {
        CASE: _dictionary(log.case_of_event.astype(np.int32), log.case_ids),
        ACTIVITY: _dictionary(codes, labels),
        TIMESTAMP: from_integers(log.timestamps, TIME_TYPE),
    }
    columns |= {key: pa.array(values) for key, values in log.attributes.items()}
    return pa.table(columns)


def from_table(table: pa.Table) -> EventLog:
    """The canonical log of an Arrow table with XES column names, rows in file order.

    Raises
    ------
    LogError
        If a key column is missing, null somewhere, or not of its kind.
    """
    for key in KEYS:
        if key not in table.column_names:
            raise LogError(f"column {key!r} is missing; the file has {table.column_names}")
        column = table[key]
        if column.null_count:
            row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise LogError(f"column {key!r} is null in row {row}; drop or fill such rows first")
    case_codes, case_ids = _codes(table[CASE])
    activity_codes, labels = _codes(table[ACTIVITY])
    return EventLog.from_codes(
        case_codes,
        case_ids,
        activity_codes,
        labels,
        _microseconds(table[TIMESTAMP]),
        {key: table[key].to_numpy() for key in table.column_names if key not in KEYS},
    )


def _dictionary(codes: np.ndarray, values: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(from_integers(codes, pa.int32()), from_texts(values))


def _codes(column: pa.ChunkedArray) -> tuple[np.ndarray, list[str]]:
    """Codes by first appearance and the distinct values of a text column."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise LogError(f"a case or activity column holds {kind}, not text; convert it to text first")
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return np.empty(0, dtype=np.int64), []
    codes = np.concatenate([_int32(chunk.indices) for chunk in chunks])
    # A dictionary may hold values that no row has, and in any order.
    present, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    values = chunks[0].dictionary.to_pylist()
    return np.argsort(order)[codes], [values[code] for code in present[order]]


def _int32(array: pa.Array) -> np.ndarray:
    return to_integers(array if array.type == pa.int32() else array.cast(pa.int32()), np.int32)


def _microseconds(column: pa.ChunkedArray) -> np.ndarray:
    if not pa.types.is_timestamp(column.type):
        raise LogError(f"column {TIMESTAMP!r} holds {column.type}, not timestamps; convert it first")
    if column.type.unit != "us":
        column = column.cast(pa.timestamp("us", tz=column.type.tz), safe=False)
    return np.concatenate([np.empty(0, np.int64), *(to_integers(chunk, np.int64) for chunk in column.chunks)])


def _read_parquet(path: Path) -> EventLog:
    import pyarrow.parquet as pq

    # Not `read_table`, which imports pandas by way of the dataset interface.
    with pq.ParquetFile(path, read_dictionary=[CASE, ACTIVITY]) as file:
        return from_table(file.read(use_threads=False))


def _write_parquet(log: EventLog, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(to_table(log), path, compression="zstd")


def _read_csv(path: Path) -> EventLog:
    import pyarrow.csv as csv

    table = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types={CASE: pa.string(), ACTIVITY: pa.string(), TIMESTAMP: TIME_TYPE}, strings_can_be_null=False
        ),
    )
    return from_table(table)


def _write_csv(log: EventLog, path: Path) -> None:
    import pyarrow.csv as csv

    with pa.output_stream(str(path), compression="detect") as sink:
        csv.write_csv(to_table(log).cast(_plain(to_table(log).schema)), sink)


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema without dictionary types, which the CSV writer does not know."""
    return pa.schema((f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema)


def _read_xes(path: Path) -> EventLog:
    from data.xes import read_xes

    return read_xes(path)


def _write_xes(log: EventLog, path: Path) -> None:
    from data.xes import write_xes

    write_xes(log, path)


READERS = {".parquet": _read_parquet, ".csv": _read_csv, ".csv.gz": _read_csv, ".xes": _read_xes, ".xes.gz": _read_xes}
WRITERS = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".csv.gz": _write_csv,
    ".xes": _write_xes,
    ".xes.gz": _write_xes,
}


def _by_suffix(path: Path, table: dict[str, Callable]) -> Callable:
    for suffix, function in table.items():
        if path.name.lower().endswith(suffix):
            return function
    raise LogError(f"{path}: unknown kind of file; use one of {', '.join(table)}")
