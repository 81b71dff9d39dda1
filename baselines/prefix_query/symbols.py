"""Parameters that depend on the log: how they are written, and their values for a log.

Elkoumy, Pankova, Dumas (Information Systems 2022) give the baselines an average, minimum or maximum of the epsilons
that Amun estimates on the log, prune at a share of its cases, and take the mean case length as the longest prefix.
All of these are functions of private data that no budget covers.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass

import numpy as np

from baselines.prefix_query.noise import check_epsilon
from data.log import EventLog
from mechanisms import ParameterError

LARGEST = 10**9  # of lengths and thresholds
STATISTICS = {"mean": "mean", "min": "minimum", "max": "maximum"}  # as written, and in the file of epsilons


@dataclass(frozen=True)
class Resolved:
    """The values of the parameters of a query.

    Attributes
    ----------
    epsilon : float
        Positive.
    max_length, pruning : int
        At least 1.
    private : tuple of str
        Names of those that were taken from the log.
    """

    epsilon: float
    max_length: int
    pruning: int
    private: tuple[str, ...]

    def record(self) -> dict:
        """The values as JSON, which has no infinity."""
        return {"epsilon": finite(self.epsilon) or "inf", "max_length": self.max_length, "pruning": self.pruning}


def resolve(
    log: EventLog,
    *,
    epsilon: float | str,
    max_length: int | str,
    pruning: int | str,
    epsilons: str | os.PathLike | None = None,
) -> Resolved:
    """The values of all parameters; see `resolve_epsilon`, `resolve_length`, `resolve_pruning`."""
    symbols = {"epsilon": epsilon, "max_length": max_length, "pruning": pruning}
    return Resolved(
        resolve_epsilon(epsilon, epsilons),
        resolve_length(max_length, log),
        resolve_pruning(pruning, log),
        tuple(name for name, value in symbols.items() if not is_number(value)),
    )


def is_number(value: float | str) -> bool:
    """Whether a parameter is given as a number, not as a symbol that the log gives its value."""
    try:
        float(value)
    except ValueError:
        return False
    return True


def finite(value: float) -> float | None:
    """The value, or None for infinity."""
    return value if math.isfinite(value) else None


def resolve_epsilon(epsilon: float | str, epsilons: str | os.PathLike | None = None) -> float:
    """The value of an epsilon.

    Parameters
    ----------
    epsilon : float or str
        A positive number, ``inf``, or ``amun-mean@0.3``: the mean (``min``: the minimum, ``max``: the maximum) of
        Amun's epsilons of the log at that delta, without its filter.
    epsilons : path, optional
        The file that `mechanisms.amun.epsilons` wrote for the log.

    Raises
    ------
    ParameterError
        If it cannot be understood, is not positive, or the file does not have it.
    """
    symbol = re.fullmatch(r"amun-(mean|min|max)@(.+)", str(epsilon))
    number = symbol[2] if symbol else epsilon
    if not is_number(number):
        raise ParameterError(f"epsilon must be a positive number, inf, or like amun-mean@0.3; it is {epsilon!r}")
    value = _amun_epsilon(float(number), STATISTICS[symbol[1]], epsilons) if symbol else float(number)
    check_epsilon(value)
    return value


def _amun_epsilon(delta: float, statistic: str, path: str | os.PathLike | None) -> float:
    remedy = f"write it with: python -m mechanisms.amun.epsilons IN EPSILONS.json --delta {delta}"
    if not path:
        raise ParameterError(f"the {statistic} of Amun's epsilons needs their file (--epsilons); {remedy}")
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["epsilons"]
        [value] = [row[statistic] for row in rows if row["delta"] == delta and not row["filtered"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParameterError(f"{path}: has no {statistic} of Amun's epsilons at delta {delta}; {remedy}") from error
    if value is None:
        raise ParameterError(f"{path}: Amun has no {statistic} epsilon at delta {delta}, its filter leaves no case")
    return value


def resolve_length(length: int | str, log: EventLog) -> int:
    """The value of a maximum length, at least 1.

    Parameters
    ----------
    length : int or str
        A whole number; ``mean``, the rounded mean number of events of a case (halves to even); ``mean+1``; or
        ``p80``, the smallest number of events that at least 80 % of the cases do not exceed.
    log : EventLog

    Raises
    ------
    ParameterError
        If it is neither, or below 1.
    """
    if length == "p80":
        return int(np.quantile(log.lengths, 0.8, method="inverted_cdf")) if log.n_cases else 1
    if length in ("mean", "mean+1"):
        mean = round(float(log.lengths.mean())) if log.n_cases else 1
        return max(1, mean) + (length == "mean+1")
    return _whole("max_length", length, "mean, mean+1 or p80")


def resolve_pruning(pruning: int | str, log: EventLog, name: str = "pruning") -> int:
    """The value of a threshold on counts, at least 1.

    Parameters
    ----------
    pruning : int or str
        A whole number of cases, or a share of the cases of the log like ``0.5%``, rounded (halves to even).
    log : EventLog
    name : str
        Of the parameter, for messages.

    Raises
    ------
    ParameterError
        If it is neither, or below 1. A threshold of 0 would keep every sequence there is.
    """
    if share := re.fullmatch(r"(\d+\.?\d*|\.\d+)%", str(pruning)):
        return max(1, round(float(share[1]) / 100 * log.n_cases))
    return _whole(name, pruning, "a share of the cases like 0.5%")


def _whole(name: str, value: int | str, other: str) -> int:
    if not re.fullmatch(r"0*[1-9]\d*", str(value)):
        raise ParameterError(f"{name} must be a whole number of at least 1, or {other}; it is {value!r}")
    if int(value) > LARGEST:
        raise ParameterError(f"{name} must be at most {LARGEST}; it is {value}")
    return int(value)
