"""Sessions that the address and the time of their start give away, although an address is k-anonymous.

Cases are sessions, each of the person, the address and the time of its first event. Whoever knows how the resource of a
session reads in the release, and about when it began, looks for the released cases with that resource and start: if
all of them are of one user, the person is isolated (`isolated_*`). Whoever knows the address itself looks for all
released resources that cover it (`access_*`, see `metrics.access`); texts may overlap, so he may find less. Where the
resource of the log is no address, one covers what reads the same. A text that does not match an address, as some
renderings have it, is not found by who knows that address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.log import EventLog, ranges
from data.relation import grouped
from metrics.access import BLIND_TO, WIDTHS, Accesses, attacked, declared
from metrics.addresses import Texts
from metrics.linkage import persons_of
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.recoded import NOT_STATED, USER, distinct_values, requested_k

RESOURCE = "org:resource"


def _of_resources(name: str, title: str, unit: str, **facts: Any) -> Metric:
    return Metric(
        name=name, title=title, unit=unit, identity=None, doubled=None, group="attack", blind_to=BLIND_TO, **facts
    )


METRICS = (
    *(
        _of_resources(
            f"isolated_{name}",
            f"Cases that resource and start, to the {name.replace('_', ' ')}, show to be of one user",
            "share of released cases",
            high=1.0,
        )
        for name in WIDTHS
    ),
    *declared("log"),
    _of_resources("resource_users_min", "Fewest users of a released resource", "users", direction="higher"),
    _of_resources("resources_below_k_users", "Resources of fewer than k users", "share of resources", high=1.0),
)


@unless_empty(METRICS)
def score(
    original: EventLog, release: EventLog, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """How often a session is isolated or found, by how exactly its start is known; the users that share a resource."""
    reason = _lacking(original, release, origins)
    if reason:
        return {metric.name: not_applicable(reason) for metric in METRICS}
    users = persons_of(original)
    own, texts = (np.unique(_first(log, RESOURCE), return_inverse=True) for log in (original, release))
    of_release = np.where(origins >= 0, users[origins], -1)
    known = Accesses(own[1], original.timestamps[original.offsets[:-1]], users)
    released = Accesses(texts[1], release.timestamps[release.offsets[:-1]], of_release)
    linked, k = origins >= 0, requested_k(record)
    together = [column[linked] for column in released[:3]]
    sharing = distinct_values(together[0], together[2], len(texts[0]))
    values: dict[str, Value] = {f"isolated_{name}": _isolated(*together, width) for name, width in WIDTHS.items()}
    return {
        **values,
        **attacked(known, released, covering(own[0], texts[0])),
        "resource_users_min": float(sharing.min()),
        "resources_below_k_users": NOT_STATED if k is None else float((sharing < k).mean()),
    }


def _isolated(resources: np.ndarray, starts: np.ndarray, users: np.ndarray, width: int) -> float:
    """The share of cases that agree in resource and start with cases of their user alone."""
    groups, first = grouped([resources, starts // width])
    return float((distinct_values(groups, users, len(first)) == 1)[groups].mean())


def covering(known: np.ndarray, published: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of a known and a published resource that covers it, int64 (pairs,) each, by the known one.

    Parameters
    ----------
    known, published : str arrays
        Distinct, rising.
    """
    addresses = Texts(known.tolist())
    if not (addresses.sizes == 1).all():
        _, first, second = np.intersect1d(known, published, assume_unique=True, return_indices=True)
        return first, second
    values, of_known = np.unique(addresses.lowest, return_inverse=True)
    texts, places = Texts(published.tolist()).matching(values)
    order = np.lexsort((texts, places))
    texts, places = texts[order], places[order]
    # Two texts of one address are the same address.
    starts, ends = (np.searchsorted(places, of_known, side) for side in ("left", "right"))
    counts = ends - starts
    return np.repeat(np.arange(len(known)), counts), texts[ranges(starts, counts)]


def _first(log: EventLog, name: str) -> np.ndarray:
    """The text of an attribute at the first event of each case."""
    return log.attributes[name][log.offsets[:-1]].astype(str)


def _lacking(original: EventLog, release: EventLog, origins: np.ndarray | None) -> str:
    if lacking := {USER, RESOURCE} - set(original.attributes):
        return f"the log has no attribute {min(lacking)!r}"
    if RESOURCE not in release.attributes:
        return f"the release has no attribute {RESOURCE!r}"
    if origins is None or not (origins >= 0).any():
        return "the mechanism does not tell which case each released one stems from"
    return ""
