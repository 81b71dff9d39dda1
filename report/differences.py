"""The table of what one parameter changes over a grid of two others, by log and metric, with its spread over repeats.

`python -m report.differences scores.csv --metrics aba_code --rows k --columns t --panels distance
--logs statistics.json... --out differences.csv differences.md differences.tex`
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from metrics.metric import Metric
from report.arguments import scores_parser
from report.grids import POINT, Axes, differences, grid_runs
from report.privacy import privacy_lines, read_audit
from report.summary import BETTER, log_names, metric_of, number_text, read_scores, read_statistics, with_synthetic
from report.write import absent_note, synthetic_note, write_tables

KEYS = ["log", "method", "metric", "change"]


def difference_table(
    scores: pd.DataFrame, metrics: Sequence[Metric], names: dict[str, str], axes: Axes
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The differences averaged over the grid, and the printed table.

    Of a grid count the points at which every repeat has a value on both sides; beside them, those of these at which
    every release is k-anonymous as claimed.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metrics : declarations of the metrics
    names : printed name of each log
    axes : names of the parameters
    """
    lines = []
    for metric in metrics:
        runs = grid_runs(scores, metric, axes)
        for (log, method, panel), changes in differences(runs).groupby(["log", "method", "panel"], sort=False):
            key = dict(zip(KEYS, (log, method, metric.name, f"{panel} − {runs['panel'].iloc[0]}"), strict=True))
            points = changes.groupby(POINT, sort=False)
            whole = changes[points["value"].transform(lambda values: values.notna().all())]
            broken = changes.assign(broken=["claim_k" in claims for claims in changes["broken"]])
            kept = whole[~broken.groupby(POINT)["broken"].transform("any")[whole.index]]
            lines.append({**key, **_averages(whole, metric), **_averages(kept, metric, "_kept")})
    data = pd.DataFrame(lines)
    printed = pd.DataFrame(
        {
            f"{title}{among}": [text(*line) for line in data[[f"{name}{suffix}" for name in needed]].to_numpy()]
            for among, suffix in (("", ""), (", where k holds", "_kept"))
            for title, needed, text in (
                ("difference", ("mean", "sd"), _number),
                ("better at", ("better", "points"), _share),
            )
        },
        index=pd.MultiIndex.from_frame(data[KEYS].replace({"log": names})),
    )
    return with_synthetic(data, names), printed


def _averages(changes: pd.DataFrame, metric: Metric, suffix: str = "") -> dict[str, float]:
    """Mean and standard deviation, over the repeats, of the mean over the grid; and at how many points it is better."""
    by_repeat = changes.groupby("repeat")["value"].mean()
    by_point = changes.groupby(POINT)["value"].mean()
    better = {"higher": by_point > 0, "lower": by_point < 0}.get(metric.direction)
    values = {
        "mean": by_repeat.mean(),
        "sd": by_repeat.std(ddof=1),
        "better": None if better is None else int(better.sum()),
        "points": len(by_point),
    }
    return {f"{name}{suffix}": value for name, value in values.items()}


def _number(mean: float, sd: float) -> str:
    return "–" if pd.isna(mean) else number_text(mean, sd)


def _share(better: float, points: float) -> str:
    return f"{points:.0f} points" if pd.isna(better) else f"{better:.0f} of {points:.0f}"


def notes(metrics: Sequence[Metric], axes: Axes, names: dict[str, str]) -> list[str]:
    """The sentences below the table."""
    directions = "; ".join(f"{metric.name}: {BETTER[metric.direction]}" for metric in metrics)
    return [
        f"Mean over the grid of {axes.rows} and {axes.columns} ± standard deviation over repeats, whose runs are "
        f"paired by their number; {directions}.",
        "Only points at which every run on both sides has a value; where k holds: and every release has k cases of "
        "each prefix, as claimed.",
        *synthetic_note(names),
    ]


def main() -> None:
    """The command line."""
    parser = scores_parser(__doc__)
    parser.add_argument("--metrics", nargs="+", required=True)
    parser.add_argument("--columns", required=True, help="the parameter that stands across")
    parser.add_argument("--panels", required=True, help="the parameter that makes the difference")
    options = parser.parse_args()
    metrics = [metric_of(name) for name in options.metrics]
    axes = Axes(*options.rows, options.columns, options.panels)
    names = log_names(read_statistics(options.logs))
    scores = read_scores(options.scores)
    data, printed = difference_table(scores, metrics, names, axes)
    privacy = privacy_lines(scores, read_audit(options.audit))
    lines = notes(metrics, axes, names) + privacy + absent_note(options.absent)
    write_tables(options.out, data, printed, f"{options.title}: Differences", lines)


if __name__ == "__main__":
    main()
