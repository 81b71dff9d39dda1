"""Bounds on epsilon and delta from counts: values by hand, and how often they exceed the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from metrics.epsilon_bounds import clopper_pearson, delta_bound, epsilon_bound, holm, largest_bound, p_value


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


def test_the_delta_that_an_impossible_output_shows():
    """Against Amun's claim at delta 0.3: in all of 50,000 draws on one log, in none on the other."""
    assert float(delta_bound(50_000, 0, 50_000, 0.05, 1.238)) == pytest.approx(0.9997, abs=5e-5)


@pytest.mark.parametrize(("likely", "rare", "width", "draws"), [
    (0.731059, 0.268941, 0.1, 1954), (0.731059, 0.268941, 0.02, 48_848), (0.632121, 0.116272, 0.1, 4760),
    (0.632121, 0.116272, 0.05, 19_038), (0.1, 0.1 / math.e, 0.05, 101_241), (0.001, 0.001 / math.e, 0.1, 2_693_526),
])  # fmt: skip
def test_so_many_draws_bring_the_bound_so_near(likely, rare, width, draws):
    bound = float(epsilon_bound(round(likely * draws), round(rare * draws), draws, 0.05))
    assert math.log(likely / rare) - bound == pytest.approx(width, rel=0.06)


@given(st.integers(0, 300), st.integers(0, 300), st.floats(0, 0.1), st.floats(0, 3))
def test_the_p_value_is_the_least_error_that_contradicts(first, second, delta, epsilon):
    p = p_value(first, second, 300, epsilon, delta)
    assert 0 < p <= 1
    if p < 1:
        assert delta_bound(first, second, 300, p * 1.001, epsilon) > delta
    if p > 1e-90:
        assert not delta_bound(first, second, 300, p * 0.999, epsilon) > delta


def test_p_values_of_many_claims_by_hand():
    """Holm: the smallest times 4, the next times 3, ...; never below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1, 1])
    assert len(holm([])) == 0


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
