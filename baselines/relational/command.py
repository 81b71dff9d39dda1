"""What the command lines of the mechanisms that recode tables share."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable

from baselines.relational.attributes import ENCODINGS, ROWS
from baselines.relational.hierarchies import OCTET_LEVELS
from baselines.relational.rendering import RENDERINGS
from data.options import ImportOptions
from data.relation import Relation
from data.relation_io import read_relation
from mechanisms import Outcome, cli


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser of what all of them take."""
    options = cli.parser(name, description, folder="baselines", reads="table: .csv, .csv.gz or .parquet")
    options.add_argument(
        "--attributes", required=True, metavar="A,B", help="the columns to recode; others are left out"
    )
    options.add_argument("--keep", default="", metavar="A,B", help="further columns to release as they are")
    options.add_argument("--unit", default=ROWS, metavar="COLUMN", help="k counts distinct values of it, not rows")
    options.add_argument("--rendering", choices=RENDERINGS, default="cidr", help="of addresses (%(default)s)")
    options.add_argument("--classes", metavar="FILE", help="write the class of every row of IN; keep it private")
    options.add_argument("--columns", metavar="A,B", default="", help="names of all columns of a file without them")
    options.add_argument("--separator", default=",", help="between columns of CSV (%(default)s); `tab` for a tabulator")
    return options


def add_hierarchies(options: argparse.ArgumentParser) -> None:
    """Add k, suppression, and the hierarchies."""
    options.add_argument("--k", type=int, required=True, help="smallest size of a class")
    options.add_argument("--suppression", default="0", metavar="T", help="rows to suppress, or their share like 1%%")
    options.add_argument("--encoding", choices=ENCODINGS, default="octets", help="of addresses (%(default)s)")
    options.add_argument("--octet-levels", default=OCTET_LEVELS, help="levels of octets to use (%(default)s)")
    options.add_argument("--hierarchies", metavar="FOLDER", help="NAME.csv of lines value;level 1;level 2;...")


def run(options: argparse.ArgumentParser, anonymize: Callable[..., Outcome], arguments: list[str] | None = None) -> int:
    """As `mechanisms.cli.run`, reading a relation."""
    return cli.run(options, anonymize, arguments, read=_read, reading=("columns", "separator"))


def _read(path: str, *, columns: str, separator: str) -> Relation:
    names = tuple(next(csv.reader([columns], skipinitialspace=True), ()))
    return read_relation(path, ImportOptions(columns=names, separator=separator))
