"""Randomized response and the bounded Laplace law, against formulas written down independently."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, kstest, laplace

from baselines.pripel.noise import bounded_laplace, randomized_response

DRAWS = 50_000


def truncated(value: float, low: float, high: float, scale: float):
    """Distribution function of a Laplace variate given that it lies in [low, high]."""
    law = laplace(value, scale)
    return lambda x: (law.cdf(x) - law.cdf(low)) / (law.cdf(high) - law.cdf(low))


def test_vectors(shared_dir):
    vectors = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())["local mechanisms eps=1"]
    rng = np.random.default_rng(1)
    kept = (randomized_response(np.ones(DRAWS, int), 2, 1.0, rng) == 1).sum()
    assert binomtest(kept, DRAWS, vectors["boolean keep"]).pvalue > 0.001
    drawn = np.bincount(randomized_response(np.ones(DRAWS, int), 3, 1.0, rng), minlength=3)
    other = vectors["categorical m=3 each other"]
    shares = np.array([other, vectors["categorical m=3 keep"], other])
    assert chisquare(drawn, DRAWS * shares / shares.sum()).pvalue > 0.001
    drawn = bounded_laplace(np.full(DRAWS, 3.0), 0, 10, vectors["bounded Laplace scale, range 10, domain [0,10]"], rng)
    assert kstest(drawn, truncated(3, 0, 10, 10)).pvalue > 0.001


@pytest.mark.parametrize(("epsilon", "n_values"), [(0.1, 2), (2.0, 2), (0.5, 7), (3.0, 40)])
def test_randomized_response(epsilon, n_values):
    codes = np.random.default_rng(1).integers(0, n_values, DRAWS)
    drawn = randomized_response(codes, n_values, epsilon, np.random.default_rng(2))
    steps = np.bincount((drawn - codes) % n_values, minlength=n_values)
    keep = np.exp(epsilon) / (np.exp(epsilon) + n_values - 1)
    shares = np.full(n_values, (1 - keep) / (n_values - 1))
    shares[0] = keep
    assert chisquare(steps, DRAWS * shares).pvalue > 0.001
    # The likeliest and the unlikeliest source of a value differ by e^epsilon.
    assert keep / shares[1] == pytest.approx(np.exp(epsilon))


@pytest.mark.parametrize(
    ("value", "low", "high", "scale"),
    [
        (0, 0, 1, 1),
        (1, 0, 1, 0.2),
        (0.4, 0, 1, 5),
        (-3, -10, -2, 2),
        (7, 0, 1e6, 3),
        (5e14, 0, 5e14, 1e12),
        (0, 0, 1, 50),
    ],
)
def test_bounded_laplace(value, low, high, scale):
    drawn = bounded_laplace(np.full(DRAWS, float(value)), low, high, scale, np.random.default_rng(1))
    assert low <= drawn.min() <= drawn.max() <= high
    assert kstest(drawn, truncated(value, low, high, scale)).pvalue > 0.001


def test_bounds_of_each_value():
    low, high = np.arange(DRAWS) % 3 * 10.0, np.arange(DRAWS) % 3 * 10.0 + 5
    drawn = bounded_laplace(low, low, high, 2.0, np.random.default_rng(1))
    for start in (0, 10, 20):
        assert kstest(drawn[low == start], truncated(start, start, start + 5, 2)).pvalue > 0.001


def test_a_clipped_draw_would_be_noticed():
    """A tempting error: noise cut at the bounds instead of conditioned on them."""
    rng = np.random.default_rng(1)
    wrong = np.clip(3 + rng.laplace(0, 10, DRAWS), 0, 10)
    assert kstest(wrong, truncated(3, 0, 10, 10)).pvalue < 1e-6


def test_scale_0_and_windows_of_no_width_keep_the_value():
    rng = np.random.default_rng(1)
    assert bounded_laplace(np.array([3, 5]), 0, 10, 0, rng).tolist() == [3, 5]
    assert bounded_laplace(np.array([3, 5]), np.array([3, 5]), np.array([3, 5]), 2.0, rng).tolist() == [3, 5]
