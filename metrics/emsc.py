"""Earth movers' stochastic conformance of two logs, as published: the relative log similarity of TraVaS.

Leemans, Syring, van der Aalst, Earth movers' stochastic conformance checking (BPM Forum 2019): one minus the
earth mover's distance with ground distance Levenshtein over the longer length. As that is no metric, common mass
cannot be cancelled; the problem is solved on the full supports. pm4py stops its solver after 100,000 iterations,
below the optimum on logs of some thousand variants; here the value is proved by its dual. Beyond `MAX_PAIRS` pairs of
variants it is bounded, by random blocks (`metrics.blocks`) or, where that is closer, from above by the plan that leaves
the common mass in place and from below by `emd_variants`.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.blocks import block_bracket
from metrics.emd_variants import residual_transport
from metrics.metric import Marked, Metric, Value, unless_empty
from metrics.pair import SharedVariants, align
from metrics.transport import MAX_PAIRS, Bracket, Costs, over_longer, steinhaus, support, transport

METRICS = (
    Metric(
        name="emsc",
        title="EMSC (relative log similarity)",
        high=1.0,
        direction="higher",
        identity=1.0,
        doubled=1.0,
        blind_to="volume, times, the order of cases, and the similarity of labels; no metric: {ab}, {aba}, {ba}",
    ),
    Metric(
        name="emsc_gap",
        title="EMSC, half-width of the bounds",
        high=1.0,
        blind_to="everything: it tells how far emsc may be off, 0 where it is exact",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The similarity; beyond `MAX_PAIRS` pairs of variants the middle of bounds, marked, and their half-width."""
    bracket = _transport(align(original, release).variants)
    if bracket.met:
        return {"emsc": 1 - bracket.upper, "emsc_gap": 0.0}
    lower, upper = 1 - bracket.upper, 1 - bracket.lower
    bounds = Marked("bracket", f"the similarity is between {lower} and {upper}", (lower + upper) / 2)
    return {"emsc": bounds, "emsc_gap": (upper - lower) / 2}


def _transport(variants: SharedVariants) -> Bracket:
    p, q = variants.original * variants.release.sum(), variants.release * variants.original.sum()
    if np.array_equal(p, q):
        return Bracket(0.0, 0.0, np.empty(0))
    p, sources = support(p, variants.traces)
    q, targets = support(q, variants.traces)
    if len(p) * len(q) > MAX_PAIRS:
        whole = block_bracket(p, q, sources, targets, over_longer)
        # To leave the common mass in place is a plan; and no distance of `over_longer` is below that of `steinhaus`,
        # for which it is the best.
        lower, upper = (residual_transport(variants, ground) for ground in (steinhaus, over_longer))
        return Bracket(max(whole.lower, lower.lower), min(whole.upper, upper.upper), whole.potentials)
    return transport(p, q, Costs(sources, targets, over_longer))
