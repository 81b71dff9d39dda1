"""Moves of whole traces and noise on the times between events."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_pripel import search
from pripel_logs import SECOND, random_logs, timed
from scipy.stats import kstest, laplace

from baselines.pripel.enrichment import Filled
from baselines.pripel.timestamps import Bounds, complete_bounds, first_trace_scale, move_local, move_published

N = 20_000


def truncated(value: float, low: float, high: float, scale: float):
    law = laplace(value, scale)
    return lambda x: (law.cdf(x) - law.cdf(low)) / (law.cdf(high) - law.cdf(low))


def traces(*times: list[float]) -> Filled:
    """Traces with events at some seconds."""
    offsets = np.cumsum([0, *map(len, times)])
    stamps = np.array([round(second * SECOND) for trace in times for second in trace], dtype=np.int64)
    nothing = np.zeros(len(stamps), dtype=np.int64)
    return Filled(nothing, offsets, np.zeros(len(times), dtype=np.int64), nothing, stamps)


def starts(stamps: np.ndarray, made: Filled) -> np.ndarray:
    return stamps[made.offsets[:-1]] / SECOND


# Non-first events from 100 to 200 s; the last case begins after all of them.
LOG = timed(("ab", [0, 100]), ("ab", [150, 200]), ("a", [300]))


def test_scale_vectors(shared_dir):
    vectors = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())["local mechanisms eps=1"]
    for window in (8, 6):
        expected = vectors[f"shift scale, span 10, window width {window}"]
        assert first_trace_scale(10, window, 1) == pytest.approx(expected, rel=1e-12)
    edge = 10 * (1 - vectors["no finite scale when share f >= "])
    assert math.isnan(first_trace_scale(10, edge - 1e-9, 1))
    assert first_trace_scale(10, edge + 1e-9, 1) > 0
    assert first_trace_scale(10, 10, 1) == pytest.approx(10)


@settings(max_examples=200, deadline=None)
@given(st.floats(1, 1e15), st.floats(0.01, 3), st.floats(0.01, 30))
def test_scale_is_that_of_the_literal_search(span, share, epsilon):
    expected = search(span, share * span, epsilon)
    found = first_trace_scale(span, share * span, epsilon)
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, rel=1e-9)


def test_a_huge_epsilon_is_no_overflow():
    assert math.isnan(first_trace_scale(1e15, 1, 5000))


@pytest.mark.parametrize(
    ("times", "low", "high"),
    [
        ([120, 130], -20, 70),
        ([50, 160], 50, 40 + 110),  # too long for the range, so the end of the window is that of its first event
        ([90, 110], 10, 90),  # begins before the range: moved by at least 10
        ([100], 0, 100),
        ([300], -200, -100),  # lies after the range
        ([300, 420], -200, 100),  # lies after it and is too long
    ],
)
def test_published_moves(times, low, high):
    """A first trace without duration makes the scale range / epsilon where its window is the range."""
    made = traces([100], *[times] * N)
    moved = move_published(LOG, made, 2.0, np.random.default_rng(1))
    assert moved.diagnostics == {"move_scale_s": pytest.approx(50), "move_scale_of_first_trace": True}
    shifts = starts(moved.timestamps, made)[1:] - times[0]
    assert low <= shifts.min() <= shifts.max() <= high
    assert kstest(shifts, truncated(np.clip(0, low, high), low, high, 50)).pvalue > 0.001
    assert (np.diff(moved.timestamps[1:].reshape(N, -1)) == np.diff(np.array(times)) * SECOND).all()


def test_the_scale_of_the_first_trace_is_that_of_all():
    made = traces([110, 130], *[[150]] * N)
    moved = move_published(LOG, made, 1.0, np.random.default_rng(1))
    assert moved.diagnostics["move_scale_s"] == pytest.approx(88.66285, rel=1e-6)  # ten times that of span 10, window 8
    shifts = starts(moved.timestamps, made)[1:] - 150
    assert kstest(shifts, truncated(0, -50, 50, 88.66285)).pvalue > 0.001


def test_a_first_trace_without_a_scale_is_told():
    moved = move_published(LOG, traces([110, 190]), 2.0, np.random.default_rng(1))
    assert moved.diagnostics == {"move_scale_s": 50, "move_scale_of_first_trace": False}


def test_a_range_of_one_moment():
    log = timed(("ab", [0, 100]), ("ab", [50, 100]))
    moved = move_published(log, traces([0, 100], [50, 50]), 1.0, np.random.default_rng(1))
    assert (moved.timestamps / SECOND).tolist() == [100, 200, 100, 100]


def test_no_trace_to_move():
    nothing, rng = traces(), np.random.default_rng(1)
    assert len(move_published(LOG, nothing, 1.0, rng).timestamps) == 0
    assert len(move_local(nothing, complete_bounds(LOG, None, None), 1.0, rng).timestamps) == 0


def bounds(first: float, last: float, longest: float) -> Bounds:
    return Bounds((round(first * SECOND), round(last * SECOND)), round(longest * SECOND), ())


def test_local_noise_on_gaps_and_start():
    made = traces(*[[400, 403, 430]] * N)
    moved = move_local(made, bounds(0, 1000, 10), 0.5, np.random.default_rng(1))
    assert moved.not_covered == ()
    times = moved.timestamps.reshape(N, 3) / SECOND
    gaps = np.diff(times, axis=1)
    assert kstest(gaps[:, 0], truncated(3, 0, 10, 20)).pvalue > 0.001
    assert kstest(gaps[:, 1], truncated(10, 0, 10, 20)).pvalue > 0.001  # 27 is cut to 10
    assert abs(np.corrcoef(gaps.T)[0, 1]) < 0.03
    # Windows differ by the noisy duration of at most 20 s, so the law of the start is within 2 % of that without one.
    assert kstest(times[:, 0], truncated(400, 0, 1000, 2000)).statistic < 0.03


@settings(max_examples=80, deadline=None)
@given(random_logs(), st.integers(0, 600), st.integers(1, 600), st.floats(1, 600), st.floats(0.01, 20))
def test_local_times_stay_in_the_bounds_and_in_order(log, first, width, longest, epsilon):
    made = traces(*[(log.timestamps[a:b] / SECOND).tolist() for a, b in pairwise(log.offsets)])
    limits = bounds(first, first + width, longest)
    moved = move_local(made, limits, epsilon, np.random.default_rng(1)).timestamps
    assert limits.dates[0] <= moved.min() <= moved.max() <= limits.dates[1]
    steps = np.diff(moved)
    steps[log.offsets[1:-1] - 1] = 0
    assert 0 <= steps.min(initial=0) <= steps.max(initial=0) <= limits.max_duration + 1


def test_bounds_that_are_not_given_are_named():
    assert complete_bounds(LOG, (1, 9), 5) == Bounds((1, 9), 5, ())
    assert complete_bounds(LOG, (1, 9), None) == Bounds((1, 9), 8, ())
    assert complete_bounds(LOG, None, 5) == Bounds((0, 300 * SECOND), 5, ("dates",))
    assert complete_bounds(LOG, None, None) == Bounds((0, 300 * SECOND), 300 * SECOND, ("dates", "max_duration"))
