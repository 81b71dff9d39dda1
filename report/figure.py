"""The figure of one metric: a panel a log, parameters across, a colour a method (or mechanism, if there are many).

`python -m report.figure scores.csv --metric emd_variants --logs statistics.json... --out figure.png figure.pdf`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from textwrap import wrap

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from data.files import replacing
from metrics.metric import CONTROLS, Metric
from report.arguments import metric_parser
from report.privacy import UTILITY, privacy_marks, read_audit
from report.summary import (
    BETTER,
    NO_ROW,
    log_names,
    metric_of,
    read_scores,
    read_statistics,
    shared_cells,
    summarise,
)

PANEL = (3.2, 2.6)  # inches
LINE = 0.2  # inches, of text
SMALL = 1.3  # characters of small text where one of the heading stands
CHARACTERS, UPRIGHT = 36, 20  # names that fit below a panel: their letters side by side, or how many upright
NARROWEST = 6.4  # inches, of a figure
ACROSS = 4
COLOURS = 10  # that can be told apart
MARKERS = "os^DvPX<>p*hd"


def metric_figure(
    scores: pd.DataFrame,
    metric: Metric,
    names: dict[str, str],
    rows: Sequence[str],
    title: str,
    findings: pd.DataFrame | None = None,
) -> Figure:
    """Draw means with their standard deviations over the repeats; failed cells are named, not drawn.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metric : declaration of the metric
    names : printed name of each log
    rows : parameters that stand across; without any, methods stand across
    title : str
    findings : the audit, if there was one
    """
    cells = summarise(scores, metric, rows)
    looks = _looks(cells)  # the same in all figures of an experiment
    summary, undefined = _defined(cells)
    summary["across"] = summary[list(rows)].agg(" ".join, axis=1) if rows else summary["method"]
    if rows:
        summary.loc[(summary[list(rows)] == NO_ROW).all(axis=1), "across"] = NO_ROW
    logs = list(dict.fromkeys(summary["log"]))
    marks = [f"mean ± standard deviation over {scores['repeat'].nunique()} repeats; {BETTER[metric.direction]}"]
    marks += ["† marks a synthetic log"] * any(name.endswith("†") for name in names.values())
    marks += ["runs shared their cores"] * (metric.unit == "s" and bool(shared_cells(scores)))
    marks += [f"not defined for {', '.join(undefined)}"] * bool(undefined)
    methods = summary["method"].unique()
    longest = max(map(len, methods), default=0)
    privacy = privacy_marks(scores, findings) if metric.group in UTILITY else []
    figure, axes, per_line = panels(len(logs), [title, *marks], len(methods), 0.7 + 0.08 * longest, below=privacy)
    logarithmic = metric.high == math.inf and _spans_magnitudes(summary)
    for log, axis in zip(logs, axes.flat, strict=False):
        _panel(axis, summary[summary["log"] == log], looks, rows, logarithmic)
        _keep_to_range(axis, metric)
        axis.set_title(names[log], fontsize="medium")
    for axis in axes[:, 0]:
        axis.set_ylabel(f"{metric.title}\n[{metric.unit}]" if metric.unit else metric.title, fontsize="small")
    handles = {
        label: handle for axis in axes.flat for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", fontsize="small", ncols=per_line,
        title="\n".join(broken(privacy, SMALL * figure.get_figwidth())), title_fontsize="x-small",
    )  # fmt: skip
    return figure


def panels(
    count: int,
    heading: Sequence[str],
    entries: int,
    entry_width: float,
    height: float = PANEL[1],
    below: Sequence[str] = (),
) -> tuple[Figure, np.ndarray, int]:
    """An empty figure of panels, a log each, with its title and room for a legend.

    Parameters
    ----------
    count : number of panels
    heading : lines above them
    entries, entry_width : number of entries of the legend, and inches that one takes
    height : inches of a panel
    below : lines of small text that the legend begins with

    Returns
    -------
    figure : Figure
    axes : array (lines, columns) of Axes, of which those beyond the last panel are off
    per_line : int
        Entries of the legend that fit side by side.
    """
    columns = max(1, min(ACROSS, count))
    lines = max(1, math.ceil(count / columns))
    width = max(PANEL[0] * columns, NARROWEST)
    text = broken(heading, width)
    per_line = max(1, int(width / entry_width))
    beside = LINE * (len(text) + math.ceil(entries / per_line) + 1 + len(broken(below, SMALL * width)))
    figure, axes = plt.subplots(
        lines, columns, squeeze=False, layout="constrained", figsize=(width, height * lines + beside)
    )
    for axis in axes.flat[count:]:
        axis.set_axis_off()
    entitle(figure, text)
    return figure, axes, per_line


def _defined(summary: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The cells of the methods that a metric is defined for, and the names of the mechanisms that it is not."""
    none = (summary["n"] == 0) & summary["statuses"].str.fullmatch(r"n/a:\d+")
    if none.all():
        return summary, []
    without = none.groupby(summary["mechanism"]).transform("all")
    return summary[~without].copy(), list(dict.fromkeys(summary.loc[without, "mechanism"]))


def _looks(summary: pd.DataFrame) -> dict[str, dict]:
    """Colour and marker of each method; of more methods than colours, those of a mechanism share their colour."""
    methods = dict(zip(summary["method"], summary["mechanism"], strict=True))
    mechanisms = [name for name in dict.fromkeys(methods.values()) if name not in CONTROLS]
    many = len(methods.keys() - set(CONTROLS)) > COLOURS and len(mechanisms) > 1
    groups = mechanisms if many else [name for name in methods if name not in CONTROLS]
    palette = sns.color_palette("colorblind" if len(groups) <= COLOURS else "husl", len(groups))
    colours = dict(zip(groups, palette, strict=True))
    numbers = {name: count() for name in mechanisms}
    looks = {}
    for method, mechanism in methods.items():
        if mechanism in CONTROLS:
            looks[method] = {"color": "grey", "marker": {"identity": "x", "shuffle": "+"}[mechanism]}
        elif many:
            marker = MARKERS[next(numbers[mechanism]) % len(MARKERS)]
            looks[method] = {"color": colours[mechanism], "marker": marker}
        else:
            looks[method] = {"color": colours[method], "marker": "o"}
    return looks


def _spans_magnitudes(summary: pd.DataFrame) -> bool:
    """Whether the methods of some log differ so much that a linear scale would hide the small ones."""
    drawn = summary[(summary["statuses"] == "") & ~summary["mechanism"].isin(CONTROLS)].groupby("log")["mean"]
    return bool(drawn.min().gt(0).all() and (drawn.max() > 50 * drawn.min()).any())


def _keep_to_range(axis: Axes, metric: Metric) -> None:
    """Nothing beyond the values that a metric can have, but for a margin that keeps points off the frame."""
    if axis.get_yscale() == "linear":
        low, high = axis.get_ylim()
        margin = 0.05 * (high - low)
        axis.set_ylim(max(low, metric.low - margin), min(high, metric.high + margin))


def _panel(axis: Axes, cells: pd.DataFrame, looks: dict[str, dict], rows: Sequence[str], logarithmic: bool) -> None:
    """One log: points with error bars; lines across for methods without the row parameters."""
    across = [text for text in dict.fromkeys(cells["across"]) if text != NO_ROW]
    places = {text: place for place, text in enumerate(across)}
    whole = cells["statuses"] == ""
    methods = list(dict.fromkeys(cells.loc[cells["across"] != NO_ROW, "method"]))
    shifts = (np.arange(len(methods)) - (len(methods) - 1) / 2) * 0.6 / max(len(methods), 1) * bool(rows)
    shift_of = dict(zip(methods, shifts, strict=True))
    for method, shift in shift_of.items():
        chosen = cells[(cells["method"] == method) & whole]
        axis.errorbar(
            [places[text] + shift for text in chosen["across"]], chosen["mean"], yerr=chosen["sd"].fillna(0),
            **looks[method], linestyle="none", label=method, markersize=4, capsize=2, linewidth=1,
        )  # fmt: skip
    means = cells.loc[whole & ~cells["mechanism"].isin(CONTROLS), "mean"]
    if logarithmic:
        axis.set_yscale("log")
    lines = cells[whole & (cells["across"] == NO_ROW)]
    for cell in lines.sort_values("mechanism", key=lambda names: names == "shuffle").itertuples():
        if cell.mechanism == "shuffle" and len(means):
            axis.set_ylim(axis.get_ylim())  # the control without utility does not stretch the scale
        style = {"identity": ":", "shuffle": "-."}.get(cell.mechanism, "--")
        axis.axhline(cell.mean, linestyle=style, linewidth=1, color=looks[cell.method]["color"], label=cell.method)
    for cell in cells[~whole].itertuples():
        place = places.get(cell.across, 0) + shift_of.get(cell.method, 0)
        axis.annotate(
            cell.text, (place, 0.02), xycoords=("data", "axes fraction"), rotation=90, fontsize="x-small",
            color=looks[cell.method]["color"], ha="center",
        )  # fmt: skip
    _name_controls_outside(axis, cells[whole & cells["mechanism"].isin(CONTROLS)])
    _name_places(axis, across if rows else [])
    axis.set_xlim(-0.5, max(len(places), 1) - 0.5)
    axis.set_xlabel(", ".join(rows), fontsize="small")
    axis.tick_params(axis="y", labelsize="small")


def _name_places(axis: Axes, texts: Sequence[str]) -> None:
    """Name what stands across: upright if all names would not fit side by side, and then as many as do."""
    crowded = sum(len(text) + 2 for text in texts) > CHARACTERS
    every = math.ceil(len(texts) / UPRIGHT) if crowded else 1
    axis.set_xticks(range(0, len(texts), every), texts[::every], fontsize="small", rotation=90 * crowded)


def _name_controls_outside(axis: Axes, controls: pd.DataFrame) -> None:
    """Controls beyond the scale are named at its edge with their value."""
    low, high = axis.get_ylim()
    for cell in controls.itertuples():
        if not low <= cell.mean <= high:
            edge, arrow = (0.98, "↑") if cell.mean > high else (0.02, "↓")
            axis.annotate(
                f"{cell.method} {cell.text} {arrow}", (0.98, edge), xycoords="axes fraction", color="grey",
                fontsize="x-small", ha="right", va="top" if edge > 0.5 else "bottom",
            )  # fmt: skip


def entitle(figure: Figure, lines: Sequence[str]) -> None:
    """Write lines above a figure."""
    figure.suptitle("\n".join(broken(lines, figure.get_figwidth())), fontsize="medium")


def annotate(figure: Figure, lines: Sequence[str]) -> None:
    """Write lines of small text below a figure without a legend there."""
    figure.supxlabel("\n".join(broken(lines, SMALL * figure.get_figwidth())), fontsize="x-small")


def broken(lines: Sequence[str], width: float) -> list[str]:
    """Lines of a title, broken where they are wider than a figure of so many inches."""
    return [line for text in lines for line in wrap(text, int(11 * width))]


def write_figure(figure: Figure, paths: Sequence[str | Path]) -> None:
    """Write a figure to each path, whole or not at all, without a date, so that equal scores give equal files."""
    for path in map(Path, paths):
        # Type 42 fonts, which publishers accept.
        with replacing(path) as temporary, plt.rc_context({"pdf.fonttype": 42}):
            figure.savefig(temporary, dpi=200, metadata={"CreationDate": None} if path.suffix == ".pdf" else None)


def main() -> None:
    """The command line."""
    options = metric_parser(__doc__).parse_args()
    metric = metric_of(options.metric)
    names = log_names(read_statistics(options.logs))
    scores, findings = read_scores(options.scores), read_audit(options.audit)
    figure = metric_figure(scores, metric, names, options.rows, f"{options.title}: {metric.title}", findings)
    write_figure(figure, options.out)


if __name__ == "__main__":
    main()
