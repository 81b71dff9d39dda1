"""Durations: which ones are compared, and the errors and exposures made of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_logs import OF_DURATIONS, log_of, scores

from data.log import DURATION
from metrics.durations import both_durations
from metrics.metric import Marked

ORIGINAL = log_of(("ab", (0, 2)), ("ab", (0, 4)))


def stating(log, *hours):
    """The log with stated durations."""
    return replace(log, attributes={DURATION: np.array(hours) * 3600.0})


def hours(original, release):
    return [(values / 3.6e9).tolist() for values in both_durations(original, release)]


def test_times_count_where_the_release_states_nothing():
    assert hours(stating(ORIGINAL, 7, 7, 7, 7), ORIGINAL) == [[0, 2, 0, 4]] * 2


def test_stated_durations_of_a_release_stand_against_those_of_the_log():
    release = stating(ORIGINAL, 0, 1, 0, -1)
    assert hours(ORIGINAL, release) == [[0, 2, 0, 4], [0, 1, 0, -1]]
    assert hours(stating(ORIGINAL, 1, 1, 1, 1), release) == [[1, 1, 1, 1], [0, 1, 0, -1]]


@pytest.mark.parametrize(
    "release",
    [
        replace(ORIGINAL, timestamps=np.zeros(4)),  # no times
        stating(ORIGINAL, 0, np.nan, 0, 1),
    ],
)
def test_unknown_durations_are_not_applicable(release):
    values = scores(ORIGINAL, release)
    diverse = {"l_min", "entropy_l_min"}  # to which a missing duration is a value of its own
    assert {values[name].status for name in {*OF_DURATIONS} - diverse} == {"n/a"}
    assert {isinstance(values[name], Marked) for name in diverse} == {release.untimed}
    assert values["aba_code"] == 1


def test_a_log_without_durations_has_no_errors():
    log = log_of(("ab", (1, 1)), ("a", (2,)))
    assert isinstance(scores(log, log)["total_duration_error"], Marked)


def test_errors_by_hand():
    release = stating(ORIGINAL, 0, 12, 0, 6)
    values = scores(ORIGINAL, release)
    assert values["total_duration_error"] == pytest.approx(200)  # 18 h for 6 h
    assert values["cycle_time_error"] == pytest.approx(2)  # a lasts nothing; b 9 h on average for 3 h
    assert values["cycle_time_error_capped"] == 1


def test_a_lost_activity_is_an_error_of_1():
    assert scores(ORIGINAL, log_of("ac"))["cycle_time_error"] == 1


def test_negative_and_exact_durations_by_hand():
    release = stating(ORIGINAL, 0, 2, 0, -4)
    values = scores(ORIGINAL, release)
    assert values["negative_durations"] == 1 / 4
    assert values["exact_durations"] == 1 / 2  # b with 2 h; a with 0 occurs twice, b with -4 h never in the original
