"""Candidates that occur in no case: which of them survive the noise, without drawing noise for each."""

from __future__ import annotations

import numpy as np

from baselines.prefix_query.growth import Cap
from baselines.prefix_query.noise import Noise


def draw_absent(
    candidates: int, threshold: int, noise: Noise, cap: Cap, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Of candidates that occur in no case, those whose noisy count reaches the threshold, and these counts.

    Parameters
    ----------
    candidates : int
        How many there are.
    threshold : int
        At least 1.
    noise : Noise
    cap : Cap
        Takes account of them before they are made.
    rng : numpy.random.Generator

    Returns
    -------
    chosen, counts : int64 arrays
        Rising numbers below `candidates`, and noisy counts.
    """
    number = int(rng.binomial(candidates, noise.tail(threshold)))
    cap.keep(number)
    chosen = np.sort(rng.choice(candidates, number, replace=False, shuffle=False))
    return chosen, noise.reaching(threshold, number, rng)


def nth_absent(present: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The numbers 0, 1, ... that are not in a rising array, by rank (from 0).

    As many numbers of the array lie below the absent number of a rank as there are with at most that many absent
    numbers before them.
    """
    return ranks + np.searchsorted(present - np.arange(len(present)), ranks, side="right")
