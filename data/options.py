"""How a raw log is to be read: what cannot be told from the file itself, and how strict to be."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from data.log import ACTIVITY, CASE, LIFECYCLE, TIMESTAMP, LogError

REPEATED = ("merge", "apart")


@dataclass(frozen=True)
class ImportOptions:
    """Options of an import.

    Raises
    ------
    LogError
        If an option has a value that it cannot have.

    Attributes
    ----------
    strict : bool
        Refuse a log of which an event would be dropped, naming the first such event.
    allow_totals : bool
        Accept an XES log whose header declares other totals than the file holds.
    repeated : str
        Traces in XES that share a name: ``merge`` them into one case, or keep them ``apart`` under names of their own.
    attributes : bool
        Keep the further attributes of the events.
    zone : str
        Time zone (IANA name) of times that name none.
    member : str
        The member of a zip archive to read; may be left out if only one is a log.
    max_ratio : float
        Content may be this many times larger than the packed file, once it exceeds `data.unpack.UNSUSPICIOUS` bytes.
    max_bytes : int
        Largest content of a packed file.
    max_record : int
        Longest record of a CSV file, in bytes. A file with a record of more than 256 KB takes up to 35 times this.
    case, activity, time, transition, start : str
        Columns of a CSV or Parquet file. `transition` may be absent; `start`, if given, is when an event began.
    columns : tuple of str
        Names of all columns of a CSV file that has no header line.
    separator, decimal : str
        One character each, in CSV; `tab` stands for the tabulator.
    encoding : str
        Of a CSV file, as Python calls it; a byte order mark is skipped.
    user, distinct : str, tuple of str
        Of a relation: the column that tells persons apart, and the columns of which the distinct rows are wanted; as
        it stands if empty.
    time_format : str
        Format of the times in CSV as for `datetime.strptime`; ISO 8601 if empty.
    """

    strict: bool = False
    allow_totals: bool = False
    repeated: str = "merge"
    attributes: bool = False
    zone: str = "UTC"
    member: str = ""
    max_ratio: float = 250
    max_bytes: int = 32 << 30
    max_record: int = 16 << 20
    case: str = CASE
    activity: str = ACTIVITY
    time: str = TIMESTAMP
    transition: str = LIFECYCLE
    start: str = ""
    columns: tuple[str, ...] = ()
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    user: str = ""
    distinct: tuple[str, ...] = ()
    time_format: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "separator", "\t" if self.separator == "tab" else self.separator)
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "distinct", tuple(self.distinct))
        if self.repeated not in REPEATED:
            raise LogError(f"repeated traces are to be one of {', '.join(REPEATED)}, not {self.repeated!r}")
        if len(self.separator.encode()) != 1 or len(self.decimal.encode()) != 1:
            raise LogError("the separator and the decimal sign are each one character of ASCII")
        if self.separator in self.decimal + '"\r\n':
            raise LogError(f"{self.separator!r} cannot separate columns; declare another separator")
        if not 0 < self.max_record < 1 << 31:
            raise LogError(f"the longest record is to have up to {(1 << 31) - 1} bytes, not {self.max_record}")
        try:
            _ = self.zone == "UTC" or ZoneInfo(self.zone)  # UTC needs no table of zones
        except (KeyError, OSError, ValueError) as error:
            raise LogError(f"unknown time zone {self.zone!r}; use an IANA name as Europe/Berlin") from error


DEFAULTS = ImportOptions()
