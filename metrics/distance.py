"""Distances of histograms and of samples on the line, exact in integers up to the last division.

Counts are multiplied across instead of being normalised first, so identity and a log written twice score
exactly 0. The Wasserstein distance is written out because importing scipy.stats (1.2 s) costs more than
scoring a log.
"""

from __future__ import annotations

import numpy as np

from data.log import ranges

HOUR = 3_600_000_000  # microseconds


def total_variation(u: np.ndarray, v: np.ndarray) -> float:
    """Half the L1 distance of two histograms over the same bins, each normalised to mass 1."""
    u_total, v_total = u.sum(), v.sum()
    return float(np.abs(u * v_total - v * u_total).sum() / (2 * u_total * v_total))


def wasserstein(a: np.ndarray, b: np.ndarray) -> float:
    """1-Wasserstein distance of two non-empty integer samples, each of mass 1, in the unit of the samples."""
    groups_a, groups_b = np.zeros(len(a), dtype=np.int64), np.zeros(len(b), dtype=np.int64)
    return float(wasserstein_by_group(groups_a, a, groups_b, b)[0])


def wasserstein_by_group(groups_a: np.ndarray, a: np.ndarray, groups_b: np.ndarray, b: np.ndarray) -> np.ndarray:
    """1-Wasserstein distance of the two samples of every group, in one merged pass.

    Parameters
    ----------
    groups_a, groups_b : int arrays
        Group of each value, 0 to k - 1; every group occurs on both sides.
    a, b : int64 arrays
        Values.

    Returns
    -------
    float64 array (k,)
    """
    groups, values = np.concatenate((groups_a, groups_b)), np.concatenate((a, b))
    order = np.lexsort((values, groups))
    groups, values = groups[order], values[order]
    size_a, size_b = np.bincount(groups_a), np.bincount(groups_b)
    # The difference of the two distribution functions, times both sizes; it is 0 again at the end of a group.
    steps = np.where(order < len(a), size_b[groups], -size_a[groups])
    area = np.abs(np.cumsum(steps)[:-1]) * np.diff(values).astype(float)
    return np.bincount(groups[:-1], area, minlength=len(size_a)) / (size_a * size_b)


def wasserstein_to_one(reference: np.ndarray, groups: np.ndarray, values: np.ndarray) -> np.ndarray:
    """1-Wasserstein distance of many samples to one, without repeating that one for each of them.

    Each of the m values of a sample carries mass 1/m and is coupled with the next m-th of the sorted reference. Where
    the reference passes the value, the integral over its quantiles changes sign.

    Parameters
    ----------
    reference : float array (n,)
        Best near 0 and of range 1, as the result is exact up to rounding at the magnitude of the values.
    groups : int array (m,)
        Sample of each value, 0 to k - 1, none of them empty.
    values : float array (m,)

    Returns
    -------
    float64 array (k,)
    """
    order = np.lexsort((values, groups))
    groups, values = groups[order], values[order]
    sizes = np.bincount(groups)
    rank, size = ranges(np.zeros_like(sizes), sizes), sizes[groups]
    reference = np.sort(reference)
    n = len(reference)
    levels, integrals = np.arange(n + 1) / n, np.concatenate(([0], np.cumsum(reference))) / n
    low, high = rank / size, (rank + 1) / size
    split = np.clip(np.searchsorted(reference, values, "right") / n, low, high)
    below, at, above = (np.interp(level, levels, integrals) for level in (low, split, high))
    return np.bincount(groups, values * (2 * split - low - high) + below + above - 2 * at).clip(0)
