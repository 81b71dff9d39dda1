"""The durations of an original and of its release, so that they mean the same in both.

The duration of an event is what its attribute `duration_s` states, or else the time since the previous event of its
case, 0 at the first (Fahrenkrog-Petersen, van der Aa, Weidlich: "PRETSA: Event Log Sanitization for Privacy-aware
Process Discovery", ICPM 2019).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from data.log import DURATION, EventLog
from metrics.metric import not_applicable

UNKNOWN = not_applicable("the release has no times, or an event no duration")


@lru_cache(maxsize=1)  # all metrics of a run share one pair
def both_durations(original: EventLog, release: EventLog) -> tuple[np.ndarray, np.ndarray] | None:
    """The durations of the events of both logs, whole microseconds, int64 (events,).

    A release that states none is compared by the times between events alone, whatever the original states.

    Returns
    -------
    pair of arrays, or None
        None if the release has no times, or an event of either log has no duration.
    """
    if DURATION not in release.attributes:
        if release.untimed and not original.untimed:
            return None
        original = replace(original, attributes={})
    own, released = _durations(original), _durations(release)
    return None if own is None or released is None else (own, released)


def _durations(log: EventLog) -> np.ndarray | None:
    if DURATION in log.attributes:
        seconds = log.attributes[DURATION]
        return np.rint(seconds * 1e6).astype(np.int64) if np.isfinite(seconds).all() else None
    return log.gaps
