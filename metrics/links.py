"""Which released event is which original one, as the strongest attacker knows, and what a blind one guesses."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from data.log import EventLog, ranges
from metrics.durations import both_durations
from metrics.metric import not_applicable
from metrics.pair import align

NO_ORIGINS = not_applicable("the mechanism does not tell which case a released one stems from")


class Links(NamedTuple):
    """Events of a release and those of the original that they stem from, the first events of cases aside.

    A released case is followed as far as its activities are those of its origin.

    Attributes
    ----------
    released, original : int64 arrays (links,)
        Places of the events.
    """

    released: np.ndarray
    original: np.ndarray


@lru_cache(maxsize=1)
def _linked(original: EventLog, release: EventLog, origins: bytes) -> Links:
    pair = align(original, release)
    origin = np.frombuffer(origins, dtype=np.int64)
    cases = np.flatnonzero(origin >= 0)
    lengths = np.minimum(release.lengths[cases], original.lengths[origin[cases]])
    released = ranges(release.offsets[cases], lengths)
    own = ranges(original.offsets[origin[cases]], lengths)
    differs = np.cumsum(pair.release.activities[released] != pair.original.activities[own])
    starts = np.cumsum(lengths) - lengths
    before = np.concatenate(([0], differs))[starts]
    alike = (differs == np.repeat(before, lengths)) & ~release.first_events[released]
    return Links(released[alike], own[alike])


def links(original: EventLog, release: EventLog, origins: np.ndarray) -> Links:
    """The links of a release; origins as in `data.origins`."""
    return _linked(original, release, np.asarray(origins, dtype=np.int64).tobytes())


def blind_guesses(original: EventLog, release: EventLog, width: int) -> np.ndarray:
    """What an attacker guesses of every duration without the release, who knows all the others.

    The centre of the window of twice the width that holds most of the other durations between the same two activities,
    the lowest of several; where there are none, of all other durations of the activity.

    Parameters
    ----------
    original, release : EventLog
        Durations are those by which the two are compared (`metrics.durations`).
    width : int
        Microseconds by which a right guess is off at most.

    Returns
    -------
    float array (events,)
        Microseconds; NaN for the first event of a case, and where nothing is known.
    """
    values = both_durations(original, release)[0]
    return _blind(original, values.tobytes(), width)


@lru_cache(maxsize=3)  # widths; all repeats of a cell are attacked in turn
def _blind(original: EventLog, durations: bytes, width: int) -> np.ndarray:
    values = np.frombuffer(durations, dtype=np.int64)
    later = np.flatnonzero(~original.first_events)
    activities = original.activities.astype(np.int64)
    guesses = np.full(original.n_events, np.nan)
    pairs = activities[later - 1] * len(original.labels) + activities[later]
    for groups in (activities[later], pairs):  # the narrower group where it has others
        order = np.lexsort((values[later], groups))
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        for members in np.split(later[order], starts[1:]):
            if len(members) > 1:
                guesses[members] = _leave_one_out(values[members], width)
    return guesses


def _leave_one_out(values: np.ndarray, width: int) -> np.ndarray:
    """For each of at least two rising values, the centre of the window that holds most of the others."""
    n = len(values)
    places = np.arange(n)
    held = np.searchsorted(values, values + 2 * width, "right") - np.searchsorted(values, values, "left")
    keys = held * n + (n - 1 - places)  # of windows that hold as many, the lowest has the largest key
    low = np.searchsorted(values, values - 2 * width, "left")
    high = np.searchsorted(values, values, "right")  # windows low to high - 1 hold the value itself
    largest = _RangeMaximum(keys)
    inside = np.maximum(largest(low, places), largest(places + 1, high)) - n  # not counting the value
    outside = np.maximum(largest(np.zeros(n, dtype=np.int64), low), largest(high, np.full(n, n)))
    best = np.maximum(inside, outside)
    return (values[n - 1 - best % n] + width).astype(float)


class _RangeMaximum:
    """Maxima of stretches of an array of numbers of at least 0, from those of stretches of the powers of two."""

    def __init__(self, keys: np.ndarray) -> None:
        self._levels = [keys]
        while len(self._levels[-1]) > (step := 2 ** (len(self._levels) - 1)):
            last = self._levels[-1]
            self._levels.append(np.maximum(last[:-step], last[step:]))

    def __call__(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Largest key from each start to before each end, far below 0 if there is none."""
        found = np.full(len(starts), -(2**62))
        sizes = ends - starts
        level = np.frexp(np.maximum(sizes, 1))[1] - 1
        for exponent, keys in enumerate(self._levels):
            at = np.flatnonzero((level == exponent) & (sizes > 0))
            found[at] = np.maximum(keys[starts[at]], keys[ends[at] - 2**exponent])
        return found
