"""Read and write event logs by file suffix: .parquet, .csv, .csv.gz, .xes, .xes.gz."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from data.arrow import TIME_TYPE, codes, from_integers, from_texts, integers, is_text
from data.files import replacing
from data.log import ACTIVITY, CASE, KEYS, TIMESTAMP, EventLog, LogError


def read_log(path: str | os.PathLike) -> EventLog:
    """Read an event log: cases, activities, times; with further attributes if it is Parquet or CSV.

    Warns of everything that had to be dropped or changed.

    Parameters
    ----------
    path : path
        A file ending in .parquet, .csv, .csv.gz, .xes, .xes.gz or .zip.

    Raises
    ------
    LogError
        If the file is missing, empty, of an unknown kind, or not an event log.
    """
    path = Path(path)
    check_present(path)
    if path.name.lower().endswith(".parquet"):
        with naming(path):
            return from_table(parquet_table(path))
    from data.importing import import_log, repairs
    from data.options import ImportOptions

    # The attributes of XES cost several times the time, and no caller uses them.
    attributes = path.name.lower().endswith((".csv", ".csv.gz"))
    log, counters = import_log(path, ImportOptions(attributes=attributes))
    if changes := [f"{name} = {counters[name]}" for name in repairs(counters)]:
        warnings.warn(f"{path}: not imported as it stands: {', '.join(changes)}", stacklevel=2)
    return log if attributes else replace(log, attributes={})


def write_log(log: EventLog, path: str | os.PathLike) -> None:
    """Write an event log, whole or not at all (temporary name, then rename).

    Activity labels that no event carries are left out, so a release does not tell of activities it lost.

    Raises
    ------
    LogError
        If the suffix is of an unknown kind or the folder does not exist.
    """
    path = Path(path)
    write = by_suffix(path, WRITERS)
    if not path.absolute().parent.is_dir():
        raise LogError(f"{path}: the folder does not exist; create it first")
    with replacing(path) as temporary:
        write(log, temporary)


def to_table(log: EventLog) -> pa.Table:
    """The log as an Arrow table, one row an event, text columns dictionary-encoded.

    Labels are those that some event carries, in the order of their first event: the order of `log.labels` may tell
    of the log that a release was made from.
    """
    used, first, codes = np.unique(log.activities, return_index=True, return_inverse=True)
    order = np.argsort(first)
    labels = [log.labels[code] for code in used[order]]
    codes = np.argsort(order)[codes].astype(np.int32)
    columns = {
        CASE: _dictionary(log.case_of_event.astype(np.int32), log.case_ids),
        ACTIVITY: _dictionary(codes, labels),
        TIMESTAMP: from_integers(log.timestamps, TIME_TYPE),
    }
    columns |= {key: _attribute(values) for key, values in log.attributes.items()}
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
    for key in (CASE, ACTIVITY):
        if not is_text(table[key].type):
            raise LogError(f"column {key!r} holds {table[key].type}, not text; convert it to text first")
    case_codes, case_ids = codes(table[CASE])
    activity_codes, labels = codes(table[ACTIVITY])
    return EventLog.from_codes(
        case_codes,
        case_ids,
        activity_codes,
        labels,
        _microseconds(table[TIMESTAMP]),
        {key: table[key].to_numpy() for key in table.column_names if key not in KEYS},
    )


def _attribute(values: np.ndarray) -> pa.Array:
    if values.dtype.kind in "iuf":
        return from_integers(values, pa.from_numpy_dtype(values.dtype))
    return pa.array(values)


def _dictionary(codes: np.ndarray, values: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(from_integers(codes, pa.int32()), from_texts(values))


def _microseconds(column: pa.ChunkedArray) -> np.ndarray:
    if not pa.types.is_timestamp(column.type):
        raise LogError(f"column {TIMESTAMP!r} holds {column.type}, not timestamps; convert it first")
    # Nanoseconds are cut; from coarser units nothing is lost, or the cast fails.
    return integers(column.cast(pa.timestamp("us", tz=column.type.tz), safe=column.type.unit != "ns").cast(pa.int64()))


def parquet_table(path: Path) -> pa.Table:
    """The table of a Parquet file, checked whole: a damaged file may hold codes without a text."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    texts = [name for name in (CASE, ACTIVITY) if name in metadata.schema.names]
    # Not `read_table`, which imports pandas by way of the dataset interface.
    with pq.ParquetFile(path, metadata=metadata, read_dictionary=texts) as file:
        table = file.read(use_threads=False)
    table.validate(full=True)
    return table


def _write_parquet(log: EventLog, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(to_table(log), path, compression="zstd")


def _write_csv(log: EventLog, path: Path) -> None:
    import pyarrow.csv as csv

    table = to_table(log)
    with pa.output_stream(str(path), compression="detect") as sink:
        csv.write_csv(table.cast(_plain(table.schema)), sink)


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema without dictionary types, which the CSV writer does not know."""
    return pa.schema((f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema)


def _write_xes(log: EventLog, path: Path) -> None:
    from data.xes_export import write_xes

    write_xes(log, path)


WRITERS = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".csv.gz": _write_csv,
    ".xes": _write_xes,
    ".xes.gz": _write_xes,
}


def by_suffix(path: Path, table: dict[str, Callable], name: str = "") -> Callable:
    """What a table holds for the suffix of a file or, if given, of a name that stands for it."""
    for suffix, function in table.items():
        if (name or path.name).lower().endswith(suffix):
            return function
    raise LogError(f"{path}: unknown kind of file; use one of {', '.join(table)}")


def check_present(path: Path) -> None:
    """Refuse a file that is missing or empty."""
    if not path.is_file():
        raise LogError(f"{path}: no such file")
    if path.stat().st_size == 0:
        raise LogError(f"{path}: empty file, as a run that did not succeed leaves one")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the libraries as those of a log, naming the file."""
    try:
        yield
    except (pa.ArrowException, ValueError, OSError, KeyError) as error:  # KeyError: a column that stands twice
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: not a readable event log: {error}") from error
