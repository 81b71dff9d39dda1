"""Read event logs in CSV whose columns, separator, encoding and times are declared, not guessed.

The parser is Arrow's. An unquoted empty field is a missing value, a quoted one the empty text.
"""

from __future__ import annotations

import codecs
import csv as lines
import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from data.log import EventLog, LogError
from data.options import ImportOptions
from data.tabular import check_columns, import_table
from data.unpack import decoded, pieces

BLOCK_BYTES = 4 << 20  # of the parser; longest record


def import_csv(path: Path, options: ImportOptions) -> tuple[EventLog, dict[str, int]]:
    """Read a log in CSV, plain, gzip or zip.

    Returns
    -------
    log, counters
        As `data.tabular.import_table`.

    Raises
    ------
    LogError
        As `data.tabular.import_table`, or if the file is no CSV in the declared encoding.
    """
    import pyarrow.csv as csv

    try:
        stream = _Stream(decoded(pieces(path, options), options.encoding))
        names = list(options.columns) or _header(stream.head(), options.separator)
        check_columns(names, path, options)
        wanted = [options.case, options.activity, options.time, options.start, options.transition]
        wanted = [name for name in dict.fromkeys(wanted) if name in names]
        kinds = {name: pa.string() for name in wanted}
        kinds |= {name: pa.dictionary(pa.int32(), pa.string()) for name in {options.case, options.activity} & {*names}}
        table = csv.read_csv(
            stream,
            csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES, column_names=options.columns or None),
            csv.ParseOptions(delimiter=options.separator, newlines_in_values=True),
            csv.ConvertOptions(
                column_types=kinds,
                include_columns=None if options.attributes else wanted,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                decimal_point=options.decimal,
            ),
        )
    except pa.ArrowException as error:  # some are LookupErrors
        raise LogError(f"{path}: {error}; declare its separator (--separator) or correct the file") from error
    except LookupError as error:
        raise LogError(f"{path}: unknown encoding {options.encoding!r}; use a name such as utf-8 or cp1252") from error
    except UnicodeError as error:
        raise LogError(f"{path}: not text in {options.encoding}: {error}; declare its encoding (--encoding)") from error
    if stream.quotes % 2:
        raise LogError(f"{path}: a quoted field is never closed; the file is cut off or its quotes are not doubled")
    return import_table(table, path, options)


def _header(head: str, separator: str) -> list[str]:
    try:
        return next(lines.reader(io.StringIO(head, newline=""), delimiter=separator), [])
    except lines.Error:
        return []


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file for Arrow, which counts the quotes it passes on."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts = parts
        self.rest = next(parts, b"")
        self.quotes = 0

    def head(self) -> str:
        """The text that comes first."""
        return codecs.getincrementaldecoder("utf-8")().decode(self.rest)

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
        self.quotes += taken.count(b'"')
        return len(taken)
