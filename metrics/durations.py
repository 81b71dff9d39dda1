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


MISSING = np.iinfo(np.int64).min  # in place of a duration that an event lacks


@lru_cache(maxsize=1)  # all metrics of a run share one pair
def both_values(original: EventLog, release: EventLog) -> tuple[np.ndarray, np.ndarray] | None:
    """The durations of the events of both logs, whole microseconds, `MISSING` where there is none; int64 (events,).

    A release that states none is compared by the times between events alone, whatever the original states.

    Returns
    -------
    pair of arrays, or None
        None if the release has no times.
    """
    if DURATION not in release.attributes:
        if release.untimed and not original.untimed:
            return None
        original = replace(original, attributes={})
    return _durations(original), _durations(release)


def both_durations(original: EventLog, release: EventLog) -> tuple[np.ndarray, np.ndarray] | None:
    """As `both_values`, but None also if an event of either log has no duration."""
    both = both_values(original, release)
    return None if both is None or any((values == MISSING).any() for values in both) else both


def _durations(log: EventLog) -> np.ndarray:
    if DURATION not in log.attributes:
        return log.gaps
    seconds = log.attributes[DURATION]
    known = np.isfinite(seconds)
    return np.where(known, np.rint(np.where(known, seconds, 0) * 1e6).astype(np.int64), MISSING)
