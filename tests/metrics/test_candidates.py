"""Candidates of a case, against their definition."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from small_logs import log_of, random_logs, relabelled, take

from data.io import read_log
from data.log import EventLog, empty_log
from metrics import candidates
from metrics.candidates import METRICS, score
from metrics.metric import Marked


def scored(original: EventLog, release: EventLog) -> dict:
    return score(original, release, record={"seed": 1})


def test_by_hand():
    original = log_of(("abc", (0, 1, 2)), ("abd", (5, 6, 7)), ("xyz", (9, 9, 9)))
    release = log_of(("abc", (3, 4, 5)), ("abc", (7, 8, 9)), ("xy", (20, 20)))
    found = scored(original, release)
    assert found["candidate_distance"] == pytest.approx((0 + 1 + 1) / 3)
    assert found["candidate_cases"] == 2
    assert found["candidate_alone"] == pytest.approx(1 / 3)
    # abc begins 3 h before the first; abd 2 h from both; xy is the only one near xyz.
    assert found["candidate_alone_timed"] == pytest.approx(2 / 3)


@settings(max_examples=40, deadline=None)
@given(random_logs(6), random_logs(6))
def test_candidates_are_those_of_the_definition(original, release):
    def traces_of(log: EventLog) -> list[str]:
        spans = zip(log.offsets[:-1], log.offsets[1:], strict=True)
        return ["".join(log.labels[code] for code in log.activities[slice(*span)]) for span in spans]

    traces = [traces_of(log) for log in (original, release)]
    starts = [log.timestamps[log.offsets[:-1]].tolist() for log in (original, release)]
    least, fitting, timed = [], [], []
    for trace, start in zip(traces[0], starts[0], strict=True):
        distances = [Levenshtein.distance(trace, other) for other in traces[1]]
        near = [other for other, distance in zip(starts[1], distances, strict=True) if distance == min(distances)]
        gaps = [abs(other - start) for other in near]
        least.append(min(distances))
        fitting.append(len(near))
        timed.append(gaps.count(min(gaps)))
    found = scored(original, release)
    assert found["candidate_distance"] == pytest.approx(np.mean(least))
    assert found["candidate_cases"] == sorted(fitting)[(len(fitting) - 1) // 2]
    assert found["candidate_alone"] == pytest.approx(np.mean([each == 1 for each in fitting]))
    assert found["candidate_alone_timed"] == pytest.approx(np.mean([each == 1 for each in timed]))


@settings(max_examples=10, deadline=None)
@given(random_logs(), st.integers(0, 99))
def test_names_dates_and_order_do_not_matter(log, seed):
    release = take(log, np.random.default_rng(seed).permutation(log.n_cases))
    day = 24 * 3_600_000_000
    later = [EventLog(e.activities, e.timestamps + 3 * day, e.offsets, e.labels, e.case_ids) for e in (log, release)]
    before = scored(log, log)
    for original, released in ((log, release), (relabelled(log), relabelled(release)), later):
        assert scored(original, released) == pytest.approx(before)
    assert before["candidate_distance"] == 0


def test_what_is_not_defined_is_told_without_warnings(monkeypatch):
    log = log_of("abc", "ab", "b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scored(log_of("a"), log_of("a"))["candidate_alone_timed"] == 1
        none = scored(log, empty_log())
        untimed = EventLog(log.activities, np.zeros(log.n_events), log.offsets, log.labels, log.case_ids)
        found = scored(log, untimed)
    assert none.keys() == {metric.name for metric in METRICS}
    assert {value.status for value in none.values()} == {"EMPTY"}
    assert isinstance(found["candidate_alone_timed"], Marked)
    assert found["candidate_alone"] == 1
    monkeypatch.setattr(candidates, "AT_ONCE", 1)
    assert scored(log, untimed)["candidate_alone"] == 1


def test_of_many_cases_some_are_looked_for_and_the_values_marked(monkeypatch):
    monkeypatch.setattr("metrics.linkage.VICTIMS", 2)
    log = take(log_of("abc", "abd"), np.arange(20) % 2)
    found = scored(log, log)
    assert {value.status for value in found.values()} == {"sampled"}
    assert (found["candidate_cases"].value, found["candidate_alone"].value) == (10, 0)


def test_sepsis(real_log):
    log = read_log(real_log("Sepsis_Cases_-_Event_Log.xes.gz"))
    found = scored(log, log)
    assert found["candidate_alone"] == pytest.approx(784 / 1050)
    assert found["candidate_alone_timed"] > 0.99
