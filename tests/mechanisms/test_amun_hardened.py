"""The profile whose claim can be defended: threshold, backing of instances, public bounds."""

from __future__ import annotations

import numpy as np
import pytest

from data.log import EventLog, empty_log
from mechanisms import Infeasible, ParameterError
from mechanisms.amun import anonymize
from mechanisms.amun.hardened import back_instances, release_counts, threshold
from mechanisms.amun.knowledge import DAY

PUBLIC = {"dates": ("2020-01-01", "2021-01-01"), "max_length": 4, "max_duration": 2.0}
FIRST, LAST = (int(np.datetime64(date, "us").astype(np.int64)) for date in PUBLIC["dates"])


def log_of(words: list[str], seed: int = 0) -> EventLog:
    rng = np.random.default_rng(seed)
    cases = np.repeat([f"case {i}" for i in range(len(words))], [len(word) for word in words])
    times = [FIRST + rng.integers(int(300 * DAY)) + np.arange(len(word)) * int(DAY) for word in words]
    return EventLog.from_rows(cases, list("".join(words)), np.concatenate(times))


def harden(log, seed=1, **parameters):
    return anonymize(log, **{"delta": 0.3, **PUBLIC, **parameters}, rng=np.random.default_rng(seed))


@pytest.mark.parametrize(("epsilon", "additive", "expected"), [(1, 0.01, 6), (1, 1e-5, 13)])
def test_thresholds_by_hand(epsilon, additive, expected):
    assert threshold(epsilon, additive) == expected


@pytest.mark.parametrize("epsilon", [0.4, 1.0, 1.238, 2.2])
@pytest.mark.parametrize("additive", [0.1, 0.01, 1e-4, 1e-8])
def test_a_lone_variant_passes_with_probability_additive_at_most_and_the_threshold_is_the_smallest(epsilon, additive):
    q, reached = np.exp(-epsilon), threshold(epsilon, additive) - 1
    assert q**reached / (1 + q) <= additive * (1 + 1e-12)
    assert q ** (reached - 1) / (1 + q) > additive


def test_a_lone_variant_is_released_as_often_as_computed():
    # epsilon 1, additive 0.01: threshold 6, P(X >= 5) = q^5 / (1 + q) = 0.004926.
    counts = release_counts(np.ones(200_000, dtype=np.int64), 1.0, 0.01, np.random.default_rng(2))
    assert (counts > 0).mean() == pytest.approx(0.004926, abs=0.0006)
    assert counts[counts > 0].min() == 6


def test_instances_are_backed_as_evenly_as_possible_and_no_more_than_allowed():
    variant_of_case = np.array([0, 1, 0, 0, 1])
    counts = np.array([3, 2])
    cases = back_instances(variant_of_case, counts, np.array([5, 7]), 2, np.random.default_rng(3))
    first, second = cases[:5], cases[5:]
    assert sorted(np.bincount(first, minlength=3)[[0, 2, 3]].tolist()) == [1, 2, 2]
    assert np.bincount(second[second >= 0], minlength=5)[[1, 4]].tolist() == [2, 2]
    assert (second < 0).sum() == 3


def test_every_case_is_as_likely_left_out():
    rng = np.random.default_rng(4)
    one_variant = np.zeros(4, dtype=int), np.array([4]), np.array([2])
    chosen = [back_instances(*one_variant, 1, rng) for _ in range(2000)]
    assert np.bincount(np.concatenate(chosen)) == pytest.approx(np.full(4, 1000), abs=100)


def test_released_times_keep_to_the_public_bounds_and_order():
    release = harden(log_of(["ABCD"] * 60 + ["AB"] * 40)).release
    steps = np.diff(release.timestamps)[~release.first_events[1:]]
    starts = release.timestamps[release.first_events]
    assert FIRST <= release.timestamps.min() <= release.timestamps.max() <= LAST
    assert 0 <= steps.min() <= steps.max() <= 2 * DAY
    assert (np.diff(starts) >= 0).all()


def test_a_case_longer_than_the_public_bound_changes_nothing():
    words = ["ABCD"] * 60
    without, also_long = harden(log_of(words)), harden(log_of([*words, "ABCDA"]))
    assert also_long.diagnostics["cases_too_long"] == 1
    assert without.release.timestamps.tolist() == also_long.release.timestamps.tolist()


def test_every_value_is_noisy_even_where_all_durations_are_equal():
    log = log_of(["AB"] * 100)  # one group, every duration a day: profile code adds no noise to it
    release = harden(log).release
    steps = np.diff(release.timestamps)[~release.first_events[1:]]
    assert (steps == DAY).mean() < 0.05


def test_bounds_taken_from_the_log_are_named():
    log = log_of(["AB"] * 60)
    assert harden(log).diagnostics["bounds_from_data"] == []
    outcome = harden(log, dates=None, max_length=None, max_duration=None)
    assert set(outcome.diagnostics["bounds_from_data"]) == {"dates", "max_length", "max_duration"}
    assert "breaks the guarantee" in outcome.notes[0]
    assert outcome.resolved["max_length"] == 2


def test_the_duration_bound_defaults_to_the_public_range_of_dates():
    outcome = harden(log_of(["AB"] * 60), max_duration=None)
    assert outcome.resolved["max_duration"] == 366
    assert outcome.diagnostics["bounds_from_data"] == []


def test_an_empty_log_is_released_like_any_other_given_public_bounds():
    # A refusal would tell it from a log of one case.
    for log in (empty_log(), log_of(["AB"])):
        assert harden(log).release.n_cases == 0
    with pytest.raises(Infeasible, match="max_length"):
        harden(empty_log(), max_length=None)


@pytest.mark.parametrize("mode", ["oversampling", "filtering"])
def test_modes_without_a_defensible_reading_are_refused(mode):
    with pytest.raises(Infeasible, match=f"no mode {mode}"):
        harden(log_of(["AB"] * 60), mode=mode)


@pytest.mark.parametrize(
    "wrong",
    [
        {"additive": 0.0},
        {"max_copies": 0},
        {"max_length": 0},
        {"max_duration": -1.0},
        {"dates": ("2021-01-01", "2020-01-01")},
        {"dates": ("soon", "later")},
    ],
)
def test_bad_bounds_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        harden(log_of(["AB"]), **wrong)


def test_composed_epsilon_is_that_of_variants_and_times():
    diagnostics = harden(log_of(["AB"] * 60), max_copies=3).diagnostics
    assert diagnostics["composed_epsilon"] == pytest.approx(2 * 1.238078, abs=1e-5)
    # One case changes up to 3 instances of up to 4 values each.
    assert diagnostics["epsilon_event_divided"] == pytest.approx(1.238078 / 12, abs=1e-6)


def test_labels_of_what_is_not_released_are_left_out():
    assert harden(log_of(["XY", *(["AB"] * 60)])).release.labels == ("A", "B")


def test_labels_come_in_an_order_that_does_not_depend_on_the_log():
    one, other = (harden(log_of([*words, *(["AB", "BA"] * 60)])).release for words in (["AB"], ["BA"]))
    assert one.labels == other.labels == ("A", "B")


def test_no_composed_epsilon_is_claimed_with_bounds_from_the_log():
    outcome = harden(log_of(["AB"] * 60), max_length=None)
    assert outcome.diagnostics["composed_epsilon"] is None
    assert any("breaks the guarantee: max_length" in note for note in outcome.notes)


@pytest.mark.parametrize("extreme", [{"delta": 0.01, "additive": 0.9}, {"max_duration": 1e300}])
def test_extreme_parameters_are_no_error(extreme):
    harden(log_of(["AB"] * 60), **extreme)


def test_no_event_leaves_the_widest_dates():
    """Where doubles are coarser than a microsecond."""
    bounds = {"dates": ("0001-01-01", "9999-12-31"), "max_duration": None}
    first, last = (np.datetime64(date, "us").astype(np.int64) for date in bounds["dates"])
    for seed in range(20):
        times = harden(log_of(["ABCD"] * 60), seed, **bounds).release.timestamps
        assert first <= times.min() <= times.max() <= last


def test_labels_that_differ_in_a_trailing_null_stay_apart():
    log = EventLog.from_rows(
        [f"{label!r} {i}" for label in ("a", "a\0") for i in range(300)],
        [label for label in ("a", "a\0") for _ in range(300)],
        np.full(600, FIRST),
    )
    assert harden(log).release.labels == ("a", "a\0")
