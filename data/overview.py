"""The tables of all datasets: source, licence, citation, size, and whether it agrees with the published numbers.

`python -m data.overview results/logs/*/survey.json --out results/logs`
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tabulate import tabulate

from data.datasets import STATISTICS
from data.files import replacing

SOURCE = ("title", "authors", "year", "doi", "licence", "citation")
CONTENT = ("synthetic", "lifecycle", *STATISTICS, "first", "last")
DATASETS = ("log", *SOURCE, *CONTENT, "verdict", "reason")
PUBLISHED = ("log", "statistic", "published", "found", "kept", "verdict")
NOTES = """
`found` counts the events of the whole file, `kept` those that the lifecycle setting of the dataset keeps. They are
equal to what is published if either is, as some publishers count all events and some those that complete an activity.
"""


def overview(records: Sequence[dict], folder: Path) -> None:
    """Write datasets.csv, published.csv and both as datasets.md.

    Parameters
    ----------
    records : dicts as `data.survey.survey` returns them
    folder : path
    """
    datasets = [{**record, "verdict": _verdict(record)} for record in records]
    published = [row for record in records for row in comparisons(record)]
    _write_csv(folder / "datasets.csv", DATASETS, datasets)
    _write_csv(folder / "published.csv", PUBLISHED, published)
    with replacing(folder / "datasets.md") as temporary:
        temporary.write_text(_markdown(datasets, published), encoding="utf-8")


def comparisons(record: dict) -> list[dict[str, object]]:
    """One row a published statistic of a dataset.

    The verdict is ``equal``, ``differs`` or, without the file, ``not available``.
    """
    verdicts = {True: "equal", False: "differs", None: "not available"}
    return [
        {"log": record["log"], "statistic": name, **compared, "verdict": verdicts[compared.get("equal")]}
        for name, compared in record["published"].items()
    ]


def _verdict(record: dict) -> str:
    """The verdict on a dataset as a whole: ``unknown`` if nothing is published, or which statistics differ."""
    if "reason" in record:
        return "not available"
    if not record["published"]:
        return "unknown"
    differ = [name for name, compared in record["published"].items() if not compared["equal"]]
    return "differs: " + " ".join(differ) if differ else "equal"


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[dict]) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as sink:
        table = csv.DictWriter(sink, columns, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _markdown(datasets: Sequence[dict], published: Sequence[dict]) -> str:
    missing = [f"- {_line(row['reason'])}" for row in datasets if "reason" in row]
    parts = [
        "# Datasets",
        _table(("log", *SOURCE, "verdict"), datasets),
        "# Published statistics",
        _table(PUBLISHED, published),
        NOTES.strip(),
        *(["# Not available", "\n".join(missing)] if missing else []),
    ]
    return "\n\n".join(parts) + "\n"


def _table(columns: Sequence[str], rows: Iterable[dict]) -> str:
    cells = [[_line(row.get(column, "")).replace("|", "\\|") for column in columns] for row in rows]
    return tabulate(cells, columns, tablefmt="pipe", disable_numparse=True)


def _line(value: object) -> str:
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return " ".join(text.split())


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the tables of all datasets.")
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables")
    options = parser.parse_args()
    records = {path: json.loads(path.read_text(encoding="utf-8")) for path in options.records}
    overview(list(records.values()), options.out)
    for path, record in records.items():
        if "reason" in record:
            print(f"Not available: {record['reason']}", file=sys.stderr)
            path.unlink()  # so that the next call tries again


if __name__ == "__main__":
    main()
