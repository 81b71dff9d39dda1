"""Query traces filled with the events of the cases they are matched to (PRIPEL, step 3).

The k-th event of an activity in a query trace is the k-th event of that activity in its case, with its time and
attributes. Where the case has none, an event is made up, its time by a gap drawn from those between events of the same
two activities. An event that would lie before its predecessor is moved after it likewise. The authors' code fails where
no such gap is known and the first activity always ends a case; here, as in pm4py, the gap is then drawn from all gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.prefix_query.growth import VariantCounts
from baselines.pripel.assignment import assign
from data.log import EventLog, ranges
from data.texts import texts

UNKNOWN = np.iinfo(np.int64).min  # lies before every time


@dataclass(frozen=True)
class Filled:
    """Query traces with times, in the order of their variants; none is empty.

    Attributes
    ----------
    activities : int64 array (events,)
        Activity codes of the log.
    offsets : int64 array (traces + 1,)
    cases : int64 array (traces,)
        Case of the log that feeds each trace, -1 for none.
    sources : int64 array (events,)
        Event of the log that each event is, -1 for a made-up one.
    timestamps : int64 array (events,)
        Microseconds since 1970-01-01 UTC, never falling within a trace.
    """

    activities: np.ndarray
    offsets: np.ndarray
    cases: np.ndarray
    sources: np.ndarray
    timestamps: np.ndarray


def fill(log: EventLog, query: VariantCounts, rng: np.random.Generator) -> Filled:
    """Match the traces of a query to cases and fill them; the empty trace, which a log cannot hold, is left out.

    Parameters
    ----------
    log : EventLog
        With at least one case of two events.
    query : VariantCounts
    rng : numpy.random.Generator
    """
    whole = np.flatnonzero(query.lengths)
    sequences = texts(query.activities, query.offsets)
    cases = assign([sequences[variant] for variant in whole], query.counts[whole], log.variants, rng)
    of_trace = np.repeat(whole, query.counts[whole])
    lengths = query.lengths[of_trace]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    activities = query.activities[ranges(query.offsets[of_trace], lengths)]
    sources = source_events(log, activities, offsets, cases)
    return Filled(activities, offsets, cases, sources, fill_times(log, activities, offsets, sources, rng))


def source_events(log: EventLog, activities: np.ndarray, offsets: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """The event of the log that each event of the traces is; parameters and result as in `Filled`."""
    variants = log.variants
    ranks, known_ranks = _occurrences(activities, offsets), _occurrences(variants.activities, variants.offsets)
    owners = np.repeat(np.arange(len(variants)), variants.lengths)
    shape = len(variants), len(log.labels), 1 + max(ranks.max(initial=0), known_ranks.max(initial=0))
    known = np.ravel_multi_index((owners, variants.activities, known_ranks), shape)
    order = np.argsort(known)

    fed = np.flatnonzero(np.repeat(cases >= 0, np.diff(offsets)))
    case = np.repeat(cases, np.diff(offsets))[fed]
    wanted = np.ravel_multi_index((variants.of_case[case], activities[fed], ranks[fed]), shape)
    nearest = order[np.searchsorted(known, wanted, sorter=order).clip(max=len(known) - 1)]
    event = log.offsets[case] + nearest - variants.offsets[owners[nearest]]
    sources = np.full(len(activities), -1)
    sources[fed] = np.where(known[nearest] == wanted, event, -1)
    return sources


def _occurrences(activities: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """How many events of the same activity its trace has before each event, int64 (events,)."""
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((activities, owners))  # stable: events of one activity stay in order
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(owners[order]) != 0) | (np.diff(activities[order]) != 0)
    places = np.arange(len(order))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = places - np.maximum.accumulate(np.where(first, places, 0))
    return ranks


class Gaps:
    """The times between consecutive events of a log, by their two activities.

    Parameters
    ----------
    log : EventLog
        With at least one case of two events.
    """

    def __init__(self, log: EventLog) -> None:
        self._n_labels = len(log.labels)
        later = np.flatnonzero(~log.first_events)
        pairs = self._pairs_of(log.activities[later - 1], log.activities[later])
        order = np.argsort(pairs, kind="stable")
        self._gaps = (log.timestamps[later] - log.timestamps[later - 1])[order]
        self._pairs, self._starts, self._counts = np.unique(pairs[order], return_index=True, return_counts=True)

    def draw(self, before: np.ndarray, after: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """For each pair of activities one of its gaps, or one of all gaps if it has none; int64, microseconds."""
        wanted = self._pairs_of(before, after)
        nearest = np.searchsorted(self._pairs, wanted).clip(max=len(self._pairs) - 1)
        known = self._pairs[nearest] == wanted
        starts = np.where(known, self._starts[nearest], 0)
        counts = np.where(known, self._counts[nearest], len(self._gaps))
        return self._gaps[starts + rng.integers(0, counts)]

    def _pairs_of(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        return before.astype(np.int64) * self._n_labels + after


def fill_times(
    log: EventLog, activities: np.ndarray, offsets: np.ndarray, sources: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The times of all events of the traces; parameters and result as in `Filled`.

    A made-up first event gets the time of any event of the log that is not the first of its case.
    """
    gaps = Gaps(log)
    timestamps = np.where(sources < 0, UNKNOWN, log.timestamps[sources])
    first = offsets[:-1]
    made_up = first[sources[first] < 0]
    timestamps[made_up] = rng.choice(log.timestamps[~log.first_events], len(made_up))
    lengths = np.diff(offsets)
    for position in range(1, lengths.max(initial=0)):  # the time of an event may depend on that of the one before
        events = first[lengths > position] + position
        early = events[timestamps[events] < timestamps[events - 1]]
        timestamps[early] = timestamps[early - 1] + gaps.draw(activities[early - 1], activities[early], rng)
    return timestamps
