"""How much whoever knows a little of a case learns from one log, here the release, taken for the truth.

Published measures, offered for comparison. They say how alike cases are, not whether an attack on a release succeeds:
for that see `metrics.attack_background`.

Uniqueness (Nuñez von Voigt et al., "Quantifying the Re-identification Risk of Event Logs for Process Mining", CAiSE
2020): the share of cases whose case attributes no other case has; and the share that some of their events, the points,
drawn at random, fit alone. A point is an activity, with or without its time, its event attributes and the attributes of
its case. Unlike the published code, the parts of a point must come from one event, and points in the order in which
they are known; one point is one, not all; and what is drawn at random is drawn up to 64 times, of a large release for
some cases (`metrics.linkage`).

Disclosure (Rafiei, van der Aalst, arXiv 2012.12031): over all sets, multisets or sequences of so many activities that
occur, the mean and the worst of one over the number of cases that fit (cases), and of how far the traces of these cases
are from being all different (traces), one minus their entropy over its maximum; or the values of their case attributes.
As published the mean is over what may be known, not over cases, so what is rare weighs as much as what is common.
Unlike the published code, the worst case counts what fits a single case: it discloses the trace whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from data.log import EventLog
from data.relation import grouped
from metrics.knowledge import Matches, Traces, alone, traces_of
from metrics.linkage import marked, victims_of
from metrics.metric import NO_TIMES, Metric, Value, not_applicable, unless_empty

POINTS = (1, 2, 3, 5)
PROJECTIONS = {
    "activities": "activities",
    "times": "activities and times",
    "event_attributes": "activities and event attributes",
    "case_attributes": "activities and case attributes",
    "everything": "activities, event and case attributes",
}
KINDS = {"set": "activities", "multiset": "events", "sequence": "events in order"}
SIZES = (1, 2, 3)
MOST = 300_000_000  # pairs of what may be known and a trace that are tried
MOST_VALUES = 1_000  # different values of case attributes
BLIND_TO = "whether what is released is true of the original; several cases of one person"
TOO_MANY = not_applicable(f"more than {MOST:,} pairs of what may be known and a trace")
TOO_SHORT = not_applicable("no case is so long")


def _metric(name: str, title: str, unit: str = "") -> Metric:
    return Metric(
        name=name, title=title, unit=unit, high=1.0, identity=None, doubled=None, costly=True, blind_to=BLIND_TO,
    )  # fmt: skip


def _disclosures(kind: str, size: int) -> tuple[Metric, ...]:
    known = f"who knows {size} {KINDS[kind]}"
    return tuple(
        _metric(f"exposure_{what}_{kind}_{size}{end}", f"Disclosure of {what}, {known}{', worst' * bool(end)}")
        for what in ("cases", "traces", "attributes")
        for end in ("", "_worst")
    )


METRICS = (
    _metric("exposure_case_attributes", "Cases with attributes of their own", "share of released cases"),
    *(
        _metric(f"exposure_points_{projection}_{points}", f"Unique by {points} points of {title}", "share of cases")
        for projection, title in PROJECTIONS.items()
        for points in POINTS
    ),
    *(metric for kind in KINDS for size in SIZES for metric in _disclosures(kind, size)),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, record: Mapping[str, Any]) -> dict[str, Value]:
    """All measures of the release alone."""
    of_cases, of_events = attributes(release)
    values = case_values(release, of_cases)
    found: dict[str, Value] = {"exposure_case_attributes": _unique(values) if of_cases else _lacking("case")}
    unique: dict[str, Value] = {}
    for projection in PROJECTIONS:
        lacking = _lacks(projection, release, of_cases, of_events)
        for points in POINTS:
            unique[f"exposure_points_{projection}_{points}"] = lacking or uniqueness(
                release, projection, points, record["seed"]
            )
    found |= marked(unique, len(victims_of(release, record["seed"])), release.n_cases)
    (traces,) = traces_of((release, release.activities))
    for kind in KINDS:
        for size in SIZES:
            found |= _disclosed(traces, values if of_cases else None, kind, size)
    return found


@lru_cache(maxsize=1)
def attributes(log: EventLog) -> tuple[list[str], list[str]]:
    """The attributes that are the same throughout every case, and the others."""
    of_cases = [name for name in log.attributes if _constant(log, _codes(log, name))]
    return of_cases, [name for name in log.attributes if name not in of_cases]


def case_values(log: EventLog, names: list[str]) -> np.ndarray:
    """A number of the values of some attributes of each case, int64 (cases,), from 0 on."""
    first = log.offsets[:-1]
    columns = [_codes(log, name)[first] for name in names]
    return grouped([np.zeros(log.n_cases, dtype=np.int64), *columns])[0]


def uniqueness(log: EventLog, projection: str, points: int | float, seed: int) -> float:
    """The share of cases that some of their events fit alone.

    Parameters
    ----------
    log : EventLog
    projection : one of `PROJECTIONS`
    points : int or float
        How many events, all of a case that has fewer; or, as a float, which share of them, rounded up.
    seed : int
        Draws the events.
    """
    traces = _projected(log, projection)
    return alone(traces, traces, victims_of(log, seed), "sequence", points, seed)


@lru_cache(maxsize=1)  # for all numbers of points
def _projected(log: EventLog, projection: str) -> Traces:
    """The traces of a log whose items are what is known of an event."""
    of_cases, of_events = attributes(log)
    wanted = {
        "event_attributes": of_events,
        "case_attributes": of_cases,
        "everything": of_events + of_cases,
    }.get(projection, [])
    columns = [log.activities.astype(np.int64), *(_codes(log, name) for name in wanted)]
    if projection == "times":
        columns.append(log.timestamps)
    return traces_of((log, grouped(columns)[0]))[0]


def disclosures(traces: Traces, kind: str, size: int, values: np.ndarray | None = None) -> np.ndarray | None:
    """What each set, multiset or sequence of items that occurs discloses.

    Parameters
    ----------
    traces : Traces
        Of one log.
    kind : one of `KINDS`
    size : int
        Items that are known.
    values : int64 array (cases,), optional
        What is disclosed of cases; by default their trace.

    Returns
    -------
    float array (n, 2), or None
        Of cases, and of values. None if there are too many to try.
    """
    weights = np.bincount(traces.of_case).astype(float)
    if values is None:  # the cases of a trace are together in what fits
        weights = np.column_stack((weights, weights * np.log2(weights)))
    else:
        weights = np.zeros((len(weights), values.max() + 1))
        np.add.at(weights, (traces.of_case, values), 1)
    counts = _counts(traces, kind, size, weights)
    if counts is None:
        return None
    if values is None:
        cases, spread = counts.T
    else:
        cases = counts.sum(axis=1)
        spread = (counts * np.log2(np.maximum(counts, 1))).sum(axis=1)
    entropy = np.log2(cases) - spread / cases
    share = np.where(cases > 1, entropy / np.log2(np.maximum(cases, 2)), 0)
    return np.column_stack((1 / cases, 1 - share.clip(0, 1)))


def _counts(traces: Traces, kind: str, size: int, weights: np.ndarray) -> np.ndarray | None:
    """Sums of weights of the traces that fit, for all that fits some."""
    items = np.unique(traces.items)
    known, counts = np.empty((1, 0), dtype=np.int64), np.empty(0)
    for length in range(1, size + 1):
        if len(known) * len(items) * len(weights) > MOST:
            return None
        known = np.column_stack((np.repeat(known, len(items), axis=0), np.tile(items, len(known))))
        if length > 1 and kind != "sequence":
            known = known[known[:, -2] <= known[:, -1] - (kind == "set")]
        counts = Matches(traces, kind, known).count(weights)
        occurs = counts.any(axis=1)
        known, counts = known[occurs], counts[occurs]
    return counts


def _disclosed(traces: Traces, values: np.ndarray | None, kind: str, size: int) -> dict[str, Value]:
    cases, worst_case, texts, worst_text, of_values, worst_value = (metric.name for metric in _disclosures(kind, size))
    found = disclosures(traces, kind, size)
    if found is None or not len(found):
        reason = TOO_MANY if found is None else TOO_SHORT
        return {metric.name: reason for metric in _disclosures(kind, size)}
    means, most = found.mean(axis=0), found.max(axis=0)
    result: dict[str, Value] = {cases: means[0], worst_case: most[0], texts: means[1], worst_text: most[1]}
    if values is None:
        return result | dict.fromkeys((of_values, worst_value), _lacking("case"))
    if values.max() >= MOST_VALUES:
        return result | dict.fromkeys((of_values, worst_value), not_applicable("too many values of case attributes"))
    disclosed = disclosures(traces, kind, size, values)[:, 1]
    return result | {of_values: float(disclosed.mean()), worst_value: float(disclosed.max())}


def _lacks(projection: str, log: EventLog, of_cases: list[str], of_events: list[str]) -> Value | None:
    """Why there is no such projection, if so."""
    if projection == "times" and log.untimed:
        return NO_TIMES
    if projection == "event_attributes" and not of_events:
        return _lacking("event")
    if projection == "case_attributes" and not of_cases:
        return _lacking("case")
    if projection == "everything" and not (of_cases or of_events):
        return _lacking("further")
    return None


def _lacking(what: str) -> Value:
    return not_applicable(f"the release has no {what} attributes")


@lru_cache(maxsize=64)
def _codes(log: EventLog, name: str) -> np.ndarray:
    """A number of each value of an attribute, int64 (events,)."""
    return np.unique(log.attributes[name].astype(str), return_inverse=True)[1].astype(np.int64)


def _constant(log: EventLog, codes: np.ndarray) -> bool:
    return bool((codes == codes[log.offsets[:-1]][log.case_of_event]).all())


def _unique(values: np.ndarray) -> float:
    """The share of cases whose value no other has."""
    return float((np.bincount(values) == 1).sum() / len(values))
