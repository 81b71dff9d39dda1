"""New times for the filled traces (PRIPEL, step 4). All times are in microseconds.

In mode `published` each trace is moved as a whole by a Laplace variate, conditioned on the trace staying in the time
range of the log, and the times between its events are those of a case. The published code prepares a noise for them
that it never draws. It computes the scale of the moves once, from the window of the first trace, by the search of
the library diffprivlib. Where that trace takes up a large share of the range the search finds no scale, and the code
loops for ever or fails; here the scale that a window as wide as the range would have, range / epsilon, stands in.

Mode `local` is ours: before the move each time between two events gets bounded Laplace noise of its own. The bounds of
both noises are meant to be public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from baselines.pripel.enrichment import Filled
from baselines.pripel.noise import bounded_laplace
from data.log import EventLog

COPIED = ("the times between the events of a case", "the range of times")


@dataclass(frozen=True)
class Bounds:
    """Bounds on times in microseconds; `from_data` names those that were taken from the log, and so are not public."""

    dates: tuple[int, int]
    max_duration: int
    from_data: tuple[str, ...]


@dataclass(frozen=True)
class Moved:
    """New times of the events of all traces.

    Attributes
    ----------
    timestamps : int64 array (events,)
    not_covered : tuple of str
        What is taken from the log without noise, in words.
    diagnostics : dict
        `move_scale_s`, the scale of the moves in seconds; `published`: whether it is that of the first trace; `local`:
        the bounds.
    """

    timestamps: np.ndarray
    not_covered: tuple[str, ...]
    diagnostics: dict


def complete_bounds(log: EventLog, dates: tuple[int, int] | None, max_duration: int | None) -> Bounds:
    """Bounds as given; missing dates are those of the log, a missing duration is the range of the dates."""
    first, last = dates or (int(log.timestamps.min()), int(log.timestamps.max()))
    if max_duration is None:
        return Bounds((first, last), last - first, () if dates else ("dates", "max_duration"))
    return Bounds((first, last), max_duration, () if dates else ("dates",))


def move_published(log: EventLog, traces: Filled, epsilon: float, rng: np.random.Generator) -> Moved:
    """Each trace moved within the time range of the log's events, the first ones of cases aside.

    A trace that does not fit into the range may leave it.

    Parameters
    ----------
    log : EventLog
        With at least one case of two events.
    traces : Filled
    epsilon : float
    rng : numpy.random.Generator
    """
    if not len(traces.cases):
        return Moved(traces.timestamps, COPIED, {})
    starts, ends = traces.timestamps[traces.offsets[:-1]], traces.timestamps[traces.offsets[1:] - 1]
    later = log.timestamps[~log.first_events]
    first, last = int(later.min()), int(later.max())
    low, high = first - starts, last - ends
    high = np.where(low < high, high, np.abs(last - starts))
    scale = first_trace_scale(last - first, int(high[0] - low[0]), epsilon) if last > first else 0.0
    found = not math.isnan(scale)
    scale = scale if found else (last - first) / epsilon
    timestamps = _moved(traces.timestamps, traces.offsets, low, high, scale, rng)
    return Moved(timestamps, COPIED, {"move_scale_s": scale / 1e6, "move_scale_of_first_trace": found})


def first_trace_scale(span: float, window: float, epsilon: float) -> float:
    """The scale of the moves that the search of diffprivlib returns for a trace; NaN where it finds none.

    The search starts from ``span / epsilon`` and from one step of the fixed-point equation for the bounded Laplace
    law of Holohan et al., 2018, and halves the interval from the first to the second. For a window narrower than the
    span the second is the smaller one, and the search returns the middle of the two without having begun.

    Parameters
    ----------
    span : float
        Width of the time range, positive.
    window : float
        Width of the window that the trace can move in, positive.
    epsilon : float
    """

    def step(scale: float) -> float:
        excess = min((span - window) / scale, 1.0)  # from ln 2 on there is no mass
        mass = 2 - math.exp(-span / scale) - math.exp(excess)
        return span / (epsilon - math.log(mass / -math.expm1(-window / scale))) if mass > 0 else math.nan

    low = span / epsilon
    high = step(low)
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if step(middle) > middle else (low, middle)
    return middle


def move_local(traces: Filled, bounds: Bounds, epsilon: float, rng: np.random.Generator) -> Moved:
    """Noise of `epsilon` on each time between two events, then each trace moved within the dates with `epsilon`.

    A time between two events beyond its bound is cut to it before the noise. A trace that is longer than the range of
    the dates after it is compressed to the range.
    """
    first, last = traces.offsets[:-1], traces.offsets[1:] - 1
    lengths = np.diff(traces.offsets)
    earliest, latest = bounds.dates
    span, longest = latest - earliest, bounds.max_duration
    gaps = np.diff(traces.timestamps, prepend=traces.timestamps[:1]).clip(0, longest)
    noisy = np.rint(bounded_laplace(gaps, 0, longest, longest / epsilon, rng)).astype(np.int64)
    elapsed = np.cumsum(noisy)  # may overflow, which the difference undoes, as it does the gap to the trace before
    elapsed -= np.repeat(elapsed[first], lengths)
    durations = elapsed[last]
    factors = np.divide(span, durations, out=np.ones(len(durations)), where=durations > span)
    elapsed = np.rint(elapsed * np.repeat(factors, lengths)).astype(np.int64).clip(max=span)  # rounded up otherwise
    room = span - elapsed[last]
    starts = traces.timestamps[first].clip(earliest, earliest + room)
    inside = np.repeat(starts, lengths) + elapsed
    scale = span / epsilon
    timestamps = _moved(inside, traces.offsets, earliest - starts, earliest + room - starts, scale, rng)
    dates = [str(np.datetime64(date, "us")) for date in bounds.dates]
    known = {"move_scale_s": scale / 1e6, "dates": dates, "max_duration_s": longest / 1e6}
    return Moved(timestamps, bounds.from_data, known)


def _moved(
    timestamps: np.ndarray,
    offsets: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    scale: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Each trace moved by a variate around the smallest move in its window."""
    moves = np.rint(bounded_laplace(np.clip(0, low, high), low, high, scale, rng)).astype(np.int64)
    return timestamps + np.repeat(moves, np.diff(offsets))
