"""The noise laws against their formulas and against literal draws."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from literal_queries import noise as literal
from scipy.stats import chi2_contingency, chisquare

from baselines.prefix_query.noise import LAWS, Noise
from mechanisms import ParameterError

DRAWS = 5_000
EPSILONS = (0.1, 1.0, 3.0)


def histogram(values: np.ndarray, cells: int) -> np.ndarray:
    """How often 0, 1, ..., and everything from the last cell on."""
    return np.bincount(np.minimum(values, cells - 1), minlength=cells)


def test_vectors(shared_dir):
    vectors = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())["noise law eps=1"]
    assert Noise("trunc", 1).tail(3) == pytest.approx(vectors["Pr[>=3]"])
    assert Noise("geom", 1).tail(3) == pytest.approx(vectors["two-sided geometric Pr[>=3]"])
    # The probability of noise 0 from the tails of both signs.
    assert 1 - 2 * Noise("trunc", 1).tail(1) == pytest.approx(vectors["P[0]"])
    assert 1 - 2 * Noise("geom", 1).tail(1) == pytest.approx(vectors["two-sided geometric P[0]"])
    assert Noise("trunc", 1).tail(1) - Noise("trunc", 1).tail(2) == pytest.approx(vectors["P[1]"])
    assert Noise("trunc", 1).tail(2) - Noise("trunc", 1).tail(3) == pytest.approx(vectors["P[2]"])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("count", [0, 4])
def test_noisy_counts_are_distributed_as_literal_ones(law, epsilon, count):
    rng = np.random.default_rng(1)
    cells = count + 3 + int(2 / epsilon)
    ours = histogram(Noise(law, epsilon).noisy(np.full(DRAWS, count), rng), cells)
    draw = literal(law, epsilon, rng)
    theirs = histogram(np.array([draw(count) for _ in range(DRAWS)]), cells)
    common = ours + theirs >= 10
    assert chi2_contingency([ours[common], theirs[common]]).pvalue > 1e-4


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("threshold", [1, 3])
def test_counts_that_reach_a_threshold_are_those_of_all_that_do(law, epsilon, threshold):
    rng = np.random.default_rng(2)
    noise = Noise(law, epsilon)
    noisy = noise.noisy(np.zeros(200_000, dtype=np.int64), rng)
    reaching = noisy[noisy >= threshold]
    share = noise.tail(threshold)
    expected = np.array([share, 1 - share]) * len(noisy)
    assert chisquare([len(reaching), len(noisy) - len(reaching)], expected).pvalue > 1e-4
    cells = 2 + int(2 / epsilon)
    table = np.array(
        [histogram(values - threshold, cells) for values in (reaching, noise.reaching(threshold, DRAWS, rng))]
    )
    assert chi2_contingency(table[:, table.sum(axis=0) >= 10]).pvalue > 1e-4


@pytest.mark.parametrize("law", LAWS)
def test_infinite_epsilon_is_no_noise(law):
    noise, counts = Noise(law, math.inf), np.array([0, 1, 7])
    assert noise.noisy(counts, np.random.default_rng(1)).tolist() == [0, 1, 7]
    assert (noise.tail(1), noise.cost) == (0, math.inf)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("epsilon", [1e-9, 700.0])
def test_extreme_epsilons_give_finite_counts(law, epsilon):
    noisy = Noise(law, epsilon).noisy(np.arange(1000), np.random.default_rng(1))
    assert noisy.dtype == np.int64
    assert (noisy >= 0).all()


def test_a_truncated_count_costs_ln_2_more():
    """As the odds of 1 grow from a count of 0 to a count of 1: 2 e^epsilon."""
    noise = Noise("trunc", 0.01)
    stays = 1 - 2 * noise.tail(1)
    becomes = noise.tail(1) - noise.tail(2)
    assert noise.cost == pytest.approx(math.log(stays / becomes))
    assert Noise("geom", 0.01).cost == 0.01


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, 1e-320])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ParameterError, match="epsilon must be positive"):
        Noise("geom", epsilon)


def test_an_unknown_law_is_refused():
    with pytest.raises(ParameterError, match="trunc, geom, abs; it is 'gauss'"):
        Noise("gauss", 1)
