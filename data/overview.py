"""The table of the logs: source, size, and whether it agrees with the published numbers.

`python -m data.overview results/logs/*/statistics.json > datasets.csv`
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from data.datasets import STATISTICS

COLUMNS = ("log", "title", "doi", "licence", "synthetic", "lifecycle", *STATISTICS, "first", "last", "published")


def overview(statistics: Iterable[dict], sink: TextIO) -> None:
    """Write one CSV line a log.

    `published` is ``equal``, ``unknown`` (nothing published) or names the statistics that differ.

    Parameters
    ----------
    statistics : dicts as `data.convert.convert` returns them
    sink : text file
    """
    table = csv.DictWriter(sink, COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    for entry in statistics:
        table.writerow({**entry, "published": _verdict(entry["published"])})


def _verdict(published: dict[str, dict]) -> str:
    if not published:
        return "unknown"
    differ = [name for name, compared in published.items() if not compared["equal"]]
    return "differs: " + " ".join(differ) if differ else "equal"


if __name__ == "__main__":
    overview((json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]), sys.stdout)
