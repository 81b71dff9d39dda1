"""Traces take the events of their case one by one; what is missing is made up from the log."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pripel_logs import SECOND, counts_of, random_logs, seconds, timed
from scipy.stats import chisquare

from baselines.pripel.enrichment import fill, source_events
from data.log import EventLog


def filled(log: EventLog, trace: str, case: int) -> list[int]:
    activities = np.array([log.labels.index(label) for label in trace])
    return source_events(log, activities, np.array([0, len(trace)]), np.array([case])).tolist()


def test_the_kth_event_of_an_activity_is_the_kth_of_the_case():
    log = timed(("aba", [0, 1, 2]), ("baab", [10, 11, 12, 13]), ("c", [20]))
    assert filled(log, "aab", 1) == [4, 5, 3]
    assert filled(log, "bbb", 1) == [3, 6, -1]
    assert filled(log, "cab", 0) == [-1, 0, 1]
    assert filled(log, "cab", -1) == [-1, -1, -1]


@settings(max_examples=60, deadline=None)
@given(random_logs(), st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=5), st.integers(0, 99))
def test_sources_against_queues(log, traces, seed):
    """Event by event, as the published code does it."""
    traces = ["".join(label for label in trace if label in log.labels) for trace in traces]
    traces = [trace for trace in traces if trace]
    cases = np.random.default_rng(seed).integers(-1, log.n_cases, len(traces))
    expected = []
    for trace, case in zip(traces, cases, strict=True):
        events = range(log.offsets[case], log.offsets[case + 1]) if case >= 0 else ()
        queues = {label: [e for e in events if log.labels[log.activities[e]] == label] for label in log.labels}
        expected += [queues[label].pop(0) if queues[label] else -1 for label in trace]
    codes = np.array([log.labels.index(label) for trace in traces for label in trace], dtype=np.int64)
    offsets = np.cumsum([0, *map(len, traces)])
    assert source_events(log, codes, offsets, cases).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(random_logs(), st.dictionaries(st.text("abc", max_size=6), st.integers(1, 4), max_size=5), st.integers(0, 99))
def test_traces_are_those_of_the_query_and_times_never_fall(log, query, seed):
    query = {name: n for name, n in query.items() if set(name) <= set(log.labels)}
    counts = counts_of(log, **query)
    traces = fill(log, counts, np.random.default_rng(seed))
    names = ["".join(log.labels[code] for code in traces.activities[a:b]) for a, b in pairwise(traces.offsets)]
    assert Counter(names) == Counter({name: n for name, n in query.items() if name})
    steps = np.diff(traces.timestamps)
    steps[traces.offsets[1:-1] - 1] = 0
    assert (steps >= 0).all()


def test_events_of_a_matched_case_keep_their_times():
    log = timed(("abc", [0, 7, 9]), ("abd", [100, 103, 200]))
    traces = fill(log, counts_of(log, abd=1, abc=1), np.random.default_rng(1))
    assert (traces.timestamps / SECOND).tolist() == [100, 103, 200, 0, 7, 9]
    assert traces.cases.tolist() == [1, 0]


def draws(log: EventLog, trace: str, n: int = 2000) -> list[list[float]]:
    """Times of a trace without a case, in seconds, drawn again and again."""
    rng = np.random.default_rng(5)
    many = counts_of(log, **{trace: n + log.n_cases})
    traces = fill(log, many, rng)
    alone = np.flatnonzero(traces.cases < 0)
    return [(traces.timestamps[traces.offsets[t] : traces.offsets[t + 1]] / SECOND).tolist() for t in alone]


def even(values: list[float], expected: list[float]) -> bool:
    """Whether values are drawn evenly from the expected ones."""
    found, weights = Counter(values), Counter(expected)
    assert found.keys() == weights.keys()
    shares = [weights[key] * len(values) / len(expected) for key in weights]
    return chisquare([found[key] for key in weights], shares).pvalue > 0.001


def test_made_up_times():
    """First: any time of a non-first event; then: a gap of the pair, or any gap if the pair is unknown."""
    log = timed(("ab", [0, 1]), ("ab", [50, 54]), ("abc", [100, 104, 120]), ("ca", [300, 390]))
    later, ab_gaps, all_gaps = [1, 54, 104, 120, 390], [1, 4, 4], [1, 4, 4, 16, 90]
    times = np.array(draws(log, "abb"))
    assert even(times[:, 0].tolist(), later)
    assert even((times[:, 1] - times[:, 0]).tolist(), ab_gaps)
    assert even((times[:, 2] - times[:, 1]).tolist(), all_gaps)


def test_an_activity_that_always_ends_a_case_can_be_continued():
    """The authors' code fails here: no gap begins with c."""
    log = timed(("abc", [0, 1, 3]), ("abc", [10, 12, 13]))
    times = np.array(draws(log, "ca", 200))
    assert set((times[:, 1] - times[:, 0]).tolist()) == {1, 2}


def test_an_event_before_its_predecessor_is_moved_after_it():
    log = timed(("ba", [10, 30]), ("ab", [100, 105]), ("ab", [200, 209]))
    # Traces ab, ab take their equals; the third takes a@30 and b@10 from the first case.
    traces = fill(log, counts_of(log, ab=3), np.random.default_rng(1))
    [third] = [times for case, times in zip(traces.cases, seconds_of(traces), strict=True) if case == 0]
    assert third in ([30, 35], [30, 39])


def seconds_of(traces) -> list[list[float]]:
    return [(traces.timestamps[a:b] / SECOND).tolist() for a, b in pairwise(traces.offsets)]


def test_an_empty_query_result():
    log = timed(("ab", [0, 1]))
    traces = fill(log, counts_of(log), np.random.default_rng(1))
    assert len(traces.cases) == len(traces.timestamps) == 0
    assert len(fill(log, counts_of(log, _=4), np.random.default_rng(1)).cases) == 0


@pytest.mark.parametrize("trace", ["abab", "a", "bbbbb"])
def test_events_are_used_once(trace):
    log = timed(("abab", [0, 1, 2, 3]), ("a", [9]))
    assert seconds(log)[1] == [9]
    sources = filled(log, trace, 0)
    used = [event for event in sources if event >= 0]
    assert len(used) == len(set(used))
