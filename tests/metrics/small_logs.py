"""Small logs written as strings, and random ones."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from data.log import EventLog
from metrics.distance import HOUR
from metrics.metric import Value
from metrics.registry import metric_modules

OF_DURATIONS = (
    "total_duration_error",
    "cycle_time_error",
    "cycle_time_error_capped",
    "t_max",
    "t_rank_max",
    "l_min",
    "entropy_l_min",
    "negative_durations",
    "exact_durations",
)

Trace = str | tuple[str, tuple[float, ...]]
START = 24 * 7 * 2000 * HOUR  # not 0, the mark of a log without times


def log_of(*traces: Trace) -> EventLog:
    """One case a trace, one event a character, with the given hours after `START` or one hour apart."""
    timed = [(trace, tuple(range(len(trace)))) if isinstance(trace, str) else trace for trace in traces]
    return EventLog.from_rows(
        [f"case {case}" for case, (activities, _) in enumerate(timed) for _ in activities],
        [activity for activities, _ in timed for activity in activities],
        np.array([START + round(hour * HOUR) for _, hours in timed for hour in hours], dtype=np.int64),
    )


def random_logs(max_cases: int = 8) -> st.SearchStrategy[EventLog]:
    """Logs of a few cases over three activities."""
    events = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 300)), min_size=1, max_size=5)
    return st.lists(events, min_size=1, max_size=max_cases).map(
        lambda cases: log_of(*(("".join(a for a, _ in case), tuple(h for _, h in case)) for case in cases))
    )


def take(log: EventLog, cases: np.ndarray) -> EventLog:
    """The log of the given cases under new ids."""
    return log.take(cases, [f"new {case}" for case in range(len(cases))])


def doubled(log: EventLog) -> EventLog:
    """The log written twice."""
    return take(log, np.tile(np.arange(log.n_cases), 2))


def relabelled(log: EventLog) -> EventLog:
    """The log with other names for its activities."""
    labels = tuple(f"{label} renamed" for label in log.labels)
    return EventLog(log.activities, log.timestamps, log.offsets, labels, log.case_ids)


def scores(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Every metric of two logs that does not take long."""
    return {
        name: value
        for module in metric_modules()
        if module.METRICS[0].applies("log")
        and module.METRICS[0].group not in ("run", "claim", "attack")
        and not module.METRICS[0].costly
        for name, value in module.score(original, release).items()
    }


# The running example of the metrics note: 4 cases each, hours from the start of the case.
RX_ORIGINAL = log_of(*[("abc", (0, 2, 6))] * 3, ("acb", (0, 1, 4)))
RX_RELEASE = log_of(*[("abc", (0, 2, 8))] * 2, *[("ab", (0, 2))] * 2)
