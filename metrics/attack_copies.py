"""What gives away which released cases are copies of others: their place, their id, or their times.

The published code of Amun (Elkoumy/amun, commit 07057e1) writes all copies behind all originals. Which of two instances
of a case is the copy is a matter of order: here, all but the first one in the file. In any order copies thus tend to be
behind, so the area under the curve is compared with that of a random order. The order of the cases may betray more:
that of the original file, or of the starts.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.attack import Attack
from metrics.links import NO_ORIGINS
from metrics.metric import Metric, Value, not_applicable, unless_empty

SHUFFLES = 20  # of the cases, to learn what a score tells by chance


def _attack(by: str, known: str) -> Attack:
    return Attack(
        name=f"copy_by_{by}",
        title=f"Copies, by {by}",
        family="copies",
        adversary=f"knows {known}; right is to rank a copy above a case that is none, and the advantage is a share of "
        "what a random order leaves to be gained",
        blind_to="copies that are told by anything else",
        empty=None,
        rates=None,
    )


BY = {
    "position": _attack("position", "the order of the cases in the file"),
    "id": _attack("id", "the order of the ids of the cases, as numbers if they all are"),
    "times": _attack("times", "how near the length in time of a case is to that of another with the same trace"),
}
ATTACKS = tuple(BY.values())


def _metric(name: str, title: str, blind_to: str = "copies that are told by anything else", low: float = 0.0) -> Metric:
    return Metric(
        name=name, title=title, low=low, high=1.0, identity=None, doubled=None, group="attack", blind_to=blind_to
    )


OF_PLACE = (
    _metric("copy_accuracy", "Copies, by position: right beyond the best place"),
    _metric("copy_majority", "Copies: right by calling all the same"),
    _metric("copy_null_error", "Copies: standard error of the area in a random order"),
)
METRICS = (
    *(metric for attack in ATTACKS for metric in attack.metrics),
    *OF_PLACE,
    _metric("order_kept", "Order of the cases kept (Spearman)", "an order that follows from the released times", -1.0),
    _metric("order_by_start", "Cases in the order of their starts (Spearman)", "any other order", -1.0),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """The records, how far a place tells copies, and rank correlations of the order."""
    started = _correlation(np.arange(release.n_cases), release.timestamps[release.offsets[:-1]])
    if origins is None:
        return {metric.name: NO_ORIGINS for metric in METRICS} | {"order_by_start": started}
    places = np.flatnonzero(origins >= 0)
    known = origins[places]
    orders = {"order_kept": _correlation(places, known), "order_by_start": started}
    copies = of_other(known)
    if not copies.any() or copies.sum() == len(copies) - 1:
        nothing = not_applicable("no released case is a copy, or all are of one case")
        undefined = {name: value for attack in ATTACKS for name, value in attack.undefined(nothing).items()}
        return undefined | {metric.name: nothing for metric in OF_PLACE} | orders
    scores = {"position": places, "id": id_ranks(release)[places], "times": nearness(release)[places]}
    values = {name: value for by, each in scores.items() for name, value in _record(BY[by], each, known).items()}
    return values | _of_place(copies) | orders


def of_other(origins: np.ndarray) -> np.ndarray:
    """Whether each released case is a copy: an instance of a case beyond its first one; bool array."""
    copies = np.ones(len(origins), dtype=bool)
    copies[np.unique(origins, return_index=True)[1]] = False
    return copies


def id_ranks(log: EventLog) -> np.ndarray:
    """Ranks of the case ids, as numbers if they all are, or else as texts; int64 (cases,)."""
    ids = list(log.case_ids)
    key = int if all(name.isdecimal() for name in ids) else str
    order = sorted(range(len(ids)), key=lambda case: key(ids[case]))
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[order] = np.arange(len(ids))
    return ranks


def nearness(log: EventLog) -> np.ndarray:
    """Less the difference of a case's length in time and the nearest of another with its trace, as a share of both.

    Returns
    -------
    float array (cases,)
        At most 0; -1 where no other case has the trace.
    """
    lengths = (log.timestamps[log.offsets[1:] - 1] - log.timestamps[log.offsets[:-1]]).astype(float)
    variant = log.variants.of_case
    order = np.lexsort((lengths, variant))
    ordered = lengths[order]
    sums = ordered[1:] + ordered[:-1]
    apart = np.where(sums > 0, np.diff(ordered) / np.where(sums > 0, sums, 1), 0.0)
    apart = np.where(np.diff(variant[order]) == 0, apart, 1.0)
    found = np.empty(log.n_cases)
    found[order] = -np.minimum(np.append(apart, 1.0), np.append(1.0, apart))
    return found


def _record(attack: Attack, scores: np.ndarray, origins: np.ndarray) -> dict[str, Value]:
    area = area_under_curve(scores, of_other(origins))
    if attack is BY["position"]:
        chance = area_of_random_order(np.unique(origins, return_counts=True)[1])
    else:
        rng = np.random.default_rng(0)  # any other gives nearly the same
        shuffled = (rng.permutation(origins) for _ in range(SHUFFLES))
        chance = np.mean([area_under_curve(scores, of_other(each)) for each in shuffled])
    values = attack.values(targets=int(of_other(origins).sum()), prior=float(chance), success=area)
    return values | {attack.metric("advantage"): max(-1.0, (area - chance) / (1 - chance))}


def _of_place(copies: np.ndarray) -> dict[str, Value]:
    """How well one place tells copies, which are behind it; and what is to be expected without any."""
    n = len(copies)
    ones = int(copies.sum())
    right = np.concatenate(([0], np.cumsum(~copies))) + np.concatenate((np.cumsum(copies[::-1])[::-1], [0]))
    return {
        "copy_accuracy": float(right.max() / n),
        "copy_majority": max(ones, n - ones) / n,
        "copy_null_error": float(np.sqrt((n + 1) / (12 * ones * (n - ones)))),
    }


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


def _correlation(places: np.ndarray, ordering: np.ndarray) -> Value:
    ranks = _ranks(places), _ranks(ordering)
    if len(places) < 2 or np.ptp(ranks[1]) == 0:
        return not_applicable("the cases do not differ in what could order them")
    return float(np.clip(np.corrcoef(*ranks)[0, 1], -1, 1))
