"""Bounds on epsilon and delta from counts: values by hand, and how often they exceed the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from metrics.epsilon_bounds import clopper_pearson, delta_bound, epsilon_bound, largest_bound


def test_worked_values():
    low, high = clopper_pearson(100, 1000, 0.025)
    assert (float(low), float(high)) == pytest.approx((0.0821053, 0.1202879), abs=1e-7)
    assert float(clopper_pearson(0, 1000, 0.025)[1]) == pytest.approx(0.00368208, abs=1e-8)
    assert float(epsilon_bound(500, 100, 1000, 0.05)) == pytest.approx(1.359753, abs=1e-6)
    assert float(epsilon_bound(500, 100, 1000, 0.05, delta=0.01)) == pytest.approx(1.338179, abs=1e-6)
    assert float(epsilon_bound(500, 0, 1000, 0.05)) == pytest.approx(4.846162, abs=1e-6)
    assert float(epsilon_bound(0, 0, 1000, 0.05)) == 0


@pytest.mark.parametrize(
    ("draws", "largest"), [(50, 2.57), (500, 4.91), (5000, 7.21), (50_000, 9.51), (500_000, 11.82)]
)
def test_the_most_that_draws_can_show(draws, largest):
    assert largest_bound(draws, 0.05) == pytest.approx(largest, abs=0.005)


@given(st.integers(1, 200), st.data())
def test_limits_are_those_that_make_the_count_as_unlikely_as_the_error(draws, data):
    hits, error = data.draw(st.integers(0, draws)), data.draw(st.floats(0.001, 0.4))
    low, high = map(float, clopper_pearson(hits, draws, error))
    assert 0 <= low <= hits / draws <= high <= 1
    if hits:
        assert binom.sf(hits - 1, draws, low) == pytest.approx(error, rel=1e-6)
    if hits < draws:
        assert binom.cdf(hits, draws, high) == pytest.approx(error, rel=1e-6)


@given(st.integers(0, 300), st.integers(0, 300), st.floats(0, 0.2), st.floats(0, 4))
def test_the_two_bounds_say_the_same(first, second, delta, epsilon):
    """Epsilon is above the bound at delta if and only if delta is above the bound at epsilon."""
    shown = float(epsilon_bound(first, second, 300, 0.05, delta))
    if abs(shown - epsilon) > 1e-6 and shown > 0:
        assert (float(delta_bound(first, second, 300, 0.05, epsilon)) > delta) == (shown > epsilon)
    assert float(delta_bound(first, second, 300, 0.05, epsilon)) <= float(clopper_pearson(first, 300, 0.025)[0])


def test_the_bound_exceeds_the_truth_no_more_often_than_stated():
    rng = np.random.default_rng(1)
    likely, rare = 0.731059, 0.268941  # the tails of the geometric law of epsilon 1
    counts = rng.binomial(2000, likely, 20_000), rng.binomial(2000, rare, 20_000)
    assert (epsilon_bound(*counts, 2000, 0.05) > math.log(likely / rare)).mean() < 0.05
