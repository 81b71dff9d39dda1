"""Positive control: the log itself under fresh case ids. No privacy, and the best value of every metric."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from mechanisms import Outcome
from mechanisms.ids import fresh_case_ids


def release(log: EventLog, *, rng: np.random.Generator) -> EventLog:
    """The same cases in the same order with the same attributes, under fresh ids.

    Parameters
    ----------
    log : EventLog
    rng : numpy.random.Generator
    """
    return log.take(np.arange(log.n_cases), fresh_case_ids(log.n_cases, rng))


def anonymize(log: EventLog, *, rng: np.random.Generator) -> Outcome:
    """As `release`, with a warning."""
    released = release(log, rng=rng)
    return Outcome(released, notes=["a control: this release protects nothing"], origins=np.arange(log.n_cases))
