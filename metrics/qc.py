"""Quality control of score tables: what a reader should know before trusting them.

``python -m metrics.qc --out qc.csv SCORES.csv [SCORES.csv ...]`` lists values outside their declared range,
metrics that are missing or failed, claims that a release does not keep, and controls that are off: `identity` must
reach the declared value of every metric, `shuffle` must be worse.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from metrics.metric import Metric
from metrics.registry import declarations
from metrics.table import Row, read_scores, write_csv

ROUNDING = 1e-9


class Finding(NamedTuple):
    """One line of the quality control.

    Attributes
    ----------
    severity : {'error', 'warning', 'info'}
        Something is broken; something may mislead; a result worth knowing.
    cell : str
        ``mechanism/parameters/log``.
    message : str
    """

    severity: str
    cell: str
    message: str


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Everything to say about the rows, errors first."""
    declared = declarations()
    found = [
        *out_of_range(rows, declared),
        *missing(rows, declared),
        *not_ok(rows, declared),
        *broken_claims(rows, declared),
        *controls(rows, declared),
    ]
    return sorted(found, key=lambda finding: (("error", "warning", "info").index(finding.severity), finding))


def out_of_range(rows: Sequence[Row], declared: dict[str, Metric]) -> Iterator[Finding]:
    """Values outside the declared range."""
    for row in rows:
        metric = declared.get(row.metric)
        if metric and row.value is not None and not metric.low - ROUNDING <= row.value <= metric.high + ROUNDING:
            message = f"{row.metric} is {row.value} in repeat {row.repeat}, outside [{metric.low}, {metric.high}]"
            yield Finding("error", _cell(row), message)


def missing(rows: Sequence[Row], declared: dict[str, Metric]) -> Iterator[Finding]:
    """Runs that lack a declared metric or have one that no file declares."""
    seen = defaultdict(set)
    for row in rows:
        seen[_cell(row), row.repeat].add(row.metric)
    for (cell, repeat), names in seen.items():
        kind = "relation" if any(name in declared and declared[name].of == "relation" for name in names) else "log"
        wanted = {name for name, metric in declared.items() if metric.applies(kind) and not metric.costly}
        for name in sorted(wanted - names):
            yield Finding("warning", cell, f"{name} is missing in repeat {repeat}; score the cell again")
        for name in sorted(names - declared.keys()):
            yield Finding("warning", cell, f"{name} in repeat {repeat} is no longer declared; score the cell again")


def not_ok(rows: Sequence[Row], declared: dict[str, Metric]) -> Iterator[Finding]:
    """Per cell and metric, the share of repeats that have a status instead of a plain value."""
    repeats = Counter((_cell(row), row.metric) for row in rows)
    marked = Counter((_cell(row), row.metric, row.status) for row in rows if row.status != "ok")
    by_share = defaultdict(list)
    for (cell, metric, status), count in marked.items():
        by_share[cell, status, f"{count} of {repeats[cell, metric]} repeats"].append(metric)
    for (cell, status, share), names in by_share.items():
        held_out = all(name in declared and declared[name].held_out for name in names)
        yield Finding(_severity(status, names, held_out), cell, f"{status} in {share}: {', '.join(names)}")


def _severity(status: str, names: Sequence[str], held_out: bool) -> str:
    """A run that failed or was ended is a result; that a score was ended, though its run succeeded, is not.

    Of a run without some cases there are no costs to tell the two apart.
    """
    if status == "ERR":
        return "error"
    return "warning" if status in ("TO", "OOM") and "cpu_s" not in names and not held_out else "info"


def broken_claims(rows: Sequence[Row], declared: dict[str, Metric]) -> Iterator[Finding]:
    """Per cell, the claims that do not hold on what it released."""
    claims = [row for row in rows if row.metric in declared and declared[row.metric].group == "claim"]
    checked = Counter((_cell(row), row.metric) for row in claims if row.value is not None)
    broken = Counter((_cell(row), row.metric) for row in claims if row.value == 0)
    for (cell, metric), count in broken.items():
        yield Finding("warning", cell, f"{metric} does not hold in {count} of {checked[cell, metric]} releases")


def controls(rows: Sequence[Row], declared: dict[str, Metric]) -> Iterator[Finding]:
    """`identity` off its declared value, and `shuffle` no worse than identity by the default metrics."""
    shuffled = defaultdict(list)
    for row in rows:
        metric = declared.get(row.metric)
        if not metric or metric.identity is None or row.value is None:
            continue
        if row.mechanism == "identity" and not math.isclose(row.value, metric.identity, abs_tol=ROUNDING):
            yield Finding("error", _cell(row), f"{row.metric} is {row.value}, on identity it must be {metric.identity}")
        if row.mechanism == "shuffle" and metric.group == "default":
            shuffled[_cell(row), metric].append(row.value)
    by_cell = defaultdict(dict)
    for (cell, metric), values in shuffled.items():
        by_cell[cell][metric.name] = math.isclose(fmean(values), metric.identity, abs_tol=ROUNDING)
    for cell, blind in by_cell.items():
        names = [name for name in blind if blind[name]]
        if names:
            severity = "error" if len(names) == len(blind) else "info"
            yield Finding(severity, cell, f"no worse than identity: {', '.join(names)}")


def _cell(row: Row) -> str:
    return f"{row.mechanism}/{row.parameters}/{row.log}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m metrics.qc", description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", required=True, type=Path, help="the CSV file to write")
    parser.add_argument("scores", nargs="+", type=Path, metavar="SCORES", help="score tables")
    options = parser.parse_args(arguments)
    rows = [row for path in options.scores for row in read_scores(path)]
    write_csv(Finding._fields, findings(rows), options.out)


if __name__ == "__main__":
    main()
