"""Noise on the times of the released cases, and the way back to timestamps (Amun, Sections 3.5 and 3.6).

Every event of every instance gets its own Laplace noise on its value (see `knowledge`), scaled to the range
of its group. The stretched log is then compressed towards its original time range. All times are in
microseconds. The epsilon of each event's noise is private: it stays in `Retimed`, whereas the published code writes
it into the exported log.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import EventLog, ranges
from mechanisms.amun.knowledge import Estimate

# What tools that count nanoseconds in 64 bits can hold, in microseconds: the years 1677 to 2262.
# Even, as a double of this size must be: an odd one would be rounded up, beyond the limit.
LIMIT = 2 * (2**62 // 1000)


@dataclass(frozen=True)
class Retimed:
    """New times of a list of instances.

    Attributes
    ----------
    timestamps : int64 array (events of all instances,)
    offsets : int64 array (instances + 1,)
    events : int64 array (events of all instances,)
        The event of the estimated log that each event stems from.
    epsilons : float array (events of all instances,)
        Epsilon of each draw: eps_t after its division among the instances of one case.
    instances : int64 array (instances,)
        Number of instances that stem from the same case.
    compression : float
        Factor on the noise (`code`) or on the noisy times (`paper`).
    """

    timestamps: np.ndarray
    offsets: np.ndarray
    events: np.ndarray
    epsilons: np.ndarray
    instances: np.ndarray
    compression: float


def retime(
    estimate: Estimate, sources: np.ndarray, public_starts: tuple[int, int], profile: str, rng: np.random.Generator
) -> Retimed:
    """Draw new times for the instances of a release.

    Parameters
    ----------
    estimate : Estimate
    sources : int64 array (instances,)
        Case of the estimated log that each instance stems from, at least one.
    public_starts : (int, int)
        Start of the first and the last case of the original log (profile `paper`).
    profile : {"code", "paper"}
        `code` divides the epsilon of an event by the number of instances of its case, but not that of a
        first event, and compresses only the noise. `paper` divides all by the largest such number in the log and
        compresses the noisy times.
    """
    log, knowledge = estimate.log, estimate.knowledge
    lengths = log.lengths[sources]
    events = ranges(log.offsets[sources], lengths)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    instances = np.bincount(sources)[sources]
    values, low, high = knowledge.values[events], knowledge.low[events], knowledge.high[events]
    first = log.first_events[events]
    if profile == "code":
        epsilons = estimate.epsilons[events] / np.where(first, 1, np.repeat(instances, lengths))
    else:
        epsilons = estimate.epsilons[events] / instances.max()
    noise = rng.laplace(0, 1 / epsilons) * (high - low)
    if profile == "code":
        noise += low  # shifts every duration by the smallest of its group
        shifts, compression = _code_shifts(log, sources, offsets, values, noise, first)
        timestamps = log.timestamps[events] + shifts
    else:
        timestamps, compression = _paper_times(values + noise, first, offsets, public_starts)
    timestamps = np.rint(np.clip(timestamps, -LIMIT, LIMIT)).astype(np.int64)
    return Retimed(timestamps, offsets, events, epsilons, instances, compression)


def accumulate(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Running sum within each case, float (events,)."""
    steps = values.copy()
    # Each case takes the sum of the one before away, so that no long sum costs digits.
    steps[offsets[1:-1]] -= np.add.reduceat(values, offsets[:-1])[:-1]
    return np.cumsum(steps)


def by_start(log: EventLog, rng: np.random.Generator) -> tuple[EventLog, np.ndarray]:
    """The log with its cases in order of their first event, ties in random order, and this order, int64 (cases,)."""
    shuffled = rng.permutation(log.n_cases)
    starts = log.timestamps[log.offsets[shuffled]]
    order = shuffled[np.argsort(starts, kind="stable")]
    return log.take(order, log.case_ids), order


def _code_shifts(log, sources, offsets, values, noise, first) -> tuple[np.ndarray, float]:
    """Shift of every event: half the compressed running sum of its noise, so exact times stay visible."""
    reflected = ~first & (values + noise < 0)
    shifts = accumulate(np.where(reflected, np.abs(noise), noise), offsets)
    starts = log.timestamps[log.offsets[sources]]
    original = float(np.ptp(starts))
    stretched = np.minimum.reduceat(np.abs(shifts), offsets[:-1]).max()
    factor = 0.5 * original / (stretched + original) if original else 0.0
    return factor * shifts, factor


def _paper_times(noisy, first, offsets, public_starts) -> tuple[np.ndarray, float]:
    """Times from noisy values and two public dates alone.

    The text does not say what becomes of a negative duration; it becomes 0, which is post-processing.
    """
    starts = noisy[offsets[:-1]]
    stretched = float(np.ptp(starts))
    factor = (public_starts[1] - public_starts[0]) / stretched if stretched else 1.0
    relative = np.where(first, noisy - starts.min(), np.maximum(noisy, 0))
    return public_starts[0] + accumulate(factor * relative, offsets), factor
