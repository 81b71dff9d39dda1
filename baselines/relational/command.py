"""What the command lines of the mechanisms that recode tables share."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from functools import partial

from baselines.relational.attributes import ENCODINGS, ROWS
from baselines.relational.hierarchies import OCTET_LEVELS
from baselines.relational.projection import ENTITIES, through
from baselines.relational.rendering import RENDERINGS
from data.io import read_log
from data.log import EventLog
from data.options import ImportOptions
from data.relation import Relation
from data.relation_io import read_relation
from mechanisms import Outcome, cli

READING = ("columns", "separator")
OF_LOGS = ("entity", "user")


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
    options.add_argument(
        "--project", dest="entity", choices=ENTITIES, help="IN and OUT are event logs; a row is one of these of IN"
    )
    options.add_argument("--user", metavar="NAME", help="attribute of the log that tells persons apart (user)")
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
    """As `mechanisms.cli.run`, reading a relation or, with `--project`, an event log."""
    given = options.parse_args(arguments)
    if given.entity is None:
        if given.user is not None:
            options.error("--user is of event logs; give --project too, or name the column as --unit")
        return cli.run(options, anonymize, arguments, read=_read, reading=(*READING, *OF_LOGS))
    if given.columns or given.separator != "," or given.classes:
        options.error("--columns, --separator and --classes are of tables; leave them out with --project")
    return cli.run(options, partial(through, anonymize), arguments, read=_read_log, reading=READING)


def _read(path: str, *, columns: str, separator: str, **_: object) -> Relation:
    names = tuple(next(csv.reader([columns], skipinitialspace=True), ()))
    return read_relation(path, ImportOptions(columns=names, separator=separator))


def _read_log(path: str, **_: object) -> EventLog:
    return read_log(path, attributes=True)
