"""The figures of classes, as Zettel's study of access logs draws them, a panel a mechanism and setting.

`python -m report.classes profile.csv... --figure sizes --logs statistics.json... --out figure.png figure.pdf`, of:

* `sizes`: how many classes have each size;
* `users`: how many published addresses, intervals, have each number of distinct users;
* `intervals`: the users of each interval of addresses, where it lies and how wide it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metrics.class_profile import ADDRESS, CLASS, SUPPRESSED
from report.arguments import study_parser
from report.figure import PANEL, entitle, write_figure
from report.summary import log_names, method_labels, read_statistics

ACROSS = 3
MOST_BARS = 60  # more distinct sizes are drawn as a histogram
OCTET = 1 << 24  # addresses of a first octet


def class_figure(profiles: dict[tuple[str, str], pd.DataFrame], figure: str, title: str, synthetic: bool) -> Figure:
    """Draw one kind of figure.

    Parameters
    ----------
    profiles : dict
        What `metrics.class_profile` wrote, by mechanism and parameters.
    figure : {"sizes", "users", "intervals"}
    title : str
    synthetic : bool
        Whether the log is, which the figure then says.
    """
    draw, label_x, label_y = FIGURES[figure]
    names = method_labels(pd.DataFrame(list(profiles), columns=["mechanism", "parameters"]), [])
    columns = min(ACROSS, len(profiles))
    lines = math.ceil(len(profiles) / columns)
    drawn, axes = plt.subplots(
        lines, columns, squeeze=False, layout="constrained", figsize=(PANEL[0] * columns, PANEL[1] * lines + 0.8)
    )
    for axis in axes.flat[len(profiles) :]:
        axis.set_axis_off()
    for (pair, profile), axis in zip(profiles.items(), axes.flat, strict=False):
        axis.set_title(names[pair], fontsize="small")
        axis.tick_params(labelsize="small")
        reason = draw(axis, profile)
        if reason:
            axis.annotate(reason, (0.5, 0.5), xycoords="axes fraction", ha="center", fontsize="small", color="grey")
            axis.set_xticks([])
            axis.set_yticks([])
    drawn.supxlabel(label_x, fontsize="small")
    drawn.supylabel(label_y, fontsize="small")
    marks = ["the first repeat of each setting"] + ["† marks a synthetic log"] * synthetic
    entitle(drawn, [title, *marks])
    return drawn


def _sizes(axis: Axes, profile: pd.DataFrame) -> str:
    """Bars of the sizes of classes; what is suppressed is told."""
    suppressed = profile.loc[profile["kind"] == SUPPRESSED, "rows"].sum()
    reason = _bars(axis, profile.loc[profile["kind"] == CLASS, "rows"])
    if suppressed and not reason:
        axis.annotate(
            f"{suppressed} rows suppressed", (0.97, 0.95), xycoords="axes fraction", ha="right", va="top",
            fontsize="x-small",
        )  # fmt: skip
    return reason


def _users(axis: Axes, profile: pd.DataFrame) -> str:
    """Bars of the numbers of users of published addresses."""
    return _bars(axis, profile.loc[profile["kind"] == ADDRESS, "users"].dropna())


def _bars(axis: Axes, numbers: pd.Series) -> str:
    if not len(numbers):
        return "nothing published of the kind"
    values, counts = np.unique(numbers.to_numpy(dtype=int), return_counts=True)
    if len(values) <= MOST_BARS and np.ptp(values) <= MOST_BARS:
        axis.bar(values, counts, width=0.8)
    else:
        axis.hist(numbers, bins=MOST_BARS // 2)
    axis.xaxis.set_major_locator(plt.MaxNLocator(integer=True))
    axis.yaxis.set_major_locator(plt.MaxNLocator(integer=True))
    return ""


def _intervals(axis: Axes, profile: pd.DataFrame) -> str:
    """A line for each interval, at the height of its users."""
    found = profile[profile["kind"] == ADDRESS].dropna(subset=["users", "low", "high"])
    if not len(found):
        return "no intervals of addresses"
    axis.hlines(found["users"], found["low"] / OCTET, (found["high"] + 1) / OCTET, linewidth=0.8)
    axis.plot((found["low"] + found["high"] + 1) / 2 / OCTET, found["users"], ".", markersize=2)
    axis.set_ylim(bottom=0)
    axis.yaxis.set_major_locator(plt.MaxNLocator(integer=True))
    return ""


# How each figure is drawn, and what stands across and up.
FIGURES: dict[str, tuple[Callable[[Axes, pd.DataFrame], str], str, str]] = {
    "sizes": (_sizes, "rows of a class", "classes"),
    "users": (_users, "distinct users of a published address", "published addresses"),
    "intervals": (_intervals, "addresses by their first octet", "distinct users"),
}


def read_profiles(paths: Sequence[str | Path]) -> dict[tuple[str, str], pd.DataFrame]:
    """Profiles by mechanism and parameters, which are folders of their paths."""
    return {Path(path).parts[-3:-1]: pd.read_csv(path) for path in paths}


def main() -> None:
    """The command line."""
    parser = study_parser(__doc__)
    parser.add_argument("profiles", nargs="+", help="what metrics.class_profile wrote of runs on one log")
    parser.add_argument("--figure", required=True, choices=FIGURES)
    options = parser.parse_args()
    [name] = log_names(read_statistics(options.logs)).values()
    title = f"{options.title}: {name}"
    write_figure(class_figure(read_profiles(options.profiles), options.figure, title, name.endswith("†")), options.out)


if __name__ == "__main__":
    main()
