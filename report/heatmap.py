"""Heat maps of one metric over two parameters, side by side for each value of a third one, and their differences.

`python -m report.heatmap scores.csv --metric aba_code --rows k --columns t --panels distance
--logs statistics.json... --out heatmap.png heatmap.pdf`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes as Panel
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from metrics.metric import CONTROLS, Metric
from report.arguments import metric_parser
from report.figure import LINE, SMALL, annotate, broken, entitle, write_figure
from report.grids import POINT, Axes, differences, grid_runs
from report.privacy import UTILITY, privacy_marks, read_audit
from report.summary import BETTER, log_names, metric_of, read_scores, read_statistics
from report.table import STATUSES

CELL = (0.62, 0.36)  # inches
# Bright and blue are better, where something is.
SEQUENTIAL = {"lower": "viridis_r"}
DIVERGING = {"higher": "RdBu", "lower": "RdBu_r"}


def heatmaps(
    scores: pd.DataFrame,
    metric: Metric,
    names: dict[str, str],
    axes: Axes,
    title: str,
    findings: pd.DataFrame | None = None,
) -> Figure:
    """Draw means over the repeats, and differences with their standard deviation.

    A cell without a value shows why; one in which some release breaks a claim of its run has a red frame, and the
    names of these claims.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metric : declaration of the metric
    names : printed name of each log
    axes : names of the parameters
    title : str
    findings : the audit, if there was one
    """
    runs = grid_runs(scores, metric, axes)
    rows, columns, panels = (list(dict.fromkeys(runs[axis])) for axis in ("row", "column", "panel"))
    lines = list(dict.fromkeys(zip(runs["log"], runs["method"], strict=True)))
    further = [f"{panel} − {panels[0]}" for panel in panels[1:]]
    width = CELL[0] * len(columns) * len(panels + further) + 2.6
    privacy = privacy_marks(scores, findings) if metric.group in UTILITY else []
    height = (CELL[1] * len(rows) + 0.7) * max(len(lines), 1) + 1.2 + LINE * len(broken(privacy, SMALL * width))
    figure, grid = plt.subplots(
        max(len(lines), 1), len(panels) + len(further), squeeze=False, layout="constrained", figsize=(width, height)
    )
    maps, changes = _cells(runs), _cells(differences(runs))
    norm = Normalize(maps["mean"].min(), maps["mean"].max())
    reach = changes["mean"].abs().max()
    scales = [
        ScalarMappable(norm, SEQUENTIAL.get(metric.direction, "viridis")),
        ScalarMappable(Normalize(-reach, reach), DIVERGING.get(metric.direction, "PuOr")),
    ]
    several = len({method for _, method in lines}) > 1
    for (log, method), across in zip(lines, grid, strict=True):
        head = f"{names[log]}, {method}" if several else names[log]
        for axis, panel in zip(across, panels, strict=False):
            _panel(axis, _of(maps, log, method, panel), rows, columns, scales[0])
            axis.set_title(f"{head}\n{panel}", fontsize="small")
        for axis, panel, text in zip(across[len(panels) :], panels[1:], further, strict=True):
            _panel(axis, _of(changes, log, method, panel), rows, columns, scales[1], signed=True)
            axis.set_title(f"{head}\n{text}", fontsize="small")
        across[0].set_ylabel(axes.rows, fontsize="small")
        across[0].set_xlabel(f"{axes.columns}{_controls(scores, metric, log)}", fontsize="small")
    _colour_bars(figure, grid, scales, len(panels), metric)
    entitle(figure, [title, "; ".join(_marks(runs, metric, names))])
    annotate(figure, privacy)
    return figure


def _of(cells: pd.DataFrame, log: str, method: str, panel: str) -> pd.DataFrame:
    return cells[(cells["log"] == log) & (cells["method"] == method) & (cells["panel"] == panel)]


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    """One line a cell: its mean, standard deviation, failures and whether a claim is broken."""
    lines = [
        {
            **dict(zip([*POINT, "panel"], key, strict=True)),
            "mean": cell["value"].mean(),
            "sd": cell["value"].std(ddof=1),
            "failures": Counter(cell.loc[cell["value"].isna(), "status"]),
            "broken": frozenset().union(*cell["broken"]),
        }
        for key, cell in runs.groupby([*POINT, "panel"], sort=False)
    ]
    return pd.DataFrame(lines, columns=[*POINT, "panel", "mean", "sd", "failures", "broken"])


def _panel(
    axis: Panel,
    cells: pd.DataFrame,
    rows: Sequence[str],
    columns: Sequence[str],
    scale: ScalarMappable,
    signed: bool = False,
) -> None:
    """One grid: a square a cell, with its number or with why there is none."""
    axis.set_xlim(0, len(columns))
    axis.set_ylim(len(rows), 0)
    axis.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize="x-small")
    axis.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize="x-small")
    axis.tick_params(length=0)
    for cell in cells.itertuples():
        _square(axis, cell, columns.index(cell.column), rows.index(cell.row), scale, signed)


def _square(axis: Panel, cell, x: int, y: int, scale: ScalarMappable, signed: bool) -> None:
    empty = np.isnan(cell.mean)
    colour = (1, 1, 1, 1) if empty else scale.to_rgba(cell.mean)
    hatch = "////" if empty else None
    axis.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="lightgrey", hatch=hatch, linewidth=0))
    dark = np.dot(colour[:3], (0.299, 0.587, 0.114)) < 0.5
    axis.annotate(
        _text(cell, signed), (x + 0.5, y + 0.5), ha="center", va="center", fontsize=6,
        color="white" if dark else "black",
    )  # fmt: skip
    if cell.broken:
        axis.add_patch(Rectangle((x + 0.05, y + 0.07), 0.9, 0.86, fill=False, edgecolor="red", linewidth=1.2))
        claims = " ".join(sorted(name.removeprefix("claim_") for name in cell.broken))
        axis.annotate(
            claims, (x + 0.93, y + 0.12), ha="right", va="top", fontsize=4.5, color="white",
            bbox={"boxstyle": "square,pad=0.15", "facecolor": "red", "linewidth": 0},
        )  # fmt: skip


def _text(cell, signed: bool) -> str:
    """Mean and what is to be known of it: the deviation of a difference, and runs without a value."""
    failures = [f"{count} {status}" for status, count in cell.failures.items()]
    if np.isnan(cell.mean):
        return "\n".join(cell.failures)
    spread = [f"±{_number(cell.sd)}"] if signed and not np.isnan(cell.sd) else []
    return "\n".join([_number(cell.mean, "+" if signed else ""), *spread, *failures])


def _number(value: float, sign: str = "") -> str:
    """Three significant digits, no more than three decimals and no exponent."""
    decimals = int(np.clip(2 - np.floor(np.log10(abs(value))), 0, 3)) if value else 0
    return f"{value:{sign}.{decimals}f}"


def _controls(scores: pd.DataFrame, metric: Metric, log: str) -> str:
    """The values of the controls on a log, which say what is much."""
    chosen = scores[(scores["metric"] == metric.name) & (scores["log"] == log)]
    means = chosen.groupby("mechanism")["value"].mean().reindex(CONTROLS).dropna()
    return f" ({', '.join(f'{control} {_number(mean)}' for control, mean in means.items())})" if len(means) else ""


def _colour_bars(
    figure: Figure, grid: np.ndarray, scales: Sequence[ScalarMappable], panels: int, metric: Metric
) -> None:
    """A scale below the maps, and one below the differences."""
    unit = f" [{metric.unit}]" if metric.unit else ""
    parts = [(grid[:, :panels], f"{metric.title}{unit}"), (grid[:, panels:], "difference")]
    for scale, (axes, label) in zip(scales, parts, strict=True):
        if axes.size and not np.isnan(scale.norm.vmax):
            bar = figure.colorbar(scale, ax=axes, location="bottom", fraction=0.04, aspect=40)
            bar.set_label(label, fontsize="small")
            bar.ax.tick_params(labelsize="x-small")


def _marks(runs: pd.DataFrame, metric: Metric, names: dict[str, str]) -> list[str]:
    """The lines below the title that explain the marks."""
    lines = [f"means over {runs['repeat'].nunique()} repeats; {BETTER[metric.direction]}"]
    if runs["panel"].nunique() > 1:
        lines.append("differences: mean ± standard deviation over repeats of the same number")
    failures = dict.fromkeys(runs.loc[runs["value"].isna(), "status"])
    lines += [f"{status}: {STATUSES[status]}" for status in failures]
    if any(runs["broken"]):
        lines.append("red frame: some release breaks this claim of its run")
    return lines + ["† marks a synthetic log"] * any(name.endswith("†") for name in names.values())


def main() -> None:
    """The command line."""
    parser = metric_parser(__doc__)
    parser.add_argument("--columns", required=True, help="the parameter that stands across")
    parser.add_argument("--panels", required=True, help="the parameter whose values stand side by side")
    options = parser.parse_args()
    metric = metric_of(options.metric)
    axes = Axes(*options.rows, options.columns, options.panels)
    names = log_names(read_statistics(options.logs))
    scores, findings = read_scores(options.scores), read_audit(options.audit)
    figure = heatmaps(scores, metric, names, axes, f"{options.title}: {metric.title}", findings)
    write_figure(figure, options.out)


if __name__ == "__main__":
    main()
