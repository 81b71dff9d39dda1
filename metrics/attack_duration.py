"""The attack on durations: a guess of the time between two events that is right within a precision.

Attack h2 of Elkoumy, Pankova, Dumas (Information Systems 2022): a mechanism with their delta claims that the release
makes a right guess likelier by delta at most. The attacker knows all other durations between the same two activities,
and which released case is whose: he guesses what is released, or that less the bias that he sees in the others (the
published code of Amun shifts all durations of a group), or ignores the release, whichever does best on the other half
of the durations. A weaker one knows a released case by its trace alone, if no other original case has that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.log import EventLog
from metrics.attack import Attack, better
from metrics.distance import HOUR
from metrics.durations import UNKNOWN, both_durations
from metrics.links import NO_ORIGINS, blind_guesses, links
from metrics.metric import Value, not_applicable, unless_empty
from metrics.pair import align

CLAIMED = "10min"  # what a right guess may be off by in what Amun claims
KNOWN = "knows all other durations between the same two activities, and"


def _attack(width: str, name: str = "", title: str = "", linked: str = "which released case is whose") -> Attack:
    return Attack(
        name=f"duration{name}_{width}",
        title=f"Durations within {width}{title}",
        family="durations",
        adversary=f"{KNOWN} {linked}; right is a guess within {width}",
        limit="delta" if width == CLAIMED else "",
        blind_to="what several guesses of one case give together; groups finer than two activities in a row",
    )


DAY = 24 * HOUR
PRECISIONS = {"10min": 600_000_000, "10s": 10_000_000}  # microseconds
LINKED = {width: _attack(width) for width in PRECISIONS}
BY_TRACE = {
    width: _attack(width, "_by_trace", ", by trace", "the trace of a case, which no other has") for width in PRECISIONS
}
ATTACKS = (*LINKED.values(), *BY_TRACE.values())
METRICS = tuple(metric for attack in ATTACKS for metric in attack.metrics)


@unless_empty(METRICS)
def score(
    original: EventLog, release: EventLog, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """The records of who knows all links and of who knows traces, for each precision.

    Where there is no other duration of the activity, the blind guess is the centre of the public bounds that the run
    was given, if any.
    """
    if both_durations(original, release) is None:
        return {metric.name: UNKNOWN for metric in METRICS}
    values: dict[str, Value] = {}
    centre = (record["parameters"].get("max_duration") or np.nan) * DAY / 2
    for attacks, known in ((LINKED, origins), (BY_TRACE, origins_by_trace(original, release))):
        for width, attack in attacks.items():
            if known is None:
                values |= attack.undefined(NO_ORIGINS)
            else:
                values |= _record(attack, width, original, release, known, centre)
    return values


def origins_by_trace(original: EventLog, release: EventLog) -> np.ndarray:
    """The case that each released one stems from, as its trace suggests: the only one that has it, or -1."""
    pair = align(original, release)
    unique = np.flatnonzero(original.variants.alone)
    own = dict(zip(_traces(pair.original, unique), unique.tolist(), strict=True))
    found = _traces(pair.release, np.arange(release.n_cases))
    return np.array([own.get(trace, -1) for trace in found], dtype=np.int64)


def _traces(log: EventLog, cases: np.ndarray) -> list[bytes]:
    offsets = log.offsets.tolist()
    activities = np.ascontiguousarray(log.activities, dtype=np.int32)
    return [activities[offsets[case] : offsets[case + 1]].tobytes() for case in cases.tolist()]


def _record(
    attack: Attack, width: str, original: EventLog, release: EventLog, origins: np.ndarray, centre: float
) -> dict[str, Value]:
    durations, released = both_durations(original, release)
    linked = links(original, release, origins)
    instances = np.bincount(linked.original, minlength=original.n_events)
    targets = np.flatnonzero(instances)
    attacked = int((~original.first_events).sum())
    if not attacked:
        return attack.undefined(not_applicable("no case has two events"))
    if not len(targets):  # who looks for durations in vain has gained nothing
        nothing = attack.undefined(not_applicable("no released duration stems from a case"))
        return nothing | {attack.metric(part): 0.0 for part in ("targets", "coverage", "advantage")}
    sums = np.bincount(linked.original, released[linked.released].astype(float), minlength=original.n_events)
    published, true = sums[targets] / instances[targets], durations[targets]
    pairs = original.activities[targets - 1].astype(np.int64) * len(original.labels) + original.activities[targets]
    within = PRECISIONS[width]
    guessed = blind_guesses(original, release, within)[targets]
    blind = np.abs(np.where(np.isnan(guessed), centre, guessed) - true) <= within
    guesses = published, published - bias_of_others(pairs, published - true)
    return attack.values(
        targets=len(targets),
        prior=float(blind.mean()),
        success=better(blind, *(np.abs(guess - true) <= within for guess in guesses)),
        coverage=len(targets) / attacked,
    )


def bias_of_others(groups: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """For each of some errors, the (lower) median of the others of its group, 0 where there are none.

    Parameters
    ----------
    groups : int64 array (n,)
    errors : float array (n,)
    """
    order = np.lexsort((errors, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    rank = np.arange(len(groups)) - np.repeat(starts, sizes)
    middle = np.repeat((sizes - 2) // 2, sizes)
    place = np.repeat(starts, sizes) + np.where(rank > middle, middle, middle + 1)
    alone = np.repeat(sizes == 1, sizes)
    bias = np.empty(len(errors))
    bias[order] = np.where(alone, 0.0, errors[order][np.minimum(place, len(errors) - 1)])
    return bias
