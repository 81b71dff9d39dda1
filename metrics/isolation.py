"""Sessions that the place and the time of their start give away, although an address is k-anonymous.

Whoever knows from where a person came, and about when, looks for the released cases with that resource and start. If
all of them are of one user, the person is found, with all that the case tells.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from data.relation import grouped
from metrics.metric import Metric, Value, not_applicable, unless_empty

RESOURCE, USER = "org:resource", "user"
SECOND = 1_000_000  # microseconds
KNOWN = {"second": SECOND, "hour": 3600 * SECOND, "4_hours": 4 * 3600 * SECOND, "day": 24 * 3600 * SECOND}
BLIND = "what a case shows beside its resource and start, and whoever knows both less exactly"

METRICS = (
    *(
        Metric(
            name=f"isolated_{name}",
            title=f"Cases that resource and start, to the {name.replace('_', ' ')}, show to be of one user",
            unit="share of released cases",
            high=1.0,
            identity=None,
            doubled=None,
            group="attack",
            blind_to=BLIND,
        )
        for name in KNOWN
    ),
    Metric(
        name="resource_users_min",
        title="Fewest users of a released resource",
        unit="users",
        direction="higher",
        identity=None,
        doubled=None,
        group="attack",
        blind_to="times",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None = None) -> dict[str, Value]:
    """Shares of cases, by how exactly the start is known, and the smallest number of users that share a resource.

    A case is of the user, and has the resource, of its first event.
    """
    reason = _lacking(original, release, origins)
    if reason:
        return {metric.name: not_applicable(reason) for metric in METRICS}
    known = origins >= 0
    first = release.offsets[:-1][known]
    users = _codes(original.attributes[USER][original.offsets[:-1][origins[known]]])
    resources = _codes(release.attributes[RESOURCE][first])
    starts = release.timestamps[first]
    values: dict[str, Value] = {
        f"isolated_{name}": float((_users_beside([resources, starts // width], users) == 1).mean())
        for name, width in KNOWN.items()
    }
    return values | {"resource_users_min": float(_users_beside([resources], users).min())}


def _lacking(original: EventLog, release: EventLog, origins: np.ndarray | None) -> str:
    if USER not in original.attributes:
        return f"the log has no attribute {USER!r}"
    if RESOURCE not in release.attributes:
        return f"the release has no attribute {RESOURCE!r}"
    if origins is None or not (origins >= 0).any():
        return "the mechanism does not tell which case each released one stems from"
    return ""


def _codes(values: np.ndarray) -> np.ndarray:
    return np.unique(values.astype(str), return_inverse=True)[1].astype(np.int64)


def _users_beside(known: list[np.ndarray], users: np.ndarray) -> np.ndarray:
    """Distinct users of all cases that agree with each case in what is known, int64 (cases,)."""
    groups, _ = grouped(known)
    return np.bincount(groups[grouped([groups, users])[1]])[groups]
