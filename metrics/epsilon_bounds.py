"""What counts of an event in many outputs on two neighbouring logs say of epsilon and delta, with confidence.

If a mechanism is (epsilon, delta)-differentially private, ``p1 <= exp(epsilon) p0 + delta`` for the probabilities of
every event on two neighbouring logs, in both orders. Exact confidence limits on p1 and p0 (Clopper, Pearson:
"The use of confidence or fiducial limits", Biometrika 1934), each at half of the error alpha, therefore give lower
bounds that exceed the true values with probability alpha at most, whatever the dependence of the two counts. They can
contradict a claim; nothing of the kind can prove one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SMALLEST = -100.0  # decimal logarithm of the smallest p-value that is told apart from 0
Counts = np.ndarray | int


def clopper_pearson(hits: Counts, draws: int, error: float) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper confidence limit of a probability, each of the given one-sided error.

    Parameters
    ----------
    hits : int array or int
    draws : int
    error : float
    """
    from scipy.special import betainccinv, betaincinv  # not for every job of scores, which imports all files here

    hits = np.asarray(hits)
    low = np.where(hits == 0, 0.0, betaincinv(np.maximum(hits, 1), draws - hits + 1, error))
    high = np.where(hits == draws, 1.0, betainccinv(hits + 1, np.maximum(draws - hits, 1), error))
    return low, high


def epsilon_bound(
    first: Counts, second: Counts, draws: int, alpha: float, delta: float = 0.0, draws_second: int | None = None
) -> np.ndarray:
    """A lower bound on epsilon at a given delta, 0 where nothing is shown.

    Parameters
    ----------
    first, second : int arrays or ints
        Hits of an event among the draws on either log.
    draws : int
        A log.
    alpha : float
        Error of the bound.
    delta : float
    draws_second : int, optional
        On the second log, if they are not as many as on the first.
    """
    low = clopper_pearson(first, draws, alpha / 2)[0]
    high = clopper_pearson(second, draws_second or draws, alpha / 2)[1]
    return np.maximum(np.log(np.maximum(low - delta, np.finfo(float).tiny) / high), 0.0)


def delta_bound(first: Counts, second: Counts, draws: int, alpha: float, epsilon: float) -> np.ndarray:
    """A lower bound on delta at a given epsilon, 0 where nothing is shown; parameters as in `epsilon_bound`."""
    low, high = clopper_pearson(first, draws, alpha / 2)[0], clopper_pearson(second, draws, alpha / 2)[1]
    return np.maximum(low - np.exp(epsilon) * high, 0.0)


def p_value(first: int, second: int, draws: int, epsilon: float, delta: float = 0.0) -> float:
    """How surprising the hits are if the mechanism is (epsilon, delta)-differentially private.

    It is the smallest alpha at which the lower bounds contradict that, by bisection; 1 if none does.
    """

    def contradicts(alpha: float) -> bool:
        return bool(delta_bound(first, second, draws, alpha, epsilon) > delta)

    if not contradicts(1.0):
        return 1.0
    low, high = SMALLEST, 0.0  # decimal logarithms
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if contradicts(10.0**middle) else (middle, high)
    return 10.0**high


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjusted p-values: those up to a level reject so many claims with at most that error in all.

    S. Holm: "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 1979.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def largest_bound(draws: int, alpha: float) -> float:
    """The bound that an event gives that always occurs on one log and never on the other: no draws can show more."""
    return float(epsilon_bound(draws, 0, draws, alpha))
