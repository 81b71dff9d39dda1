"""Read and write event logs by file suffix: .parquet, .csv, .csv.gz, .xes, .xes.gz."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from data.arrow import TIME_TYPE, from_integers, from_texts, is_text, to_microseconds
from data.columns import Codes, Events
from data.files import replacing
from data.log import ACTIVITY, CASE, KEYS, TIMESTAMP, EventLog, LogError

BUFFER_BYTES = 1 << 20  # of a Parquet file at once
ROWS_AT_ONCE = 1 << 17  # and to a row group, as a reader has the dictionary of a whole one in memory


def read_log(path: str | os.PathLike, attributes: bool = False) -> EventLog:
    """Read an event log: cases, activities, times; with further attributes if it is Parquet or CSV, or on request.

    Warns of everything that had to be dropped or changed.

    Parameters
    ----------
    path : path
        A file ending in .parquet, .csv, .csv.gz, .xes, .xes.gz or .zip.
    attributes : bool
        Keep those of XES too.

    Raises
    ------
    LogError
        If the file is missing, empty, of an unknown kind, or not an event log.
    """
    path = Path(path)
    check_present(path)
    if path.name.lower().endswith(".parquet"):
        with naming(path):
            log, cut = from_batches(parquet_batches(path))
        if cut:
            warnings.warn(f"{path}: {cut} times cut to microseconds", stacklevel=2)
        return log
    from data.importing import import_log, repairs
    from data.options import ImportOptions

    # The attributes of XES cost several times the time, and few callers use them.
    attributes = attributes or path.name.lower().endswith((".csv", ".csv.gz"))
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
    write_whole(log, path, WRITERS)


def to_tables(log: EventLog) -> Iterator[pa.Table]:
    """The log as Arrow tables of `ROWS_AT_ONCE` events, one row an event, text columns dictionary-encoded.

    Labels are those that some event of a table carries, in the order of their first event: the order of `log.labels`
    may tell of the log that a release was made from.
    """
    types = {key: _type(values) for key, values in log.attributes.items()}
    for start in range(0, max(log.n_events, 1), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        used, first, codes = np.unique(log.activities[block], return_index=True, return_inverse=True)
        order = np.argsort(first)
        labels = [log.labels[code] for code in used[order]]
        cases, case_ids = _cases(log, start, min(start + ROWS_AT_ONCE, log.n_events))
        columns = {
            CASE: _dictionary(cases, case_ids),
            ACTIVITY: _dictionary(np.argsort(order)[codes].astype(np.int32), labels),
            TIMESTAMP: from_integers(log.timestamps[block], TIME_TYPE),
        }
        yield pa.table(columns | {key: _attribute(log.attributes[key][block], kind) for key, kind in types.items()})


def _cases(log: EventLog, start: int, stop: int) -> tuple[np.ndarray, Sequence[str]]:
    """Codes of the cases of some events, int32, and their ids."""
    first, last = np.searchsorted(log.offsets, [start, stop - 1], side="right") - 1
    lengths = np.diff(np.clip(log.offsets[first : last + 2], start, stop))
    return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), log.case_ids[first : last + 1]


def _type(values: np.ndarray) -> pa.DataType:
    return pa.infer_type(values) if values.dtype == object else pa.from_numpy_dtype(values.dtype)


def from_batches(batches: Iterable[pa.RecordBatch]) -> tuple[EventLog, int]:
    """The canonical log of record batches with XES column names, rows in file order; how many times had to be cut.

    Raises
    ------
    LogError
        If a key column is missing, null somewhere, or not of its kind.
    """
    cases, events, cut = Codes(), Events(), 0
    for batch in batches:
        _check_keys(batch, len(events))
        times, finer = to_microseconds(batch[TIMESTAMP])
        events.add(batch[ACTIVITY], times, {key: batch[key] for key in batch.schema.names if key not in KEYS})
        cases.add(batch[CASE])
        cut += finer
    return events.log(cases.taken, tuple(cases.known))[0], cut


def _check_keys(batch: pa.RecordBatch, row: int) -> None:
    for key in KEYS:
        if key not in batch.schema.names:
            raise LogError(f"column {key!r} is missing; the file has {batch.schema.names}")
        column = batch[key]
        if column.null_count:
            row += int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise LogError(f"column {key!r} is null in row {row}; drop or fill such rows first")
    for key in (CASE, ACTIVITY):
        if not is_text(batch[key].type):
            raise LogError(f"column {key!r} holds {batch[key].type}, not text; convert it to text first")
    if not pa.types.is_timestamp(batch[TIMESTAMP].type):
        raise LogError(f"column {TIMESTAMP!r} holds {batch[TIMESTAMP].type}, not timestamps; convert it first")


def _attribute(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    # Not `pa.array` where that is not needed: it imports pandas.
    return from_integers(values, kind) if values.dtype.kind in "iuf" else pa.array(values, kind)


def _dictionary(codes: np.ndarray, values: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(from_integers(codes, pa.int32()), from_texts(values))


def parquet_batches(path: Path, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The record batches of a Parquet file, checked whole: a damaged file may hold codes without a text.

    Parameters
    ----------
    path : path
    columns : sequence of str, optional
        Those to read; all if left out.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    texts = [field.name for field in metadata.schema.to_arrow_schema() if is_text(field.type)]
    frugal = {"buffer_size": BUFFER_BYTES, "pre_buffer": False}
    # Not `read_table`, which imports pandas by way of the dataset interface.
    with pq.ParquetFile(path, metadata=metadata, read_dictionary=texts, **frugal) as file:
        schema = file.schema_arrow
        # An empty one first, as a file without rows gives none.
        yield pa.record_batch([pa.nulls(0, field.type) for field in schema], schema=schema)
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns, use_threads=False):
            batch.validate(full=True)
            yield batch


def _write_parquet(log: EventLog, path: Path) -> None:
    import pyarrow.parquet as pq

    tables = to_tables(log)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table)


def _write_csv(log: EventLog, path: Path) -> None:
    import pyarrow.csv as csv

    tables = (table.cast(_plain(table.schema)) for table in to_tables(log))
    first = next(tables)
    with (
        pa.output_stream(str(path), compression="detect") as sink,
        csv.CSVWriter(sink, first.schema) as writer,
    ):
        for table in chain([first], tables):
            writer.write_table(table)


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


def write_whole(content: object, path: str | os.PathLike, writers: dict[str, Callable]) -> None:
    """Write something, whole or not at all (temporary name, then rename), by the writer for the suffix of the file.

    Raises
    ------
    LogError
        If the suffix is of an unknown kind or the folder does not exist.
    """
    path = Path(path)
    write = by_suffix(path, writers)
    if not path.absolute().parent.is_dir():
        raise LogError(f"{path}: the folder does not exist; create it first")
    with replacing(path) as temporary:
        write(content, temporary)


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
def naming(path: Path, kind: str = "event log") -> Iterator[None]:
    """Errors of the libraries as those of a log, naming the file and what it should be."""
    try:
        yield
    except (pa.ArrowException, ValueError, OSError, KeyError) as error:  # KeyError: a column that stands twice
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: not a readable {kind}: {error}") from error
