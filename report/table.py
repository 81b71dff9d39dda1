"""The table of one metric: logs (and chosen parameters) down, methods across.

`python -m report.table scores.csv --metric emd_variants --logs statistics.json... --out table.csv table.md`
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from metrics.metric import Metric
from report.arguments import metric_parser
from report.best import best_note
from report.privacy import UTILITY, privacy_lines, read_audit
from report.summary import (
    BETTER,
    fixed_parameters,
    log_names,
    metric_of,
    read_scores,
    read_statistics,
    shared_cells,
    summarise,
    with_synthetic,
)
from report.write import absent_note, synthetic_note, write_tables

STATUSES = {
    "TO": "stopped at the time limit",
    "OOM": "stopped at the memory limit",
    "INF": "refused by the mechanism",
    "ERR": "failed",
    "EMPTY": "the release is empty",
    "n/a": "not defined here",
}


def metric_table(
    scores: pd.DataFrame, metric: Metric, names: dict[str, str], rows: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The summary of a metric, its printed table, and which entries are best.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metric : declaration of the metric
    names : printed name of each log
    rows : parameters that make rows
    """
    summary = summarise(scores, metric, rows)
    keys = ["log", *rows]
    printed = summary.assign(log=summary["log"].map(names))

    def pivot(column: str, missing: object) -> pd.DataFrame:
        order = pd.MultiIndex.from_frame(printed[keys].drop_duplicates())
        wide = printed.pivot(index=keys, columns="method", values=column)
        wide.index = pd.MultiIndex.from_frame(wide.index.to_frame(index=False))
        wide = wide.reindex(index=order, columns=list(dict.fromkeys(printed["method"])))
        return wide.where(wide.notna(), missing)

    data = with_synthetic(summary.drop(columns="text"), names)
    return data, pivot("text", ""), pivot("best", False).astype(bool)


def notes(
    scores: pd.DataFrame, metric: Metric, names: dict[str, str], findings: pd.DataFrame | None = None
) -> list[str]:
    """The sentences below the table of a metric."""
    chosen = scores[scores["metric"] == metric.name]
    repeats = chosen["repeat"].nunique()
    lines = [
        f"{_unit(metric)}; {BETTER[metric.direction]}. Mean ± standard deviation over {repeats} repeats"
        + ("." if metric.direction == "none" else "; best of each row in bold, controls apart.")
    ]
    if metric.blind_to:
        lines.append(f"Blind to {metric.blind_to}.")
    lines += fixed_parameters(chosen)
    lines += best_note(chosen)
    lines += [f"{status}: {meaning}." for status, meaning in STATUSES.items() if status in set(chosen["status"])]
    if "bracket" in set(chosen["status"]):
        lines.append("~: midpoints of bounds, with the largest half-width.")
    if "sampled" in set(chosen["status"]):
        lines.append("~: of a random sample of the cases, as the log is large.")
    if metric.unit == "s":
        lines += timing_notes(scores)
    if metric.group in UTILITY:
        lines += privacy_lines(scores, findings)
    return lines + synthetic_note(names)


def timing_notes(scores: pd.DataFrame) -> list[str]:
    """What keeps the times of a table from being compared."""
    lines = []
    if shared_cells(scores):
        lines.append(
            "*: a run shared its core or the machine was busy; the target `timing` on one core repeats the runs."
        )
    machines = scores.loc[scores["metric"] == "machine", "value"].nunique()
    if machines > 1:
        lines.append(f"The runs come from {machines} different machines: their times are not comparable.")
    return lines


def _unit(metric: Metric) -> str:
    return f"In {metric.unit}" if metric.unit else "Without unit"


def main() -> None:
    """The command line."""
    options = metric_parser(__doc__).parse_args()
    metric = metric_of(options.metric)
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    data, wide, best = metric_table(scores, metric, names, options.rows)
    lines = notes(scores, metric, names, read_audit(options.audit)) + absent_note(options.absent)
    write_tables(options.out, data, wide, f"{options.title}: {metric.title}", lines, best)


if __name__ == "__main__":
    main()
