"""Re-identification by partial background knowledge: who knows a little of a case picks it from the release.

The attacker knows some items of the original case, drawn at random: its first activities (`prefix`), some distinct
activities (`set`), some events by their activity (`multiset`), or some distinct activities with the day (`set_day`).
Of the released cases that fit he picks one at random; none fits: he abstains. Success is how often it is the case that
he looks for, the prior how often a case picked at random is. The style is that of the published measures of
re-identification risk (Nuñez von Voigt et al., CAiSE 2020; Rafiei, van der Aalst, arXiv 2012.12031), which however
measure one log alone: here knowledge is of the original, and is looked up in the release, where it may be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations, pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np

from data.log import EventLog, ranges
from metrics.links import NO_ORIGINS
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

SIZES = (1, 2, 3, 5)
MAIN = 3
DRAWS = 64  # of knowledge about a case, if there is more to know
AT_ONCE = 4096
ACTIVITIES = 2**20  # more than a log has
NOTHING = -(2**62)
DAY = 24 * 60 * 60 * 1_000_000  # microseconds
TITLES = {"prefix": "first activities", "set": "activities", "multiset": "events", "set_day": "activities and days"}
BLIND_TO = "who knows anything else; several cases of one person"


def _attack(name: str, title: str, low: float = 0.0, empty: float | None = 0.0) -> Metric:
    return Metric(
        name=name, title=title, low=low, high=1.0, identity=None, doubled=None, empty=empty, group="attack",
        costly=True, blind_to=BLIND_TO,
    )  # fmt: skip


METRICS = (
    _attack("linkage_prior", "Re-identified by picking at random"),
    *(
        _attack(f"linkage_{kind}_{size}", f"Re-identified by {size} {title}")
        for kind, title in TITLES.items()
        for size in SIZES
    ),
    *(_attack(f"linkage_advantage_{kind}", f"Knows {MAIN} {title}: advantage", -1.0) for kind, title in TITLES.items()),
)


class Items(NamedTuple):
    """What can be known of cases, or of variants, which stand for all their cases.

    Attributes
    ----------
    items, offsets : int64 arrays
        Distinct items of unit u: ``items[offsets[u]:offsets[u + 1]]``.
    of_case : int64 array (cases,)
        Unit of each case.
    """

    items: np.ndarray
    offsets: np.ndarray
    of_case: np.ndarray


@unless_empty(METRICS)
def score(
    original: EventLog, release: EventLog, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """Success for each kind and size of knowledge, the prior, and their difference at the main size."""
    if origins is None:
        return {metric.name: NO_ORIGINS for metric in METRICS}
    rng = np.random.default_rng(record["seed"])
    prior = float((origins >= 0).sum() / (original.n_cases * release.n_cases))
    values: dict[str, Value] = {"linkage_prior": prior}
    for kind in TITLES:
        for size in SIZES:
            values[f"linkage_{kind}_{size}"] = success(original, release, origins, kind, size, rng)
        main = values[f"linkage_{kind}_{MAIN}"]
        values[f"linkage_advantage_{kind}"] = main - prior if isinstance(main, float) else main
    return values


def success(
    original: EventLog, release: EventLog, origins: np.ndarray, kind: str, size: int, rng: np.random.Generator
) -> Value:
    """The mean over the original cases of the chance that the attacker picks the case that he looks for.

    Parameters
    ----------
    original, release : EventLog
    origins : int64 array (released cases,)
    kind : one of `TITLES`
    size : int
        Items that he knows; all of a case that has fewer.
    rng : numpy.random.Generator
        Draws what he knows where there is more to know than `DRAWS` possibilities.
    """
    if kind == "set_day" and release.untimed and not original.untimed:
        return not_applicable("the release has no times")
    pair = align(original, release)
    known, released = _items(pair.original, kind), _items(pair.release, kind)
    owners, queries = _queries(known, kind, size, rng)
    vocabulary, places = np.unique(np.concatenate((released.items, queries.ravel())), return_inverse=True)
    have, asked = np.split(places, [len(released.items)])
    wanted = np.where(queries == NOTHING, -1, asked.reshape(queries.shape))
    fitting = _fitting(wanted, released._replace(items=have), len(vocabulary))
    # Cases of one unit whose releases are of one unit: what fits one of them fits all.
    linked = np.flatnonzero(origins >= 0)
    units = np.stack((known.of_case[origins[linked]], released.of_case[linked]))
    (own, other), cases = np.unique(units, axis=1, return_counts=True)
    starts = np.searchsorted(owners, np.arange(len(known.offsets)))
    repeats = np.diff(starts)[own]
    query = ranges(starts[own], repeats)
    share = np.repeat(cases / repeats, repeats)
    right = _held(wanted[query], np.repeat(other, repeats), released._replace(items=have), len(vocabulary))
    return float((share[right] / fitting[query[right]]).sum() / original.n_cases)


def _items(log: EventLog, kind: str) -> Items:
    """What can be known; an activity has the same number in both logs of a pair."""
    if kind == "set_day":
        return _distinct(_joined(log.timestamps // DAY, log.activities), log.offsets, np.arange(log.n_cases))
    variants = log.variants
    items = variants.activities.astype(np.int64)
    if kind == "prefix":
        items = _joined(ranges(np.zeros(len(variants), dtype=np.int64), variants.lengths), items)
    elif kind == "multiset":
        items = _joined(_occurrence(items, variants.offsets), items)
    return _distinct(items, variants.offsets, variants.of_case)


def _joined(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    return high.astype(np.int64) * ACTIVITIES + low


def _occurrence(codes: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """How many events of the same activity its unit has before each event."""
    units = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((codes, units))
    new = (np.diff(units[order], prepend=-1) != 0) | (np.diff(codes[order], prepend=-1) != 0)
    places = np.arange(len(codes))
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = places - np.maximum.accumulate(np.where(new, places, 0))
    return ranks


def _distinct(items: np.ndarray, offsets: np.ndarray, of_case: np.ndarray) -> Items:
    """The distinct items of each unit, rising."""
    units = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    units, items = np.unique(np.stack((units, items)), axis=1)
    return Items(items, np.searchsorted(units, np.arange(len(offsets))), of_case)


def _queries(known: Items, kind: str, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """All that may be known of each unit, or some of it.

    Returns
    -------
    owners : int64 array (queries,)
        Unit that each is about, rising.
    queries : int64 array (queries, size)
        Its items, `NOTHING` where a unit has fewer.
    """
    owners, blocks = [], []
    for unit, (start, end) in enumerate(pairwise(known.offsets.tolist())):
        chosen = known.items[start:end][_choices(end - start, min(size, end - start), kind == "prefix", rng)]
        if kind == "multiset":  # two of three events of an activity are told from one, not from the others
            activities = np.sort(chosen % ACTIVITIES, axis=1)
            chosen = _joined(_runs(activities), activities)
        owners.append(np.full(len(chosen), unit))
        blocks.append(np.pad(chosen, ((0, 0), (0, size - chosen.shape[1])), constant_values=NOTHING))
    return np.concatenate(owners), np.concatenate(blocks)


def _choices(items: int, size: int, first: bool, rng: np.random.Generator) -> np.ndarray:
    """Places of items, one row a choice of `size` of them."""
    if first:
        return np.arange(size)[None, :]
    if comb(items, size) <= DRAWS:
        return _combinations(items, size)
    return np.argsort(rng.random((DRAWS, items)), axis=1)[:, :size]


@cache
def _combinations(items: int, size: int) -> np.ndarray:
    return np.array(list(combinations(range(items), size)), dtype=np.int64)


def _runs(rows: np.ndarray) -> np.ndarray:
    """How many equal values stand directly before each value of a rising row."""
    places = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    new = np.diff(rows, axis=1, prepend=-1) != 0
    return places - np.maximum.accumulate(np.where(new, places, 0), axis=1)


def _fitting(wanted: np.ndarray, released: Items, width: int) -> np.ndarray:
    """How many released cases have all items of each query, int64 (queries,)."""
    from scipy.sparse import csr_array  # not for every job of scores that imports this file

    weights = np.bincount(released.of_case, minlength=len(released.offsets) - 1)
    ones = np.ones(len(released.items), dtype=np.int32)
    units = csr_array((ones, released.items, released.offsets), shape=(len(weights), width)).T.tocsr()
    distinct, places = np.unique(np.sort(wanted, axis=1), axis=0, return_inverse=True)
    sizes = (distinct >= 0).sum(axis=1)
    found = []
    for start in range(0, len(distinct), AT_ONCE):
        rows, size = distinct[start : start + AT_ONCE], sizes[start : start + AT_ONCE]
        entries = np.concatenate(([0], np.cumsum(size)))
        items = rows[rows >= 0]
        shared = csr_array((np.ones(len(items), dtype=np.int32), items, entries), shape=(len(rows), width)) @ units
        row = np.repeat(np.arange(len(rows)), np.diff(shared.indptr))
        whole = shared.data == size[row]
        found.append(np.bincount(row[whole], weights[shared.indices[whole]], minlength=len(rows)))
    return np.concatenate(found)[places.ravel()].astype(np.int64)


def _held(wanted: np.ndarray, unit: np.ndarray, released: Items, width: int) -> np.ndarray:
    """Whether a released unit has all items of a query, for pairs of them; bool (pairs,)."""
    keys = np.repeat(np.arange(len(released.offsets) - 1), np.diff(released.offsets)) * width + released.items
    held = np.ones(len(wanted), dtype=bool)
    for items in wanted.T:
        key = unit * width + items
        place = np.searchsorted(keys, key).clip(max=len(keys) - 1)
        held &= (items < 0) | (keys[place] == key)
    return held
