"""Errors of the durations of activities, as the studies of PRETSA and of the embedding distance report them.

`total_duration_error` is that of the embedding study (roeselfa/FeatureLearningBasedDistanceMetrics at 9659de1), the
mean error that of PRETSA (Fahrenkrog-Petersen et al., ICPM 2019), which the journal version (Data and Knowledge
Engineering 2023) caps at 1 an activity. What a duration is: `metrics.durations`.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.durations import UNKNOWN, both_durations
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

METRICS = (
    Metric(
        name="total_duration_error",
        title="Total duration error",
        unit="%",
        doubled=100.0,
        empty=100.0,
        group="published",
        blind_to="which activity lasts, and few long against many short",
    ),
    Metric(
        name="cycle_time_error",
        title="Mean cycle-time error",
        empty=1.0,
        group="published",
        blind_to="the spread of durations, how often an activity occurs, and activities without duration",
    ),
    Metric(
        name="cycle_time_error_capped",
        title="Mean cycle-time error, capped",
        high=1.0,
        empty=1.0,
        group="published",
        blind_to="the spread of durations, how often an activity occurs, and how far an error exceeds the mean",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The error of the sum in percent of the original's; the mean error of the activities' means, as a share."""
    if (found := both_durations(original, release)) is None:
        return {metric.name: UNKNOWN for metric in METRICS}
    own, released = (values.astype(float) for values in found)
    if not own.any():
        return {metric.name: not_applicable("all durations of the original are 0") for metric in METRICS}
    pair = align(original, release)
    size = len(original.labels)
    means, released_means = _means(pair.original, own, size), _means(pair.release, released, size)
    lasting = means != 0
    errors = np.abs(released_means[lasting] / means[lasting] - 1)
    return {
        "total_duration_error": float(100 * abs(released.sum() - own.sum()) / own.sum()),
        "cycle_time_error": float(errors.mean()),
        "cycle_time_error_capped": float(np.minimum(errors, 1).mean()),
    }


def _means(log: EventLog, values: np.ndarray, size: int) -> np.ndarray:
    """Mean duration of each of the first activities, 0 of one that does not occur."""
    sums = np.bincount(log.activities, values, minlength=size)[:size]
    return sums / np.maximum(np.bincount(log.activities, minlength=size)[:size], 1)
