"""The table that compares methods over the logs of a study, metric by metric, and the figure of their ranks.

`python -m report.comparison scores.csv --metrics emd_variants dfg_tv --logs statistics.json...
--out comparison.csv comparison.md comparison.tex --by-log comparison_by_log.csv --figures ranks.png ranks.pdf`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data.files import replacing
from metrics.metric import Metric
from report.arguments import scores_parser
from report.best import best_note
from report.figure import write_figure
from report.privacy import privacy_lines, privacy_marks, read_audit
from report.rank_figure import rank_figure
from report.ranking import SIGNIFICANCE, Ranks, Runs, comparable_runs, differences, pairs, ranks
from report.summary import log_names, metric_of, read_scores, read_statistics
from report.write import absent_note, synthetic_note, write_tables


def compared(scores: pd.DataFrame, metrics: Sequence[Metric], rows: Sequence[str]) -> dict[Metric, tuple[Runs, Ranks]]:
    """The runs and ranks of every metric by which at least two methods can be compared."""
    found = {}
    for metric in metrics:
        if metric.direction == "none":
            continue
        runs = comparable_runs(scores, metric, rows)
        if len(runs.methods) > 1:
            found[metric] = runs, ranks(runs)
    return found


def comparison_table(found: dict[Metric, tuple[Runs, Ranks]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All pairs with numbers in full, and the printed table: every method against the one of the best rank."""
    frames, printed = [], []
    for metric, (runs, ranked) in found.items():
        table = pairs(runs, ranked.mean)
        rank = dict(zip(runs.methods, ranked.mean, strict=True))
        frames.append(
            table.assign(
                metric=metric.name,
                rank=table["method"].map(rank),
                other_rank=table["other"].map(rank),
                friedman_p=ranked.p,
                critical_difference=ranked.critical_difference,
                logs=len(runs.logs),
                repeats=runs.values.shape[2],
            )
        )
        best = table.iloc[0]["method"]
        printed.append(_line(metric, best, rank[best], "best rank", ""))
        for line in table[table["method"] == best].to_dict("records"):
            share = f"{line['better']:.0%} [{line['low']:.0%}, {line['high']:.0%}]"
            printed.append(_line(metric, line["other"], rank[line["other"]], share, _p(line["p"])))
    data = pd.concat(frames) if frames else pd.DataFrame({"metric": []})
    columns = ["metric", "method", "mean rank", "best one is better", "p"]
    return data, pd.DataFrame(printed, columns=columns).set_index(["metric", "method"])


def _line(metric: Metric, method: str, rank: float, share: str, p: str) -> tuple[str, ...]:
    return metric.title, method, f"{rank:.2f}", share, p


def _p(value: float) -> str:
    return "–" if math.isnan(value) else "<0.001" if value < 0.001 else f"{value:.3f}"


def notes(found: dict[Metric, tuple[Runs, Ranks]], names: dict[str, str]) -> list[str]:
    """The sentences below the table."""
    counted = f"{len(names)} logs" if len(names) > 1 else "one log"
    lines = [
        f"Mean rank over {counted}, 1 is best; controls apart. Best one is better: share of paired repeats in "
        "which the method of the best rank has the better value, with its 95 % bootstrap interval over logs and "
        "repeats. p: Wilcoxon's signed-rank test over the logs, corrected for all pairs (Holm).",
        "A run without a value counts as worse than any with one.",
    ]
    if len(names) == 1:
        lines.append("One log allows no test: what holds on it may not hold on others.")
    elif len(names) < 6:
        lines.append(f"With {counted} no p-value can be below {2 ** (1 - len(names)):.2g}: the intervals tell more.")
    lines += [
        f"{metric.title}: Friedman p {_p(ranked.p)}, critical difference of ranks (Nemenyi, {SIGNIFICANCE:g}) "
        f"{ranked.critical_difference:.2f}."
        for metric, (_, ranked) in found.items()
        if not math.isnan(ranked.critical_difference)
    ]
    lines += [
        f"{metric.title}: left out as they lack some values throughout: {', '.join(runs.left_out)}."
        for metric, (runs, _) in found.items()
        if runs.left_out
    ]
    return lines + synthetic_note(names)


def by_log(found: dict[Metric, tuple[Runs, Ranks]]) -> pd.DataFrame:
    """The differences of all pairs on every log, metric by metric."""
    frames = [differences(runs).assign(metric=metric.name) for metric, (runs, _) in found.items()]
    return pd.concat(frames) if frames else pd.DataFrame({"metric": []})


def main() -> None:
    """The command line."""
    parser = scores_parser(__doc__)
    parser.add_argument("--metrics", nargs="+", required=True)
    parser.add_argument("--by-log", required=True, type=Path, help="a CSV file of all pairs on every log")
    parser.add_argument("--figures", nargs="+", required=True, help="files of the figure of ranks")
    options = parser.parse_args()
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    found = compared(scores, [metric_of(name) for name in options.metrics], options.rows)
    data, printed = comparison_table(found)
    findings = read_audit(options.audit)
    lines = notes(found, names) + privacy_lines(scores, findings) + best_note(scores) + absent_note(options.absent)
    with replacing(options.by_log) as temporary:
        by_log(found).to_csv(temporary, index=False)
    write_tables(options.out, data, printed, f"{options.title}: Comparison of methods", lines)
    marks = privacy_marks(scores, findings)
    write_figure(rank_figure(found, names, f"{options.title}: Ranks of methods", marks), options.figures)


if __name__ == "__main__":
    main()
