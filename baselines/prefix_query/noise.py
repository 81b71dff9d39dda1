"""The noise laws of published count queries.

`trunc` is the integer part, towards zero, of a Laplace variate, added to the count: what all published Python code
draws. As the noise is rounded and not the sum, one count costs epsilon + ln 2. `geom` is the two-sided geometric
law of Ghosh, Roughgarden and Sundararajan (SIAM J. Comput. 2012), epsilon-differentially private. `abs` rounds the
absolute value of count plus Laplace noise: Mannhardt et al. (BISE 2019); it is private but biased upward.

Counts are clamped at 0. The noisy count of a candidate without any case exceeds a threshold that it reached by a
geometric law, whatever the threshold of at least 1 and the law of the three.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mechanisms import ParameterError


@dataclass(frozen=True)
class Noise:
    """Noise on counts.

    Parameters
    ----------
    law : {"trunc", "geom", "abs"}
    epsilon : float
        Positive; infinity is no noise.

    Raises
    ------
    ParameterError
        If the law is unknown or epsilon not positive.
    """

    law: str
    epsilon: float

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise ParameterError(f"noise must be one of {', '.join(LAWS)}; it is {self.law!r}")
        check_epsilon(self.epsilon)

    @property
    def cost(self) -> float:
        """The epsilon that one noisy count of sensitivity 1 costs."""
        return self.epsilon + LAWS[self.law].surcharge

    def noisy(self, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Noisy counts of at least 0, int64.

        Parameters
        ----------
        counts : int64 array
        rng : numpy.random.Generator
        """
        return np.maximum(LAWS[self.law].noisy(counts, self.epsilon, rng), 0)

    def tail(self, threshold: int) -> float:
        """Probability that a count of 0 becomes at least `threshold`, which is at least 1."""
        return LAWS[self.law].tail(self.epsilon, threshold)

    def reaching(self, threshold: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Noisy counts of candidates without cases, given that each is at least `threshold`; int64 (size,)."""
        return threshold + _geometric(size, self.epsilon, rng)


LEAST = 1e-15  # less would make counts that are too large for 64 bits


def check_epsilon(epsilon: float) -> None:
    """Refuse an epsilon that is not positive, or too small to compute with."""
    if not epsilon >= LEAST:
        raise ParameterError(f"epsilon must be positive, at least {LEAST} (inf is no noise); it is {epsilon}")


def _geometric(size: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """g = 0, 1, ... with probability (1 - e^-epsilon) e^(-epsilon g)."""
    return rng.geometric(-math.expm1(-epsilon), size) - 1


def _truncated(counts: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    return counts + rng.choice((-1, 1), len(counts)) * _geometric(len(counts), epsilon, rng)


def _two_sided(counts: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    return counts + _geometric(len(counts), epsilon, rng) - _geometric(len(counts), epsilon, rng)


def _absolute(counts: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    return np.rint(np.abs(counts + rng.laplace(scale=1 / epsilon, size=len(counts)))).astype(np.int64)


class _Law(NamedTuple):
    noisy: Callable[[np.ndarray, float, np.random.Generator], np.ndarray]
    tail: Callable[[float, int], float]  # probability that a count of 0 becomes at least so much
    surcharge: float  # what a count costs beyond epsilon


LAWS = {
    "trunc": _Law(_truncated, lambda epsilon, least: math.exp(-epsilon * least) / 2, math.log(2)),
    "geom": _Law(_two_sided, lambda epsilon, least: math.exp(-epsilon * least) / (1 + math.exp(-epsilon)), 0.0),
    "abs": _Law(_absolute, lambda epsilon, least: math.exp(-epsilon * (least - 0.5)), 0.0),
}
