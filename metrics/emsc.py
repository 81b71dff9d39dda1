"""Earth movers' stochastic conformance of two logs, as published: the relative log similarity of TraVaS.

Leemans, Syring, van der Aalst, Earth movers' stochastic conformance checking (BPM Forum 2019): one minus the
earth mover's distance with ground distance Levenshtein over the longer length. As that is no metric, common mass
cannot be cancelled; the problem is solved on the full supports. pm4py stops its solver after 100,000 iterations,
below the optimum on logs of some thousand variants; here the value is proved by its dual.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.metric import Marked, Metric, Value, not_applicable, unless_empty
from metrics.pair import SharedVariants, align
from metrics.transport import MAX_PAIRS, Costs, over_longer, support, transport

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
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The similarity; undefined beyond `MAX_PAIRS` pairs of variants."""
    return {"emsc": _similarity(align(original, release).variants)}


def _similarity(variants: SharedVariants) -> Value:
    p, q = variants.original * variants.release.sum(), variants.release * variants.original.sum()
    if np.array_equal(p, q):
        return 1.0
    p, sources = support(p, variants.traces)
    q, targets = support(q, variants.traces)
    if len(p) * len(q) > MAX_PAIRS:
        return not_applicable(f"more than {MAX_PAIRS} pairs of variants; see emd_variants")
    bracket = transport(p, q, Costs(sources, targets, over_longer))
    if bracket.met:
        return 1 - bracket.upper
    lower, upper = 1 - bracket.upper, 1 - bracket.lower
    return Marked("bracket", f"the similarity is between {lower} and {upper}", (lower + upper) / 2)
