"""Complete events, and durations from pairs of start and complete events."""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.lifecycle import complete_events, paired_events
from data.log import DURATION, LIFECYCLE, EventLog, LogError


def log_of(*events: tuple[str, str, int, str | None]) -> EventLog:
    """A log of events: case, activity, second, transition."""
    cases, activities, seconds, transitions = zip(*events, strict=True)
    kinds = np.array(transitions, dtype=object)
    return EventLog.from_rows(cases, activities, np.array(seconds) * 10**6, {LIFECYCLE: kinds})


def test_first_start_pairs_with_first_complete():
    log = log_of(
        ("1", "a", 0, "start"),
        ("1", "a", 1, "START"),
        ("1", "b", 2, "complete"),  # never started
        ("1", "a", 5, "Complete"),  # closes the start at 0
        ("1", "a", 7, "complete"),  # closes the start at 1
        ("1", "a", 8, "complete"),  # nothing open
        ("1", "a", 9, "start"),
        ("1", "c", 9, "suspend"),
        ("1", "d", 9, None),
        ("2", "a", 10, "complete"),  # the start at 9 is of another case
    )
    paired, counters = paired_events(log)
    assert list(paired.attributes) == [DURATION]
    assert np.array_equal(paired.attributes[DURATION], [np.nan, 5, 6, np.nan, np.nan, np.nan], equal_nan=True)
    assert counters == {
        "events_not_complete": 4,
        "cases_without_complete_event": 0,
        "starts_without_complete": 1,
        "completes_without_start": 3,
    }


def test_equal_times_pair_in_file_order():
    log = log_of(("1", "a", 0, "complete"), ("1", "a", 0, "start"), ("1", "a", 0, "complete"))
    assert np.array_equal(paired_events(log)[0].attributes[DURATION], [np.nan, 0], equal_nan=True)


events = st.tuples(
    st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, 9), st.sampled_from(["start", "complete", "x", None])
)


@settings(max_examples=200, deadline=None)
@given(st.lists(events, min_size=1, max_size=20))
def test_as_a_queue_of_open_starts(rows):
    rows = [*rows, ("1", "a", 9, "complete")]
    log = log_of(*rows)
    open_starts, durations = defaultdict(deque), []
    for event in range(log.n_events):
        key = log.case_of_event[event], log.activities[event]
        kind, time = log.attributes[LIFECYCLE][event], log.timestamps[event]
        if kind == "start":
            open_starts[key].append(time)
        elif kind in ("complete", None):
            paired = kind and open_starts[key]
            durations.append((time - open_starts[key].popleft()) / 1e6 if paired else np.nan)
    found, counters = paired_events(log)
    assert np.array_equal(found.attributes[DURATION], durations, equal_nan=True)
    assert counters["starts_without_complete"] == sum(map(len, open_starts.values()))


def test_without_transitions_all_events_are_complete():
    log = EventLog.from_rows("1", "a", np.array([0]))
    for kept, counters in (complete_events(log), paired_events(log)):
        assert kept is log
        assert not any(counters.values())


def test_what_keeps_nothing_is_refused():
    for keep in (complete_events, paired_events):
        with pytest.raises(LogError, match="keeps no event, as the transitions are start, x; use lifecycle `all`"):
            keep(log_of(("1", "a", 0, "start"), ("1", "a", 0, "x")))
