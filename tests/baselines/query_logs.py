"""Small logs for the tests of the prefix queries, and their answers as counts of traces."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from baselines.prefix_query.growth import VariantCounts
from data.log import EventLog

HOUR = 3_600_000_000


def log_of(traces: dict) -> EventLog:
    """The log of some traces (texts or tuples of labels) and their numbers of cases, an hour between two events."""
    cases = [trace for trace, count in traces.items() for _ in range(count)]
    return EventLog.from_rows(
        [f"secret {number}" for number, trace in enumerate(cases) for _ in trace],
        [activity for trace in cases for activity in trace],
        np.array([HOUR * (place + 1) for trace in cases for place, _ in enumerate(trace)], dtype=np.int64),
    )


def answer(found: VariantCounts, labels: tuple[str, ...]) -> Counter:
    """Counts by trace, a tuple of labels."""
    counts = Counter()
    for number, count in enumerate(found.counts.tolist()):
        codes = found.activities[found.offsets[number] : found.offsets[number + 1]]
        counts[tuple(labels[code] for code in codes)] += count
    return counts


def traces(log: EventLog) -> Counter:
    """Number of cases of each trace of a log, a tuple of labels."""
    variants = log.variants
    return Counter(
        {
            tuple(log.labels[code] for code in variants.sequence(number)): count
            for number, count in enumerate(variants.counts.tolist())
        }
    )


def random_traces(max_cases: int = 12) -> st.SearchStrategy[dict]:
    """Traces of up to five of three activities, and their numbers of cases."""
    trace = st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("".join)
    return st.dictionaries(trace, st.integers(1, max_cases), min_size=1, max_size=6)
