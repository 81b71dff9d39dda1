"""The game of presence, on queries whose chances are known, and on draws by hand."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from baselines import tvq
from mechanisms import Outcome, identity, shuffle
from mechanisms.neighbours import log_of
from mechanisms.presence import mechanism_of, play, targets_of
from metrics.presence_game import GAME, rates, rows, threshold

# <a> once among cases that survive any noise.
LOG = log_of(["b"] * 60 + ["a"], "ab")
ONE = np.array([60])


@pytest.mark.parametrize(
    ("noise", "right", "false"), [("trunc", 0.665954, 0.033834), ("geom", 0.534447, 0.072329)]
)  # of one level's epsilon 1 and two levels
def test_rates_of_the_trace_variant_query_are_exact(noise, right, false):
    query = partial(tvq.anonymize, epsilon=1.0, max_length=2, pruning=1, noise=noise, accounting="per_level")
    with_case, without = play(query, LOG, ONE, 3000, 1)
    assert (with_case > 0).mean() == pytest.approx(right, abs=0.035)
    assert (without > 0).mean() == pytest.approx(false, abs=0.02)
    found, wrong = (rate.mean() for rate in rates(with_case, without))
    # Presence alone allows the truncated noise more than epsilon 1 does, and the geometric one exactly that.
    assert (found - wrong > np.tanh(0.5) + 0.1) == (noise == "trunc")
    assert found - wrong == pytest.approx(right - false, abs=0.05)


def test_controls():
    log = log_of(["abc", "acb", "bca", "cab", "cba", "bac", "aab", "aab"], "abc")
    targets = targets_of(log, 50, np.random.default_rng(1))
    assert targets.tolist() == [0, 1, 2, 3, 4, 5]
    assert targets_of(log, 2, np.random.default_rng(1)).size == 2
    found, wrong = rates(*play(identity.anonymize, log, targets, 4, 1))
    assert (found.tolist(), wrong.tolist()) == ([1, 1], [0, 0])
    found, wrong = rates(*play(shuffle.anonymize, log, targets, 60, 1))
    assert abs((found - wrong).mean()) < 0.1


def test_the_threshold_is_chosen_on_one_half_and_a_misleading_release_is_ignored():
    with_case, without = np.array([[3, 4, 3, 1]]), np.array([[1, 2, 1, 1]])
    assert threshold(with_case, without) == 3
    assert [rate.tolist() for rate in rates(with_case, without)] == [[1, 0], [0, 0]]
    assert threshold(without, with_case) is None
    assert [rate.sum() for rate in rates(without, with_case)] == [0, 0]


def test_rows_are_scores_of_the_test_draws():
    cell = json.dumps({"log": "a", "mechanism": "tvq", "parameters_id": "epsilon=1"})
    found = rows({"cell": cell, "with_case": np.array([[2, 2, 2, 0]]), "without": np.zeros((1, 4), dtype=int)})
    advantages = [row.value for row in found if row.metric == GAME.metric("advantage")]
    assert advantages == [1, 0]
    assert {row[:3] for row in found} == {("a", "tvq", "epsilon=1")}
    none = rows({"cell": cell, "with_case": np.zeros((0, 4)), "without": np.zeros((0, 4))})
    assert {row.status for row in none} == {"n/a"}


def test_the_mechanism_is_that_of_the_command_of_a_run():
    command = "python -m baselines.tvq IN OUT --epsilon 1 --max-length 3 --pruning 1 --profile accounted --seed 4"
    outcome = mechanism_of(command.split())(LOG, rng=np.random.default_rng(1))
    assert isinstance(outcome, Outcome)
    assert outcome.diagnostics["composed_epsilon"] == 1
    with pytest.raises(SystemExit, match="only mechanisms in Python"):
        mechanism_of(["awk", "-f", "program"])
