"""Every mechanism that knows which case a released one stems from tells it truly."""

from __future__ import annotations

import numpy as np
import pytest

from baselines import pripel
from data.log import EventLog
from mechanisms import amun, identity, pretsa, shuffle

DAY = 86_400_000_000
BOUNDS = {"dates": ("2020-01-01", "2025-01-01"), "max_length": 4}


def log_of_60_cases() -> EventLog:
    """Six variants; each case has gaps of its own."""
    rng = np.random.default_rng(1)
    words = ["ab", "abc", "acb", "abcd"] * 14 + ["ad", "dcba", "abdd", "ca"]
    start = 1_600_000_000_000_000 + rng.permutation(len(words)) * DAY
    times = [start[i] + np.cumsum(rng.integers(60_000_000, DAY // 9, len(word))) for i, word in enumerate(words)]
    cases = np.repeat([f"case {i}" for i in range(len(words))], [len(word) for word in words])
    return EventLog.from_rows(cases, list("".join(words)), np.concatenate(times))


LOG = log_of_60_cases()


def words(log: EventLog) -> list[str]:
    texts = "".join(log.labels[code] for code in log.activities)
    return [texts[start:end] for start, end in zip(log.offsets[:-1], log.offsets[1:], strict=True)]


def run(mechanism, seed: int = 1, **parameters):
    return mechanism.anonymize(LOG, **parameters, rng=np.random.default_rng(seed))


def test_the_controls_keep_places():
    for control in (identity, shuffle):
        assert run(control).origins.tolist() == list(range(LOG.n_cases))


@pytest.mark.parametrize("mode", amun.MODES)
@pytest.mark.parametrize("profile", ["code", "paper"])
def test_amun_releases_copies_of_the_cases_that_it_names(mode, profile):
    outcome = run(amun, delta=0.3, mode=mode, profile=profile)
    own, released = words(LOG), words(outcome.release)
    assert released == [own[origin] for origin in outcome.origins]
    if mode == "oversampling":
        assert set(outcome.origins) == set(range(LOG.n_cases))
        assert len(outcome.origins) - LOG.n_cases == outcome.diagnostics["cases_copied"] > 0


def test_hardened_amun_names_the_cases_behind_its_instances_and_those_without_one():
    log = LOG.take(np.repeat(np.arange(4), 20), [f"new {i}" for i in range(80)])
    outcome = amun.anonymize(log, delta=0.5, additive=0.01, **BOUNDS, rng=np.random.default_rng(3))
    own, released = words(log), words(outcome.release)
    backed = outcome.origins >= 0
    assert [released[i] for i in np.flatnonzero(backed)] == [own[origin] for origin in outcome.origins[backed]]
    assert (~backed).sum() == outcome.diagnostics["instances_without_case"]
    assert len(np.unique(outcome.origins[backed])) == backed.sum(), "max_copies is 1"


def test_pripel_copies_the_gaps_of_the_cases_that_it_names():
    outcome = run(pripel, epsilon=5, max_length=6, pruning=3)
    own, released = words(LOG), words(outcome.release)
    same = [i for i, origin in enumerate(outcome.origins) if origin >= 0 and released[i] == own[origin]]
    assert len(same) > 30
    for case in same:
        origin = outcome.origins[case]
        gaps = [
            np.diff(log.timestamps[log.offsets[place] : log.offsets[place + 1]]).tolist()
            for log, place in ((LOG, origin), (outcome.release, case))
        ]
        assert gaps[0] == gaps[1]


def test_pretsa_names_one_case_for_each_released_one():
    outcome = run(pretsa, k=3, t=1.0)
    assert sorted(outcome.origins) == list(range(LOG.n_cases))
