"""What the metrics of released relations share: original values of attributes, and distinct values of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.relation import IPV4, Column, Relation, grouped
from data.relation_release import RelationRelease
from metrics.metric import not_applicable

USER = "user"  # the column that tells persons apart
SHIFTS = {"1": 24, "2": 16, "3": 8, "4": 0}  # of the octets of an address

UNLINKED = not_applicable("the mechanism does not tell which row each released one stems from")
NOT_STATED = not_applicable("the run record does not tell it")


def column_of(original: Relation, attribute: str) -> Column:
    """The original column of a released attribute, which may be an octet of an address, like ``ip.2``."""
    if attribute in original.names:
        return original[attribute]
    name, _, octet = attribute.rpartition(".")
    return Column(original[name].values >> SHIFTS[octet] & 255)


def address_of(original: Relation, release: RelationRelease) -> str | None:
    """The first column of addresses that is released recoded, whole or as octets."""
    addresses = [name for name in original.names if original[name].kind == IPV4]
    return next((name for name in addresses if name in release.recoded or f"{name}.1" in release.recoded), None)


def bounds_of(release: RelationRelease, address: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Bounds of a published address by published class, one pair or one an octet; none if it is published without."""
    names = [address] if address in release.recoded else [f"{address}.{octet}" for octet in SHIFTS]
    n, found = len(release.published_sizes), [release.recoded[name] for name in names]
    return [] if any(each.low is None for each in found) else [(each.low[:n], each.high[:n]) for each in found]


def distinct_values(groups: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Number of distinct values in each of n groups.

    Parameters
    ----------
    groups, values : int64 arrays (rows,)
    n : int

    Returns
    -------
    int64 array (n,)
    """
    return np.bincount(groups[grouped([groups, values])[1]], minlength=n)


def published(release: RelationRelease) -> int:
    """Number of rows that are not suppressed; they come first."""
    return release.n_rows - release.suppressed


def requested_k(record: Mapping[str, Any]) -> int | None:
    """The k of a run, None if it has no such parameter."""
    return record["parameters"].get("k")
