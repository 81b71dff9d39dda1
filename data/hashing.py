"""Numbers that tell sequences and multisets apart."""

from __future__ import annotations

import numpy as np

from data.log import EventLog


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


def case_keys(log: EventLog, values: np.ndarray, counted: np.ndarray | None = None) -> np.ndarray:
    """A number of each case that tells the sequence of its events' values.

    Parameters
    ----------
    log : EventLog
    values : int array (events,)
    counted : bool array (events,), optional
        The events whose values count; by default all.

    Returns
    -------
    uint64 array (cases,)
    """
    if not log.n_cases:
        return np.empty(0, dtype=np.uint64)
    places = np.arange(log.n_events) - np.repeat(log.offsets[:-1], log.lengths)
    mixed = mix(mix(values) + places.astype(np.uint64))
    if counted is not None:
        mixed[~counted] = 0
    return np.add.reduceat(mixed, log.offsets[:-1])
