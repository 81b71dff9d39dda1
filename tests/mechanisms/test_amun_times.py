"""New times: the laws of each profile, by hand where no randomness is left."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from data.log import EventLog
from mechanisms.amun.knowledge import DAY, MINUTE, Estimate, Knowledge, estimate, gaps
from mechanisms.amun.times import accumulate, by_start, retime


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
    # Released gap = gap + f floor(gap) with one f a log: whoever knows one duration knows all. This attack
    # succeeds by design of the published code and must fail on the other profiles.
    log = log_of([0, 3, 7], [[30.5], [30.5], [30.5]])
    sources = np.array([0, 1, 2, 2])
    estimated = estimate(log, delta=0.3, filtering=False, profile="code", precision=10)
    new = retime(estimated, sources, (0, 0), "code", np.random.default_rng(1))
    released = (new.timestamps[1::2] - new.timestamps[::2]) / MINUTE
    factor = (released[0] - 30.5) / 30
    assert released == pytest.approx(30.5 + factor * 30)
    assert factor == pytest.approx(new.compression, abs=1e-6)
    assert 0 < factor < 0.5


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
        ordered = by_start(log, np.random.default_rng(seed))
        starts = ordered.timestamps[ordered.first_events]
        assert (np.diff(starts) >= 0).all()
        orders.add(tuple(ordered.timestamps.tolist()))
    assert len(orders) == 1
