"""Durations and arrivals of cases, as samples on the line.

As in log-distance-measures (cycle time, case arrival, inter-arrival), without its floor to whole hours.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.distance import HOUR, wasserstein
from metrics.metric import Metric, Value, not_applicable, unless_empty, unless_untimed

METRICS = (
    Metric(
        name="cycle_time_w1",
        title="Cycle times, W1",
        unit="h",
        group="default",
        is_metric=True,
        blind_to="volume, and which variant is slow: {ab 1 h, cd 9 h} and {ab 9 h, cd 1 h} are 0 apart",
    ),
    Metric(
        name="arrival_w1",
        title="Case arrivals, W1",
        unit="h",
        is_metric=True,
        blind_to="volume, and everything within a case",
    ),
    Metric(
        name="inter_arrival_w1",
        title="Times between arrivals, W1",
        unit="h",
        doubled=None,
        is_metric=True,
        blind_to="a shift of the whole log, and everything within a case",
    ),
)


@unless_empty(METRICS)
@unless_untimed("cycle_time_w1", "arrival_w1", "inter_arrival_w1")
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """W1 of case durations, of case starts, and of the gaps between sorted case starts, hours."""
    gaps, released_gaps = np.diff(np.sort(_starts(original))), np.diff(np.sort(_starts(release)))
    single = not_applicable("a log of one case has no time between arrivals")
    return {
        "cycle_time_w1": wasserstein(_durations(original), _durations(release)) / HOUR,
        "arrival_w1": wasserstein(_starts(original), _starts(release)) / HOUR,
        "inter_arrival_w1": (wasserstein(gaps, released_gaps) / HOUR if len(gaps) and len(released_gaps) else single),
    }


def _starts(log: EventLog) -> np.ndarray:
    return log.timestamps[log.offsets[:-1]]


def _durations(log: EventLog) -> np.ndarray:
    return log.timestamps[log.offsets[1:] - 1] - _starts(log)
