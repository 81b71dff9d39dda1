"""Confidence intervals of rates: over seeds where there are enough of them, over targets where there are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
ENOUGH = 5  # seeds
OVER_SEEDS = "over seeds"
OVER_TARGETS = "one release; targets treated as independent"


class Interval(NamedTuple):
    """The ends of an interval; NaN where there is none."""

    low: float
    high: float


NO_INTERVAL = Interval(math.nan, math.nan)


def over_seeds(values: Sequence[float], low: float, high: float) -> Interval:
    """Student's interval of the mean of at least two values, cut to the range of what they are.

    Parameters
    ----------
    values : sequence of float
    low, high : float
    """
    values = np.asarray(values, dtype=float)
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    mean = values.mean()
    return Interval(max(low, float(mean - half)), min(high, float(mean + half)))


def wilson(rate: float, n: int) -> Interval:
    """Wilson's interval of a share of n independent targets ("Probable inference", JASA 1927).

    Parameters
    ----------
    rate : float
        It need not be a whole number of targets, as those are that count a target in part.
    n : int
    """
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def newcombe(first: float, n_first: int, second: float, n_second: int) -> Interval:
    """Interval of the difference of two shares of independent targets (Newcombe, Statistics in Medicine 1998, method
    10)."""
    a, b = wilson(first, n_first), wilson(second, n_second)
    difference = first - second
    below = math.hypot(first - a.low, b.high - second)
    above = math.hypot(a.high - first, second - b.low)
    return Interval(max(-1.0, difference - below), min(1.0, difference + above))
