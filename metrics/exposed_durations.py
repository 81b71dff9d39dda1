"""What the released durations give away, or betray as artificial."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.durations import UNKNOWN, both_durations
from metrics.metric import Metric, Value, unless_empty
from metrics.pair import align

METRICS = (
    Metric(
        name="negative_durations",
        title="Negative durations",
        unit="share of released events",
        high=1.0,
        blind_to="durations that are impossible for another reason",
    ),
    Metric(
        name="exact_durations",
        title="Cases with an exact duration of their own",
        unit="share of released cases",
        high=1.0,
        identity=None,
        doubled=0.0,
        blind_to="near misses, and whether the duration still stands at the case that it came from",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Both shares; who knows the one duration of a case that is its own finds the case in the release."""
    if (found := both_durations(original, release)) is None:
        return {metric.name: UNKNOWN for metric in METRICS}
    exposed = release.case_of_event[unique_and_known(original, release)]
    return {
        "negative_durations": float((found[1] < 0).mean()),
        "exact_durations": len(np.unique(exposed)) / release.n_cases,
    }


def unique_and_known(original: EventLog, release: EventLog, origins: np.ndarray | None = None) -> np.ndarray | None:
    """Where an activity and its duration occur once in the release, and in the original too.

    Parameters
    ----------
    original, release : EventLog
    origins : int64 array (released cases,), optional
        If given, in the case of the original that the released one stems from.

    Returns
    -------
    bool array (released events,), or None
        None where durations are unknown.
    """
    if (found := both_durations(original, release)) is None:
        return None
    pair = align(original, release)
    values, ranks = np.unique(np.concatenate(found), return_inverse=True)
    activities = np.concatenate((pair.original.activities, pair.release.activities)).astype(np.int64)
    _, numbers, counts = np.unique(activities * len(values) + ranks, return_inverse=True, return_counts=True)
    known, keys = np.split(numbers, [original.n_events])
    once = np.bincount(keys, minlength=len(counts))[keys] == 1
    if origins is not None:
        known = original.case_of_event * len(counts) + known
        keys = np.where(origins[release.case_of_event] < 0, -1, origins[release.case_of_event] * len(counts) + keys)
    return once & np.isin(keys, known)
