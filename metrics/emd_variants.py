"""Earth mover's distance between the two distributions over variants, with a metric ground distance.

As the stochastic conformance of Leemans et al. (BPM Forum 2019), except for the ground distance: theirs (`emsc`)
is no metric. With one that is (Li and Liu 2007) some optimal plan leaves the common mass of every variant in
place, so only the residuals are transported: at most a quarter of all pairs, and nothing on identity. Exact up to
`MAX_PAIRS` pairs of variants; beyond, bounds from random blocks and a sample of variants (`metrics.blocks`).
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.blocks import block_bracket
from metrics.metric import Marked, Metric, Value, unless_empty
from metrics.pair import SharedVariants, align
from metrics.transport import MAX_PAIRS, Bracket, Costs, GroundDistance, steinhaus, support, transport

METRICS = (
    Metric(
        name="emd_variants",
        title="Variants, earth mover's distance",
        high=1.0,
        group="default",
        is_metric=True,
        blind_to="volume, times, the order of cases, and the similarity of labels",
    ),
    Metric(
        name="emd_variants_gap",
        title="Variants, half-width of the bounds",
        high=1.0,
        blind_to="everything: it tells how far emd_variants may be off, 0 where it is exact",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The distance; beyond `MAX_PAIRS` pairs the middle of bounds, marked, and their half-width."""
    bracket = residual_transport(align(original, release).variants, steinhaus)
    if bracket.met:
        return {"emd_variants": bracket.upper, "emd_variants_gap": 0.0}
    lower, upper = bracket.lower, bracket.upper
    bounds = Marked("bracket", f"the distance is between {lower} and {upper}", (lower + upper) / 2)
    return {"emd_variants": bounds, "emd_variants_gap": (upper - lower) / 2}


def residual_transport(variants: SharedVariants, ground: GroundDistance) -> Bracket:
    """Bounds of the cost of moving one distribution over variants to the other, the common mass left in place."""
    surplus = variants.original * variants.release.sum() - variants.release * variants.original.sum()
    if not surplus.any():
        return Bracket(0.0, 0.0, np.empty(0))
    p, sources = support(np.maximum(surplus, 0), variants.traces)
    q, targets = support(np.maximum(-surplus, 0), variants.traces)
    share = float(p.sum() / (variants.original.sum() * variants.release.sum()))
    if len(p) * len(q) > MAX_PAIRS:
        bracket = block_bracket(p, q, sources, targets, ground)
    else:
        bracket = transport(p, q, Costs(sources, targets, ground))
    if bracket.met:
        return Bracket(share * bracket.upper, share * bracket.upper, bracket.potentials)
    return Bracket(share * bracket.lower, share * bracket.upper, bracket.potentials)
