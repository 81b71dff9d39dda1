"""Persons and addresses behind the classes of a released relation.

k rows are not k persons: a user with two addresses in a class counts twice. Nor are they k addresses: an address that k
users share may be published as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from data.relation import Relation
from data.relation_release import RelationRelease
from metrics.metric import EMPTY, Metric, Value, not_applicable
from metrics.recoded import (
    NOT_STATED,
    UNLINKED,
    USER,
    address_of,
    bounds_of,
    distinct_values,
    published,
    requested_k,
)

BLIND = "what else is published of the rows, and how likely each person is"
NO_USER = not_applicable(f"the table has no column {USER!r}")
NO_ADDRESS = not_applicable("no addresses are published, or without bounds")


def _metric(name: str, title: str, unit: str = "", **facts: Any) -> Metric:
    facts = {"identity": None, "doubled": None, "blind_to": BLIND} | facts
    return Metric(name=name, title=title, unit=unit, of="relation", **facts)


METRICS = (
    _metric("class_users_min", "Fewest users of a class", "users", direction="higher"),
    _metric("classes_below_k_users", "Classes of fewer than k users", "share of classes", high=1.0),
    _metric("address_users_min", "Fewest users of a published address", "users", direction="higher"),
    _metric("class_addresses_min", "Fewest addresses of a class", "addresses", direction="higher"),
    _metric("class_addresses_median", "Addresses of a class, median", "addresses", direction="none"),
    _metric("exact_addresses", "Classes whose address is published exactly", "classes"),
    _metric("address_intervals", "Distinct published intervals of addresses", direction="none"),
)
OF_USERS = ("class_users_min", "classes_below_k_users", "address_users_min")
OF_ADDRESSES = ("class_addresses_min", "class_addresses_median")
OF_RELEASE = ("exact_addresses", "address_intervals")


def score(
    original: Relation, release: RelationRelease, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """Distinct users and addresses of published classes, and users of each interval of addresses that is published."""
    if not published(release):
        return {metric.name: EMPTY for metric in METRICS}
    address = address_of(original, release)
    bounds = [] if address is None else bounds_of(release, address)
    intervals = address_intervals(bounds) if bounds else None
    values = dict.fromkeys(OF_RELEASE, NO_ADDRESS) | dict.fromkeys(OF_ADDRESSES, NO_ADDRESS)
    if intervals is not None:
        exact = np.logical_and.reduce([low == high for low, high in bounds])
        values |= {"exact_addresses": float(exact.sum()), "address_intervals": float(intervals.max() + 1)}
    if origins is None:
        return values | dict.fromkeys((*OF_USERS, *(() if address is None else OF_ADDRESSES)), UNLINKED)
    rows = slice(published(release))
    classes, n = release.classes[rows], len(release.published_sizes)
    if address is not None:
        addresses = distinct_values(classes, original[address].values[origins[rows]], n)
        middle = float(np.quantile(addresses, 0.5, method="lower"))
        values |= {"class_addresses_min": float(addresses.min()), "class_addresses_median": middle}
    if USER not in original.names:
        return values | dict.fromkeys(OF_USERS, NO_USER)
    users, k = original[USER].values[origins[rows]], requested_k(record)
    of_class = distinct_values(classes, users, n)
    values |= {
        "class_users_min": float(of_class.min()),
        "classes_below_k_users": NOT_STATED if k is None else float((of_class < k).mean()),
        "address_users_min": NO_ADDRESS,
    }
    if intervals is not None:
        values["address_users_min"] = float(distinct_values(intervals[classes], users, intervals.max() + 1).min())
    return values


def address_intervals(bounds: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The interval of addresses that is published of each class, as numbers from 0 on; int64 (classes,)."""
    return np.unique(np.column_stack([end for pair in bounds for end in pair]), axis=0, return_inverse=True)[1].ravel()
