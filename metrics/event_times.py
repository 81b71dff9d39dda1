"""Times of events, all activities together, as samples on the line and on the circle of the week (UTC).

The first two as in log-distance-measures (absolute and relative event distribution), without its floor to
whole hours. Its circadian distance is not circular and gives every weekday the same weight however few its
events; `hourweek_circ` is the exact 1-Wasserstein distance on the circle of the 168 hours of the week.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.distance import HOUR, wasserstein
from metrics.metric import Metric, Value, unless_empty, unless_untimed

WEEK = 7 * 24  # hours

METRICS = (
    Metric(
        name="abs_event_w1",
        title="Event times, W1",
        unit="h",
        is_metric=True,
        blind_to="volume and activities: {ab} and {ba} at the same times are 0 apart",
    ),
    Metric(
        name="rel_event_w1",
        title="Event times since case start, W1",
        unit="h",
        is_metric=True,
        blind_to="volume, the calendar, activities, and which case",
    ),
    Metric(
        name="hourweek_circ",
        title="Hour of the week, circular W1",
        unit="h",
        high=WEEK / 2,
        is_metric=True,
        blind_to="volume, activities, and shifts by whole weeks",
    ),
)


@unless_empty(METRICS)
@unless_untimed("abs_event_w1", "rel_event_w1", "hourweek_circ")
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The three distances, hours."""
    return {
        "abs_event_w1": wasserstein(original.timestamps, release.timestamps) / HOUR,
        "rel_event_w1": wasserstein(_since_start(original), _since_start(release)) / HOUR,
        "hourweek_circ": _circular(_hours_of_week(original), _hours_of_week(release)),
    }


def _since_start(log: EventLog) -> np.ndarray:
    return log.timestamps - np.repeat(log.timestamps[log.offsets[:-1]], log.lengths)


def _hours_of_week(log: EventLog) -> np.ndarray:
    """Number of events in each hour of the week, int64 (168,); where the week begins does not matter."""
    return np.bincount(log.timestamps // HOUR % WEEK, minlength=WEEK)


def _circular(u: np.ndarray, v: np.ndarray) -> float:
    """W1 of two histograms on a circle, in bins: the cheapest flow around it differs from any other by a constant."""
    u_total, v_total = u.sum(), v.sum()
    flow = np.cumsum(u * v_total - v * u_total)
    return float(np.abs(flow - np.median(flow)).sum() / (u_total * v_total))
