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
MOST_BARS = 60  # over a wider range a histogram is drawn
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
    choose, draw, label_x, label_y = FIGURES[figure]
    names = method_labels(pd.DataFrame(list(profiles), columns=["mechanism", "parameters"]), [])
    shown = {pair: profile for pair, profile in profiles.items() if len(choose(profile))}
    columns = max(1, min(ACROSS, len(shown)))
    lines = max(1, math.ceil(len(shown) / columns))
    drawn, axes = plt.subplots(
        lines, columns, squeeze=False, layout="constrained", figsize=(PANEL[0] * columns, PANEL[1] * lines + 0.8)
    )
    for axis in axes.flat[len(shown) :]:
        axis.set_axis_off()
    for (pair, profile), axis in zip(shown.items(), axes.flat, strict=False):
        draw(axis, choose(profile))
        axis.set_title(names[pair], fontsize="small")
        axis.tick_params(labelsize="small")
        if suppressed := profile.loc[profile["kind"] == SUPPRESSED, "rows"].sum():
            axis.annotate(
                f"{suppressed} rows suppressed", (0.97, 0.95), xycoords="axes fraction", ha="right", va="top",
                fontsize="x-small",
            )  # fmt: skip
    drawn.supxlabel(label_x, fontsize="small")
    drawn.supylabel(label_y, fontsize="small")
    marks = ["the first repeat of each setting"] + ["† marks a synthetic log"] * synthetic
    if absent := [names[pair] for pair in profiles if pair not in shown]:
        marks.append(f"nothing of the kind is published by {', '.join(absent)}")
    entitle(drawn, [title, *marks])
    return drawn


def _sizes(profile: pd.DataFrame) -> pd.DataFrame:
    return profile[profile["kind"] == CLASS]


def _users(profile: pd.DataFrame) -> pd.DataFrame:
    return profile[profile["kind"] == ADDRESS].dropna(subset=["users"])


def _intervals(profile: pd.DataFrame) -> pd.DataFrame:
    return _users(profile).dropna(subset=["low", "high"])


def _bars(axis: Axes, numbers: pd.Series) -> None:
    """How often each number occurs; a histogram if they are many."""
    values, counts = np.unique(numbers.to_numpy(dtype=int), return_counts=True)
    if np.ptp(values) <= MOST_BARS:
        axis.bar(values, counts, width=0.8)
    else:
        axis.hist(numbers, bins=MOST_BARS // 2)
    axis.xaxis.set_major_locator(plt.MaxNLocator(integer=True))
    axis.yaxis.set_major_locator(plt.MaxNLocator(integer=True))


def _draw_sizes(axis: Axes, classes: pd.DataFrame) -> None:
    _bars(axis, classes["rows"])


def _draw_users(axis: Axes, addresses: pd.DataFrame) -> None:
    _bars(axis, addresses["users"])


def _draw_intervals(axis: Axes, addresses: pd.DataFrame) -> None:
    """A line for each interval, at the height of its users."""
    users, low, high = addresses["users"], addresses["low"] / OCTET, (addresses["high"] + 1) / OCTET
    axis.hlines(users, low, high, linewidth=0.8)
    axis.plot((low + high) / 2, users, ".", markersize=2)
    if users.max() > 10 * users.median():
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
        axis.yaxis.set_major_locator(plt.MaxNLocator(integer=True))


# Which lines of a profile a figure shows, how it draws them, and what stands across and up.
FIGURES: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], Callable[[Axes, pd.DataFrame], None], str, str]] = {
    "sizes": (_sizes, _draw_sizes, "rows of a class", "classes"),
    "users": (_users, _draw_users, "distinct users of a published address", "published addresses"),
    "intervals": (_intervals, _draw_intervals, "addresses by their first octet", "distinct users"),
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
