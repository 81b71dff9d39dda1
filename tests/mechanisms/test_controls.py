"""The controls: identity keeps everything but ids, shuffle keeps sizes and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.log import EventLog, empty_log
from mechanisms import identity, shuffle
from mechanisms.ids import fresh_case_ids

LOG = EventLog.from_rows(
    np.repeat([str(i) for i in range(40)], 3), ["A", "B", "C"] * 40, np.arange(120) ** 2 * 1_000_000
)


def gaps(log: EventLog) -> list[int]:
    return sorted(np.diff(log.timestamps)[~log.first_events[1:]].tolist())


def edges(log: EventLog) -> dict[tuple[str, str], list[int]]:
    """Gaps of each directly-follows pair."""
    found: dict[tuple[str, str], list[int]] = {}
    for event in np.flatnonzero(~log.first_events):
        pair = log.labels[log.activities[event - 1]], log.labels[log.activities[event]]
        found.setdefault(pair, []).append(int(log.timestamps[event] - log.timestamps[event - 1]))
    return {pair: sorted(times) for pair, times in found.items()}


def test_identity_keeps_all_but_the_ids():
    log = EventLog(LOG.activities, LOG.timestamps, LOG.offsets, LOG.labels, LOG.case_ids, {"cost": np.arange(120)})
    released = identity.release(log, rng=np.random.default_rng(1))
    assert (released.activities == log.activities).all()
    assert (released.timestamps == log.timestamps).all()
    assert (released.offsets == log.offsets).all()
    assert (released.attributes["cost"] == np.arange(120)).all()
    assert not set(released.case_ids) & set(log.case_ids)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_shuffle_keeps_sizes_activities_starts_and_gaps_as_multisets(seed):
    released = shuffle.release(LOG, rng=np.random.default_rng(seed))
    assert released.lengths.tolist() == LOG.lengths.tolist()
    assert np.bincount(released.activities).tolist() == np.bincount(LOG.activities).tolist()
    starts = [sorted(log.timestamps[log.first_events].tolist()) for log in (released, LOG)]
    assert starts[0] == starts[1]
    assert gaps(released) == gaps(LOG)


def test_shuffle_spoils_variants_graph_gaps_and_durations():
    released = shuffle.release(LOG, rng=np.random.default_rng(1))
    assert len(released.variants) > len(LOG.variants)
    assert edges(released).keys() != edges(LOG).keys()
    assert edges(released)["A", "B"] != edges(LOG)["A", "B"]
    ends = LOG.offsets[1:] - 1
    durations = [log.timestamps[ends] - log.timestamps[log.first_events] for log in (LOG, released)]
    assert sorted(durations[0].tolist()) != sorted(durations[1].tolist())


@pytest.mark.parametrize("control", [identity, shuffle])
def test_controls_follow_the_seed(control):
    one, again, other = (control.anonymize(LOG, rng=np.random.default_rng(seed)).release for seed in (1, 1, 2))
    assert one.case_ids == again.case_ids != other.case_ids
    assert (one.timestamps == again.timestamps).all()


def test_fresh_ids_are_distinct_and_do_not_show_the_generator():
    ids = fresh_case_ids(5000, np.random.default_rng(1))
    assert len(set(ids)) == 5000
    assert {len(i) for i in ids} == {32}
    raw = np.random.default_rng(1).bytes(16 * 5000).hex()
    assert not any(i in raw for i in ids[:100])
    assert fresh_case_ids(0, np.random.default_rng(1)) == ()


@pytest.mark.parametrize("control", [identity, shuffle])
def test_a_log_without_cases(control):
    assert control.release(empty_log(), rng=np.random.default_rng(1)).n_cases == 0
