"""What an attacker knows of each event's time before the release (Amun, Sections 3.2 to 3.4).

Events are grouped by the transition of the minimal automaton that they take. An event's value is the time
since its predecessor; the paper's sentence says successor, but its example and the published code take the
predecessor. First events form one group of their own, with the time since the start of the log. The prior
knowledge P_k is the share of a group that a guess within the precision would hit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data.log import EventLog, ranges
from mechanisms import Infeasible, ParameterError
from mechanisms.amun.dafsa import minimal_dafsa
from mechanisms.amun.epsilon import certain, control_flow_epsilon, time_epsilons, worst_prior

MINUTE = 60e6  # microseconds
DAY = 24 * 60 * MINUTE

Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Knowledge:
    """The values to protect and what is known of them, one entry an event, times in microseconds.

    Attributes
    ----------
    values : float array (events,)
        Time since the predecessor; for a first event since the start of the log.
    low, high : float arrays (events,)
        Smallest and largest value of the event's group.
    prior : float array (events,)
        P_k.
    """

    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    prior: np.ndarray


@dataclass(frozen=True)
class Estimate:
    """An annotated log, after the filter, with the epsilon of each event.

    Attributes
    ----------
    log : EventLog
        The cases that the filter left.
    transitions : int64 array (events,)
        Transition of each event in the automaton of the whole log.
    knowledge : Knowledge
    epsilons : float array (events,)
        eps_t, not yet divided among copies.
    cases_filtered : int
    """

    log: EventLog
    transitions: np.ndarray
    knowledge: Knowledge
    epsilons: np.ndarray
    cases_filtered: int


@lru_cache(maxsize=1)  # an audit asks again and again
def estimate(log: EventLog, *, delta: float, filtering: bool, profile: str, precision: float) -> Estimate:
    """Annotate a log, filter it if asked, and estimate the epsilon of each event's time.

    Parameters
    ----------
    log : EventLog
        At least one case.
    delta : float
        Largest guessing advantage, in (0, 1).
    filtering : bool
        Drop every case that holds an event with P_k + delta >= 1, in one pass. First events count in
        profile `paper` only; `code` keeps every case if it would keep none.
    profile : {"code", "paper"}
    precision : float
        Half-width of a right guess of a duration, in minutes.

    Raises
    ------
    Infeasible
        If the filter of profile `paper` drops every case.
    """
    transitions = _transitions(log)
    know = _code_knowledge if profile == "code" else _paper_knowledge
    bounds = group_bounds(transitions, _values(log, profile))
    knowledge = know(log, transitions, bounds, delta, precision)
    cases_filtered = 0
    if filtering:
        kept = _cases_to_keep(log, knowledge, delta, profile)
        cases_filtered = log.n_cases - len(kept)
    if cases_filtered:
        transitions = transitions[ranges(log.offsets[kept], log.lengths[kept])]
        log = log.take(kept, [log.case_ids[case] for case in kept])
        if profile == "paper":  # the code keeps the bounds from before the filter
            bounds = group_bounds(transitions, _values(log, profile))
        knowledge = know(log, transitions, bounds, delta, precision)
    epsilons = time_epsilons(knowledge.prior, log.first_events, delta, profile)
    return Estimate(log, transitions, knowledge, epsilons, cases_filtered)


def check_guess(delta: float, precision: float) -> None:
    """Refuse a guessing advantage or a precision out of range.

    Raises
    ------
    ParameterError
    """
    if not 0 < delta < 1:
        raise ParameterError(f"delta must lie between 0 and 1, both excluded; it is {delta}")
    if not control_flow_epsilon(delta):
        raise ParameterError(f"delta is so small that its epsilon is 0 in double precision; it is {delta}")
    if not 0 < precision < np.inf:
        raise ParameterError(f"precision must be a positive number of minutes; it is {precision}")


def gaps(log: EventLog) -> np.ndarray:
    """The gaps of the log as floats, (events,)."""
    return log.gaps.astype(float)


def group_bounds(groups: np.ndarray, values: np.ndarray) -> Pair:
    """Smallest and largest value of each group, indexed by group."""
    low = np.full(groups.max() + 1, np.inf)
    high = -low
    np.minimum.at(low, groups, values)
    np.maximum.at(high, groups, values)
    return low, high


def closed_window_prior(groups: np.ndarray, values: np.ndarray, half_width: float) -> np.ndarray:
    """Share of an event's group within `half_width` of its own value, both ends included; float (events,)."""
    share = grouped_ecdf(groups, values)
    return share(groups, values + half_width) - share(groups, values - half_width, side="left")


def grouped_ecdf(groups: np.ndarray, values: np.ndarray) -> Callable[..., np.ndarray]:
    """The empirical distribution functions of several groups at once.

    Returns
    -------
    callable (groups, points, side="right") -> float array
        Share of each point's group that is at most the point (`side="left"`: less than it).
    """
    # Complex numbers are ordered by real part, then imaginary part: one search serves all groups.
    keys = np.sort(groups + 1j * values)
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes

    def share(groups: np.ndarray, points: np.ndarray, side: str = "right") -> np.ndarray:
        return (np.searchsorted(keys, groups + 1j * points, side) - starts[groups]) / sizes[groups]

    return share


def _transitions(log: EventLog) -> np.ndarray:
    variants = log.variants
    paths = minimal_dafsa(variants).paths
    return paths[ranges(variants.offsets[variants.of_case], log.lengths)]


def _values(log: EventLog, profile: str) -> np.ndarray:
    """The gaps, which the code floors to whole minutes (towards minus infinity)."""
    return np.floor(gaps(log) / MINUTE) * MINUTE if profile == "code" else gaps(log)


def _cases_to_keep(log: EventLog, knowledge: Knowledge, delta: float, profile: str) -> np.ndarray:
    risky = certain(knowledge.prior, delta)
    if profile == "code":
        risky &= ~log.first_events
    kept = np.flatnonzero(~np.logical_or.reduceat(risky, log.offsets[:-1]))
    if len(kept):
        return kept
    if profile == "code":
        return np.arange(log.n_cases)
    raise Infeasible(
        f"the filter drops all {log.n_cases} cases: each holds an event with P_k + delta >= 1; "
        "use a smaller delta or precision, or mode sampling"
    )


def _code_knowledge(log: EventLog, transitions: np.ndarray, bounds: Pair, delta: float, precision: float) -> Knowledge:
    """As the published code computes it, in normalised units so that floating-point ties fall alike."""
    values = _values(log, "code")
    low, high = bounds[0][transitions], bounds[1][transitions]
    varies = high > low
    span = np.where(varies, high - low, 1)
    x = (values - low) / span
    half_width = np.minimum(precision * MINUTE / span, 1)
    share = grouped_ecdf(transitions, x)
    # The window is clipped to [0, 1] before F is read, so the mass at a group's minimum never counts.
    prior = share(transitions, np.minimum(x + half_width, 1)) - share(transitions, np.maximum(x - half_width, 0))
    prior = np.where(varies, prior, worst_prior(delta))

    first = log.first_events
    values[first], low[first], high[first], prior[first] = _code_starts(log.timestamps[first])
    return Knowledge(values, low, high, prior)


def _code_starts(starts: np.ndarray) -> tuple[np.ndarray, float, float, np.ndarray | float]:
    """Value, bounds and P_k of first events: whole days, and a window of 1/M days where 1 day was meant."""
    days = (starts - starts.min()) // int(DAY)
    last = int(days.max())
    if last == 0:  # the published code divides by zero here; a later branch of it takes P_k = 1
        return np.zeros(len(starts)), 0.0, 0.0, 1.0
    x = np.round(days / last, 5)
    half_width = 1 / last / last
    ordered = np.sort(x)
    upper = np.where(x + half_width >= 1, 1, np.searchsorted(ordered, x + half_width, "right") / len(x))
    lower = np.where(x - half_width < 0, 0, np.searchsorted(ordered, x - half_width, "right") / len(x))
    return x * last * DAY, 0.0, last * DAY, upper - lower


def _paper_knowledge(log: EventLog, transitions: np.ndarray, bounds: Pair, delta: float, precision: float) -> Knowledge:
    """As the paper's text has it: seconds not rounded, closed windows, first events within one day.

    A constant group has no distribution to estimate from and takes the worst case; read literally (P_k = 1),
    the filter would drop nearly every case of every log.
    """
    values = _values(log, "paper")
    low, high = bounds[0][transitions], bounds[1][transitions]
    prior = closed_window_prior(transitions, values, precision * MINUTE)

    first = log.first_events
    starts = (log.timestamps[first] - log.timestamps.min()).astype(float)
    values[first], low[first], high[first] = starts, starts.min(), starts.max()
    prior[first] = closed_window_prior(np.zeros(len(starts), dtype=np.int64), starts, DAY)
    return Knowledge(values, low, high, np.where(high > low, prior, worst_prior(delta)))
