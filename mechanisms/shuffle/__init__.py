"""Negative control: the log's activities and times dealt out anew. It keeps sizes and no other utility."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from mechanisms import Outcome
from mechanisms.ids import fresh_case_ids


def release(log: EventLog, *, rng: np.random.Generator) -> EventLog:
    """A log of as many cases of the same lengths.

    Activities are permuted over all events, case starts over all cases, and the times between consecutive
    events over all such pairs. Attributes are dropped.

    Parameters
    ----------
    log : EventLog
    rng : numpy.random.Generator
    """
    if not log.n_cases:
        return log
    first = log.first_events
    steps = log.gaps.copy()
    steps[~first] = rng.permutation(steps[~first])
    elapsed = np.cumsum(steps)
    elapsed -= np.repeat(elapsed[first], log.lengths)
    starts = rng.permutation(log.timestamps[first])
    return EventLog(
        rng.permutation(log.activities),
        np.repeat(starts, log.lengths) + elapsed,
        log.offsets,
        log.labels,
        fresh_case_ids(log.n_cases, rng),
    )


def anonymize(log: EventLog, *, rng: np.random.Generator) -> Outcome:
    """As `release`, with a warning; each case stems from that whose length it has."""
    notes = ["a control: this release tells nothing but sizes"]
    return Outcome(release(log, rng=rng), notes=notes, origins=np.arange(log.n_cases))
