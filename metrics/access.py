"""Linkage of accesses: who knows from where a person came, and about when, looks for the released rows that fit.

The attacker knows the exact address and the hour, or so, of one access. A released row fits if its address, as it is
published, covers the known one and its time falls into the same hour. He picks one of those at random; the access is
isolated if all that fit, at least one, are of that very person. Each original access is looked for once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from data.log import ranges
from data.relation import grouped
from metrics.attack import Attack
from metrics.distance import HOUR
from metrics.metric import Metric

WIDTHS = {"second": HOUR // 3600, "hour": HOUR, "4_hours": 4 * HOUR, "day": 24 * HOUR}  # microseconds
TITLES = {name: name.replace("_", " ") for name in WIDTHS}
BLIND_TO = "who knows two accesses, or one less exactly; what else is published of it"


ATTACKS = tuple(
    Attack(
        name=f"access_{name}",
        title=f"Knows address and {title}",
        family="linkage",
        adversary=f"knows the address and, to the {title}, the start of a session; right is a session of that person, "
        "picked from those that fit",
        blind_to=BLIND_TO,
        names={
            "targets": "access_targets",
            "abstains": f"access_abstains_{name}",
            "prior": "access_prior",
            "success": f"access_found_{name}",
            "advantage": f"access_advantage_{name}",
        },
    )
    for name, title in TITLES.items()
)


class Accesses(NamedTuple):
    """Original accesses, or released ones.

    Attributes
    ----------
    classes : int64 array (n,)
        Which address each has, from 0 on; of released ones, as it is published.
    times : int64 array (n,)
        Microseconds.
    users : int64 array (n,)
        The person of each; -1 where that is not known.
    spans : int64 array (classes, 2), optional
        First and last time that is published of all accesses of a class instead of the time of each.
    """

    classes: np.ndarray
    times: np.ndarray
    users: np.ndarray
    spans: np.ndarray | None = None


def declared(of: str) -> tuple[Metric, ...]:
    """The metrics of the attack, on releases of event logs (`log`) or of tables (`relation`)."""
    start = {"log": "", "relation": "row_"}[of]

    def metric(name: str, title: str, low: float = 0.0, **facts: Any) -> Metric:
        facts = {"high": 1.0, "empty": 0.0} | facts
        return Metric(
            name=start + name, title=title, low=low, identity=None, doubled=None, group="attack", of=of,
            blind_to=BLIND_TO, **facts,
        )  # fmt: skip

    known = {name: f"address and {title}" for name, title in TITLES.items()}
    return (
        metric("access_targets", "Accesses that are looked for", high=float("inf"), empty=None),
        metric("access_prior", "Accesses found by picking at random"),
        *(metric(f"access_isolated_{name}", f"Persons isolated by {title}") for name, title in known.items()),
        *(metric(f"access_found_{name}", f"Persons found by {title}") for name, title in known.items()),
        *(metric(f"access_abstains_{name}", f"No row fits {title}", empty=1.0) for name, title in known.items()),
        *(metric(f"access_advantage_{name}", f"Access by {title}: advantage", -1.0) for name, title in known.items()),
    )


def attacked(known: Accesses, released: Accesses, covers: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    """The values of the metrics, under the names of those of event logs.

    Parameters
    ----------
    known, released : Accesses
    covers : int64 arrays (pairs,)
        An original address, rising, and a published one that covers it.
    """
    shares = np.bincount(released.users[released.users >= 0], minlength=known.users.max() + 1) / len(released.users)
    chance = float(shares[known.users].mean())
    values = {"access_targets": float(len(known.users)), "access_prior": chance}
    for name, width in WIDTHS.items():
        fitting, own = candidates(known, released, covers, width)
        found = float((own / np.maximum(fitting, 1)).mean())
        values[f"access_isolated_{name}"] = float(((own > 0) & (own == fitting)).mean())
        values[f"access_abstains_{name}"] = float((fitting == 0).mean())
        values |= {f"access_found_{name}": found, f"access_advantage_{name}": found - chance}
    return values


def candidates(
    known: Accesses, released: Accesses, covers: tuple[np.ndarray, np.ndarray], width: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many released accesses fit each original one, and how many of these are of its person; int64 (n,) each."""
    starts = np.searchsorted(covers[0], known.classes)
    counts = np.searchsorted(covers[0], known.classes, "right") - starts
    access = np.repeat(np.arange(len(counts)), counts)
    published, cells, exact = covers[1][ranges(starts, counts)], known.times[access] // width, released.times // width
    if released.spans is not None:
        first, last = released.spans[published].T // width
        within = (first <= cells) & (cells <= last)
        access, published = access[within], published[within]
        cells, exact = np.zeros_like(access), np.zeros_like(exact)
    wanted, have = [published, cells, known.users[access]], [released.classes, exact, released.users]
    fitting, own = (_occurrences(have[:n], wanted[:n]) for n in (2, 3))
    return tuple(np.bincount(access, each, minlength=len(counts)).astype(np.int64) for each in (fitting, own))


def _occurrences(have: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> np.ndarray:
    """How many rows of columns there are that equal each wanted row, int64."""
    groups, first = grouped([np.concatenate(pair) for pair in zip(have, wanted, strict=True)])
    n = len(have[0])
    return np.bincount(groups[:n], minlength=len(first))[groups[n:]]
