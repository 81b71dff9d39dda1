"""Behaviour of a release that the original does not have."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

METRICS = (
    Metric(
        name="novel_variants",
        title="Novel variants",
        unit="share of released variants",
        high=1.0,
        blind_to="losses, and how many cases have them",
    ),
    Metric(
        name="novel_edges",
        title="Novel directly-follows pairs",
        unit="share of released pairs",
        high=1.0,
        blind_to="losses, how often they occur, and novel traces made of known pairs",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Both shares."""
    pair = align(original, release)
    edges = _novel(*pair.edge_counts)
    return {
        "novel_variants": _novel(pair.variants.original, pair.variants.release),
        "novel_edges": not_applicable("no case of the release has two events") if edges is None else edges,
    }


def _novel(counts: np.ndarray, released: np.ndarray) -> float | None:
    """The share of what the release has that the original lacks."""
    present = released > 0
    return float((counts[present] == 0).mean()) if present.any() else None
