"""Values, prior knowledge, the filter and the epsilons, against the paper's running example and real logs."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.io import read_log
from data.log import EventLog
from mechanisms import Infeasible
from mechanisms.amun.epsilon import certain, control_flow_epsilon, guessing_epsilon, worst_prior
from mechanisms.amun.epsilons import log_epsilons
from mechanisms.amun.knowledge import DAY, MINUTE, closed_window_prior, estimate, gaps, grouped_ecdf

SEPSIS = "Sepsis_Cases_-_Event_Log.xes.gz"


def log_of(rows: list[tuple[str, str, str]]) -> EventLog:
    cases, activities, times = zip(*rows, strict=True)
    return EventLog.from_rows(cases, activities, np.array(times, dtype="datetime64[us]").astype(np.int64))


# The log of Table 1; its automaton has the transitions A, D from the start, A after D, B, E, and C.
EXAMPLE = log_of(
    [
        (case, activity, f"2020-08-{when}")
        for case, events in {
            "1": [("A", "08T10:20"), ("B", "08T10:50"), ("C", "08T16:15")],
            "2": [("D", "08T12:37"), ("A", "08T14:37"), ("E", "08T15:07"), ("C", "08T20:31")],
            "3": [("A", "09T13:30"), ("B", "09T13:55"), ("C", "09T20:55")],
            "4": [("D", "09T15:00"), ("A", "09T17:00"), ("B", "09T17:40"), ("C", "09T23:05")],
            "5": [("A", "09T17:25"), ("E", "09T17:55"), ("C", "10T23:55")],
            "6": [("A", "11T17:00"), ("B", "11T17:27"), ("C", "11T23:45")],
        }.items()
        for activity, when in events
    ]
)


def of_code(log, delta=0.3, filtering=False, precision=10.0):
    return estimate(log, delta=delta, filtering=filtering, profile="code", precision=precision)


def of_paper(log, delta=0.3, filtering=False, precision=10.0):
    return estimate(log, delta=delta, filtering=filtering, profile="paper", precision=precision)


def by_event(estimated, values) -> dict[tuple[str, str], float]:
    """Values keyed by case id and activity."""
    log = estimated.log
    keys = zip(np.array(log.case_ids)[log.case_of_event], np.array(log.labels)[log.activities], strict=True)
    return {(str(case), str(activity)): value for (case, activity), value in zip(keys, values.tolist(), strict=True)}


def test_prior_knowledge_of_activity_b_by_hand():
    # v = 30, 25, 40, 27 minutes; p = 10/15; case 1: F(1) - F(0) = 3/4, the value printed in the paper.
    prior = by_event(of_code(EXAMPLE), of_code(EXAMPLE).knowledge.prior)
    assert [prior[case, "B"] for case in "1346"] == pytest.approx([0.75, 0.5, 0.25, 0.5])
    assert [prior[case, "C"] for case in "123456"] == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 3, 1 / 6, 1 / 6])
    assert prior["2", "A"] == prior["5", "E"] == pytest.approx(0.35)  # constant groups: the worst case


def test_starts_are_compared_over_the_whole_log_by_hand():
    # Days 0, 0, 1, 1, 1, 3: M = 3, half-width 1/9, so only starts of the same day count.
    estimated = of_code(EXAMPLE)
    first = EXAMPLE.first_events
    assert estimated.knowledge.prior[first] == pytest.approx([1 / 3, 1 / 3, 0.5, 0.5, 0.5, 1 / 6])
    assert estimated.knowledge.values[first] / DAY == pytest.approx([0, 0, 0.99999, 0.99999, 0.99999, 3])


def test_starts_of_the_code_on_two_days_by_hand():
    # Days 0, 0 and 1: M = 1, half-width 1. The upper end is always at 1; F(x - 1) of the last start is 2/3.
    log = log_of([(str(i), "A", when) for i, when in enumerate(("2020-01-01T00", "2020-01-01T09", "2020-01-02T03"))])
    assert of_code(log).knowledge.prior == pytest.approx([1, 1, 1 / 3])


def test_only_case_1_is_filtered_and_the_rest_is_estimated_anew():
    estimated = of_code(EXAMPLE, filtering=True)
    prior = by_event(estimated, estimated.knowledge.prior)
    assert estimated.cases_filtered == 1
    assert estimated.log.case_ids == ("2", "3", "4", "5", "6")
    assert [prior[case, "B"] for case in "346"] == pytest.approx([1 / 3] * 3)
    assert [prior[case, "C"] for case in "23456"] == pytest.approx([1 / 5] * 5)
    starts = estimated.knowledge.prior[estimated.log.first_events]
    assert starts == pytest.approx([1 / 5, 3 / 5, 3 / 5, 3 / 5, 1 / 5])


def test_with_a_precision_of_10_seconds_nothing_is_filtered():
    assert of_code(EXAMPLE, filtering=True, precision=10 / 60).cases_filtered == 0


def test_second_vector_and_a_log_that_starts_on_one_day():
    # The authors' data/paper_example.csv; their own risk file has B: .6667, .3333, .3333.
    log = log_of(
        [
            (case, activity, f"2020-08-08T{when}")
            for case, events in {
                "1": [("A", "10:20"), ("B", "10:50"), ("C", "16:15")],
                "2": [("D", "12:07"), ("A", "13:37"), ("E", "14:07"), ("C", "19:07")],
                "3": [("A", "13:30"), ("B", "13:55"), ("C", "20:55")],
                "4": [("D", "15:00"), ("A", "17:00"), ("B", "17:40"), ("C", "23:45")],
                "5": [("A", "16:40"), ("E", "17:55"), ("C", "23:55")],
            }.items()
            for activity, when in events
        ]
    )
    estimated = of_code(log)
    prior = by_event(estimated, estimated.knowledge.prior)
    assert [prior[case, "B"] for case in "134"] == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    # C after 325, 300, 420, 365 and 360 minutes, p = 1/12: case 2, the minimum, has only itself in its window.
    assert [prior[case, "C"] for case in "12345"] == pytest.approx([1 / 5, 0, 1 / 5, 2 / 5, 2 / 5])
    # M = 0, where the published code fails: every start has P_k = 1 and epsilon 0.1.
    assert (estimated.knowledge.prior[log.first_events] == 1).all()
    assert (estimated.epsilons[log.first_events] == 0.1).all()


@pytest.mark.parametrize(("table", "filtering"), [("tv_table2_annotated", False), ("tv_table3_filtered", True)])
def test_every_column_of_the_annotated_tables(shared_dir, table, filtering):
    with open(shared_dir / "reported" / "amun" / f"{table}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    estimated = of_code(EXAMPLE, filtering=filtering)
    log, knowledge, first = estimated.log, estimated.knowledge, estimated.log.first_events
    unit = np.where(first, DAY, MINUTE)
    span = knowledge.high - knowledge.low
    varies = span > 0

    def column(name):
        return np.array([float(row[name] or "nan") for row in rows])

    assert [row["case"] for row in rows] == [log.case_ids[case] for case in log.case_of_event]
    assert [row["activity"] for row in rows] == [log.labels[code] for code in log.activities]
    times = np.array([row["timestamp_utc"].removesuffix("+00:00") for row in rows], dtype="datetime64[us]")
    assert (times.astype(np.int64) == log.timestamps).all()
    transitions = [(row["source"], row["activity"], row["target"]) for row in rows]
    assert len(set(zip(transitions, estimated.transitions.tolist(), strict=True))) == len(set(transitions)) == 6
    np.testing.assert_allclose(knowledge.values / unit, column("value(min; start: days)"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(knowledge.low / unit, column("group_min"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(knowledge.high / unit, column("group_max"), rtol=0, atol=1e-9)
    normalized = np.where(varies, (knowledge.values - knowledge.low) / np.where(varies, span, 1), 1)
    np.testing.assert_allclose(normalized[~first], column("normalized")[~first], rtol=0, atol=1e-12)
    half_width = np.where(varies, np.minimum(10 * MINUTE / np.where(varies, span, 1), 1), 0)
    np.testing.assert_allclose(half_width[~first], column("precision")[~first], rtol=0, atol=1e-12)
    np.testing.assert_allclose(knowledge.prior, column("p_k"), rtol=0, atol=1e-15)
    np.testing.assert_allclose(estimated.epsilons, column("eps"), rtol=0, atol=1e-12)


def test_closed_form_epsilons(shared_dir):
    with open(shared_dir / "reported" / "amun" / "eps_closed_form.csv", newline="") as file:
        for row in csv.DictReader(file):
            epsilon = control_flow_epsilon(float(row["delta"]))
            assert epsilon == pytest.approx(float(row["eps_d"]), abs=1e-10)
            assert np.exp(-epsilon) == pytest.approx(float(row["exp_minus_eps_d"]), abs=1e-9)


def test_epsilons_by_hand():
    priors = np.array([1 / 3, 0.5, 0.25, 1 / 6, 0.2, 0.6])
    expected = [1.239691, 1.386294, 1.299283, 1.475907, 1.386294, 1.791759]
    assert guessing_epsilon(priors, 0.3) == pytest.approx(expected, abs=1e-6)
    assert by_event(of_code(EXAMPLE), of_code(EXAMPLE).epsilons)["1", "B"] == 0.7


@given(st.floats(0.01, 0.98), st.floats(0.01, 0.99))
def test_epsilon_is_symmetric_and_smallest_at_the_worst_prior(delta, share):
    prior = share * (1 - delta)
    epsilon = guessing_epsilon(prior, delta)
    assert epsilon == pytest.approx(guessing_epsilon(1 - delta - prior, delta), rel=1e-6)
    assert epsilon >= control_flow_epsilon(delta) * (1 - 1e-9)
    assert guessing_epsilon(worst_prior(delta), delta) == pytest.approx(control_flow_epsilon(delta))


@given(st.floats(0.01, 0.6), st.floats(0.01, 0.99))
def test_epsilon_brings_the_posterior_exactly_to_prior_plus_delta(delta, share):
    prior = share * (1 - delta)
    epsilon = guessing_epsilon(prior, delta)
    assert 1 / (1 + np.exp(-epsilon) * (1 - prior) / prior) == pytest.approx(prior + delta)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), min_size=1, max_size=30))
def test_grouped_distribution_functions_agree_with_counting(pairs):
    groups, values = (np.array(column) for column in zip(*pairs, strict=True))
    share = grouped_ecdf(groups, values)
    for point in (-6, -5, 0, 0.5, 5):
        at_most = [np.mean(values[groups == group] <= point) for group in groups]
        below = [np.mean(values[groups == group] < point) for group in groups]
        assert share(groups, np.full(len(groups), point)) == pytest.approx(at_most)
        assert share(groups, np.full(len(groups), point), side="left") == pytest.approx(below)


def test_closed_windows_count_both_ends_and_the_own_value():
    values = np.array([0.0, 10, 20, 40])
    assert closed_window_prior(np.zeros(4, dtype=int), values, 10).tolist() == [0.5, 0.75, 0.5, 0.25]


def test_paper_holds_constant_groups_at_the_worst_case_and_takes_real_days():
    estimated = of_paper(EXAMPLE)
    prior = by_event(estimated, estimated.knowledge.prior)
    assert prior["2", "A"] == pytest.approx(0.35)
    # B: 30, 25, 40, 27 within 10 minutes, both ends: all, three, two and three of four.
    assert [prior[case, "B"] for case in "1346"] == [1, 0.75, 0.5, 0.75]
    # Starts within 24 hours of case 1 (8 Aug 10:20): itself and case 2.
    assert estimated.knowledge.prior[EXAMPLE.first_events][0] == pytest.approx(2 / 6)


def test_paper_compares_starts_within_a_whole_day_before_and_after():
    log = log_of([(str(i), "A", when) for i, when in enumerate(("2020-01-01T00", "2020-01-01T18", "2020-01-02T16"))])
    assert of_paper(log).knowledge.prior == pytest.approx([2 / 3, 1, 2 / 3])


def test_paper_takes_new_bounds_after_the_filter():
    # C of case 4 is within 10 minutes of three of four, 3/4 + 0.3 >= 1, and its B is the longest by far.
    rows = []
    for case, b, c in (("1", 1, 0), ("2", 500, 20), ("3", 1000, 300), ("4", 5000, 10)):
        start = np.datetime64(f"2020-0{case}-01T00:00")
        rows += [(case, "A", str(start)), (case, "B", str(start + b)), (case, "C", str(start + b + c))]
    estimated = of_paper(log_of(rows), filtering=True)
    assert estimated.log.case_ids == ("1", "2", "3")
    assert by_event(estimated, estimated.knowledge.low)["1", "B"] == MINUTE
    assert by_event(estimated, estimated.knowledge.high)["1", "B"] == 1000 * MINUTE


def test_paper_stops_where_the_filter_leaves_nothing():
    with pytest.raises(Infeasible, match="drops all 6 cases"):
        of_paper(EXAMPLE, delta=0.7, filtering=True)


def test_code_filters_nothing_where_it_would_filter_all():
    # B after 1 and 2 minutes: both windows hold F(1) - F(0) = 1/2 of the group, and 1/2 + 0.6 >= 1.
    log = log_of(
        [
            ("1", "A", "2020-01-01T00:00"),
            ("1", "B", "2020-01-01T00:01"),
            ("2", "A", "2020-01-02T00:00"),
            ("2", "B", "2020-01-02T00:02"),
        ]
    )
    estimated = of_code(log, delta=0.6, filtering=True)
    assert estimated.cases_filtered == 0
    assert estimated.epsilons[~log.first_events].tolist() == [0.7, 0.7]


@pytest.mark.parametrize(
    ("file", "filtered"),
    [
        (SEPSIS, (322, 717, 903)),
        ("CCC19.xes.gz", (16, 16, 18)),
        ("Unrineweginfectie.xes.gz", (0, 0, 0)),
    ],
)
def test_filter_counts_of_the_published_code(real_log, file, filtered):
    log = read_log(real_log(file))
    assert tuple(of_code(log, delta, filtering=True).cases_filtered for delta in (0.2, 0.3, 0.4)) == filtered


def test_sepsis_figures_of_the_published_code(real_log):
    log = read_log(real_log(SEPSIS))
    for delta, violating in ((0.2, 95), (0.3, 155), (0.4, 232)):
        left = of_code(log, delta, filtering=True)
        assert (certain(left.knowledge.prior, delta) & ~left.log.first_events).sum() == violating
    knowledge, durations = of_code(log).knowledge, ~log.first_events
    assert (durations.sum(), (knowledge.prior[durations] == 0).sum()) == (14164, 1356)
    assert (knowledge.high == knowledge.low)[durations].sum() == 5576


@pytest.mark.parametrize(
    ("file", "delta", "minimum", "median", "mean", "maximum"),
    [
        (SEPSIS, 0.2, 0.7, 0.925, 2.202, 10),
        (SEPSIS, 0.3, 0.7, 1.348, 2.578, 10),
        (SEPSIS, 0.4, 0.7, 1.718, 2.910, 10),
        ("CCC19.xes.gz", 0.3, 0.7, 1.238, 1.308, 2.674),
        ("Unrineweginfectie.xes.gz", 0.3, 1.238, 2.580, 3.407, 10),
    ],
)
def test_epsilon_spread_of_real_logs(real_log, file, delta, minimum, median, mean, maximum):
    row = log_epsilons(read_log(real_log(file)), delta, filtered=False, profile="code", precision=10)
    found = [row[name] for name in ("minimum", "median", "mean", "maximum")]
    assert found == pytest.approx([minimum, median, mean, maximum], abs=5e-4)
    assert row["eps_d"] == control_flow_epsilon(delta)


def test_closed_windows_on_real_logs(real_log):
    """Cases that the filter would drop with whole-minute values and closed windows, as the specification counts."""
    for file, expected in ((SEPSIS, (1027, 912)), ("CCC19.xes.gz", (18, 16)), ("Unrineweginfectie.xes.gz", (0, 0))):
        log = read_log(real_log(file))
        estimated = of_code(log)
        minutes = np.floor(gaps(log) / MINUTE) * MINUTE
        varies = (estimated.knowledge.high > estimated.knowledge.low) & ~log.first_events
        for precision, cases in zip((10, 10 / 60), expected, strict=True):
            prior = closed_window_prior(estimated.transitions, minutes, precision * MINUTE)
            risky = certain(prior, 0.3) & varies
            assert np.logical_or.reduceat(risky, log.offsets[:-1]).sum() == cases


@pytest.mark.parametrize(("file", "cases"), [(SEPSIS, 1048), ("CCC19.xes.gz", 20), ("Unrineweginfectie.xes.gz", 1638)])
def test_the_filter_read_literally_would_drop_nearly_every_case(real_log, file, cases):
    """As above, but a constant group has P_k = 1 like any closed window: why `paper` holds it at the worst case."""
    log = read_log(real_log(file))
    minutes = np.floor(gaps(log) / MINUTE) * MINUTE
    prior = closed_window_prior(of_code(log).transitions, minutes, 10 * MINUTE)
    risky = certain(prior, 0.3) & ~log.first_events
    assert np.logical_or.reduceat(risky, log.offsets[:-1]).sum() == cases
