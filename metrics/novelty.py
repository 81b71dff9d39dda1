"""Behaviour of a release that the original does not have."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import Pair, align

METRICS = (
    Metric(
        name="novel_variants",
        title="Novel variants",
        unit="share of released variants",
        high=1.0,
        blind_to="losses, and how many cases have them",
    ),
    Metric(
        name="truncated_variants",
        title="Novel variants that begin an original one",
        unit="share of released variants",
        high=1.0,
        blind_to="how much of a trace is cut off, and how many cases have them",
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
    """All shares; a variant that was cut off at its end is novel, though none of its pairs need be."""
    pair = align(original, release)
    edges = _novel(*pair.edge_counts)
    return {
        "novel_variants": _novel(pair.variants.original, pair.variants.release),
        "truncated_variants": len(truncated(pair)) / len(release.variants),
        "novel_edges": not_applicable("no case of the release has two events") if edges is None else edges,
    }


def truncated(pair: Pair) -> np.ndarray:
    """The released variants that are no original ones but begin one, as places in the shared variants."""
    variants = pair.variants
    known = sorted(variants.traces[place] for place in np.flatnonzero(variants.original))
    novel = np.flatnonzero((variants.original == 0) & (variants.release > 0))
    # In order, what begins with a text follows it at once.
    follows = [bisect_left(known, variants.traces[place]) for place in novel]
    begins = [
        after < len(known) and known[after].startswith(variants.traces[place])
        for place, after in zip(novel, follows, strict=True)
    ]
    return novel[np.array(begins, dtype=bool)]


def _novel(counts: np.ndarray, released: np.ndarray) -> float | None:
    """The share of what the release has that the original lacks."""
    present = released > 0
    return float((counts[present] == 0).mean()) if present.any() else None
