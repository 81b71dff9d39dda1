"""The figure of utility against the measured advantage of the strongest attack, a panel a log.

`python -m report.tradeoff scores.csv --logs statistics.json... --out tradeoff.png tradeoff.pdf`
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats

from metrics.metric import CONTROLS, Metric
from report.arguments import scores_parser
from report.attacks import is_advantage
from report.attacks import shown as attacks_of
from report.figure import PANEL, panels, write_figure
from report.privacy import privacy_cells, read_audit
from report.summary import BETTER, log_names, metric_of, read_scores, read_statistics

UTILITY = "emd_variants"
MARKERS = "osD^vPX<>hp"
LEGEND = 2.1  # inches, of one of its entries
CONFIDENCE = 0.95
CELL = ["log", "mechanism", "parameters"]


def tradeoff_cells(scores: pd.DataFrame, findings: pd.DataFrame | None, utility: Metric) -> pd.DataFrame:
    """One line a cell that has utility and was attacked.

    Returns
    -------
    frame
        Columns log, mechanism, parameters, utility (mean), attack (the strongest: that with the largest mean
        advantage), advantage, low, high (its mean and confidence interval over the repeats), claimed, violated.
    """
    names = [metric.name for metric in attacks_of(scores) if is_advantage(metric)]
    tried = scores[scores["metric"].isin(names)].dropna(subset="value")
    spread = tried.groupby([*CELL, "metric"], sort=False)["value"].agg(["mean", "std", "count"]).reset_index("metric")
    ranked = spread.sort_values("mean", ascending=False, kind="stable")
    strongest = ranked[~ranked.index.duplicated()].reindex(spread.index.unique())
    half = stats.t.ppf((1 + CONFIDENCE) / 2, np.maximum(strongest["count"] - 1, 1)) * strongest["std"].fillna(0)
    half /= np.sqrt(strongest["count"])
    cells = pd.DataFrame(
        {
            "attack": strongest["metric"],
            "advantage": strongest["mean"],
            "low": np.clip(strongest["mean"] - half, -1, 1),
            "high": np.clip(strongest["mean"] + half, -1, 1),
        }
    )
    useful = scores[scores["metric"] == utility.name].dropna(subset="value").groupby(CELL)["value"].mean()
    cells = cells.join(useful.rename("utility"), how="inner")
    return cells.join(privacy_cells(scores, findings)[["claimed", "violated"]]).reset_index()


def tradeoff_figure(
    cells: pd.DataFrame, utility: Metric, names: dict[str, str], title: str, repeats: int, left_out: Sequence[str] = ()
) -> Figure:
    """Draw the cells: filled where an epsilon is claimed, crossed where an audit contradicts the claim.

    Parameters
    ----------
    cells : frame
        From `tradeoff_cells`.
    utility : declaration of the metric of utility
    names : printed name of each log
    title : str
    repeats : int
    left_out : mechanisms without any cell to draw
    """
    mechanisms = [name for name in dict.fromkeys(cells["mechanism"]) if name not in CONTROLS]
    colours = dict(zip(mechanisms, sns.color_palette("colorblind", max(len(mechanisms), 1)), strict=False))
    markers = {name: MARKERS[place % len(MARKERS)] for place, name in enumerate(mechanisms)}
    logs = [log for log in names if log in set(cells["log"])]
    marks = [f"mean and {CONFIDENCE:.0%} interval over {repeats} repeats; {BETTER[utility.direction]}"]
    marks += ["† marks a synthetic log"] * any(name.endswith("†") for name in names.values())
    marks += [f"no release with cases, or no attack: {', '.join(left_out)}"] * bool(left_out)
    handles = _handles(cells, colours, markers)
    heading = [f"{title}: utility and attacks", *marks]
    figure, axes, per_line = panels(len(logs), heading, len(handles), LEGEND, PANEL[1] + 0.3)
    for log, axis in zip(logs, axes.flat, strict=False):
        _panel(axis, cells[cells["log"] == log], colours, markers)
        axis.set_title(names[log], fontsize="medium")
        axis.set_xlabel("advantage of the strongest attack", fontsize="small")
        if utility.direction == "lower":
            axis.invert_yaxis()
    for axis in axes[:, 0]:
        axis.set_ylabel(f"{utility.title}\n(better upwards)", fontsize="small")
    figure.legend(handles=handles, loc="outside lower center", ncols=per_line, fontsize="small")
    return figure


def _panel(axis: Axes, cells: pd.DataFrame, colours: dict, markers: dict) -> None:
    for cell in cells[~cells["mechanism"].isin(CONTROLS)].itertuples():
        colour, claims = colours[cell.mechanism], not math.isnan(cell.claimed)
        axis.errorbar(
            cell.advantage, cell.utility, xerr=[[cell.advantage - cell.low], [cell.high - cell.advantage]],
            fmt=markers[cell.mechanism], color=colour, markerfacecolor=colour if claims else "none", markersize=5,
            capsize=2, linewidth=1, alpha=0.85,
        )  # fmt: skip
        if cell.violated:
            axis.plot(cell.advantage, cell.utility, "x", color="black", markersize=5, markeredgewidth=0.8)
        if claims:
            axis.plot(math.tanh(cell.claimed / 2), cell.utility, "|", color=colour, markersize=9)
    for cell in cells[cells["mechanism"].isin(CONTROLS)].itertuples():
        axis.plot(cell.advantage, cell.utility, "*", color="grey", markersize=8)
        axis.annotate(
            cell.mechanism, (cell.advantage, cell.utility), fontsize="x-small", color="grey", xytext=(0, 6),
            textcoords="offset points", ha="right" if cell.advantage > 0.5 else "left",
        )  # fmt: skip
    axis.set_xlim(min(-0.08, cells["advantage"].min() - 0.05), 1.08)
    axis.margins(y=0.12)
    axis.tick_params(labelsize="small")


def _handles(cells: pd.DataFrame, colours: dict, markers: dict) -> list[Line2D]:
    """What the legend explains: the mechanisms, and the signs that occur."""
    own = [Line2D([], [], linestyle="", marker=markers[name], color=colours[name], label=name) for name in colours]
    without = cells["claimed"].isna() & ~cells["mechanism"].isin(CONTROLS)
    signs = (
        (without, "o", "no epsilon claimed"),
        (cells["claimed"].notna(), "|", "tanh(ε/2), ε as claimed"),
        (cells["violated"], "x", "claim violated in audit"),
    )
    return own + [
        Line2D([], [], linestyle="", marker=marker, color="black", markerfacecolor="none", label=label)
        for fits, marker, label in signs
        if fits.any()
    ]


def main() -> None:
    """The command line."""
    options = scores_parser(__doc__).parse_args()
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    utility = metric_of(UTILITY)
    cells = tradeoff_cells(scores, read_audit(options.audit), utility)
    left_out = [name for name in scores["mechanism"].unique() if name not in set(cells["mechanism"])]
    repeats = scores["repeat"].nunique()
    write_figure(tradeoff_figure(cells, utility, names, options.title, repeats, left_out), options.out)


if __name__ == "__main__":
    main()
