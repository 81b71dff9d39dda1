"""How many cases of a release look alike: k-anonymity, measured on the release whatever its mechanism claims.

A class of k cases that begin alike hides a case from whoever knows how it began, or that something happened in it; it
hides nothing from whoever knows the whole trace, its end or its length, for which the variants count.
"""

from __future__ import annotations

from data.log import EventLog
from metrics.metric import Metric, Value, unless_empty
from metrics.prefix_classes import prefix_classes

METRICS = (
    Metric(
        name="prefix_k_min",
        title="Smallest prefix class",
        unit="cases",
        low=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        blind_to="times; whoever knows the end, the length or an exact duration; several cases of one person",
    ),
    Metric(
        name="variant_k_min",
        title="Smallest variant",
        unit="cases",
        low=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        blind_to="times, and several cases of one person",
    ),
    Metric(
        name="cases_alone",
        title="Cases with a trace of their own",
        unit="share of released cases",
        high=1.0,
        identity=None,
        doubled=0.0,
        blind_to="classes of two and more, times, and several cases of one person",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Sizes of the smallest classes, and the share of cases whose variant no other case has."""
    counts = release.variants.counts
    return {
        "prefix_k_min": float(prefix_classes(release).cases.min()),
        "variant_k_min": float(counts.min()),
        "cases_alone": float((counts == 1).sum() / release.n_cases),
    }
