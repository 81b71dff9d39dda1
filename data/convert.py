"""Convert an event log of any kind into any other, such as a raw log into the canonical one, and describe it.

With `--kind relation` it is a table of rows that is converted.

`python -m data.convert raw.xes.gz log.parquet`; `--help` tells of the options.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from data.datasets import STATISTICS, Dataset, DatasetError, dataset, digest
from data.files import write_json
from data.importing import import_log, repairs
from data.io import LogError, write_log
from data.lifecycle import LIFECYCLES, complete_events, paired_events
from data.log import DURATION, EventLog
from data.options import DEFAULTS, REPEATED, ImportOptions
from data.relation import Relation
from data.relation_import import describe_relation, import_relation
from data.relation_io import write_relation

KINDS = (LOG, RELATION) = ("log", "relation")


def convert(
    source: Path, target: Path, about: Dataset | None = None, options: ImportOptions = DEFAULTS
) -> dict[str, object]:
    """Convert a raw log.

    Of the attributes of the events the durations are kept, the others only on request.

    Parameters
    ----------
    source : path
        An event log of any kind that `import_log` reads.
    target : path
        The log to write.
    about : Dataset, optional
        Which events to keep, and what the statistics say of the source.
    options : ImportOptions

    Returns
    -------
    dict
        The statistics of the log, as `describe` gives them.

    Raises
    ------
    LogError
        If the file cannot be read or no event is left.
    """
    about = about or Dataset(source.name)
    if about.kind == RELATION:
        relation, counters = import_relation(source, options)
        write_relation(relation, target)
        return _about(about, source) | _relation_statistics(about, relation, counters)
    whole, counters = import_log(source, options)
    if not whole.n_events:
        raise LogError(f"{source}: the log holds no event; fetch or export it again")
    log, dropped = _by_lifecycle(whole, about.lifecycle, source)
    if not options.attributes:
        log = replace(log, attributes={key: values for key, values in log.attributes.items() if key == DURATION})
    write_log(log, target)
    kept = describe(log)
    found = describe(whole) if dropped else kept
    return _about(about, source) | {
        "lifecycle": about.lifecycle,
        **kept,
        "import": counters | dropped,
        "published": comparison(about, found, kept),
    }


def _about(about: Dataset, source: Path) -> dict[str, object]:
    """What is known of a dataset, and which file it came from."""
    return {
        "log": about.key,
        "kind": about.kind,
        "title": about.title,
        "doi": about.doi,
        "licence": about.licence,
        "page": about.page,
        "synthetic": bool(about.synthetic),
        "file": source.name,
        "sha256": digest(source, "sha256"),
    }


def _relation_statistics(about: Dataset, relation: Relation, counters: dict[str, int]) -> dict[str, object]:
    found = describe_relation(relation)
    read = found | {"rows": counters["rows"]}
    return {**found, "import": counters, "published": comparison(about, read, found)}


def _by_lifecycle(log: EventLog, lifecycle: str, source: Path) -> tuple[EventLog, dict[str, int]]:
    if lifecycle == "all":
        return log, {}
    try:
        return complete_events(log) if lifecycle == "complete" else paired_events(log)
    except LogError as error:
        raise LogError(f"{source}: {error}") from error


def describe(log: EventLog) -> dict[str, object]:
    """Size and span of a log.

    Counts, cases of a variant (mean, max), events of a case (min, mean, max), first and last time in UTC.
    """
    span = np.array([log.timestamps.min(), log.timestamps.max()]).astype("datetime64[us]")
    return {
        "cases": log.n_cases,
        "events": log.n_events,
        "activities": len(np.unique(log.activities)),
        "variants": len(log.variants),
        "mean_variant_cases": log.n_cases / len(log.variants),
        "max_variant_cases": int(log.variants.counts.max()),
        "min_len": int(log.lengths.min()),
        "mean_len": float(log.lengths.mean()),
        "max_len": int(log.lengths.max()),
        "first": f"{span[0]}+00:00",
        "last": f"{span[1]}+00:00",
    }


def comparison(about: Dataset, whole: dict, kept: dict) -> dict[str, dict[str, object]]:
    """The published statistics beside those of the whole file and of the events kept.

    They are equal if either is, to the digits printed: some publishers count all events, some the complete ones.
    """
    compared = {}
    for name in STATISTICS:
        if printed := getattr(about, name):
            digits = len(printed.partition(".")[2])
            equal = any(f"{found[name]:.{digits}f}" == printed for found in (whole, kept))
            compared[name] = {"published": printed, "found": whole[name], "kept": kept[name], "equal": equal}
    return compared


def report(statistics: dict[str, object]) -> str:
    """The statistics of a conversion for people: size, span, and what the import had to drop or change."""
    imported = statistics["import"]
    if statistics["kind"] == RELATION:
        columns = [f"{name} ({column['kind']}, {column['distinct']})" for name, column in statistics["columns"].items()]
        dropped = f"{imported['rows_repeated']} repeated rows dropped"
        return f"{statistics['file']}: {statistics['rows']} rows, {dropped}\n" + ", ".join(columns)
    changed = [f"  {name} = {imported[name]}" for name in dict.fromkeys([*repairs(imported), "events_out_of_order"])]
    size = [f"{statistics[name]} {name}" for name in ("cases", "events", "activities", "variants")]
    return "\n".join(
        [
            f"{statistics['file']}: {', '.join(size)}",
            f"{statistics['min_len']} to {statistics['max_len']} events a case, mean {statistics['mean_len']:.2f}",
            f"{statistics['first']} to {statistics['last']}",
            "found and repaired:",
            *changed,
        ]
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Convert an event log into another format and describe it.")
    parser.add_argument("source", type=Path, help=".xes, .csv or .parquet, the first two also .gz or .zip")
    parser.add_argument("target", type=Path, help=".parquet, .csv, .csv.gz, .xes or .xes.gz")
    parser.add_argument("statistics", type=Path, nargs="?", help="write the statistics here, .json")
    parser.add_argument("--dataset", help="key in config/datasets.csv, or a name of your own")
    parser.add_argument("--title", help="title of a dataset of your own")
    parser.add_argument("--kind", choices=KINDS, help="what the file holds: an event log, or a table of rows")
    parser.add_argument(
        "--lifecycle",
        choices=LIFECYCLES,
        help="events to keep: all, those that complete an activity, or these with durations from paired start events "
        "(default: as the table of datasets says, or all)",
    )
    reading = parser.add_argument_group("reading")
    flag = {"action": "store_true", "default": None}  # None: as the table of datasets says
    reading.add_argument("--strict", **flag, help="refuse a log of which an event would be dropped")
    reading.add_argument("--allow-totals", **flag, help="accept other totals than the header declares")
    reading.add_argument("--attributes", **flag, help="keep the further attributes of events")
    reading.add_argument("--repeated", choices=REPEATED, help="traces of one name: merge, or keep apart")
    reading.add_argument("--zone", help="time zone of times that name none, as Europe/Berlin (default: UTC)")
    reading.add_argument("--member", help="member of a zip archive")
    reading.add_argument("--max-ratio", type=float, help="content may be so many times larger than the packed file")
    reading.add_argument("--max-bytes", type=int, help="largest content of a packed file")
    table = parser.add_argument_group("CSV and Parquet")
    for column in ("case", "activity", "time", "transition", "start"):
        table.add_argument(f"--{column}", metavar="COLUMN", help=f"name of the {column} column")
    table.add_argument("--columns", type=_names, metavar="A,B,...", help="names of all columns of CSV without header")
    table.add_argument("--user", metavar="COLUMN", help="of a table of rows, the column that tells persons apart")
    table.add_argument("--distinct", type=_names, metavar="A,B,...", help="keep the distinct rows of these columns")
    table.add_argument("--separator", help="between columns; `tab` for a tabulator")
    table.add_argument("--decimal", help="decimal sign of numbers")
    table.add_argument("--encoding", help="as utf-8 or cp1252")
    table.add_argument("--max-record", type=int, help="longest record of CSV, in bytes")
    table.add_argument("--time-format", help="as %%d/%%m/%%Y %%H:%%M (default: ISO 8601)")
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(next(csv.reader([text])))


def main() -> None:
    given = vars(_parser().parse_args())
    own = {name: given[name] for name in ("title", "kind", "lifecycle") if given[name]}
    reading = {field.name: given[field.name] for field in fields(ImportOptions) if given[field.name] is not None}
    try:
        key = given["dataset"]
        about = dataset(key, {key: own}) if key else Dataset(given["source"].name, **own)
        options = ImportOptions(**{**about.options, **reading})
        statistics = convert(given["source"], given["target"], about, options)
        if given["statistics"]:
            write_json(statistics, given["statistics"])
    except (LogError, DatasetError, OSError) as error:
        sys.exit(" ".join(str(error).split()))
    print(report(statistics))


if __name__ == "__main__":
    main()
