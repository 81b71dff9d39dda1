"""Published measures of what one log gives away, against values by hand and their definition."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_logs import log_of, random_logs, relabelled, take

from data.io import read_log
from data.log import EventLog, empty_log
from metrics import exposure
from metrics.exposure import KINDS, METRICS, case_values, disclosures, score, uniqueness
from metrics.knowledge import traces_of
from metrics.metric import Marked

T = log_of("abc", "abc", "acb", "ab", "abb")


def of(log: EventLog, kind: str, size: int, values=None) -> np.ndarray:
    (traces,) = traces_of((log, log.activities))
    return disclosures(traces, kind, size, values)


def scored(log: EventLog) -> dict:
    return score(log, log, record={"seed": 1})


def with_attributes(log: EventLog, **values) -> EventLog:
    """Each attribute a text, one character an event."""
    return replace(log, attributes={name: np.array(list(text), dtype=object) for name, text in values.items()})


@pytest.mark.parametrize(("kind", "size", "mean", "worst"), [
    ("set", 1, "11/45", "1/3"), ("set", 2, "13/45", "1/3"), ("multiset", 2, "7/15", "1"), ("multiset", 3, "2/3", "1"),
    ("sequence", 2, "91/150", "1"), ("sequence", 3, "5/6", "1"),
])  # fmt: skip
def test_disclosure_of_cases_by_hand(kind, size, mean, worst):
    found = of(T, kind, size)[:, 0]
    assert found.mean() == pytest.approx(float(Fraction(mean)), abs=1e-15)
    assert found.max() == pytest.approx(float(Fraction(worst)), abs=1e-15)
    if size <= 3:
        assert scored(T)[f"exposure_cases_{kind}_{size}"] == pytest.approx(float(Fraction(mean)))
        assert scored(T)[f"exposure_cases_{kind}_{size}_worst"] == float(Fraction(worst))


def test_disclosure_of_traces_by_hand():
    """ac fits abc twice and acb: entropy log2 3 - 2/3; of the others ab fits all five; cb and bb fit one."""
    found = dict(zip(["ab", "ac", "bb", "bc", "cb"], of(T, "sequence", 2)[:, 1], strict=True))
    assert found["ac"] == pytest.approx(1 - (log2(3) - 2 / 3) / log2(3))
    assert found["ab"] == pytest.approx(1 - (log2(5) - 2 / 5) / log2(5))
    assert found["bc"] == found["bb"] == found["cb"] == 1, "abc twice, and single cases"


def test_a_single_case_discloses_its_trace_even_where_it_alone_is_the_worst():
    log = log_of("ab", "ab", "ac", "ad")
    assert scored(log)["exposure_traces_set_2_worst"] == 1
    assert scored(log_of("abc", "acb", "bac", "bca"))["exposure_traces_set_2_worst"] == 0


@settings(max_examples=40, deadline=None)
@given(random_logs(6), st.sampled_from(list(KINDS)), st.integers(1, 3), st.integers(0, 99))
def test_disclosures_are_those_of_their_definition(log, kind, size, seed):
    values = np.random.default_rng(seed).integers(0, 3, log.n_cases)
    cases = ["".join(log.labels[a] for a in log.activities[slice(*span)])
             for span in zip(log.offsets[:-1], log.offsets[1:], strict=True)]  # fmt: skip
    every = {
        "set": combinations(sorted(log.labels), size),
        "multiset": combinations_with_replacement(sorted(log.labels), size),
        "sequence": product(sorted(log.labels), repeat=size),
    }[kind]

    def fits(known, case: str) -> bool:
        if kind == "sequence":
            rest = iter(case)
            return all(item in rest for item in known)
        return all(case.count(item) >= known.count(item) for item in known)

    def disclosed(of_matches: list) -> float:
        n = len(of_matches)
        entropy = -sum(c / n * log2(c / n) for c in Counter(of_matches).values())
        return 1 - (entropy / log2(n) if n > 1 else 0)

    expected = []
    for known in every:
        matching = [place for place, case in enumerate(cases) if fits(known, case)]
        if matching:
            of_traces, of_values = ([column[m] for m in matching] for column in (cases, values.tolist()))
            expected.append((1 / len(matching), disclosed(of_traces), disclosed(of_values)))
    found = np.column_stack((of(log, kind, size), of(log, kind, size, values)[:, 1]))
    assert sorted(map(tuple, found.round(9))) == sorted(map(tuple, np.reshape(expected, (-1, 3)).round(9)))


def test_attributes_by_hand():
    log = with_attributes(log_of("ab", "ab", "ac"), ward="xxxxyy", age="112233", tool="pqpqpp")
    assert exposure.attributes(log) == (["ward", "age"], ["tool"])
    assert case_values(log, ["ward"]).tolist() == [0, 0, 1]
    found = scored(log)
    assert found["exposure_case_attributes"] == 1
    assert scored(with_attributes(log_of("ab", "ab", "ac"), ward="xxxxyy"))["exposure_case_attributes"] == 1 / 3
    # b: cases 1 and 2, both x; c: only case 3; a: all.
    ward = scored(with_attributes(log_of("ab", "ab", "ac"), ward="xxxxyy"))
    entropy = (log2(3) - 2 / 3) / log2(3)
    assert ward["exposure_attributes_set_1"] == pytest.approx((1 - entropy + 1 + 1) / 3)
    assert ward["exposure_attributes_set_1_worst"] == 1


def test_uniqueness_by_hand():
    # One activity: of ab, ab and ac, only c tells a case, one of two of the third.
    log = log_of("ab", "ab", "ac")
    assert uniqueness(log, "activities", 1, 1) == pytest.approx(1 / 6)
    assert uniqueness(log, "activities", 2, 1) == pytest.approx(1 / 3)
    assert uniqueness(log, "activities", 0.5, 1) == pytest.approx(1 / 6), "half of two events is one"
    assert uniqueness(log, "activities", 1.0, 1) == pytest.approx(1 / 3), "a share of one is all, one point is not"


def test_parts_of_a_point_come_from_one_event_and_points_keep_their_order():
    # Both cases have a and b, and p and q; only in one a goes with p.
    log = with_attributes(log_of("ab", "ab"), tool="pqqp")
    assert uniqueness(log, "event_attributes", 1, 1) == 1
    assert uniqueness(log, "activities", 2, 1) == 0
    assert uniqueness(log_of("ab", "ba"), "activities", 2, 1) == 1


def test_times_and_case_attributes_make_points_unique():
    log = with_attributes(log_of(("ab", (0, 1)), ("ab", (0, 2)), ("ab", (0, 2))), ward="xxyyyy")
    assert uniqueness(log, "times", 1, 1) == pytest.approx(1 / 6)
    assert uniqueness(log, "case_attributes", 1, 1) == pytest.approx(1 / 3)
    found = scored(log)
    assert isinstance(found["exposure_points_event_attributes_1"], Marked)
    assert found["exposure_points_everything_1"] == found["exposure_points_case_attributes_1"]


@settings(max_examples=10, deadline=None)
@given(random_logs(), st.integers(0, 99))
def test_names_dates_and_order_do_not_matter(log, seed):
    before = {name: value if not isinstance(value, Marked) else value.status for name, value in scored(log).items()}
    day = 24 * 3_600_000_000
    later = EventLog(log.activities, log.timestamps + 9 * day, log.offsets, log.labels, log.case_ids)
    for changed in (relabelled(log), later, take(log, np.random.default_rng(seed).permutation(log.n_cases))):
        for name, value in scored(changed).items():
            assert (value.status if isinstance(value, Marked) else pytest.approx(value)) == before[name], name


def test_what_is_not_defined_is_told_without_warnings(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scored(log_of("a"))
        several = scored(log_of("abc"))
        none = score(T, empty_log(), record={"seed": 1})
    assert found.keys() == {metric.name for metric in METRICS}
    assert (found["exposure_cases_set_1"], found["exposure_traces_set_1"]) == (1, 1)
    assert isinstance(found["exposure_cases_set_2"], Marked)
    assert several["exposure_points_activities_2"] == 1
    assert {value.status for value in none.values()} == {"EMPTY"}
    untimed = EventLog(T.activities, np.zeros(T.n_events), T.offsets, T.labels, T.case_ids)
    assert isinstance(scored(untimed)["exposure_points_times_1"], Marked)
    monkeypatch.setattr(exposure, "MOST", 20)
    assert scored(T)["exposure_cases_sequence_2"].status == "n/a"


def test_points_of_some_of_many_cases_are_marked(monkeypatch):
    monkeypatch.setattr("metrics.linkage.VICTIMS", 2)
    found = scored(T)
    marks = {name for name, value in found.items() if isinstance(value, Marked) and value.status == "sampled"}
    assert marks == {f"exposure_points_{known}_{n}" for known in ("activities", "times") for n in exposure.POINTS}


def test_sepsis(real_log):
    found = scored(read_log(real_log("Sepsis_Cases_-_Event_Log.xes.gz")))
    assert found["exposure_points_times_2"] > 0.97
    assert found["exposure_points_activities_3"] < 0.01
    assert 0 < found["exposure_cases_sequence_2"] < found["exposure_cases_sequence_3"] < 1
