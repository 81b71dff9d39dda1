"""The attack on membership, of releases whatever their mechanism tells: a case in the log is found more often.

Some cases are held out before the mechanism sees the log (`data.held_out`). The attacker knows a few items of a case
(`metrics.knowledge`), or its whole trace, and says that it is in the log if a single released case fits. How often
that is so of the members, less how often of the cases held out, is what the release tells of membership; the same
logic as that of control sets in tools that measure the risk of synthetic data. Of many cases some are drawn, see
`metrics.linkage`; the intervals are of as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.hashing import case_keys
from data.log import EventLog
from metrics.attack import Attack
from metrics.attack_background_times import WIDTHS, midnight_of, timed
from metrics.intervals import newcombe, wilson
from metrics.knowledge import alone, traces_of
from metrics.linkage import MAIN, victims_of
from metrics.metric import EMPTY, NO_TIMES, Metric, Value, not_applicable
from metrics.pair import align

TITLES = {
    "trace": "whole trace",
    "prefix": f"{MAIN} first activities",
    "set": f"{MAIN} activities",
    "multiset": f"{MAIN} events",
    "sequence": f"{MAIN} events in order",
    "set_day": f"{MAIN} activities and days",
    "sequence_day": f"{MAIN} events in order and their days",
}
BLIND_TO = "who knows anything else; that a release may fit several cases"


def _metric(name: str, title: str, low: float = 0.0) -> Metric:
    return Metric(
        name=name, title=title, low=low, high=1.0, identity=None, doubled=None, empty=0.0, group="attack", costly=True,
        held_out=True, blind_to=BLIND_TO,
    )  # fmt: skip


def _metrics(kind: str, title: str) -> tuple[Metric, ...]:
    found = []
    for who, share in (("member", "Members found"), ("outsider", "Cases held out found")):
        found.append(_metric(f"{who}_match_{kind}", f"{share} by {title}"))
        found += [_metric(f"{who}_{end}_{kind}", f"{share} by {title}, 95 %: {end}est") for end in ("low", "high")]
    return (
        *found,
        _metric(f"member_advantage_{kind}", f"Membership by {title}: advantage", -1.0),
        _metric(f"member_gain_low_{kind}", f"Membership by {title}, 95 %: lowest", -1.0),
        _metric(f"member_gain_high_{kind}", f"Membership by {title}, 95 %: highest", -1.0),
    )


def _attack(kind: str, title: str) -> Attack:
    parts = {"success": "member_match", "prior": "outsider_match", "advantage": "member_advantage"}
    return Attack(
        name=f"member_{kind}",
        title=f"Membership by {title}",
        family="presence",
        adversary=f"knows the {title} of a case, and asks whether the mechanism has seen it; says so if a single "
        "released case fits",
        blind_to=BLIND_TO,
        names={"targets": "member_targets", "others": "outsider_targets"}
        | {part: f"{name}_{kind}" for part, name in parts.items()},
    )


ATTACKS = tuple(_attack(kind, title) for kind, title in TITLES.items())
METRICS = (
    *(
        Metric(
            name=f"{who}_targets", title=f"{title} that are looked for", identity=None, doubled=None, group="attack",
            costly=True, held_out=True, blind_to=BLIND_TO,
        )
        for who, title in (("member", "Members"), ("outsider", "Cases held out"))
    ),
    *(metric for kind, title in TITLES.items() for metric in _metrics(kind, title)),
)  # fmt: skip


def score(original: EventLog, outsiders: EventLog, release: EventLog, record: Mapping[str, Any]) -> dict[str, Value]:
    """Shares of members and of held-out cases that a single released case fits, their difference, and intervals.

    Parameters
    ----------
    original : EventLog
        The members, all that the mechanism has seen.
    outsiders : EventLog
        The cases that were held out.
    release : EventLog
    record : mapping
        Of the run.
    """
    if not (original.n_cases and outsiders.n_cases):
        return {metric.name: not_applicable("no case is held out, or all are") for metric in METRICS}
    if not release.n_cases:
        return {metric.name: EMPTY if metric.empty is None else metric.empty for metric in METRICS}
    found: dict[str, Value] = {
        f"{who}_targets": float(len(victims_of(log, record["seed"])))
        for who, log in (("member", original), ("outsider", outsiders))
    }
    midnight = midnight_of(original)
    for kind, title in TITLES.items():
        if kind.endswith("_day") and release.untimed and not original.untimed:
            found |= {metric.name: NO_TIMES for metric in _metrics(kind, title)}
            continue
        shares = [_found(log, release, kind, midnight, record["seed"]) for log in (original, outsiders)]
        for who, (share, n) in zip(("member", "outsider"), shares, strict=True):
            low, high = wilson(share, n)
            found |= {f"{who}_match_{kind}": share, f"{who}_low_{kind}": low, f"{who}_high_{kind}": high}
        low, high = newcombe(*shares)
        found[f"member_advantage_{kind}"] = shares[0][0] - shares[1][0]
        found |= {f"member_gain_low_{kind}": low, f"member_gain_high_{kind}": high}
    return found


def _found(log: EventLog, release: EventLog, kind: str, midnight: int, seed: int) -> tuple[float, int]:
    """The share of the cases of a log that a single released case fits, and of how many it is."""
    pair, victims = align(log, release), victims_of(log, seed)
    logs = (pair.original, pair.release)
    kind, _, width = kind.partition("_")
    if kind == "trace":
        known, keys = (case_keys(each, each.activities) for each in logs)
        keys, counts = np.unique(keys, return_counts=True)
        return float(np.isin(known[victims], keys[counts == 1]).mean()), len(victims)
    items = timed(logs, midnight, WIDTHS[width]) if width else [(each, each.activities) for each in logs]
    return alone(*traces_of(*items), victims, kind, MAIN, seed), len(victims)
