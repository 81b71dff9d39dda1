"""The two laws of noise that PRIPEL draws for single values: randomized response and the bounded Laplace law."""

from __future__ import annotations

import numpy as np


def randomized_response(codes: np.ndarray, n_values: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Each code kept with probability e^epsilon / (e^epsilon + n_values - 1), else any other, all equally likely.

    For two values this is the flip of a truth value; for more, the exponential mechanism whose utility tells equal
    from unequal.

    Parameters
    ----------
    codes : int array (n,)
        In [0, n_values).
    n_values : int
        At least 2.
    epsilon : float
    rng : numpy.random.Generator

    Returns
    -------
    int64 array (n,)
    """
    others = rng.integers(0, n_values - 1, len(codes))
    others += others >= codes
    keep = 1 / (1 + (n_values - 1) * np.exp(-epsilon))
    return np.where(rng.random(len(codes)) < keep, codes, others)


def bounded_laplace(
    values: np.ndarray, low: np.ndarray | float, high: np.ndarray | float, scale: float, rng: np.random.Generator
) -> np.ndarray:
    """Laplace noise on each value, conditioned on the result lying in [low, high].

    Drawn by the inverse of the distribution function: a narrow window takes no longer than a wide one.

    Parameters
    ----------
    values : array (n,)
        In [low, high].
    low, high : arrays (n,) or numbers
    scale : float
        Of the Laplace law; 0 is no noise.
    rng : numpy.random.Generator

    Returns
    -------
    float array (n,)
    """
    if not scale:
        return np.array(values, dtype=float)
    # The distance is exponential on either side and cut at the bound; one uniform number tells side and distance.
    below, above = -np.expm1((low - values) / scale), -np.expm1((values - high) / scale)
    drawn = rng.random(len(values)) * (below + above) - below
    return np.clip(values - np.sign(drawn) * scale * np.log1p(-np.abs(drawn)), low, high)
