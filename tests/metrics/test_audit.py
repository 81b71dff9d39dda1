"""The audit finds what leaks, and leaves alone what keeps its claim."""

from __future__ import annotations

import csv
import json
from functools import partial

import numpy as np
import pytest

from metrics import audit as command
from metrics.audit import audit, audit_all
from metrics.epsilon_bounds import epsilon_bound
from metrics.events import Event, best_event

ACCOUNT = {
    "mechanism": "noise",
    "name": "count",
    "settings": {"profile": "x"},
    "pair": "one",
    "adjacency": "one case more",
    "unit": "one case",
    "observations": ["count"],
    "structural": "",
    "claimed": 1.0,
    "composed": 2.0,
    "delta": 0.0,
}


def column(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=np.int64)[:, None]


def geometric(count: int, epsilon: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    p = -np.expm1(-epsilon)
    return count + rng.geometric(p, draws) - rng.geometric(p, draws)


def truncated(count: int, epsilon: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    return np.maximum(count + np.trunc(rng.laplace(0, 1 / epsilon, draws)), 0)


LEAKY = {
    "truncated": lambda count, draws, rng: truncated(count, 1.0, draws, rng),
    "twice the epsilon": lambda count, draws, rng: geometric(count, 2.0, draws, rng),
    "no noise": lambda count, draws, rng: np.full(draws, count),
    "sensitivity 2": lambda count, draws, rng: geometric(2 * count, 1.0, draws, rng),
    "one noise for all": lambda count, draws, rng: np.full(draws, count + 3),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKY)
@pytest.mark.parametrize("seed", range(20))
def test_what_leaks_more_than_it_claims_is_found(name, seed):
    rng = np.random.default_rng(seed)
    sides = [column(LEAKY[name](count, 4000, rng)) for count in (5, 6)]
    assert audit(*sides, ACCOUNT).verdict == "violated"


def flagged(seeds: int, draws: int) -> int:
    """Of so many audits of a mechanism that keeps its claim, those that say that it does not."""
    found = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        sides = [column(geometric(count, 1.0, draws, rng)) for count in (5, 6)]
        found += audit(*sides, ACCOUNT).verdict == "violated"
    return found


def test_what_keeps_its_claim_is_left_alone():
    assert flagged(20, 4000) <= 1


@pytest.mark.slow
def test_what_keeps_its_claim_is_left_alone_in_95_of_100_audits():
    assert flagged(100, 100_000) <= 5


def test_a_mechanism_that_ignores_its_log_shows_nothing():
    sides = [column(np.random.default_rng(seed).integers(0, 9, 4000)) for seed in (1, 2)]
    finding = audit(*sides, ACCOUNT)
    assert (finding.epsilon_low, finding.delta_low, finding.verdict) == (pytest.approx(0, abs=0.1), 0, "consistent")
    constant = column(np.zeros(4000))
    finding = audit(constant, constant, ACCOUNT)
    assert (finding.epsilon_low, finding.event) == (0, "")


def test_the_bound_comes_near_the_truth_and_does_not_depend_on_the_order_of_the_logs():
    rng = np.random.default_rng(3)
    sides = [column(truncated(count, 1.0, 40_000, rng)) for count in (5, 6)]
    there, back = audit(*sides, ACCOUNT), audit(*sides[::-1], ACCOUNT)
    assert 1.55 < there.epsilon_low < 1 + np.log(2)
    assert back.epsilon_low == pytest.approx(there.epsilon_low, abs=0.05)
    assert (there.verdict, there.composed_verdict) == ("violated", "consistent")


def test_an_impossible_output_is_told_of_with_its_declared_reason_and_a_finite_number():
    finding = audit(column(np.zeros(1000)), column(np.ones(1000)), ACCOUNT | {"structural": "impossible"})
    assert finding.epsilon_low == finding.largest == pytest.approx(4.9056, abs=1e-4)
    assert (finding.hits, finding.hits_other, finding.structural) == (500, 0, "impossible")
    rng = np.random.default_rng(1)
    sides = [column(rng.random(1000) < share) for share in (0.1, 0.9)]
    possible = audit(*sides, ACCOUNT | {"structural": "impossible"})
    assert possible.structural == ""


def test_a_claim_that_so_few_draws_cannot_contradict_is_not_called_consistent():
    sides = column(np.zeros(100)), column(np.ones(100))
    assert audit(*sides, ACCOUNT | {"claimed": 3.0}).verdict == "not testable"
    assert audit(*sides, ACCOUNT | {"claimed": None}).verdict == "no DP claim"


def test_a_claim_with_a_delta_fails_in_either_number():
    """Thresholds for a variant of one case, eps 1 and delta 0.01: P(released) 0.01339 is too much, 0.004926 is not."""
    account = ACCOUNT | {"delta": 0.01}
    rng = np.random.default_rng(1)
    for released, verdict in ((0.01339, "violated"), (0.004926, "consistent")):
        sides = column(np.zeros(100_000)), column(rng.random(100_000) < released)
        assert audit(*sides, account).verdict == verdict
    sides = [column(geometric(count, 2.0, 10_000, rng)) for count in (5, 6)]
    assert audit(*sides, account).verdict == "violated"


def test_a_real_number_is_told_apart_by_its_repeated_values_and_its_tails():
    rng = np.random.default_rng(1)
    exact = [column(np.where(rng.random(4000) < 0.3, value, rng.integers(0, 10**9, 4000))) for value in (600, 660)]
    event = best_event(*exact, partial(epsilon_bound, alpha=0.001))
    assert {"600", "660"} & set(event.text("gap").split())
    shifted = [column(rng.integers(low, low + 10**9, 4000)) for low in (0, 5 * 10**8)]
    assert audit(*shifted, ACCOUNT).verdict == "violated"


def test_the_p_value_is_the_error_at_which_the_claim_begins_to_fail():
    rng = np.random.default_rng(2)
    sides = [column(geometric(count, 1.1, 20_000, rng)) for count in (5, 6)]
    finding = audit(*sides, ACCOUNT)
    assert 0 < finding.p_value < 1
    for factor, verdict in ((0.99, "consistent"), (1.01, "violated")):
        assert audit(*sides, ACCOUNT, alpha=factor * finding.p_value).verdict == verdict
    # With a delta, either number may fail, so each has half of the error.
    account = ACCOUNT | {"delta": 1e-3}
    p = audit(*sides, account).p_value
    for factor, verdict in ((0.99, "consistent"), (1.01, "violated")):
        assert audit(*sides, account, alpha=factor * p).verdict == verdict
    assert audit(*sides, ACCOUNT | {"claimed": None}).p_value is None


def test_a_bound_without_hits_on_one_log_is_marked_and_grows_with_fresh_draws():
    sides = column(np.zeros(2000)), column(np.ones(2000))  # 0 is never seen on the second log
    finding = audit(*sides, ACCOUNT, again=column(np.ones(4000)))
    assert (finding.flags, finding.attempts, finding.hits_again, finding.draws_again) == ("ZC", 2, 0, 4000)
    assert finding.slope == pytest.approx(1, abs=0.01)  # by ln 4, if the event never occurs
    rare = column(np.arange(4000) % 400 > 0)
    stalled = audit(*sides, ACCOUNT, again=rare)
    assert (stalled.hits_again, stalled.epsilon_low) == (10, finding.epsilon_low)
    assert stalled.slope < 0
    assert audit(*sides, ACCOUNT).attempts == 1
    sides = [column(geometric(count, 1.0, 4000, np.random.default_rng(1))) for count in (5, 6)]
    assert (audit(*sides, ACCOUNT).flags, audit(*sides, ACCOUNT, again=rare).attempts) == ("", 1)


def test_an_event_is_told_in_words():
    def text(members: list[bool], bounds: list[int]) -> str:
        return Event(0, np.array(bounds), np.array(members), False).text("cases")

    assert text([False, True], [1]) == "cases ≥ 1"
    assert text([True, False, True, False], [1, 4, 5]) == "cases ≤ 0 or = 4"
    assert text([False, True, False], [1, 4]) == "cases from 1 to 3"
    assert text([True, True], [1]) == "any cases"
    assert text([True, False] * 4, [1, 2, 3, 4, 5, 6, 7]) == "cases in 4 of 8 ranges"
    assert text([False, True], [2**60]) == "cases in 1 of 2 ranges", "numbers of whole releases mean nothing"


def test_pairs_of_one_mechanism_share_the_error(tmp_path):
    rng = np.random.default_rng(1)
    first, second = (column(geometric(count, 1.0, 4000, rng)) for count in (5, 6))

    def write(name: str, *names: str) -> str:
        accounts = [ACCOUNT | {"name": each} for each in names]
        arrays = {f"{each} {side}": values for each in names for side, values in (("first", first), ("second", second))}
        np.savez(tmp_path / name, accounts=json.dumps(accounts), **arrays)
        return str(tmp_path / f"{name}.npz")

    alone, both = audit_all([write("alone", "a")]), audit_all([write("both", "a", "b")])
    assert both[0] == both[1]
    assert both[0].p_holm == min(1, 2 * both[0].p_value), "two lines are tested"
    assert both[0].epsilon_low < alone[0].epsilon_low
    command.main([str(tmp_path / "both.npz"), "--out", str(tmp_path / "audit.csv")])
    with open(tmp_path / "audit.csv") as file:
        assert [(row["pair"], row["verdict"]) for row in csv.DictReader(file)] == [("one", "consistent")] * 2
