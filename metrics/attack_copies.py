"""What the order of the released cases gives away: which are copies, and which case was where in the original file."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.links import NO_ORIGINS
from metrics.metric import Metric, Value, not_applicable, unless_empty


def _attack(name: str, title: str, blind_to: str) -> Metric:
    return Metric(
        name=name, title=title, low=-1.0, high=1.0, identity=None, doubled=None, empty=0.0, group="attack",
        blind_to=blind_to,
    )  # fmt: skip


METRICS = (
    _attack("copies_advantage", "Copies, by place: advantage", "copies that are told by their times or ids"),
    _attack("order_kept", "Order of the cases kept (Spearman)", "an order that follows from the released times"),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """How well the place tells copies, 0 for a random order and 1 for all copies behind; and a rank correlation."""
    if origins is None:
        return {metric.name: NO_ORIGINS for metric in METRICS}
    places = np.flatnonzero(origins >= 0)
    known = origins[places]
    return {"copies_advantage": _copies(places, known), "order_kept": _correlation(places, known)}


def _copies(places: np.ndarray, origins: np.ndarray) -> Value:
    """A copy is an instance of a case beyond its first one, so in any order copies tend to be behind."""
    _, start, sizes = np.unique(origins, return_index=True, return_counts=True)
    first = np.zeros(len(origins), dtype=bool)
    first[start] = True
    if first.all() or len(sizes) == 1:
        return not_applicable("no released case is a copy, or all are of one case")
    chance = area_of_random_order(sizes)
    return max(-1.0, (area_under_curve(places, ~first) - chance) / (1 - chance))


def area_of_random_order(sizes: np.ndarray) -> float:
    """The expected area under the curve where the cases stand in random order.

    Among m instances at random places, one that is not the first stands before all n instances of another case with
    probability ``m / (m - 1) (1 / (n + 1) - 1 / (n + m))``.

    Parameters
    ----------
    sizes : int64 array (origins,)
        Number of instances, of some case more than one.
    """
    values, counts = np.unique(sizes, return_counts=True)
    m, n = np.meshgrid(values[values > 1], values, indexing="ij")
    before = m / (m - 1) * (1 / (n + 1) - 1 / (n + m))
    copies = np.where(values > 1, counts * (values - 1), 0)[values > 1]
    # A copy stands behind the first of its own case for certain.
    pairs = copies[:, None] * (counts - (m == n))
    return 1 - float((pairs * before).sum() / (copies.sum() * len(sizes)))


def area_under_curve(scores: np.ndarray, labels: np.ndarray) -> float:
    """The chance that one with the label scores higher than one without, ties counting one half."""
    ones = labels.sum()
    ranks = _ranks(scores)[labels].sum()
    return float((ranks - ones * (ones + 1) / 2) / (ones * (len(labels) - ones)))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 on, equal values sharing their mean; importing scipy.stats for them would cost 1 s a job."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _correlation(places: np.ndarray, origins: np.ndarray) -> Value:
    ranks = _ranks(places), _ranks(origins)
    if len(places) < 2 or np.ptp(ranks[1]) == 0:
        return not_applicable("fewer than two cases stem from different ones")
    return float(np.clip(np.corrcoef(*ranks)[0, 1], -1, 1))
