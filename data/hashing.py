"""Numbers that tell sequences and multisets apart."""

from __future__ import annotations

import numpy as np


def mix(values: np.ndarray) -> np.ndarray:
    """Spread integers over all 64 bits, one to one: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

    Parameters
    ----------
    values : int array

    Returns
    -------
    uint64 array
    """
    values = np.asarray(values).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
