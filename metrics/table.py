"""The score table on disk: one line a metric of a run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from data.files import replacing


class Row(NamedTuple):
    """One line of a score table.

    Attributes
    ----------
    log, mechanism, parameters, repeat, metric : str
    value : float or None
        None where the status says why there is none.
    status : str
        'ok', a mark of the metric (EMPTY, n/a, bracket, sampled), that of a failed run (TO, OOM, INF, ERR), or of a
        metric that took too long or too much memory, or failed (TO, OOM, ERR).
    """

    log: str
    mechanism: str
    parameters: str
    repeat: str
    metric: str
    value: float | None
    status: str


def read_scores(path: Path) -> list[Row]:
    """The rows of a score file."""
    with path.open(newline="") as file:
        return [
            Row(**line | {"value": float(line["value"]) if line["value"] else None}) for line in csv.DictReader(file)
        ]


def write_csv(header: Sequence[str], rows: Iterable[Sequence], path: Path) -> None:
    """Write a CSV file, whole or not at all; floats keep all their digits, None becomes an empty field."""
    with replacing(path) as temporary, temporary.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
