"""The figure of one metric: a panel a log, parameters across, a colour a method.

`python -m report.figure scores.csv --metric emd_variants --logs statistics.json... --out figure.png figure.pdf`
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metrics.metric import CONTROLS, Metric
from report.summary import NO_ROW, log_names, metric_of, read_scores, read_statistics, summarise

PANEL = (3.2, 2.6)  # inches
ACROSS = 4


def metric_figure(
    scores: pd.DataFrame, metric: Metric, names: dict[str, str], rows: Sequence[str], title: str
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
    """
    summary = summarise(scores, metric, rows)
    summary["across"] = summary[list(rows)].agg(" ".join, axis=1) if rows else summary["method"]
    methods = list(dict.fromkeys(summary["method"]))
    colours = dict(zip(methods, sns.color_palette("colorblind", len(methods)), strict=True))
    logs = list(dict.fromkeys(summary["log"]))
    columns = min(ACROSS, len(logs))
    lines = math.ceil(len(logs) / columns)
    figure, axes = plt.subplots(
        lines, columns, squeeze=False, layout="constrained", figsize=(PANEL[0] * columns, PANEL[1] * lines + 0.8)
    )
    for axis in axes.flat[len(logs) :]:
        axis.set_axis_off()
    for log, axis in zip(logs, axes.flat, strict=False):
        _panel(axis, summary[summary["log"] == log], colours, rows)
        axis.set_title(names[log], fontsize="medium")
    for axis in axes[:, 0]:
        axis.set_ylabel(f"{metric.title}\n[{metric.unit}]" if metric.unit else metric.title, fontsize="small")
    handles = {
        label: handle
        for axis in axes.flat
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=min(5, len(handles)), fontsize="small")
    mark = "\n† synthetic log" if any(name.endswith("†") for name in names.values()) else ""
    figure.suptitle(f"{title}{mark}", fontsize="medium")
    return figure


def _panel(axis: Axes, cells: pd.DataFrame, colours: dict[str, tuple], rows: Sequence[str]) -> None:
    """One log: points with error bars; lines across for methods without the row parameters."""
    places = {text: place for place, text in enumerate(dict.fromkeys(cells["across"])) if text != NO_ROW}
    places = {text: place for place, text in enumerate(places)}
    whole = cells["statuses"] == ""
    methods = list(dict.fromkeys(cells.loc[cells["across"] != NO_ROW, "method"]))
    for place, method in enumerate(methods):
        chosen = cells[(cells["method"] == method) & whole]
        shift = (place - (len(methods) - 1) / 2) * 0.6 / max(len(methods), 1) if rows else 0
        axis.errorbar(
            [places[text] + shift for text in chosen["across"]], chosen["mean"], yerr=chosen["sd"].fillna(0),
            fmt="o", markersize=4, capsize=2, linewidth=1, color=colours[method], label=method,
        )  # fmt: skip
    for method, mean in cells.loc[whole & (cells["across"] == NO_ROW), ["method", "mean"]].itertuples(index=False):
        style = ":" if method in CONTROLS else "--"
        axis.axhline(mean, linestyle=style, linewidth=1, color=colours[method], label=method)
    for cell in cells[~whole].itertuples():
        place = places.get(cell.across, 0)
        axis.annotate(
            cell.text, (place, 0.02), xycoords=("data", "axes fraction"), rotation=90, fontsize="xx-small",
            color=colours[cell.method], ha="center",
        )  # fmt: skip
    axis.set_xticks(list(places.values()), list(places), rotation=0 if rows else 90, fontsize="small")
    axis.set_xlim(-0.5, len(places) - 0.5)
    axis.set_xlabel(", ".join(rows), fontsize="small")
    axis.tick_params(axis="y", labelsize="small")
    means = cells.loc[whole, "mean"]
    if len(means) and means.min() > 0 and means.max() > 50 * means.min():
        axis.set_yscale("log")


def write_figure(figure: Figure, paths: Sequence[str | Path]) -> None:
    """Write a figure to each path, whole or not at all, without a date, so that equal scores give equal files."""
    for path in map(Path, paths):
        temporary = path.with_name(f".part.{path.name}")
        figure.savefig(temporary, dpi=200, metadata={"CreationDate": None} if path.suffix == ".pdf" else None)
        os.replace(temporary, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores")
    parser.add_argument("--metric", required=True)
    parser.add_argument("--logs", nargs="+", required=True, help="statistics of the logs")
    parser.add_argument("--title", default="")
    parser.add_argument("--rows", nargs="*", default=[], help="parameters that stand across")
    parser.add_argument("--out", nargs="+", required=True)
    options = parser.parse_args()
    metric = metric_of(options.metric)
    names = log_names(read_statistics(options.logs))
    figure = metric_figure(
        read_scores(options.scores), metric, names, options.rows, f"{options.title}: {metric.title}"
    )
    write_figure(figure, options.out)


if __name__ == "__main__":
    main()
