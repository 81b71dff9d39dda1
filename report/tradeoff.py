"""The figure of utility against the measured advantage of attacks: a line a log, the strongest attack and single ones.

`python -m report.tradeoff scores.csv --logs statistics.json... --out tradeoff.png tradeoff.pdf`
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metrics.attack_presence import PRESENCE as DECOYS
from metrics.metric import CONTROLS, Metric
from metrics.presence_game import GAME
from report.arguments import attacks_parser
from report.attack_records import CELL, attack_records, presence_limit, read_games, with_games
from report.figure import LINE, broken, entitle, write_figure
from report.labels import place_labels
from report.privacy import privacy_cells, read_audit
from report.summary import BETTER, log_names, metric_of, read_scores, read_statistics, sweeps

UTILITY = "emd_variants"
STRONGEST = "strongest"
SINGLE = ("presence", "duration_10min", "gaps", "decoded", "linkage_sequence", "linkage_set_day")  # if they were tried
APART = "copies"  # a family that gains nothing on a case
FIRST, OTHER, HEIGHT = 5.0, 2.9, 3.4  # inches of a panel
LEGEND = 2.3  # inches of one of its entries
MARKERS = "osD^vPX<>hp"
COLUMNS = [
    *CELL, "panel", "attack", "title", "advantage", "low", "high", "limit", "utility", "claimed", "bound", "violated",
    "series", "step", "front",
]  # fmt: skip


def tradeoff_cells(
    scores: pd.DataFrame, findings: pd.DataFrame | None, utility: Metric, games: pd.DataFrame | None = None
) -> pd.DataFrame:
    """One line a panel and cell that has utility and was attacked.

    Where the game of presence was played, it stands for the attack on presence.

    Returns
    -------
    frame
        Columns log, mechanism, parameters, panel (`STRONGEST` or the name of an attack), attack, title, advantage, low,
        high, limit (of the advantage, as claimed), utility (mean), claimed, bound, violated, series (what is joined),
        step, front (on the Pareto front of its panel; False among strongest attacks, which differ).
    """
    records = attack_records(scores, findings, games)
    if not len(records) or not (records["seeds"] > 0).any():
        return pd.DataFrame(columns=COLUMNS)
    records = with_games(records).replace({"attack": {GAME.name: DECOYS.name}, "title": {GAME.title: DECOYS.title}})
    tried = records[(records["seeds"] > 0) & (records["family"] != APART)]
    strongest = tried.sort_values("advantage", ascending=False, kind="stable").drop_duplicates(CELL)
    privacy = privacy_cells(scores, findings)[["claimed", "bound", "violated"]].reset_index()
    additive = scores[scores["metric"] == "claimed_additive"].groupby(CELL)["value"].mean()
    claimed = privacy.set_index(CELL).join(additive.rename("additive"))[["claimed", "additive"]]
    limits = [presence_limit(row["claimed"], np.nan_to_num(row["additive"])) for _, row in claimed.iterrows()]
    strongest = strongest.drop(columns="limit").join(pd.Series(limits, claimed.index, name="limit"), on=CELL)
    single = tried[tried["attack"].isin(SINGLE)]
    cells = pd.concat([strongest.assign(panel=STRONGEST), single.assign(panel=single["attack"])])
    useful = scores[scores["metric"] == utility.name].dropna(subset="value").groupby(CELL)["value"].mean()
    cells = cells.join(useful.rename("utility"), on=CELL, how="inner").merge(privacy, on=CELL, how="left")
    cells = cells.join(sweeps(scores), on=["mechanism", "parameters"]).reset_index(drop=True)
    cells["front"] = _front(cells, utility)
    return cells[COLUMNS]


def _front(cells: pd.DataFrame, utility: Metric) -> pd.Series:
    """Whether no other cell of its log and single attack is better in one of advantage and utility and as good in the
    other; controls do not compete."""
    better = cells["utility"] * (1 if utility.direction == "higher" else -1)
    fit = ~cells["mechanism"].isin(CONTROLS) & (cells["panel"] != STRONGEST)
    front = pd.Series(False, index=cells.index)
    for _, group in cells[fit].groupby(["log", "panel"]):
        gain, use = group["advantage"].to_numpy(), better[group.index].to_numpy()
        as_good = (gain[None, :] <= gain[:, None]) & (use[None, :] >= use[:, None])
        more = (gain[None, :] < gain[:, None]) | (use[None, :] > use[:, None])
        front[group.index] = ~(as_good & more).any(axis=1)
    return front


def tradeoff_figure(
    cells: pd.DataFrame, utility: Metric, names: dict[str, str], title: str, repeats: int, left_out: Sequence[str] = ()
) -> Figure:
    """Draw the cells.

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
    logs = [log for log in names if log in set(cells["log"])]
    found = [panel for panel in (STRONGEST, *SINGLE) if panel in set(cells["panel"])] or [STRONGEST]
    series = list(dict.fromkeys(cells.loc[~cells["mechanism"].isin(CONTROLS), "series"])) if len(cells) else []
    mechanisms = list(dict.fromkeys(cells["mechanism"]))
    palette = sns.color_palette("colorblind" if len(series) <= 10 else "husl", len(series))
    colours = dict(zip(series, palette, strict=True))
    looks = {
        cell.series: (colours[cell.series], MARKERS[mechanisms.index(cell.mechanism) % len(MARKERS)])
        for cell in cells.itertuples()
        if cell.mechanism not in CONTROLS
    }
    width = FIRST + OTHER * (len(found) - 1)
    marks = [
        f"advantage: mean over {repeats} repeats with 95 % interval; {utility.title}: {BETTER[utility.direction]}, "
        "better upwards; labels: ε claimed → audited"
    ]
    marks += ["† marks a synthetic log"] * any(name.endswith("†") for name in names.values())
    marks += [f"no release with cases, or no attack: {', '.join(left_out)}"] * bool(left_out)
    heading = broken([f"{title}: utility and attacks", *marks], width)
    handles = _handles(cells, looks)
    per_line = max(1, int(width / LEGEND))
    beside = LINE * (len(heading) + math.ceil(len(handles) / per_line) + 1)
    figure, axes = plt.subplots(
        max(len(logs), 1), len(found), squeeze=False, layout="constrained",
        figsize=(width, HEIGHT * max(len(logs), 1) + beside), width_ratios=[FIRST, *[OTHER] * (len(found) - 1)],
    )  # fmt: skip
    entitle(figure, heading)
    figure.legend(handles=handles, loc="outside lower center", ncols=per_line, fontsize="small")
    heads = dict(zip(cells["panel"], cells["title"], strict=True)) | {STRONGEST: "strongest attack on each"}
    for log, across in zip(logs, axes, strict=False):
        for panel, axis in zip(found, across, strict=True):
            own = cells[(cells["log"] == log) & (cells["panel"] == panel)]
            _panel(axis, own, looks)
            axis.set_title(f"{names[log]}: {heads[panel]}", fontsize="small")
            axis.set_xlabel("advantage", fontsize="small")
            if utility.direction == "lower":
                axis.invert_yaxis()
        across[0].set_ylabel(utility.title, fontsize="small")
    for log, across in zip(logs, axes, strict=False):
        own = cells[(cells["log"] == log) & (cells["panel"] == STRONGEST)]
        texts = [_label(cell) for cell in own.itertuples()]
        order = np.argsort([not text for text in texts], kind="stable")
        points = own[["advantage", "utility"]].to_numpy()[order]
        ends = pd.concat([own[[end, "utility"]].set_axis(["x", "y"], axis=1) for end in ("limit", "low", "high")])
        signs = ends.dropna().to_numpy()
        labels = [*(texts[place] for place in order), *[""] * len(signs)]
        place_labels(across[0], [*points, *signs], labels, fontsize=6, color="0.25")
    return figure


def _label(cell) -> str:
    if cell.mechanism in CONTROLS:
        return cell.mechanism
    if math.isnan(cell.claimed):
        return ""
    audited = re.match(r"≥ [\d.]+", cell.bound)
    return f"{cell.claimed:.2g}" + (f"→{audited[0]}" if audited else "")


def _panel(axis: Axes, cells: pd.DataFrame, looks: dict) -> None:
    for series, group in cells[~cells["mechanism"].isin(CONTROLS)].groupby("series", sort=False):
        colour, marker = looks[series]
        swept = group.sort_values("step")
        axis.plot(swept["advantage"], swept["utility"], "-", color=colour, linewidth=0.7, alpha=0.6, zorder=1)
        for cell in group.itertuples():
            low, high = (cell.advantage, cell.advantage) if math.isnan(cell.low) else (cell.low, cell.high)
            axis.errorbar(
                cell.advantage, cell.utility, xerr=[[cell.advantage - low], [high - cell.advantage]], fmt=marker,
                color=colour, markerfacecolor="none" if math.isnan(cell.claimed) else colour, markersize=5, capsize=2,
                linewidth=1, alpha=0.85,
            )  # fmt: skip
            if cell.front:
                axis.plot(
                    cell.advantage, cell.utility, "o", color="0.4", markerfacecolor="none", markersize=11, mew=0.7
                )
            if cell.violated:
                axis.plot(cell.advantage, cell.utility, "x", color="black", markersize=5, markeredgewidth=0.8)
            if not math.isnan(cell.limit):
                axis.plot(cell.limit, cell.utility, "|", color=colour, markersize=10, markeredgewidth=1.5)
    controls = cells[cells["mechanism"].isin(CONTROLS)]
    axis.plot(controls["advantage"], controls["utility"], "*", color="grey", markersize=8)
    axis.set_xlim(min(-0.08, cells["advantage"].min() - 0.05), 1.08)
    axis.margins(y=0.12)
    axis.tick_params(labelsize="small")


def _handles(cells: pd.DataFrame, looks: dict) -> list[Line2D]:
    """What the legend explains: the mechanisms, and the signs that occur."""
    own = [Line2D([], [], linestyle="-", linewidth=0.7, marker=marker, color=colour, label=series)
           for series, (colour, marker) in looks.items()]  # fmt: skip
    if not len(cells):
        return own
    controls = cells["mechanism"].isin(CONTROLS)
    signs = (
        (cells["claimed"].isna() & ~controls, "o", 6, "no epsilon claimed"),
        (cells["limit"].notna(), "|", 9, "limit claimed: tanh(ε/2), or δ"),
        (cells["violated"].astype(bool), "x", 5, "claim violated in the audit"),
        (cells["front"], "o", 11, "on the Pareto front"),
        (controls, "*", 8, "identity, shuffle"),
    )
    return own + [
        Line2D([], [], linestyle="", marker=marker, markersize=size, color="0.3", markerfacecolor="none", label=label)
        for fits, marker, size, label in signs
        if fits.any()
    ]


def main() -> None:
    """The command line."""
    options = attacks_parser(__doc__).parse_args()
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    utility = metric_of(UTILITY)
    cells = tradeoff_cells(scores, read_audit(options.audit), utility, read_games(options.games))
    left_out = [name for name in scores["mechanism"].unique() if name not in set(cells["mechanism"])]
    repeats = scores["repeat"].nunique()
    write_figure(tradeoff_figure(cells, utility, names, options.title, repeats, left_out), options.out)


if __name__ == "__main__":
    main()
