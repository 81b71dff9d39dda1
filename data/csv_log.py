"""Read event logs in CSV whose columns, separator, encoding and times are declared, not guessed.

The parser is Arrow's, fed block by block. An unquoted empty field is a missing value, a quoted one the empty text.
"""

from __future__ import annotations

import codecs
import csv as lines
import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa

from data.columns import TYPES
from data.log import EventLog, LogError
from data.options import ImportOptions
from data.tabular import import_tables, wanted_columns
from data.unpack import decoded, pieces

BLOCK_BYTES = 1 << 18  # of the parser, which reads 35 ahead and takes no longer record
END = "end of file"


def import_csv(path: Path, options: ImportOptions) -> tuple[EventLog, dict[str, int]]:
    """Read a log in CSV, plain, gzip or zip.

    Returns
    -------
    log, counters
        As `data.tabular.import_tables`.

    Raises
    ------
    LogError
        As `data.tabular.import_tables`, or if the file is no CSV in the declared encoding.
    """
    try:
        return _import(path, options, BLOCK_BYTES)
    except pa.ArrowException as error:  # some are LookupErrors
        flaw = _flaw(path, options) or error
        raise LogError(f"{path}: {flaw}; declare its separator (--separator) or correct it") from error
    except LookupError as error:
        raise LogError(f"{path}: unknown encoding {options.encoding!r}; use a name such as utf-8 or cp1252") from error
    except UnicodeError as error:
        raise LogError(f"{path}: not text in {options.encoding}: {error}; declare its encoding (--encoding)") from error


def _import(path: Path, options: ImportOptions, block_bytes: int) -> tuple[EventLog, dict[str, int]]:
    """Read with blocks of some size or, if a record turns out to be longer, once more with larger ones."""
    try:
        return import_tables(_tables(path, options, block_bytes), path, options, TYPES)
    except pa.ArrowInvalid as error:
        if block_bytes >= options.max_record or "block size" not in str(error):
            raise
    return _import(path, options, min(8 * block_bytes, options.max_record))


def _tables(path: Path, options: ImportOptions, block_bytes: int) -> Iterator[pa.RecordBatch]:
    """The record batches of the wanted columns, all text.

    A last row is added to the file and taken from the table: a quoted field that is never closed swallows it.
    """
    import pyarrow.csv as csv

    parts = decoded(pieces(path, options), options.encoding)
    first = next(parts)
    names = list(options.columns) or _header(first, options.separator)
    wanted = wanted_columns(names, path, options)
    kinds = dict.fromkeys(wanted, pa.dictionary(pa.int32(), pa.string()))
    kinds |= {name: pa.string() for name in (options.time, options.start) if name in wanted}
    last = options.separator.join(END * (name == options.case) for name in names)
    reader = csv.open_csv(
        _file(chain([first], parts, [f"\n{last}\n".encode()])),
        csv.ReadOptions(use_threads=False, block_size=block_bytes, column_names=options.columns or None),
        csv.ParseOptions(delimiter=options.separator, newlines_in_values=True),
        csv.ConvertOptions(
            column_types=kinds,
            include_columns=wanted,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    held = None
    for table in filter(len, reader):
        if held is not None:
            yield held
        held = table
    if held is None or held[options.case][-1].as_py() != END:
        raise pa.ArrowInvalid("a quoted field is never closed")
    yield held.slice(0, len(held) - 1)


def _header(head: bytes, separator: str) -> list[str]:
    text = codecs.getincrementaldecoder("utf-8")().decode(head)
    try:
        return next(lines.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    except lines.Error:
        return []


def _flaw(path: Path, options: ImportOptions) -> str:
    """What the standard library's reader says of a record that never ends or is too long, with its line."""
    content = io.TextIOWrapper(_file(decoded(pieces(path, options), options.encoding)), "utf-8", newline="")
    reader = lines.reader(content, delimiter=options.separator, strict=True)
    line, limit = 1, lines.field_size_limit(options.max_record)
    try:
        for _ in reader:
            line = reader.line_num + 1
    except lines.Error as error:
        if "end of data" in str(error):
            return f"line {line}: a quoted field is never closed"
        if "limit" in str(error):
            return f"line {line}: a record of more than {options.max_record} bytes (--max-record) or a quote too many"
    finally:
        lines.field_size_limit(limit)
    return ""


def _file(parts: Iterator[bytes]) -> io.BufferedReader:
    """Pieces of bytes as a file that gives as many at once as are asked for."""
    return io.BufferedReader(_Stream(parts))


class _Stream(io.RawIOBase):
    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts = parts
        self.rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        while not self.rest:
            if (piece := next(self.parts, None)) is None:
                return 0
            self.rest = piece
        taken = self.rest[: len(buffer)]
        self.rest = self.rest[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)
