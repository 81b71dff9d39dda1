"""Sessions that resource and start give away."""

from __future__ import annotations

import numpy as np
import pytest

from data.access import pairs, requests
from data.log import EventLog
from metrics.isolation import KNOWN, METRICS, score
from metrics.metric import Marked

HOUR = 3_600_000_000


def log_of(sessions) -> EventLog:
    """One case of one event for each (user, resource, hour)."""
    users, resources, hours = zip(*sessions, strict=True)
    return EventLog.from_rows(
        [str(case) for case in range(len(sessions))], ["a"] * len(sessions), np.array(hours) * HOUR,
        {"user": np.array(users, dtype=object), "org:resource": np.array(resources, dtype=object)},
    )  # fmt: skip


def test_by_hand():
    """Alice is alone in her hour at x; she and Bob share four of them; Eve is alone at y; Dan comes twice to z."""
    log = log_of(
        [("alice", "x", 0), ("bob", "x", 2), ("eve", "y", 2), ("dan", "z", 5), ("dan", "z", 5.5), ("al", "z", 9)]
    )
    values = score(log, log, origins=np.arange(6))
    assert [values[f"isolated_{name}"] for name in KNOWN] == pytest.approx([1, 1, 4 / 6, 1 / 6])
    assert values["resource_users_min"] == 1


def test_users_are_those_behind_the_released_cases():
    log = log_of([("alice", "x", 0), ("bob", "x", 0), ("alice", "x", 0)])
    released = log.take(np.array([2, 0]), ["p", "q"])
    assert score(log, released, origins=np.array([2, 0]))["isolated_hour"] == 1
    assert score(log, released, origins=np.array([1, 0]))["isolated_hour"] == 0


def test_what_is_lacking_is_told():
    log = log_of([("alice", "x", 0)])
    plain = EventLog(log.activities, log.timestamps, log.offsets, log.labels, log.case_ids)
    for original, release, origins, reason in (
        (plain, log, np.arange(1), "the log has no attribute 'user'"),
        (log, plain, np.arange(1), "the release has no attribute 'org:resource'"),
        (log, log, None, "does not tell which case"),
    ):
        values = score(original, release, origins=origins)
        assert {metric.name for metric in METRICS} == values.keys()
        assert all(isinstance(value, Marked) and reason in value.reason for value in values.values())


def test_exact_addresses_and_the_hour_isolate_nearly_every_session_of_the_stand_in():
    """As measured when it was designed: 97 %."""
    log = requests(*pairs())
    assert score(log, log, origins=np.arange(log.n_cases))["isolated_hour"] == pytest.approx(0.97, abs=0.01)
