"""Event logs through mechanisms of relations: project attributes of a log, recode, and put them back.

k is of the rows of the projection. The events of one case have the same address, so k events may well be one person;
a row a case, or a row a pair of user and attributes, is what can be counted, and users are counted where the log tells
them apart (`unit`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from baselines.relational.attributes import ROWS, names_in
from data.arrow import from_texts
from data.log import TIMESTAMP, EventLog
from data.relation import TIME, Column, Relation, grouped
from data.relation_io import of_texts
from data.relation_release import RelationRelease
from mechanisms import Infeasible, Outcome, ParameterError
from mechanisms.ids import fresh_case_ids

CASE, PAIR, EVENT = "case", "pair", "event"
ENTITIES = (CASE, PAIR, EVENT)
USER = "user"


@dataclass(frozen=True, eq=False)
class Projection:
    """Attributes of a log as a relation.

    Attributes
    ----------
    relation : Relation
        The attributes under their names and, if the log has it, the user under ``user``.
    of_event : int64 array (events,)
        The row of each event.
    """

    relation: Relation
    of_event: np.ndarray


def project(log: EventLog, entity: str, attributes: str | Sequence[str], user: str | None = None) -> Projection:
    """The relation of some attributes of a log.

    Parameters
    ----------
    log : EventLog
    entity : {"case", "pair", "event"}
        What a row is: a case, of which the attributes must be the same throughout but for the time, which is that of
        its start; a distinct combination of user and attributes; or an event.
    attributes : str or sequence of str
        A text separates them by ``,`` or ``+``. ``time:timestamp`` is the time of an event.
    user : str, optional
        The attribute that tells persons apart, by default ``user``, which the log may lack: then only rows are counted.

    Raises
    ------
    ParameterError
        If there is no such entity or attribute, or an attribute is missing somewhere or varies within a case.
    """
    if entity not in ENTITIES:
        raise ParameterError(f"project must be one of {', '.join(ENTITIES)}; it is {entity!r}")
    names = names_in(attributes)
    columns = {name: _column(log, name) for name in names}
    if user is not None or USER in log.attributes:
        columns[USER] = _column(log, user or USER)
    if not names:
        raise ParameterError("attributes must name at least one attribute of the log")
    of_events = Relation(columns)
    if entity == EVENT:
        return Projection(of_events, np.arange(log.n_events))
    if entity == PAIR:
        return Projection(*of_events.distinct(of_events.names))
    for name, column in columns.items():
        varies = column.values != column.values[log.offsets[:-1]][log.case_of_event]
        if name != TIMESTAMP and varies.any():
            raise ParameterError(
                f"attribute {name!r} varies within {np.unique(log.case_of_event[varies]).size} cases; project pairs or "
                "events, or make a case of the events that share it"
            )
    return Projection(of_events.take(log.offsets[:-1]), log.case_of_event)


def inject(
    log: EventLog,
    projection: Projection,
    release: RelationRelease,
    origins: np.ndarray,
    rng: np.random.Generator,
    keep: Sequence[str] = (),
) -> tuple[EventLog, np.ndarray]:
    """The log with the recoded attributes in place of the original ones, in random order and under fresh case ids.

    Attributes neither recoded nor to keep are left out, and so are cases of which a row is suppressed. A recoded time
    is the lower end of its interval: of cases, at which the case then begins, the times from event to event unchanged;
    of pairs and events, that of each event. Octets are put together again.

    Parameters
    ----------
    log : EventLog
        That was projected.
    projection : Projection
    release : RelationRelease
        What a mechanism made of its relation.
    origins : int64 array (rows,)
        The row of the relation of each released one.
    rng : numpy.random.Generator
    keep : sequence of str
        Attributes of the log that stay as they are.

    Returns
    -------
    released : EventLog
    order : int64 array (released cases,)
        The case of the log that each released case stems from.
    """
    of_event = _classes(release, origins)[projection.of_event]
    texts = _texts(release)
    times = _times(log, projection, release, of_event) if texts.pop(TIMESTAMP, None) is not None else log.timestamps
    # Intervals may overlap where a value has several; the events of a case stay in order of time.
    order = np.lexsort((times, log.case_of_event))
    recoded = EventLog(
        log.activities[order],
        times[order],
        log.offsets,
        log.labels,
        log.case_ids,
        {name: values[of_event][order] for name, values in texts.items()}
        | {name: log.attributes[name][order] for name in keep},
    )
    published = of_event < len(release.published_sizes)
    kept = rng.permutation(np.flatnonzero(np.logical_and.reduceat(published, log.offsets[:-1])))
    return recoded.take(kept, fresh_case_ids(len(kept), rng)), kept


def through(
    anonymize: Callable[..., Outcome],
    log: EventLog,
    *,
    entity: str,
    attributes: str | Sequence[str],
    user: str | None = None,
    keep: str | Sequence[str] = (),
    rng: np.random.Generator,
    **parameters: object,
) -> Outcome:
    """The outcome of a mechanism of relations on an event log.

    Parameters
    ----------
    anonymize : callable (relation, *, attributes, rng, **parameters) -> Outcome
    log : EventLog
    entity, attributes, user : as `project`
    keep : str or sequence of str
        Further attributes of the log to release as they are.
    rng : numpy.random.Generator
    parameters
        Those of the mechanism.

    Raises
    ------
    ParameterError
        If an attribute to keep is not there, recoded, or the user's.
    Infeasible
        If the log has no case, or as the mechanism.
    """
    if not log.n_cases:
        raise Infeasible("the log has no case")
    for name in (kept := names_in(keep)):
        if name not in log.attributes or name in (user or USER, *names_in(attributes)):
            raise ParameterError(f"keep: {name!r} is no attribute of the log, is recoded, or tells persons apart")
    projection = project(log, entity, attributes, user)
    outcome = anonymize(projection.relation, attributes=names_in(attributes), rng=rng, **parameters)
    released, order = inject(log, projection, outcome.release, outcome.origins, rng, kept)
    unit = parameters.get("unit", ROWS)
    least = fewest_users(log, projection, outcome, order)
    # Of event logs a mechanism that states k claims it of prefixes.
    stated = {name: value for name, value in outcome.diagnostics.items() if name not in ("k", "unit")}
    diagnostics = {**stated, "projected": entity, "class_users_min": least}
    counted = f"k counts {entity}s" if unit == ROWS else f"k counts distinct values of {unit!r}"
    notes = [*outcome.notes, counted, *_note_of_users(least, parameters.get("k")), _note_of_times(attributes)]
    return Outcome(released, diagnostics, resolved=outcome.resolved, notes=notes, origins=order)


def fewest_users(log: EventLog, projection: Projection, outcome: Outcome, kept: np.ndarray) -> int | None:
    """Distinct users of the class that has fewest, over the released events; None if the log does not tell them."""
    if USER not in projection.relation.names or not len(kept):
        return None
    rows = projection.of_event[np.isin(log.case_of_event, kept)]
    classes = _classes(outcome.release, outcome.origins)[rows]
    users = projection.relation[USER].values[rows]
    counts = np.bincount(classes[grouped([classes, users])[1]])
    return int(counts[counts > 0].min())


def _classes(release: RelationRelease, origins: np.ndarray) -> np.ndarray:
    """The class of each row of the relation, int64 (rows,)."""
    classes = np.empty(release.n_rows, dtype=np.int64)
    classes[origins] = release.classes
    return classes


def _note_of_users(least: int | None, k: int | None) -> list[str]:
    if least is None:
        return ["the log does not tell users apart, so nothing is known of persons"]
    if k is None or least >= k:
        return [f"every class has at least {least} users"]
    return [f"a class has only {least} users, fewer than k = {k}; count users (--unit user)"]


def _note_of_times(attributes: str | Sequence[str]) -> str:
    if TIMESTAMP in names_in(attributes):
        return "the times from event to event may still tell a case apart"
    return f"times are released as they are and may tell a case apart; recode {TIMESTAMP} too"


def _column(log: EventLog, name: str) -> Column:
    if name == TIMESTAMP:
        return Column(log.timestamps, TIME)
    if name not in log.attributes:
        known = ", ".join([TIMESTAMP, *log.attributes])
        raise ParameterError(f"the log has no attribute {name!r}; it has {known}")
    values = log.attributes[name]
    if values.dtype.kind in "iu":
        return Column(values)
    texts = [None if value is None or value != value else str(value) for value in values.tolist()]
    if missing := texts.count(None):
        raise ParameterError(f"attribute {name!r} is missing at {missing} events; fill or drop these")
    return of_texts(from_texts(texts), name, "the log")


def _texts(release: RelationRelease) -> dict[str, np.ndarray]:
    """The texts of each attribute by class, object arrays (classes,); octets as one text, with points between them."""
    texts: dict[str, list[str]] = {}
    for name, recoded in release.recoded.items():
        whole, _, octet = name.rpartition(".")
        if octet in ("1", "2", "3", "4") and f"{whole}.1" in release.recoded:
            parts = texts.get(whole, [""] * release.n_classes)
            texts[whole] = [f"{part}.{text}".lstrip(".") for part, text in zip(parts, recoded.texts, strict=True)]
        else:
            texts[name] = list(recoded.texts)
    return {name: np.array(values, dtype=object) for name, values in texts.items()}


def _times(log: EventLog, projection: Projection, release: RelationRelease, of_event: np.ndarray) -> np.ndarray:
    """The recoded time of each event, int64 (events,); 0 where all times read alike."""
    low = release.recoded[TIMESTAMP].low
    if low is None:
        return np.zeros(log.n_events, dtype=np.int64)
    if projection.relation.n_rows != log.n_cases or (projection.of_event != log.case_of_event).any():
        return low[of_event]
    first = log.timestamps[log.offsets[:-1]][log.case_of_event]
    return low[of_event] + log.timestamps - first
