"""Confidence intervals of rates: over seeds where there are enough of them, over targets where there are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from metrics.intervals import CONFIDENCE

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
