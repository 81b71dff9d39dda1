"""New times: the laws of each profile, by hand where no randomness is left."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from data.log import EventLog
from mechanisms.amun import release
from mechanisms.amun.knowledge import DAY, MINUTE, Estimate, Knowledge, estimate, gaps
from mechanisms.amun.times import LIMIT, accumulate, by_start, retime


def log_of(starts_in_days: list[float], gaps_in_minutes: list[list[float]]) -> EventLog:
    cases, times = [], []
    for case, (start, steps) in enumerate(zip(starts_in_days, gaps_in_minutes, strict=True)):
        cases += [str(case)] * (1 + len(steps))
        times += (start * DAY + np.cumsum([0, *steps]) * MINUTE).tolist()
    activities = [label for steps in gaps_in_minutes for label in ["A", *"B" * len(steps)]]
    return EventLog.from_rows(cases, activities, np.array(times))


def without_noise(log: EventLog, low: float = 0) -> Estimate:
    """Groups of one value each: `high` is `low`, so no event gets noise."""
    values = gaps(log)
    known = Knowledge(values, np.full(len(values), low), np.full(len(values), low), np.full(len(values), 0.5))
    return Estimate(log, np.zeros(len(values), dtype=int), known, np.ones(len(values)), 0)


def test_running_sums_start_anew_in_each_case():
    assert accumulate(np.array([1.0, 2, 3, 10, 20, 5]), np.array([0, 3, 5, 6])).tolist() == [1, 3, 6, 10, 30, 5]


def test_constant_durations_of_the_code_are_decoded_exactly():
    # Released gap = gap + f floor(gap) with one f a log: whoever knows one duration knows all.
    log = log_of([0, 3, 7], [[30.5], [30.5], [30.5]])
    sources = np.array([0, 1, 2, 2])
    estimated = estimate(log, delta=0.3, filtering=False, profile="code", precision=10)
    new = retime(estimated, sources, (0, 0), "code", np.random.default_rng(1))
    released = (new.timestamps[1::2] - new.timestamps[::2]) / MINUTE
    factor = (released[0] - 30.5) / 30
    assert released == pytest.approx(30.5 + factor * 30)
    assert factor == pytest.approx(new.compression, abs=1e-6)
    assert 0 < factor < 0.5


def share_decoded(profile: str) -> float:
    """How many durations fall to an attacker who knows that AB always takes 30 minutes.

    He takes the ratio of the first released AB to it for that of every duration; AC takes 77 and AD 240 minutes.
    """
    minutes = {"B": 30, "C": 77, "D": 240}
    words = [("A", other) for other in minutes for _ in range(60)]
    times = [day * DAY + minute * MINUTE for day, (_, other) in enumerate(words) for minute in (0, minutes[other])]
    log = EventLog.from_rows(np.repeat(np.arange(180).astype(str), 2), np.ravel(words).tolist(), np.array(times))
    public = {"dates": ("1970-01-01", "1970-07-01"), "max_length": 2, "max_duration": 1.0}
    released = release(log, delta=0.3, profile=profile, **public, rng=np.random.default_rng(12))
    others = [released.labels[code] for code in released.activities[1::2]]
    found = (released.timestamps[1::2] - released.timestamps[::2]) / MINUTE
    ratio = found[others.index("B")] / minutes["B"]
    truth = np.array([minutes[other] for other in others])
    assert set(others) == set(minutes)
    return float((np.abs(found - ratio * truth) < 0.01 * ratio * truth).mean())


def test_one_known_constant_duration_decodes_all_others_in_the_published_profiles_alone():
    # In `paper` each comes out as compression x duration: groups of one value get no noise there either.
    assert share_decoded("code") == share_decoded("paper") == 1
    assert share_decoded("hardened") < 0.1


def test_times_beyond_64_bits_of_nanoseconds_are_cut():
    # The noise is its group's minimum, f = 1/2: the first case runs off to the future, the second to the past.
    log = log_of([0, 10], [[5], [5]])
    far = 1e20
    low = np.array([0, far, -far, far])
    known = Knowledge(gaps(log), low, low, np.full(4, 0.5))
    estimated = Estimate(log, np.zeros(4, dtype=int), known, np.ones(4), 0)
    new = retime(estimated, np.array([0, 1]), (0, 0), "code", np.random.default_rng(13))
    assert new.compression == 0.5
    assert new.timestamps.tolist() == [0, LIMIT, -LIMIT, log.timestamps[3]]
    assert 2**63 - 2000 <= 1000 * LIMIT < 2**63


def test_compression_of_the_code_by_hand():
    # No draw is left, but each z is its group's minimum, 720 minutes: C = 720, 1440 in both cases. The starts
    # span 10 days and the smallest shift is half a day: f = 0.5 * 10 / (0.5 + 10).
    log = log_of([0, 10], [[800], [900]])
    new = retime(without_noise(log, 720 * MINUTE), np.array([0, 1]), (0, 0), "code", np.random.default_rng(2))
    factor = 5 / 10.5
    assert new.compression == pytest.approx(factor)
    assert (new.timestamps - log.timestamps) / MINUTE == pytest.approx(np.array([720, 1440, 720, 1440]) * factor)


def test_epsilons_are_divided_among_instances_as_each_profile_says():
    log = log_of([0, 1], [[5], [7]])
    sources = np.array([0, 0, 0, 1])
    code = retime(without_noise(log), sources, (0, 1), "code", np.random.default_rng(3))
    paper = retime(without_noise(log), sources, (0, 1), "paper", np.random.default_rng(3))
    assert code.instances.tolist() == [3, 3, 3, 1]
    assert code.epsilons == pytest.approx([1, 1 / 3, 1, 1 / 3, 1, 1 / 3, 1, 1])
    assert paper.epsilons == pytest.approx(np.full(8, 1 / 3))


def test_paper_anchors_and_scales_noisy_times_alone_by_hand():
    # Values without noise: starts 0 and 4 days, gaps 60 and 120 minutes; the public starts are 2 days apart.
    log = log_of([0, 4], [[60], [120]])
    values = np.where(log.first_events, log.timestamps, gaps(log)).astype(float)
    known = Knowledge(values, np.zeros(4), np.zeros(4), np.full(4, 0.5))
    estimated = Estimate(log, np.zeros(4, dtype=int), known, np.ones(4), 0)
    first = int(100 * DAY)
    new = retime(estimated, np.array([0, 1]), (first, first + int(2 * DAY)), "paper", np.random.default_rng(4))
    assert new.compression == 0.5
    expected = first + np.array([0, 30 * MINUTE, 2 * DAY, 2 * DAY + 60 * MINUTE])
    assert new.timestamps.tolist() == expected.tolist()


def test_paper_noise_is_laplace_scaled_to_the_group():
    n = 4000
    log = log_of([0] * n, [[1000]] * n)
    values = np.where(log.first_events, 0.0, 1e6 * MINUTE)  # so long that no noisy value is cut at 0
    known = Knowledge(values, np.zeros(2 * n), np.where(log.first_events, 0, 50 * MINUTE), np.full(2 * n, 0.5))
    estimated = Estimate(log, np.zeros(2 * n, dtype=int), known, np.full(2 * n, 2.0), 0)
    new = retime(estimated, np.arange(n), (0, 1), "paper", np.random.default_rng(5))
    noise = (new.timestamps[1::2] - new.timestamps[::2]) / MINUTE - 1e6
    assert new.compression == 1  # all starts are one: there is nothing to scale
    assert kstest(noise, "laplace", args=(0, 50 / 2)).pvalue > 1e-3


def test_paper_cuts_negative_durations_to_0():
    log = log_of([0, 1] * 50, [[5], [500]] * 50)
    estimated = estimate(log, delta=0.3, filtering=False, profile="paper", precision=10)
    new = retime(estimated, np.arange(100), (0, int(DAY)), "paper", np.random.default_rng(6))
    released = new.timestamps[1::2] - new.timestamps[::2]
    assert (released >= 0).all()
    assert (released == 0).any()


def test_order_by_start_does_not_depend_on_the_order_before():
    log = log_of([5, 1, 1, 1, 1, 3], [[1]] * 6)
    orders = set()
    for seed in range(200):
        ordered, order = by_start(log, np.random.default_rng(seed))
        assert (ordered.timestamps[ordered.first_events] == log.timestamps[log.offsets[order]]).all()
        starts = ordered.timestamps[ordered.first_events]
        assert (np.diff(starts) >= 0).all()
        orders.add(tuple(ordered.timestamps.tolist()))
    assert len(orders) == 1


def test_cases_of_equal_start_come_in_random_order():
    # As in a release whose copies, which stand behind, start with the originals: B to E start together.
    log = EventLog.from_rows(list("123456"), list("ABCDEF"), np.array([0, 7, 7, 7, 7, 9]))
    position = np.zeros((4, 4), dtype=int)
    for seed in range(2000):
        ordered, _ = by_start(log, np.random.default_rng(seed))
        order = [ordered.labels[code] for code in ordered.activities]
        assert (order[0], order[5]) == ("A", "F")
        for place, label in enumerate(order[1:5]):
            position["BCDE".index(label), place] += 1
    assert chisquare(position.ravel()).pvalue > 1e-3
