"""Mean ranks of methods over the logs of a study, a panel a metric, with the critical difference."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metrics.metric import Metric
from report.figure import LINE as TEXT_LINE
from report.figure import SMALL, annotate, broken, entitle
from report.ranking import SIGNIFICANCE, Ranks, Runs

WIDTH, LINE = 3.6, 0.19  # inches
ACROSS = 3


def rank_figure(
    found: dict[Metric, tuple[Runs, Ranks]], names: dict[str, str], title: str, privacy: Sequence[str] = ()
) -> Figure:
    """Draw a dot a method at its mean rank, best on top; the band holds what is not told apart from the best.

    Parameters
    ----------
    found : the runs and ranks by metric, from `report.comparison.compared`
    names : printed name of each log
    title : str
    privacy : lines on what stands beside the ranks by utility
    """
    columns = min(ACROSS, max(len(found), 1))
    lines = max(math.ceil(len(found) / columns), 1)
    methods = max((len(runs.methods) for runs, _ in found.values()), default=1)
    height = (LINE * methods + 0.9) * lines + 0.8 + TEXT_LINE * len(broken(privacy, SMALL * WIDTH * columns))
    figure, axes = plt.subplots(lines, columns, squeeze=False, layout="constrained", figsize=(WIDTH * columns, height))
    for axis in axes.flat[len(found) :]:
        axis.set_axis_off()
    for axis, (metric, (runs, ranked)) in zip(axes.flat, found.items(), strict=False):
        _panel(axis, metric, runs, ranked)
    marks = [f"mean rank over the logs, 1 is best; grey: not told apart from the best (Nemenyi, "
             f"{SIGNIFICANCE:g})"]  # fmt: skip
    marks += ["† marks a synthetic log"] * any(name.endswith("†") for name in names.values())
    if not found:
        marks = ["no two methods can be compared"]
    entitle(figure, [title, *marks])
    annotate(figure, privacy)
    return figure


def _panel(axis: Axes, metric: Metric, runs: Runs, ranked: Ranks) -> None:
    order = np.argsort(ranked.mean, kind="stable")
    best = ranked.mean[order[0]]
    places = np.arange(len(order))
    if not math.isnan(ranked.critical_difference):
        axis.axvspan(best, min(best + ranked.critical_difference, len(order) + 0.3), color="0.9", zorder=0)
    axis.hlines(places, 1, ranked.mean[order], color="0.75", linewidth=0.8, zorder=1)
    axis.plot(ranked.mean[order], places, "o", color="C0", markersize=4)
    axis.set_yticks(places, [runs.methods[place] for place in order], fontsize="x-small")
    axis.invert_yaxis()
    axis.set_xlim(0.7, len(order) + 0.3)
    axis.tick_params(axis="x", labelsize="x-small")
    p = "" if math.isnan(ranked.p) else f"\nFriedman p {ranked.p:.2g}"
    axis.set_title(f"{metric.title}{p}", fontsize="small")
