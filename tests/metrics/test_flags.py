"""Reservations that a run states of itself."""

from __future__ import annotations

import numpy as np

from baselines import dfg_query, pripel, tvq
from data.log import EventLog
from mechanisms import amun, pretsa
from metrics.flags import score
from metrics.metric import Marked

LOG = EventLog.from_rows(np.repeat([f"c{i}" for i in range(40)], 2), ["a", "b"] * 40, np.arange(80) ** 2 * 60_000_000)


def raised(mechanism, **parameters) -> set[str]:
    outcome = mechanism.anonymize(LOG, **parameters, rng=np.random.default_rng(1))
    return {name.removeprefix("flag_") for name, value in score({"diagnostics": outcome.diagnostics}).items() if value}


def test_flags_of_every_kind():
    code = {"delta": 0.3, "profile": "code"}
    common = {"data_dependent_epsilon", "bounds_from_data", "exact_values"}
    assert raised(amun, **code, mode="sampling") == common
    assert raised(amun, **code, mode="oversampling") == {*common, "one_sided_noise"}
    assert raised(amun, **code, mode="filtering") == {*common, "filter_not_covered"}
    assert raised(amun, delta=0.3, dates=("1960-01-01", "2000-01-01"), max_length=3) == set()
    assert raised(amun, delta=0.3) == {"bounds_from_data"}
    assert raised(tvq, epsilon=1, max_length=3, pruning=1) == {"parameters_from_data"}
    assert raised(dfg_query, epsilon=1) == {"parameters_from_data"}
    assert raised(pripel, epsilon=1, max_length=3, pruning=1) == {
        "parameters_from_data", "bounds_from_data", "exact_values",
    }  # fmt: skip
    assert raised(pretsa, k=2, t=1.0) == {"exact_values"}
    assert raised(pretsa, k=2, t=1.0, duration_epsilon=1.0) == {"bounds_from_data"}


def test_a_run_with_a_seed_is_no_private_release():
    for seeded in (True, False):
        assert score({"diagnostics": {"flags": [], "seeded": seeded}})["flag_seeded"] == seeded


def test_a_program_that_states_nothing_has_no_flags():
    assert all(isinstance(value, Marked) for value in score({"diagnostics": {"nominal_epsilon": 1.0}}).values())
