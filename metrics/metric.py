"""What a metric declares of itself, and values that are not plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from math import inf
from typing import Literal

from data.log import EventLog

CONTROLS = ("identity", "shuffle")  # mechanisms without privacy and without utility: they frame a table, never win it


@dataclass(frozen=True, kw_only=True)
class Metric:
    """The declaration of one metric; the defaults are those of an unbounded distance.

    Attributes
    ----------
    name, title : str
        Name in the score table; heading in a printed table.
    unit : str
        Unit of the value, empty for a pure number.
    low, high : float
        Declared range, ends included.
    direction : {'lower', 'higher', 'one', 'none'}
        What is better; 'one' ranks a ratio by the absolute value of its logarithm, 'none' ranks nothing.
    identity : float or None
        Value where the release is the original log; None where that depends on the log, or where the metric is not
        of two logs.
    doubled : float or None
        Value where the release is the original log written twice; None where that depends on the log.
    empty : float or None
        Value of a release without any case; None where it is undefined (status EMPTY).
    group : {'default', 'published', 'extended', 'run', 'claim', 'attack'}
        Main tables; tables of a paper, as published; further detail; cost of the run; whether a claim of the run holds;
        how far an attack on the release goes.
    of : {'log', 'relation'}
        What it compares; the cost of a run is that of either.
    costly : bool
        Whether it takes so long that it is computed only where an experiment shows it.
    held_out : bool
        Whether it is of runs on a log without some of its cases, which are made for it (`data.held_out`).
    is_metric : bool
        Whether it is symmetric and obeys the triangle inequality.
    blind_to : str
        What it cannot see.
    """

    name: str
    title: str
    unit: str = ""
    low: float = 0.0
    high: float = inf
    direction: Literal["lower", "higher", "one", "none"] = "lower"
    identity: float | None = 0.0
    doubled: float | None = 0.0
    empty: float | None = None
    group: Literal["default", "published", "extended", "run", "claim", "attack"] = "extended"
    of: Literal["log", "relation"] = "log"
    costly: bool = False
    held_out: bool = False
    is_metric: bool = False
    blind_to: str = ""

    def applies(self, kind: str) -> bool:
        """Whether runs on datasets of a kind, `log` or `relation`, have a value of it."""
        return kind == self.of or self.group == "run"


@dataclass(frozen=True)
class Marked:
    """A value with a mark: none, as it is undefined or could not be computed; or one within bounds or of a sample.

    Attributes
    ----------
    status : str
        What stands in the status column of the score table.
    reason : str
        Why, in one sentence.
    value : float, optional
    """

    status: str
    reason: str
    value: float | None = None


Value = float | Marked
Score = Callable[..., dict[str, Value]]

EMPTY = Marked("EMPTY", "the release has no case")


def not_applicable(reason: str) -> Marked:
    """The value of a metric that this pair of logs does not define."""
    return Marked("n/a", reason)


NO_TIMES = not_applicable("the release has no times")


def unless_empty(metrics: tuple[Metric, ...]) -> Callable[[Score], Score]:
    """Decorate a score function so that a release without cases gets what its metrics declare for it."""

    def decorate(function: Score) -> Score:
        @wraps(function)
        def score(original: EventLog, release: EventLog, **private) -> dict[str, Value]:
            if not original.n_cases:
                raise ValueError("the original log has no case, so no release can be compared with it")
            if not release.n_cases:
                return {metric.name: EMPTY if metric.empty is None else metric.empty for metric in metrics}
            return function(original, release, **private)

        return score

    return decorate


def unless_untimed(*names: str) -> Callable[[Score], Score]:
    """Decorate a function that scores the named metrics, which are of times, so that they are not applicable to a
    release of activities alone, and cost nothing there. An original without times is compared as it is."""

    def decorate(function: Score) -> Score:
        @wraps(function)
        def score(original: EventLog, release: EventLog, **private) -> dict[str, Value]:
            if release.untimed and not original.untimed:
                return dict.fromkeys(names, NO_TIMES)
            return function(original, release, **private)

        return score

    return decorate
