"""The canonical log: variants, selection, frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.log import ACTIVITY, CASE, TIMESTAMP, EventLog, ranges

#                       a: x y x (ties in file order)   NA: y    b: x y x
CASES = ["a", "NA", "a", "b", "b", "a", "b"]
LABELS = ["x", "y", "y", "x", "y", "x", "x"]
TIMES = [3, 9, 3, 1, 2, 4, 5]
LOG = EventLog.from_rows(CASES, LABELS, np.array(TIMES))


def test_rows_become_cases_in_order():
    assert LOG.case_ids == ("a", "NA", "b")
    assert LOG.offsets.tolist() == [0, 3, 4, 7]
    assert [LOG.labels[code] for code in LOG.activities] == ["x", "y", "x", "y", "x", "y", "x"]
    assert LOG.timestamps.tolist() == [3, 3, 4, 9, 1, 2, 5]


def test_variants():
    variants = LOG.variants
    assert variants.of_case.tolist() == [0, 1, 0]
    assert variants.counts.tolist() == [2, 1]
    assert variants.representative.tolist() == [0, 1]
    assert [variants.sequence(v).tolist() for v in range(len(variants))] == [[0, 1, 0], [1]]


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=8))
def test_variants_are_the_distinct_sequences_and_their_counts(sequences):
    cases = [str(c) for c, sequence in enumerate(sequences) for _ in sequence]
    labels = [str(code) for sequence in sequences for code in sequence]
    log = EventLog.from_rows(cases, labels, np.zeros(len(cases), dtype=np.int64))
    found = {
        tuple(int(log.labels[code]) for code in log.variants.sequence(v)): int(log.variants.counts[v])
        for v in range(len(log.variants))
    }
    assert found == {key: [tuple(s) for s in sequences].count(key) for key in map(tuple, sequences)}


def test_taken_cases_may_repeat_and_bear_new_ids():
    taken = LOG.take(np.array([2, 2]), ["p", "q"])
    assert taken.case_ids == ("p", "q")
    assert taken.timestamps.tolist() == [1, 2, 5, 1, 2, 5]


def test_a_log_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        LOG.activities[0] = 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": [0, 2]}, "2 case ids"),
        ({"offsets": [0, 0, 2]}, "no case empty"),
        ({"activities": [0, 2]}, "has no label"),
        ({"labels": ["x", "x"]}, "labels repeat"),
        ({"case_ids": ["a", "a"]}, "case ids repeat"),
        ({"timestamps": [1]}, "1 timestamps"),
        ({"attributes": {"k": np.array([1])}}, "attribute 'k'"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes, message):
    whole = {"activities": [0, 1], "timestamps": [1, 2], "offsets": [0, 1, 2], "labels": ["x", "y"], "case_ids": "ab"}
    with pytest.raises(ValueError, match=message):
        EventLog(**(whole | changes))


def test_ranges():
    assert ranges(np.array([5, 0, 9]), np.array([2, 0, 1])).tolist() == [5, 6, 9]


def test_a_frame_and_back():
    frame = LOG.to_frame()
    assert frame[CASE].tolist() == ["a", "a", "a", "NA", "b", "b", "b"]
    again = EventLog.from_frame(frame)
    assert (again.case_ids, again.labels) == (LOG.case_ids, LOG.labels)
    assert again.timestamps.tolist() == LOG.timestamps.tolist()
    assert again.activities.tolist() == LOG.activities.tolist()


def test_pm4py_works_on_the_frame():
    pm4py = pytest.importorskip("pm4py")
    graph, starts, ends = pm4py.discover_dfg(LOG.to_frame())
    assert graph == {("x", "y"): 2, ("y", "x"): 2}
    assert (starts, ends) == ({"x": 2, "y": 1}, {"x": 2, "y": 1})
    assert dict(pm4py.get_variants(LOG.to_frame())) == {("x", "y", "x"): 2, ("y",): 1}


def test_a_frame_that_is_no_log_is_refused_by_column_and_row():
    frame = LOG.to_frame()
    with pytest.raises(ValueError, match=f"'{ACTIVITY}' is missing"):
        EventLog.from_frame(frame.drop(columns=ACTIVITY))
    with pytest.raises(ValueError, match=f"'{TIMESTAMP}' is null in row 3"):
        EventLog.from_frame(frame.assign(**{TIMESTAMP: frame[TIMESTAMP].where(frame.index != 3, pd.NaT)}))
