"""t-closeness and l-diversity of the released durations in every prefix class.

The distance is that of PRETSA (Fahrenkrog-Petersen et al., ICPM 2019): the 1-Wasserstein distance between the
durations in the class and all of the original's durations of its last activity, over the range of the latter. Beside
it stands the ground distance of Li, Li, Venkatasubramanian, "t-Closeness" (ICDE 2007): ranks among the distinct values
instead of the values, which one outlier does not shrink. Published checks take the surviving original durations of a
class; here all released ones count, imputed and noisy ones too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data.log import EventLog
from metrics.distance import wasserstein_to_one
from metrics.durations import UNKNOWN, both_durations
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align
from metrics.prefix_classes import prefix_classes

METRICS = (
    Metric(
        name="t_max",
        title="Largest distance of a class, by value",
        identity=None,
        doubled=None,
        blind_to="activities of one duration alone or new ones; one outlier of the log shrinks all distances",
    ),
    Metric(
        name="t_rank_max",
        title="Largest distance of a class, by rank",
        high=1.0,
        identity=None,
        doubled=None,
        blind_to="activities of one duration alone or new ones, and how far apart durations are",
    ),
    Metric(
        name="l_min",
        title="Fewest distinct durations of a class",
        low=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        blind_to="activities of one duration alone or new ones; how near or how frequent the durations are",
    ),
)


@dataclass(frozen=True)
class DurationClasses:
    """The prefix classes of a release whose last activity has more than one duration in the original.

    Attributes
    ----------
    classes : int64 array (n,)
        Indices into the prefix classes of the release as aligned with the original.
    distance, rank_distance : float64 arrays (n,)
        1-Wasserstein distance to the original's durations of the activity; values over their range, and ranks.
    distinct : int64 array (n,)
        Number of distinct durations.
    """

    classes: np.ndarray
    distance: np.ndarray
    rank_distance: np.ndarray
    distinct: np.ndarray


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The worst class by each measure."""
    found = duration_classes(original, release)
    if found is None:
        return {metric.name: UNKNOWN for metric in METRICS}
    if not len(found.classes):
        nothing = not_applicable("no released activity has several durations in the original")
        return {metric.name: nothing for metric in METRICS}
    return {
        "t_max": float(found.distance.max()),
        "t_rank_max": float(found.rank_distance.max()),
        "l_min": float(found.distinct.min()),
    }


@lru_cache(maxsize=1)
def duration_classes(original: EventLog, release: EventLog) -> DurationClasses | None:
    """Compare the released durations of every prefix class with the original; None where durations are unknown."""
    if (both := both_durations(original, release)) is None:
        return None
    pair = align(original, release)
    of_event = prefix_classes(pair.release).of_event
    own, released = _events_of(pair.original), _events_of(pair.release)
    parts = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))]
    for activity, events in released.items():
        reference = both[0][own.get(activity, [])]
        if len(reference) and np.ptp(reference):
            parts.append(_compare(reference, of_event[events], both[1][events]))
    return DurationClasses(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _events_of(log: EventLog) -> dict[int, np.ndarray]:
    """The events of every activity that occurs."""
    order = np.argsort(log.activities, kind="stable")
    codes, starts = np.unique(log.activities[order], return_index=True)
    return dict(zip(codes.tolist(), np.split(order, starts[1:]), strict=True))


def _compare(reference: np.ndarray, classes: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Classes of one activity with both distances and the number of distinct values of each."""
    found, groups = np.unique(classes, return_inverse=True)
    low, spread = reference.min(), np.ptp(reference)
    distance = wasserstein_to_one((reference - low) / spread, groups, (values - low) / spread)
    domain, ranks = np.unique(np.concatenate((reference, values)), return_inverse=True)
    ranks = ranks / (len(domain) - 1)
    rank_distance = wasserstein_to_one(ranks[: len(reference)], groups, ranks[len(reference) :])
    pairs = np.unique(np.stack((groups, values)), axis=1)
    return found, distance, rank_distance, np.bincount(pairs[0])
