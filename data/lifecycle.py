"""What of the lifecycles of events to keep: all events, those that complete an activity, or these with durations.

IEEE Std 1849, lifecycle extension: a transition such as ``start`` or ``complete``, in whatever case.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from data.log import DURATION, LIFECYCLE, EventLog, LogError

LIFECYCLES = ("all", "complete", "pairs")


def complete_events(log: EventLog) -> tuple[EventLog, dict[str, int]]:
    """The events that complete an activity, or that have no transition.

    Returns
    -------
    log : EventLog
        Without transitions.
    counters : dict
        ``events_not_complete`` and ``cases_without_complete_event``, dropped.

    Raises
    ------
    LogError
        If there are none.
    """
    if LIFECYCLE not in log.attributes:
        return log, {"events_not_complete": 0, "cases_without_complete_event": 0}
    keep = _is(log, {"complete", None})
    if not keep.any():
        kinds = ", ".join(map(str, dict.fromkeys(log.attributes[LIFECYCLE].tolist())))
        raise LogError(f"lifecycle `complete` keeps no event, as the transitions are {kinds}; use lifecycle `all`")
    kept = _events(log, keep)
    return kept, {
        "events_not_complete": log.n_events - kept.n_events,
        "cases_without_complete_event": log.n_cases - kept.n_cases,
    }


def paired_events(log: EventLog) -> tuple[EventLog, dict[str, int]]:
    """The complete events with their durations, from the start events of the same case and activity, first come first.

    A complete event without an open start has no duration (NaN), as has one without transition.

    Returns
    -------
    log : EventLog
        With the attribute ``duration_s``, in seconds, unless the log has no transitions at all.
    counters : dict
        As `complete_events`; also ``starts_without_complete`` and ``completes_without_start``.

    Raises
    ------
    LogError
        If no event is complete.
    """
    if LIFECYCLE not in log.attributes:
        return complete_events(log)
    durations = np.full(log.n_events, np.nan)
    starts, completes = _is(log, {"start"}), _is(log, {"complete"})
    opening, closing = _pairs(log, starts, completes)
    durations[closing] = (log.timestamps[closing] - log.timestamps[opening]) / 1e6
    kept, counters = complete_events(replace(log, attributes={**log.attributes, DURATION: durations}))
    return kept, counters | {
        "starts_without_complete": int(starts.sum()) - len(closing),
        "completes_without_start": int(completes.sum()) - len(closing),
    }


def _pairs(log: EventLog, starts: np.ndarray, completes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and complete event of each pair."""
    events = np.flatnonzero(starts | completes)
    group = log.case_of_event[events] * len(log.labels) + log.activities[events]
    events = events[np.argsort(group, kind="stable")]
    group = np.unique(np.sort(group), return_inverse=True)[1]
    # The number of open starts, were every complete event to close one; each new low below zero is one that cannot.
    steps = np.where(starts[events], 1, -1)
    before = np.concatenate(([0], np.cumsum(steps)))
    first = np.searchsorted(group, np.arange(len(np.unique(group))))
    level = before[1:] - before[first][group]
    floor = -group * (2 * len(events) + 1)  # so that no low of one group is one of the next
    lows = np.minimum.accumulate(np.minimum(level, 0) + floor)
    previous = np.concatenate(([0], lows[:-1]))
    previous[first] = floor[first]
    closes = (steps < 0) & (lows == previous)
    # The k-th start of a group pairs with its k-th closing event.
    opening, closing = events[steps > 0], events[closes]
    start_group, close_group = group[steps > 0], group[closes]
    rank = np.arange(len(closing)) - np.searchsorted(close_group, close_group)
    return opening[np.searchsorted(start_group, close_group) + rank], closing


def _is(log: EventLog, kinds: set[str | None]) -> np.ndarray:
    transitions = log.attributes[LIFECYCLE].tolist()
    wanted = {kind for kind in set(transitions) if (kind and kind.lower()) in kinds}
    return np.fromiter((kind in wanted for kind in transitions), dtype=bool, count=log.n_events)


def _events(log: EventLog, keep: np.ndarray) -> EventLog:
    present, case_codes = np.unique(log.case_of_event[keep], return_inverse=True)
    return EventLog.from_codes(
        case_codes,
        [log.case_ids[case] for case in present],
        log.activities[keep],
        log.labels,
        log.timestamps[keep],
        {key: values[keep] for key, values in log.attributes.items() if key != LIFECYCLE},
    )
