"""The Wasserstein distance of a sample to one fixed, sorted population, in time linear in the sample but for a log.

The coupling of quantiles: value j of m covers the ranks j/m to (j+1)/m, over which the distance to the population's
quantiles has a closed form in their running sum. Decisions agree with `scipy.stats.wasserstein_distance`: within a
guard band around the limit, it is asked.
"""

from __future__ import annotations

import numpy as np

GUARD = 1e-7  # of the range; rounding errors are near 1e-15


class Population:
    """Values with a range, to which samples are compared.

    Parameters
    ----------
    values : float array (n,)
        Rising, not all equal.
    """

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.range = values[-1] - values[0]
        scaled = self._scale(values)
        self._mean = float(scaled.mean())
        self._scaled = np.append(scaled, 1.0)
        self._sums = np.concatenate(([0.0], np.cumsum(scaled)))

    def distance(self, sample: np.ndarray) -> float:
        """Wasserstein-1 distance of a rising sample to the population, as a share of the population's range."""
        edges = np.minimum(np.arange(len(sample) + 1) * (len(self.values) / len(sample)), len(self.values))
        low, high, sums = edges[:-1], edges[1:], self._sum(edges)
        middle = np.clip(np.searchsorted(self.values, sample, side="right"), low, high)
        costs = self._scale(sample) * (2 * middle - low - high) - 2 * self._sum(middle) + sums[:-1] + sums[1:]
        return float(costs.sum()) / len(self.values)

    def _scale(self, values: np.ndarray) -> np.ndarray:
        return (values - self.values[0]) / self.range

    def _sum(self, ranks: np.ndarray) -> np.ndarray:
        """Sum of the scaled values up to a rank, which may lie between two of them."""
        whole = ranks.astype(np.int64)
        return self._sums[whole] + (ranks - whole) * self._scaled[whole]

    def reaches(self, sample: np.ndarray, limit: float) -> bool:
        """Whether the distance of a rising sample to the population is at least `limit`."""
        # All may move to the least value and on from there, so the distance is at most the sum of both mean ways.
        if np.abs(self._scale(sample)).mean() + self._mean < limit - GUARD:
            return False
        distance = self.distance(sample)
        if abs(distance - limit) > GUARD:
            return distance > limit
        from scipy.stats import wasserstein_distance

        return bool(wasserstein_distance(self.values, sample) / self.range >= limit)
