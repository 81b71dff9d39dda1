"""Small timed logs for the tests of PRIPEL."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from baselines.prefix_query.growth import VariantCounts
from data.log import EventLog

SECOND = 1_000_000


def timed(*cases: tuple[str, list[float]], attributes: dict | None = None) -> EventLog:
    """One case a pair of activities, one character each, and times in seconds."""
    return EventLog.from_rows(
        [f"secret {number}" for number, (activities, _) in enumerate(cases) for _ in activities],
        [activity for activities, _ in cases for activity in activities],
        np.array([round(second * SECOND) for _, times in cases for second in times], dtype=np.int64),
        attributes,
    )


def counts_of(log: EventLog, **counts: int) -> VariantCounts:
    """The answer of a query, as number of traces by activities; ``_`` is the empty trace."""
    sequences = [[log.labels.index(label) for label in name.strip("_")] for name in counts]
    return VariantCounts(
        np.array([code for sequence in sequences for code in sequence], dtype=np.int64),
        np.cumsum([0, *map(len, sequences)]),
        np.array([*counts.values()], dtype=np.int64),
    )


def traces_of(log: EventLog) -> list[str]:
    """The activities of every case as a text."""
    return ["".join(log.labels[code] for code in log.activities[a:b]) for a, b in pairwise(log.offsets)]


def seconds(log: EventLog) -> list[list[float]]:
    """The times of every case in seconds."""
    return [(log.timestamps[a:b] / SECOND).tolist() for a, b in pairwise(log.offsets)]


def random_logs() -> st.SearchStrategy[EventLog]:
    """Logs of a few cases over three activities, one case of at least two events among them."""
    case = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 500)), min_size=1, max_size=6)
    pair = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 500)), min_size=2, max_size=6)
    return st.tuples(pair, st.lists(case, max_size=8)).map(
        lambda cases: timed(*(("".join(a for a, _ in c), [t for _, t in c]) for c in [cases[0], *cases[1]]))
    )
