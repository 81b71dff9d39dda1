"""Rows of a table that an address and a time give away, although the address is k-anonymous.

The attack of `metrics.access` on tables of accesses with a column of times that the release keeps, or publishes as
intervals with their bounds; a time fits an interval if the two have a moment in common. An address is covered by the
published bounds; who reads the texts alone may find less (`metrics.relation_rendering`). A row that is suppressed
covers every address.
"""

from __future__ import annotations

import numpy as np

from data.log import ranges
from data.relation import ADDRESSES, TIME, Relation
from data.relation_release import RelationRelease
from metrics.access import Accesses, attacked, declared
from metrics.metric import EMPTY, Value, not_applicable
from metrics.recoded import SHIFTS, UNLINKED, USER, address_of, bounds_of

METRICS = declared("relation")
ALWAYS = 2**62  # microseconds before and after which nothing is


def score(original: Relation, release: RelationRelease, origins: np.ndarray | None) -> dict[str, Value]:
    """How often a row is isolated or found, by how exactly its time is known."""
    address, time = address_of(original, release), time_of(original, release)
    reason = _lacking(original, release, address, time)
    if reason or origins is None:
        return {metric.name: not_applicable(reason) if reason else UNLINKED for metric in METRICS}
    if not release.n_rows:
        return {metric.name: EMPTY if metric.empty is None else metric.empty for metric in METRICS}
    values, of_row = np.unique(original[address].values, return_inverse=True)
    users = np.unique(original[USER].values, return_inverse=True)[1]
    of_release = np.where(origins >= 0, users[origins], -1)
    if time in release.kept:
        released = Accesses(release.classes, release.kept[time].values, of_release)
    else:
        unknown = np.zeros(release.n_rows, dtype=np.int64)
        released = Accesses(release.classes, unknown, of_release, _spans(release, time))
    known = Accesses(of_row, original[time].values, users)
    found = attacked(known, released, covering(values, release, address))
    return {f"row_{name}": value for name, value in found.items()}


def time_of(original: Relation, release: RelationRelease) -> str | None:
    """The first column of times that is released as it is, or with bounds."""
    bounded = {name for name, recoded in release.recoded.items() if recoded.low is not None}
    return next((n for n in original.names if original[n].kind == TIME and n in {*release.kept, *bounded}), None)


def covering(values: np.ndarray, release: RelationRelease, address: str) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of an original address and a class that covers it, int64 (pairs,) each, by address.

    Parameters
    ----------
    values : int64 array (addresses,)
        Rising.
    release : RelationRelease
    address : str
        The attribute, which may be released as four octets.
    """
    bounds = bounds_of(release, address)
    shifts = SHIFTS.values() if len(bounds) > 1 else (0,)
    lowest, highest = (sum(pair[end] << shift for pair, shift in zip(bounds, shifts, strict=True)) for end in (0, 1))
    first = np.searchsorted(values, lowest)
    counts = np.searchsorted(values, highest, "right") - first
    classes, places = np.repeat(np.arange(len(counts)), counts), ranges(first, counts)
    for (low, high), shift in zip(bounds, shifts, strict=True):
        part = values[places] >> shift & (255 if len(bounds) > 1 else ADDRESSES - 1)
        inside = (low[classes] <= part) & (part <= high[classes])
        classes, places = classes[inside], places[inside]
    if release.suppressed:
        classes = np.append(classes, np.full(len(values), release.n_classes - 1))
        places = np.append(places, np.arange(len(values)))
    order = np.argsort(places, kind="stable")
    return places[order], classes[order]


def _spans(release: RelationRelease, time: str) -> np.ndarray:
    spans = np.column_stack((release.recoded[time].low, release.recoded[time].high))
    if release.suppressed:
        spans[-1] = -ALWAYS, ALWAYS
    return spans


def _lacking(original: Relation, release: RelationRelease, address: str | None, time: str | None) -> str:
    if USER not in original.names:
        return f"the table has no column {USER!r}"
    if address is None or (release.n_classes > (release.suppressed > 0) and not bounds_of(release, address)):
        return "no addresses are published, or without bounds"
    return "" if time else "no times are published, or without bounds"
