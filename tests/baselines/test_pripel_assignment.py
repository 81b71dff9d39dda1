"""The assignment costs as little as that of scipy on the full matrix, and deals out cases evenly."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import chisquare

from baselines.pripel import assignment
from baselines.pripel.assignment import assign, cheapest_plan, distances, transport
from data.io import read_log
from data.log import EventLog
from data.texts import texts
from mechanisms import Infeasible

words = st.dictionaries(st.text("abc", min_size=1, max_size=5), st.integers(1, 6), min_size=1, max_size=7)


def full_cost(query, counts, known, known_counts) -> int:
    """Cost of the assignment of all traces to all cases."""
    costs = np.repeat(np.repeat(distances(query, known).astype(int), counts, axis=0), known_counts, axis=1)
    return costs[linear_sum_assignment(costs)].sum()


def cost(query, counts, known, known_counts) -> int:
    """Cost of our plan, whose marginals are checked."""
    rows, columns, sizes = cheapest_plan(query, counts, known, known_counts)
    assert (sizes >= 0).all()
    assert sizes.sum() == min(counts.sum(), known_counts.sum())
    assert (np.bincount(rows, sizes, len(query)) <= counts).all()
    assert (np.bincount(columns, sizes, len(known)) <= known_counts).all()
    return (distances(query, known)[rows, columns] * sizes).sum()


def arrays(words: dict[str, int]) -> tuple[list[str], np.ndarray]:
    return list(words), np.array([*words.values()])


def test_vectors(shared_dir):
    vectors = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())
    for pair, expected in vectors["levenshtein"].items():
        a, b = pair.split("|")
        assert distances([a], [b]) == [[expected]]
    example = vectors["assignment"]
    query, known = Counter(example["query"]), Counter(example["log"])
    matrix = distances(example["query"], example["log"])
    assert matrix.tolist() == example["matrix"]
    assert cost(*arrays(query), *arrays(known)) == example["minimum cost"]


def test_worked_example():
    """Two traces ab, abc and d for the cases ab, ac, abcd, abc, bd: ab to ab and ac or abc, d to bd."""
    assert cost(["ab", "abc", "d"], np.array([2, 1, 1]), ["ab", "ac", "abcd", "abc", "bd"], np.ones(5, int)) == 2


@settings(max_examples=150, deadline=None)
@given(words, words)
def test_as_cheap_as_the_full_assignment(query, known):
    sides = *arrays(query), *arrays(known)
    assert cost(*sides) == full_cost(*sides)


@pytest.mark.parametrize("short", [True, False])
def test_solver_and_shortcut_agree_with_scipy(short, monkeypatch):
    if not short:
        monkeypatch.setattr(assignment, "_nearest", lambda *_: None)
    rng = np.random.default_rng(1)
    solved = 0
    for _ in range(60):
        supply, demand = rng.integers(1, 5, rng.integers(1, 6)), rng.integers(1, 5, rng.integers(1, 6))
        costs = rng.integers(0, 6, (len(supply), len(demand)))
        if short and assignment._nearest(supply, demand, costs) is None:
            continue
        solved += 1
        rows, columns, sizes = transport(supply, demand, costs)
        full = np.repeat(np.repeat(costs, supply, axis=0), demand, axis=1)
        assert costs[rows, columns] @ sizes == full[linear_sum_assignment(full)].sum()
    assert solved > 10


@pytest.mark.parametrize(
    "name",
    ["receipt.xes.gz", "Sepsis_Cases_-_Event_Log.xes.gz", "BPI_Challenge_2013_closed_problems.xes.gz"],
)
def test_as_cheap_on_real_logs(real_log, name):
    """Query traces are cases cut at some length, as a query with noise and a maximum length gives them."""
    log = read_log(real_log(name))
    known = texts(log.variants.activities, log.variants.offsets)
    rng = np.random.default_rng(2)
    sampled = rng.choice(log.n_cases, 700, replace=False)
    query = Counter(known[variant][: rng.integers(1, 9)] for variant in log.variants.of_case[sampled])
    sides = *arrays(query), known, log.variants.counts
    assert cost(*sides) == full_cost(*sides)


def log_of(*traces: str) -> EventLog:
    cases = [f"case {number}" for number, trace in enumerate(traces) for _ in trace]
    return EventLog.from_rows(cases, list("".join(traces)), np.arange(len(cases)))


def as_codes(log: EventLog, *traces: str) -> list[str]:
    return ["".join(chr(log.labels.index(label)) for label in trace) for trace in traces]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=12), words, st.integers(0, 99))
def test_no_case_is_taken_twice(traces, query, seed):
    log = log_of(*traces, "abc")
    names, counts = arrays(query)
    cases = assign(as_codes(log, *names), counts, log.variants, np.random.default_rng(seed))
    matched = cases[cases >= 0]
    assert len(cases) == counts.sum()
    assert len(matched) == len(set(matched.tolist())) == min(counts.sum(), log.n_cases)


def test_cases_of_a_variant_are_equally_likely():
    log = log_of("ab", "ab", "ab", "ab", "abc", "ab")
    query, rng = as_codes(log, "ab", "abc"), np.random.default_rng(3)
    drawn = Counter()
    for _ in range(3000):
        cases = assign(query, np.array([2, 1]), log.variants, rng)
        assert cases[2] == 4
        drawn.update([tuple(sorted(cases[:2].tolist()))])
    assert len(drawn) == 10  # pairs of five cases
    assert chisquare([*drawn.values()]).pvalue > 0.001


def test_surplus_traces_have_no_case():
    log = log_of("ab", "c")
    cases = assign(as_codes(log, "ab", "abb"), np.array([1, 3]), log.variants, np.random.default_rng(1))
    assert cases[0] == 0
    assert sorted(cases[1:].tolist()) == [-1, -1, 1]


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(assignment, "MAX_PAIRS", 5)
    with pytest.raises(Infeasible, match="6 pairs, 5 are allowed"):
        cheapest_plan(["a", "b"], np.array([2, 2]), ["c", "d", "e"], np.array([1, 1, 1]))
