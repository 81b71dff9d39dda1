"""Runs on a grid of two parameters, beside each other by a third one, and the differences that this one makes."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from mechanisms.cells import parse
from metrics.metric import Metric
from metrics.registry import declarations
from report.summary import method_labels, value_label

POINT = ["log", "method", "row", "column"]  # what tells the points of all grids apart


class Axes(NamedTuple):
    """The names of the parameters that stand down, across, and side by side."""

    rows: str
    columns: str
    panels: str


def grid_runs(scores: pd.DataFrame, metric: Metric, axes: Axes) -> pd.DataFrame:
    """The runs of all mechanisms that have the three parameters, in the order of the scores.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metric : declaration of the metric
    axes : names of the parameters

    Returns
    -------
    frame
        One line a run: log, method (the mechanism and what else varies of it), row, column, panel, repeat, value,
        status, and `broken`: the claims of the run that its release breaks, a set of metrics.
    """
    claims = [name for name, declared in declarations().items() if declared.group == "claim"]
    run = ["log", "mechanism", "parameters", "repeat"]
    failed = scores[scores["metric"].isin(claims) & (scores["value"] == 0)]
    broken = failed.groupby(run)["metric"].agg(frozenset).to_dict()
    chosen = scores[scores["metric"] == metric.name]
    chosen = chosen[[set(axes) <= parse(text).keys() for text in chosen["parameters"]]]
    parameters = [parse(text) for text in chosen["parameters"]]
    labels = method_labels(chosen, axes)
    columns = {
        "log": chosen["log"],
        "method": [labels[pair] for pair in zip(chosen["mechanism"], chosen["parameters"], strict=True)],
        "row": [values[axes.rows] for values in parameters],
        "column": [values[axes.columns] for values in parameters],
        "panel": [value_label(axes.panels, values[axes.panels]) for values in parameters],
        "repeat": chosen["repeat"],
        "value": chosen["value"],
        "status": chosen["status"],
        "broken": [broken.get(key, frozenset()) for key in chosen[run].itertuples(index=False, name=None)],
    }
    return pd.DataFrame(columns)


def differences(runs: pd.DataFrame) -> pd.DataFrame:
    """What each panel but the first has more than the first one, repeat by repeat.

    The runs of a pair share their number and the other parameters; the rule of PRETSA gives them the same case order.

    Parameters
    ----------
    runs : frame
        From `grid_runs`.

    Returns
    -------
    frame
        As `runs`, the value a difference, the status that of the first of the two runs that has no value, and
        `broken` what either breaks.
    """
    first = next(iter(runs["panel"]), None)
    base = runs[runs["panel"] == first].drop(columns="panel")
    pairs = runs[runs["panel"] != first].merge(base, on=[*POINT, "repeat"], suffixes=("", "_base"))
    return pairs.assign(
        value=pairs["value"] - pairs["value_base"],
        status=pairs["status_base"].where(pairs["value_base"].isna(), pairs["status"]),
        broken=[one | other for one, other in zip(pairs["broken"], pairs["broken_base"], strict=True)],
    )[list(runs.columns)]
