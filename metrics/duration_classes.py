"""t-closeness and l-diversity of the released durations in every prefix class.

The distance is that of PRETSA (Fahrenkrog-Petersen et al., ICPM 2019): the 1-Wasserstein distance between the
durations in the class and all of the original's durations of its last activity, over the range of the latter. Beside
it stands the ground distance of Li, Li, Venkatasubramanian, "t-Closeness" (ICDE 2007): ranks among the distinct values
instead of the values, which one outlier does not shrink. Published checks take the surviving original durations of a
class; here all released ones count, imputed and noisy ones too (the others: `surviving_classes`).

Classes of activities that have one duration alone in the original, or none, are exempt, and counted. l-diversity counts
distinct durations and, as entropy l-diversity (Machanavajjhala et al., TKDD 2007), the exponential of their entropy,
which is never rounded down; that an event has no duration is a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data.log import EventLog
from data.relation import grouped
from metrics.distance import wasserstein_to_one
from metrics.durations import UNKNOWN, both_durations, both_values
from metrics.links import links
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
    Metric(
        name="entropy_l_min",
        title="Least exponential of the entropy of a class's durations",
        low=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        blind_to="activities of one duration alone or new ones; how near the durations are",
    ),
)
BY_DISTANCE, BY_VALUES = METRICS[:2], METRICS[2:]


@dataclass(frozen=True)
class DurationClasses:
    """The prefix classes of a release whose last activity has more than one duration in the original.

    Attributes
    ----------
    classes : int64 array (n,)
        Indices into the prefix classes of the release as aligned with the original.
    distance, rank_distance : float64 arrays (n,)
        1-Wasserstein distance to the original's durations of the activity; values over their range, and ranks.
    exempt : int
        How many classes have a last activity with one duration alone, or none.
    """

    classes: np.ndarray
    distance: np.ndarray
    rank_distance: np.ndarray
    exempt: int


@dataclass(frozen=True)
class Diversity:
    """How many values the durations of a class have; classes and exemption as in `DurationClasses`.

    Attributes
    ----------
    classes, distinct : int64 arrays (n,)
    effective : float64 array (n,)
        The exponential of the entropy of the values.
    exempt : int
    """

    classes: np.ndarray
    distinct: np.ndarray
    effective: np.ndarray
    exempt: int


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """The worst class by each measure."""
    near, diverse = duration_classes(original, release), diversity(original, release)
    values: dict[str, Value] = {}
    for found, metrics, measures in (
        (near, BY_DISTANCE, lambda: (near.distance.max(), near.rank_distance.max())),
        (diverse, BY_VALUES, lambda: (diverse.distinct.min(), diverse.effective.min())),
    ):
        if found is None:
            worst = [UNKNOWN] * 2
        elif not len(found.classes):
            worst = [not_applicable("no released activity has several durations in the original")] * 2
        else:
            worst = map(float, measures())
        values |= {metric.name: value for metric, value in zip(metrics, worst, strict=True)}
    return values


@lru_cache(maxsize=1)
def duration_classes(original: EventLog, release: EventLog) -> DurationClasses | None:
    """Compare the released durations of every prefix class with the original; None where durations are unknown."""
    if (both := both_durations(original, release)) is None:
        return None
    return _distances(original, release, np.arange(release.n_events), *both)


def surviving_classes(original: EventLog, release: EventLog, origins: np.ndarray) -> DurationClasses | None:
    """As `duration_classes`, of the original durations of the released events that stem from an original one.

    That is what published checks look at. First events of cases are left out.
    """
    if (both := both_durations(original, release)) is None:
        return None
    found = links(original, release, origins)
    return _distances(original, release, found.released, both[0], both[0][found.original])


def _distances(
    original: EventLog, release: EventLog, events: np.ndarray, own: np.ndarray, values: np.ndarray
) -> DurationClasses:
    """The distances of the values of some released events to the original durations."""
    parts, exempt = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))], 0
    for reference, classes, of_class in _by_activity(original, release, events, own, values):
        if len(reference) and np.ptp(reference):
            parts.append(_compare(reference, classes, of_class))
        else:
            exempt += len(np.unique(classes))
    return DurationClasses(*(np.concatenate(column) for column in zip(*parts, strict=True)), exempt)


@lru_cache(maxsize=1)
def diversity(original: EventLog, release: EventLog) -> Diversity | None:
    """The diversity of the released durations of every prefix class; None where the release has no times."""
    if (both := both_values(original, release)) is None:
        return None
    parts, exempt = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))], 0
    for reference, classes, values in _by_activity(original, release, np.arange(release.n_events), *both):
        if len(reference) and (reference != reference[0]).any():
            parts.append(_diversity(classes, values))
        else:
            exempt += len(np.unique(classes))
    return Diversity(*(np.concatenate(column) for column in zip(*parts, strict=True)), exempt)


def _by_activity(
    original: EventLog, release: EventLog, events: np.ndarray, own: np.ndarray, values: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Of every activity of some released events: its original durations, and the class and value of each event."""
    pair = align(original, release)
    of_event = prefix_classes(pair.release).of_event[events]
    known = _events_of(pair.original.activities)
    for activity, places in _events_of(pair.release.activities[events]).items():
        yield own[known.get(activity, [])], of_event[places], values[places]


def _events_of(activities: np.ndarray) -> dict[int, np.ndarray]:
    """The places of every activity that occurs."""
    order = np.argsort(activities, kind="stable")
    codes, starts = np.unique(activities[order], return_index=True)
    return dict(zip(codes.tolist(), np.split(order, starts)[1:], strict=True))


def _compare(reference: np.ndarray, classes: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Classes of one activity with both distances."""
    found, groups = np.unique(classes, return_inverse=True)
    low, spread = reference.min(), np.ptp(reference)
    distance = wasserstein_to_one((reference - low) / spread, groups, (values - low) / spread)
    domain, ranks = np.unique(np.concatenate((reference, values)), return_inverse=True)
    ranks = ranks / (len(domain) - 1)
    rank_distance = wasserstein_to_one(ranks[: len(reference)], groups, ranks[len(reference) :])
    return found, distance, rank_distance


def _diversity(classes: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Classes with the number of distinct values and the exponential of their entropy."""
    found, groups = np.unique(classes, return_inverse=True)
    of_value, first = grouped([groups, values])
    counts, owners = np.bincount(of_value), groups[first]
    shares = counts / np.bincount(groups)[owners]
    return found, np.bincount(owners), np.exp(-np.bincount(owners, shares * np.log(shares)))
