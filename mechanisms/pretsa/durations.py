"""Durations of the events of a log, and how those of one activity are distributed.

PRETSA's sensitive value of an event. Fahrenkrog-Petersen, van der Aa, Weidlich: "PRETSA: Event Log Sanitization for
Privacy-aware Process Discovery" (ICPM 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import DURATION, EventLog
from mechanisms import Infeasible


def durations(log: EventLog) -> np.ndarray:
    """Seconds of each event, float (events,): its attribute `duration_s`, else the time since the case's last event.

    By the times, the first event of a case has duration 0, so an activity that only starts cases has no range of
    durations and is exempt from every check of them.

    Raises
    ------
    Infeasible
        If the attribute is missing, negative or no number at some event.
    """
    if DURATION not in log.attributes:
        return log.gaps / 1e6
    try:
        stated = np.asarray(log.attributes[DURATION], dtype=float)
    except ValueError:
        raise Infeasible(f"{DURATION} is not a number everywhere; give seconds, or leave the attribute out") from None
    wrong = np.flatnonzero(~(np.isfinite(stated) & (stated >= 0)))
    if len(wrong):
        event = wrong[0]
        case = log.case_of_event[event]
        raise Infeasible(
            f"event {event - log.offsets[case] + 1} of case {log.case_ids[case]!r} has {DURATION} {stated[event]}"
            f" ({len(wrong)} such events); give every event a duration of at least 0, or leave the attribute out"
        )
    return stated


@dataclass(frozen=True, eq=False)
class Populations:
    """All durations of each activity, whatever the case and the position: D_a. They never change.

    Attributes
    ----------
    values : float array (events,)
        Seconds, by activity and value.
    starts : int64 array (activities + 1,)
        Those of activity `a` are ``values[starts[a]:starts[a + 1]]``.
    """

    values: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, activities: np.ndarray, seconds: np.ndarray, n_activities: int) -> Populations:
        """The populations of events with the given activity codes and durations."""
        counts = np.bincount(activities, minlength=n_activities)
        return cls(seconds[np.lexsort((seconds, activities))], np.concatenate(([0], np.cumsum(counts))))

    def __getitem__(self, activity: int) -> np.ndarray:
        """D_a, rising."""
        return self.values[self.starts[activity] : self.starts[activity + 1]]

    @property
    def counts(self) -> np.ndarray:
        """Number of values of each activity, int64 (activities,)."""
        return np.diff(self.starts)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest value of each activity, float (activities,); 0 where it has none."""
        used = self.counts > 0
        low, high = np.zeros((2, len(used)))
        low[used] = self.values[self.starts[:-1][used]]
        high[used] = self.values[self.starts[1:][used] - 1]
        return low, high
