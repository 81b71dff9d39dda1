"""Differences of directly-follows graphs that see volume: absolute counts and hours, as shares of the original."""

from __future__ import annotations

import numpy as np

from data.graph import DirectlyFollowsGraph
from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty, unless_untimed
from metrics.pair import align, graph_frequencies

METRICS = (
    Metric(
        name="dfg_rel_l1",
        title="Directly-follows counts, relative L1",
        unit="share of original pairs",
        doubled=1.0,
        blind_to="times, and order beyond two events; asymmetric: {ab} to {ab, ab} is 1, back .5",
    ),
    Metric(
        name="dfg_time_rel_l1",
        title="Directly-follows hours, relative L1",
        unit="share of original hours",
        doubled=1.0,
        blind_to="count against duration: {ab 2 h, ab 2 h} to {ab 4 h} is 0",
    ),
)


NO_PAIR = "no case of the original has two events"


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Sum over edges of the absolute difference of counts, and of total gaps, over the original's sum.

    Negative gaps count as 0.
    """
    counts = align(original, release).edge_counts
    return {"dfg_rel_l1": _relative(*counts, NO_PAIR), **_of_times(original, release)}


@unless_untimed("dfg_time_rel_l1")
def _of_times(original: EventLog, release: EventLog) -> dict[str, Value]:
    pair = align(original, release)
    times = pair.edge_sums(*(np.maximum(edges.gaps, 0) for edges in pair.edges))
    return {"dfg_time_rel_l1": _relative(*times, "no time passes within the cases of the original")}


def score_graph(original: EventLog, release: DirectlyFollowsGraph) -> dict[str, Value]:
    """The difference of counts, without the start and the end of cases."""
    return {"dfg_rel_l1": _relative(*graph_frequencies(original, release, ends=False), NO_PAIR)}


def _relative(original: np.ndarray, release: np.ndarray, undefined: str) -> Value:
    total = original.sum()
    return float(np.abs(original - release).sum() / total) if total else not_applicable(undefined)
