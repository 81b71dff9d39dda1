"""The datasets: what is known of each public log, and where its file lies.

`config/datasets.csv` holds the public facts, one line a dataset: source, licence, checksums and the published
statistics. The configuration adds datasets of one's own or changes entries.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "config" / "datasets.csv"
HIERARCHIES = ROOT / "config" / "hierarchies"
KINDS = (".xes", ".xes.gz")  # that are read as published
STATISTICS = ("cases", "events", "activities", "variants", "min_len", "mean_len", "max_len", "rows")
TABLES = (".csv", ".csv.gz", ".parquet")


class DatasetError(ValueError):
    """A dataset that is unknown or whose file cannot be had; the message says what to do."""


class UnavailableError(DatasetError):
    """A known dataset without a file that can be fetched and read; the message says why and what to do."""


@dataclass(frozen=True)
class Dataset:
    """One dataset; what is not known is empty.

    Attributes
    ----------
    key : str
        Name in configuration, paths and tables.
    kind : {"log", "relation"}
        An event log or a table of rows: what the mechanisms that it goes through read.
    title, authors, year, doi, licence, page : str
    url, fallback_url : str
        Where the file is downloaded from, in this order.
    file_name, size_bytes, md5, sha256 : str
        The file as published.
    member : str
        Name of the log inside the file, if that is an archive.
    path : str
        A file that is used in place: of one's own (relative to the working directory) or embedded in the project.
    lifecycle : str
        Which events to keep: ``all``, or ``complete`` for those that complete an activity.
    generator : str
        What makes the file, if that is a module of the project with its options: ``data.access --pairs 14430``.
    synthetic : str
        ``yes`` for a log made by a generator.
    hierarchies : str
        Folder of hierarchies of the columns of a relation, NAME.csv; of a published dataset that of its key in
        `config/hierarchies`, if there is one.
    options : mapping of str to value
        How the file is to be read: fields of `data.options.ImportOptions`, such as the columns of CSV.
    cases, events, activities, variants, min_len, mean_len, max_len, rows : str
        Published statistics as printed; lengths are events of a case, rows those of a relation.
    """

    key: str
    kind: str = "log"
    title: str = ""
    authors: str = ""
    year: str = ""
    doi: str = ""
    licence: str = ""
    page: str = ""
    url: str = ""
    fallback_url: str = ""
    file_name: str = ""
    size_bytes: str = ""
    md5: str = ""
    sha256: str = ""
    member: str = ""
    path: str = ""
    lifecycle: str = "all"
    generator: str = ""
    synthetic: str = ""
    hierarchies: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    cases: str = ""
    events: str = ""
    activities: str = ""
    variants: str = ""
    min_len: str = ""
    mean_len: str = ""
    max_len: str = ""
    rows: str = ""

    @property
    def checksum(self) -> str:
        """The published checksum for messages, e.g. ``md5 b567...``."""
        known = [f"{kind} {value}" for kind in ("md5", "sha256") if (value := getattr(self, kind))]
        return known[0] if known else "no checksum published"

    @property
    def raw_name(self) -> str:
        """The name of the file that is read: the published one, or its member."""
        return self.member or self.file_name

    @property
    def kinds(self) -> tuple[str, ...]:
        """Suffixes of files of the dataset that can be read; CSV only if its columns are declared."""
        if self.kind == "relation":
            return (*TABLES, Path(self.raw_name).suffix or TABLES[0])
        return (*KINDS, ".csv", ".csv.gz") if "case" in self.options else KINDS

    @property
    def convert_options(self) -> list[str]:
        """What `data.convert` has to be told of the dataset, as its command line takes it."""
        about = {"dataset": self.key, "title": self.title, "kind": self.kind, "lifecycle": self.lifecycle}
        return [_argument(name, value) for name, value in {**about, **self.options}.items() if value not in ("", False)]

    @property
    def by_hand(self) -> str:
        """How a person can supply the file."""
        log = f"take {self.member} out of it, put that" if self.member else "put it"
        return (
            f"Download {self.file_name} from {self.page or self.doi or 'its publisher'} ({self.checksum}), {log} into "
            f"one of the raw_dirs of the configuration or into data/raw/{self.key}/, and run the command again."
        )

    @property
    def citation(self) -> str:
        """The dataset as a reference list names it (creator, year, title, publisher, address)."""
        creator = " ".join(filter(None, (self.authors, self.year and f"({self.year})")))
        publisher = "4TU.ResearchData." if self.doi.startswith("10.4121/") else ""
        address = f"https://doi.org/{self.doi}" if self.doi else self.page
        return " ".join(filter(None, (creator and f"{creator}:", f"{self.title}.", publisher, address)))


def dataset(key: str, own: Mapping[str, Mapping[str, str]] = {}) -> Dataset:
    """A dataset of the table, changed or added to by entries of the configuration.

    Parameters
    ----------
    key : str
    own : mapping of str to mapping
        The datasets of the configuration: fields of `Dataset` by key.

    Raises
    ------
    DatasetError
        If the key is unknown, naming those that come close, or all; or an option of an own dataset cannot be, or its
        folder of hierarchies is missing.
    """
    known = published()
    if key in own:
        return _checked(replace(known.get(key, Dataset(key, title=key)), **own[key]))
    if key not in known:
        close = difflib.get_close_matches(key, [*known, *own], n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join([*known, *own])}."
        raise DatasetError(f"unknown dataset {key!r}: {hint} Logs of your own go under `datasets:` with `path:`.")
    return known[key]


@cache
def published() -> dict[str, Dataset]:
    """The datasets of `config/datasets.csv` by key."""
    names = [known.name for known in fields(Dataset) if known.name != "hierarchies"]
    with TABLE.open(newline="", encoding="utf-8") as lines:
        rows = [{name: row[name] for name in names} for row in csv.DictReader(lines)]
    entries = [Dataset(**{**row, "options": json.loads(row["options"] or "{}")}) for row in rows]
    return {
        entry.key: replace(
            entry,
            path=os.path.relpath(ROOT / entry.path) if entry.path else "",
            hierarchies=os.path.relpath(folder) if (folder := HIERARCHIES / entry.key).is_dir() else "",
        )
        for entry in entries
    }


def _checked(wanted: Dataset) -> Dataset:
    from data.options import ImportOptions, LogError  # which need numpy, and few datasets have options

    if wanted.hierarchies and not os.path.isdir(wanted.hierarchies):
        raise DatasetError(f"dataset {wanted.key!r}: no folder of hierarchies {wanted.hierarchies!r}")
    try:
        ImportOptions(**wanted.options)
    except (LogError, TypeError) as error:
        raise DatasetError(f"dataset {wanted.key!r}: its `options:` cannot be: {error}") from error
    return wanted


def _argument(name: str, value: object) -> str:
    """An option as an argument of `data.convert`; a list in one line of CSV."""
    flag = f"--{name.replace('_', '-')}"
    if value is True:
        return flag
    if isinstance(value, str | int | float):
        return f"{flag}={value}"
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(value)
    return f"{flag}={line.getvalue()}"


def locate(wanted: Dataset, raw_dirs: Iterable[str]) -> str:
    """Where the raw file of a dataset lies or, if it has to be fetched or made, will lie.

    In this order: its own `path`; where it is generated; a file in `raw_dirs` or ``data/raw/<key>``; the place where
    it is fetched to.

    Parameters
    ----------
    wanted : Dataset
    raw_dirs : folders

    Raises
    ------
    UnavailableError
        If there is neither a file nor an address that gives a file of a kind that is read.
    DatasetError
        If a file found is not the published one.
    """
    if wanted.path:
        if not os.path.isfile(wanted.path):
            raise DatasetError(f"dataset {wanted.key!r}: there is no file {wanted.path}; correct its `path:`")
        return wanted.path
    if wanted.generator:
        return f"results/logs/{wanted.key}/{wanted.file_name}"
    if found := find(wanted, [*raw_dirs, f"data/raw/{wanted.key}"]):
        return str(found)
    if not wanted.file_name:
        raise UnavailableError(
            f"dataset {wanted.key!r}: no public source is known. Put your copy into one of raw_dirs, as "
            f"{wanted.key}.xes.gz, or declare it under `datasets:` in the configuration: `{wanted.key}: {{path: ...}}`."
        )
    if not wanted.raw_name.lower().endswith(wanted.kinds):
        raise UnavailableError(
            f"dataset {wanted.key!r}: {wanted.raw_name} is of a kind that is not read. Download it from "
            f"{wanted.page}, convert it, and put it into one of raw_dirs as {wanted.key}.xes.gz; or, if it is a log in "
            f"CSV, declare its columns under `datasets:` in the configuration: "
            f"`{wanted.key}: {{options: {{case: ...}}}}`."
        )
    if not wanted.url:
        raise UnavailableError(f"dataset {wanted.key!r}: no address to fetch it from is known. {wanted.by_hand}")
    return f"data/raw/{wanted.key}/{wanted.raw_name}"


def find(wanted: Dataset, folders: Iterable[str]) -> Path | None:
    """The file of a dataset by its published name, packed or not, or by its key; in any spelling of case and spaces.

    Raises
    ------
    DatasetError
        If the file found has another checksum than the published one, naming both.
    """
    published_name = _spelling(wanted.raw_name)
    names = {published_name, f"{published_name}.gz", *(f"{wanted.key}{kind}" for kind in wanted.kinds)}
    for folder in map(Path, folders):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if _spelling(path.name) in names and path.is_file():
                # Of a member there is no published checksum, only of the archive.
                if not wanted.member and (differs := mismatch(wanted, path)):
                    raise DatasetError(
                        f"{path}: {differs}. If the file is incomplete, fetch it again; if it is another export of the "
                        f"log, declare it under `datasets:` in the configuration as one of your own, with `path:`."
                    )
                return path
    return None


def mismatch(wanted: Dataset, path: Path) -> str:
    """How a file, or its content if it was packed after publication, differs from the published checksums.

    Empty if it does not.
    """
    packed = path.name.lower().endswith(".gz") and not wanted.file_name.lower().endswith(".gz")
    for kind in ("md5", "sha256"):
        if expected := getattr(wanted, kind):
            try:
                found = digest(path, kind, packed)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                return f"it cannot be unpacked ({error})"
            if found != expected:
                return f"{kind} {found}, but {wanted.file_name} as published has {kind} {expected}"
    return ""


def digest(path: Path, kind: str, packed: bool = False) -> str:
    """The checksum of a file or, if packed, of the content of a gzip file; hexadecimal."""
    with gzip.open(path) if packed else path.open("rb") as content:
        return hashlib.file_digest(content, kind).hexdigest()


def _spelling(name: str) -> str:
    return name.lower().replace(" ", "_")
