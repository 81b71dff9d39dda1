"""Confidence intervals of shares of cases, of one release in which the cases are taken to be independent."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def wilson(share: float, n: int) -> tuple[float, float]:
    """The interval of a share of n (Wilson, JASA 1927)."""
    centre = share + Z**2 / (2 * n)
    half = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    scale = 1 + Z**2 / n
    return max((centre - half) / scale, 0.0), min((centre + half) / scale, 1.0)


def newcombe(first: tuple[float, int], second: tuple[float, int]) -> tuple[float, float]:
    """The interval of the difference of two shares (Newcombe, Statistics in Medicine 1998, method 10).

    Parameters
    ----------
    first, second : pairs of a share and how many it is of
    """
    (p, _), (q, _) = first, second
    (p_low, p_high), (q_low, q_high) = wilson(*first), wilson(*second)
    return p - q - sqrt((p - p_low) ** 2 + (q_high - q) ** 2), p - q + sqrt((p_high - p) ** 2 + (q - q_low) ** 2)
