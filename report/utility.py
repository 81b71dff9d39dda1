"""The table of all utility metrics side by side, beside the privacy: what one is blind to, another one sees.

`python -m report.utility scores.csv --logs statistics.json... --out utility.csv utility.md utility.tex`
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from metrics.metric import Metric
from metrics.registry import declarations
from report.arguments import scores_parser
from report.best import best_note
from report.privacy import privacy_columns, privacy_notes, read_audit
from report.summary import log_names, read_scores, read_statistics, summarise, with_synthetic
from report.table import STATUSES
from report.write import absent_note, synthetic_note, write_tables

ARROWS = {"lower": "↓", "higher": "↑", "one": "→1"}


def utility_table(
    scores: pd.DataFrame,
    metrics: Sequence[Metric],
    names: dict[str, str],
    rows: Sequence[str],
    findings: pd.DataFrame | None,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The summaries of several metrics, their printed table, and which entries are best.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metrics : declarations of the metrics, which stand across
    names : printed name of each log
    rows : parameters that are told apart down the table, between log and method
    findings : the audit, if there was one
    """
    summaries = {metric: summarise(scores, metric, rows) for metric in metrics}
    keys = ["log", *rows, "method"]
    data = pd.concat([summary.drop(columns="text").assign(metric=m.name) for m, summary in summaries.items()])

    def across(column: str) -> pd.DataFrame:
        columns = {f"{m.title} {ARROWS[m.direction]}": s.set_index(keys)[column] for m, s in summaries.items()}
        return pd.DataFrame(columns).rename(index=names, level="log")

    text, best = across("text"), across("best").astype(bool)
    privacy = privacy_columns(scores, findings, rows)
    data = data.join(privacy, on=keys)
    printed = privacy.rename(index=names, level="log").reindex(text.index)
    best = pd.concat([pd.DataFrame(False, index=best.index, columns=printed.columns), best], axis=1)
    return with_synthetic(data.reset_index(drop=True), names), pd.concat([printed, text], axis=1), best


def notes(
    scores: pd.DataFrame, metrics: Sequence[Metric], names: dict[str, str], findings: pd.DataFrame | None = None
) -> list[str]:
    """The sentences below the table."""
    statuses = set(scores.loc[scores["metric"].isin([metric.name for metric in metrics]), "status"])
    units = [f"{metric.title} in {metric.unit}" for metric in metrics if metric.unit]
    return [
        f"Mean ± standard deviation over {scores['repeat'].nunique()} repeats; "
        "best of each log and row in bold, controls apart. ↓ lower, ↑ higher is better, →1 is best at 1.",
        *([f"{'; '.join(units)}."] if units else []),
        *privacy_notes(scores, findings),
        *(f"{status}: {meaning}." for status, meaning in STATUSES.items() if status in statuses),
        *best_note(scores),
        *synthetic_note(names),
    ]


def main() -> None:
    """The command line."""
    options = scores_parser(__doc__).parse_args()
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    scored = set(scores["metric"])  # those of event logs, or those of relations
    metrics = [metric for metric in declarations().values() if metric.group == "default" and metric.name in scored]
    findings = read_audit(options.audit)
    data, wide, best = utility_table(scores, metrics, names, options.rows, findings)
    lines = notes(scores, metrics, names, findings) + absent_note(options.absent)
    write_tables(options.out, data, wide, f"{options.title}: Utility", lines, best)


if __name__ == "__main__":
    main()
