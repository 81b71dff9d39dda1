"""How much a release holds: the partner of every distance that normalises both logs to mass 1."""

from __future__ import annotations

from data.log import EventLog
from metrics.metric import Metric, Value, unless_empty

METRICS = (
    Metric(
        name="cases_ratio",
        title="Cases, released / original",
        direction="one",
        identity=1.0,
        doubled=2.0,
        empty=0.0,
        group="default",
        blind_to="everything but the number of cases",
    ),
    Metric(
        name="events_ratio",
        title="Events, released / original",
        direction="one",
        identity=1.0,
        doubled=2.0,
        empty=0.0,
        blind_to="everything but the number of events",
    ),
    Metric(
        name="variants",
        title="Variants released",
        direction="none",
        identity=None,
        empty=0.0,
        doubled=None,
        blind_to="which variants they are, and how often they occur",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Both ratios, and the number of distinct traces."""
    return {
        "cases_ratio": release.n_cases / original.n_cases,
        "events_ratio": release.n_events / original.n_events,
        "variants": float(len(release.variants)),
    }
