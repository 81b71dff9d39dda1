"""Times between directly following events, each edge of the directly-follows graph by itself."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.distance import HOUR, wasserstein_by_group
from metrics.metric import Metric, Value, not_applicable, unless_empty, unless_untimed
from metrics.pair import Edges, align

METRICS = (
    Metric(
        name="edge_time_w1",
        title="Times per edge, W1",
        unit="h",
        group="default",
        blind_to="volume, and edges that only the release has: {ab} to {ab, ba} is 0",
    ),
)


@unless_empty(METRICS)
@unless_untimed("edge_time_w1")
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Mean over the directly-follows pairs of the original of W1 between both logs' gaps on that edge, hours.

    An edge that the release lacks is compared with a gap of 0, so it costs its mean gap.
    """
    edges, released = align(original, release).edges
    if not len(edges.codes):
        return {"edge_time_w1": not_applicable("no case of the original has two events")}
    known, groups, counts = np.unique(edges.codes, return_inverse=True, return_counts=True)
    released_groups, released_gaps = _on(known, released)
    distances = wasserstein_by_group(groups, edges.gaps, released_groups, released_gaps)
    return {"edge_time_w1": float(counts @ distances / counts.sum() / HOUR)}


def _on(known: np.ndarray, edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    """Groups (positions in `known`) and gaps of the given edges, one gap of 0 for each that does not occur."""
    groups = np.searchsorted(known, edges.codes)
    found = np.take(known, groups, mode="clip") == edges.codes
    absent = np.setdiff1d(np.arange(len(known)), groups[found])
    return np.concatenate((groups[found], absent)), np.concatenate((edges.gaps[found], np.zeros_like(absent)))
