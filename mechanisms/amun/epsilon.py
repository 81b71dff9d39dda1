"""From a guessing advantage to an epsilon (Amun, Section 3.5, after Laud et al.).

Under epsilon-differential privacy over a value of range 1, a guess that was right with prior probability
P is right with probability at most 1 / (1 + exp(-epsilon) (1 - P) / P) after the release. Setting this to
P + delta gives the largest epsilon that keeps the guessing advantage below delta.
"""

from __future__ import annotations

import numpy as np

# The published code's epsilons outside the formula's domain. Its comments announce 0.5 for the first two.
CODE_CERTAIN = 0.7
CODE_CERTAIN_START = 0.1
CODE_IMPOSSIBLE = 10.0


def guessing_epsilon(prior: np.ndarray | float, delta: float) -> np.ndarray | float:
    """The epsilon of prior probabilities of a right guess: ln((1 - P)(P + delta) / (P (1 - P - delta))).

    Parameters
    ----------
    prior : float or array of float
        P, with 0 < P < 1 - delta.
    delta : float
        Largest guessing advantage, in (0, 1).
    """
    return np.log((1 - prior) * (prior + delta) / (prior * (1 - prior - delta)))


def worst_prior(delta: float) -> float:
    """The prior (1 - delta) / 2, at which a given advantage needs the smallest epsilon (Eq. 2)."""
    return (1 - delta) / 2


def control_flow_epsilon(delta: float) -> float:
    """eps_d, the epsilon of every count of transitions: 2 ln((1 + delta) / (1 - delta))."""
    return float(2 * np.log((1 + delta) / (1 - delta)))


def certain(prior: np.ndarray, delta: float) -> np.ndarray:
    """True where P + delta >= 1: no epsilon keeps such a guess from the threshold (Section 3.4)."""
    return prior + delta >= 1


def time_epsilons(prior: np.ndarray, first: np.ndarray, delta: float, profile: str) -> np.ndarray:
    """eps_t, the epsilon of every event's time, before it is divided among copies.

    Where the formula has no value, profile `code` takes the constants of the published code; `paper`, whose
    text does not say, takes eps_d (any value keeps a posterior of at most 1 below P + delta).

    Parameters
    ----------
    prior : float array (events,)
        P_k of each event.
    first : bool array (events,)
        True at the first event of each case.
    delta : float
    profile : {"code", "paper"}

    Returns
    -------
    float array (events,)
    """
    too_sure = certain(prior, delta)
    impossible = prior <= 0
    epsilons = guessing_epsilon(np.where(too_sure | impossible, worst_prior(delta), prior), delta)
    if profile == "code":
        epsilons[impossible] = CODE_IMPOSSIBLE
        epsilons[too_sure] = np.where(first[too_sure], CODE_CERTAIN_START, CODE_CERTAIN)
    return epsilons
