"""Laplace noise on durations that stays within bounds.

The bounded-domain mechanism with the whole domain as sensitivity, as in the l-diversity and noise fork of PRETSA
(OmidAfroozeh/EnhancedPRETSA_DPTAssignment2, by way of diffprivlib): given v in [low, high], the density at x in
[low, high] is proportional to exp(-epsilon * |x - v| / (high - low)). Holohan, Antonatos, Braghin, Mac Aonghusa: "The
Bounded Laplace Mechanism in Differential Privacy" (2020). The fork takes the bounds from the data and cannot be seeded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mechanisms import ParameterError


def bounded_laplace(
    values: np.ndarray, low: np.ndarray, high: np.ndarray, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """One draw for each value, by the inverse of the distribution function.

    Parameters
    ----------
    values, low, high : float arrays (n,)
        Values outside their bounds are clamped; where the bounds are equal, so is the result.
    epsilon : float
        Positive.
    rng : numpy.random.Generator
    """
    values = np.clip(values, low, high)
    scale = np.where(high > low, high - low, 1.0) / epsilon
    below, above = -np.expm1(-(values - low) / scale), -np.expm1(-(high - values) / scale)
    # Uniform over the mass: what lies left of zero falls below the value.
    mass = rng.random(len(values)) * (below + above) - below
    return np.clip(values - np.sign(mass) * scale * np.log1p(-np.abs(mass)), low, high)


def read_bounds(path: str, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Declared bounds of the durations of some activities, float arrays (activities,), from a JSON file.

    The file maps every activity to its least and largest duration in seconds: ``{"register": [0, 3600], ...}``.

    Raises
    ------
    ParameterError
        If it cannot be read, or lacks proper bounds of an activity.
    """
    try:
        declared = json.loads(Path(path).read_text(encoding="utf-8"))
        pairs = np.array([declared[label] for label in labels], dtype=float).reshape(len(labels), 2)
    except KeyError as error:
        raise ParameterError(f"{path}: no duration bounds of activity {error}; every activity needs a pair") from None
    except (OSError, ValueError, TypeError) as error:
        raise ParameterError(f'{path}: not JSON of duration bounds like {{"activity": [0, 3600]}}: {error}') from None
    low, high = pairs.T
    wrong = ~(np.isfinite(pairs).all(axis=1) & (low >= 0) & (low <= high))
    if wrong.any():
        label = labels[int(np.argmax(wrong))]
        raise ParameterError(f"{path}: bounds of {label!r} are {declared[label]}; they must rise from at least 0")
    return low, high
