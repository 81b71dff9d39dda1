"""Shares of variants and cases that a release keeps or adds.

`variant_overlap` is the unit EMSC of Leemans et al., Earth movers' stochastic conformance checking
(BPM Forum 2019): one minus the total variation distance of the two distributions over variants.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.metric import Metric, Value, unless_empty
from metrics.pair import align

METRICS = (
    Metric(
        name="variant_overlap",
        title="Variant overlap",
        high=1.0,
        direction="higher",
        identity=1.0,
        doubled=1.0,
        empty=0.0,
        group="default",
        blind_to="near misses: one swapped event costs as much as a wholly different trace",
    ),
    Metric(
        name="variants_kept",
        title="Variants kept",
        unit="share of original variants",
        high=1.0,
        direction="higher",
        identity=1.0,
        doubled=1.0,
        empty=0.0,
        group="default",
        blind_to="how often a variant occurs, and additions",
    ),
    Metric(
        name="novel_cases",
        title="Novel cases",
        unit="share of released cases",
        high=1.0,
        group="default",
        blind_to="losses",
    ),
    Metric(
        name="cases_kept",
        title="Cases kept",
        unit="share of original cases",
        high=1.0,
        direction="higher",
        identity=1.0,
        doubled=1.0,
        empty=0.0,
        blind_to="how often a variant occurs in the release, and additions",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The four shares; see the declarations."""
    variants = align(original, release).variants
    n, m = variants.original, variants.release
    common = (n > 0) & (m > 0)
    n_total, m_total = n.sum(), m.sum()
    return {
        "variant_overlap": float(np.minimum(n * m_total, m * n_total).sum() / (n_total * m_total)),
        "variants_kept": float(common.sum() / (n > 0).sum()),
        "novel_cases": float(m[n == 0].sum() / m_total),
        "cases_kept": float(n[common].sum() / n_total),
    }
