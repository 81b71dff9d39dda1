"""The Laplace trace-variant query: the specification's vectors, and what holds for every log."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from query_logs import answer, log_of, random_traces, traces
from scipy.stats import binomtest

from baselines import tvq
from baselines.prefix_query.growth import VariantCounts
from baselines.prefix_query.laplace import expected_prefixes, trace_variant_query
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.release import check_size
from baselines.prefix_query.tree import prefix_counts
from data.log import EventLog, empty_log
from mechanisms import Infeasible, ParameterError

VECTOR_LOG = {"ab": 5, "a": 2, "abc": 3}


class Fixed(Noise):
    """Every raw draw is the same number; what is added is its integer part."""

    def __init__(self, draw: float) -> None:
        super().__init__("trunc", 1.0)
        object.__setattr__(self, "shift", int(draw))

    def noisy(self, counts, rng):
        return np.maximum(counts + self.shift, 0)

    def tail(self, threshold):
        return float(self.shift >= threshold)

    def reaching(self, threshold, size, rng):
        return np.full(size, self.shift)


def query(log: EventLog, noise: Noise, levels: int, pruning: int, style: str = "full-prune", seed: int = 1) -> Counter:
    rng = np.random.default_rng(seed)
    tree = prefix_counts(log, levels)
    return answer(
        trace_variant_query(tree, levels=levels, pruning=pruning, noise=noise, style=style, rng=rng), log.labels
    )


def release(log: EventLog, seed: int = 1, **parameters) -> EventLog:
    return tvq.release(log, rng=np.random.default_rng(seed), **parameters)


def test_vectors(shared_dir):
    golden = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())
    [vectors] = [value for name, value in golden.items() if name.startswith("TVQ prune-everything")]
    log = log_of(VECTOR_LOG)
    for name, expected in vectors.items():
        draw, pruning, levels = (part.rpartition("=")[2] for part in name.removeprefix("raw noise ").split())
        found = query(log, Fixed(float(draw)), int(levels), int(pruning))
        assert found == {tuple(trace.split(",")): count for trace, count in expected.items()}, name
    assert len(vectors) > 15


def test_keep_end_releases_what_is_open_after_the_last_level():
    log = log_of(VECTOR_LOG)
    assert query(log, Fixed(0), 3, 2, "keep-end") == {("a",): 2, ("a", "b"): 5, ("a", "b", "c"): 3}
    assert query(log, Fixed(0), 2, 2, "keep-end") == {("a",): 2, ("a", "b"): 8}
    assert query(log, Fixed(0), 4, 4, "keep-end") == {("a",): 2, ("a", "b"): 5}  # the end is never pruned


def test_probabilities_of_a_log_of_one_case(shared_dir):
    golden = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())
    [vectors] = [value for name, value in golden.items() if name.startswith("one-case log <a>")]
    log, draws = log_of({"a": 1}), 4000
    found = Counter(
        trace for seed in range(draws) for trace in query(log, Noise("trunc", 1), 2, 1, seed=seed) if len(trace) < 2
    )
    assert binomtest(found["a",], draws, vectors["Pr[<a> in output]"]).pvalue > 0.001
    assert binomtest(found[()], draws, vectors["Pr[empty trace in output]"]).pvalue > 0.001


def test_branching(shared_dir):
    golden = json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())
    vectors = golden["branching b=A/2*exp(-eps*P)"]
    assert 27 * Noise("trunc", 0.1).tail(7) == pytest.approx(vectors["A=27 eps=0.1 P=7"])
    assert 16 * Noise("trunc", 1).tail(5) == pytest.approx(vectors["A=16 eps=1 P=5"])


def test_the_expected_number_of_prefixes():
    """By hand: 2 activities, P 2, so b = 2 e^-2 / 2 and the same share of ends; the log keeps a, ab and abc."""
    tree, noise = prefix_counts(log_of({"abc": 3}), 3), Noise("trunc", 1)
    q = math.exp(-2) / 2
    first = 1 * q + 3 * q + 1  # the end and three activities behind the empty prefix, and a
    second = (1 + 3 * q) * q + (1 + 3 * q) * 3 * q + 1
    alive = 1 + (1 + 3 * q) * 3 * q
    assert expected_prefixes(tree, 3, 2, 2, noise) == pytest.approx(first + second + alive * q)
    p = math.exp(-1) / 2
    ends = (p - q) * (1 + (1 + 3 * q) + alive)
    assert expected_prefixes(tree, 3, 2, 1, noise) == pytest.approx(
        first + second + alive * q + ends + alive * 3 * p + 1
    )


def brute_force(given: dict, levels: int, pruning: int) -> dict:
    """Variants that end within the levels and are frequent enough; so are all their prefixes then."""
    return {tuple(trace): n for trace, n in given.items() if n >= pruning and len(trace) < levels}


@settings(max_examples=40, deadline=None)
@given(random_traces(), st.integers(1, 6), st.integers(1, 4))
def test_without_noise_the_pruned_true_counts(given, levels, pruning):
    log = log_of(given)
    outcome = tvq.anonymize(log, epsilon="inf", max_length=levels, pruning=pruning, rng=np.random.default_rng(1))
    assert traces(outcome.release) == brute_force(given, levels, pruning)
    assert outcome.diagnostics["nominal_epsilon"] is None
    assert outcome.resolved["epsilon"] == "inf"


@settings(max_examples=40, deadline=None)
@given(random_traces(), st.sampled_from([0.5, 2.0]), st.integers(1, 5), st.integers(1, 4), st.integers(0, 99))
def test_lengths_and_counts_stay_within_their_bounds(given, epsilon, levels, pruning, seed):
    log = log_of(given)
    found = query(log, Noise("trunc", epsilon), levels, pruning, seed=seed)
    assert all(len(trace) < levels and count >= pruning for trace, count in found.items())
    found = query(log, Noise("geom", epsilon), levels, pruning, "keep-end", seed)
    assert all(len(trace) <= levels and count >= 1 for trace, count in found.items())


@settings(max_examples=30, deadline=None)
@given(random_traces(), st.integers(1, 4), st.integers(0, 99))
def test_one_more_level_only_adds_longer_variants(given, levels, seed):
    log = log_of(given)
    less, more = (query(log, Noise("trunc", 1), n, 2, seed=seed) for n in (levels, levels + 1))
    assert less == {trace: count for trace, count in more.items() if len(trace) < levels}


@settings(max_examples=20, deadline=None)
@given(random_traces(), st.integers(0, 99))
def test_names_do_not_matter(given, seed):
    names = {"a": "x>>>y", "b": "x@TRACE_END", "c": "TRACE_END"}
    renamed = {tuple(names[activity] for activity in trace): n for trace, n in given.items()}
    parameters = {"epsilon": 1, "max_length": 4, "pruning": 2, "seed": seed}
    found = traces(release(log_of(given), **parameters))
    expected = {tuple(names[activity] for activity in trace): n for trace, n in found.items()}
    assert traces(release(log_of(renamed), **parameters)) == expected


def test_the_release_has_neither_times_nor_ids_of_the_log_and_the_log_stays_as_it_is():
    log = log_of({"ab": 40, "b": 30})
    before = log.activities.tobytes(), log.timestamps.tobytes(), log.case_ids
    released = release(log, epsilon=1, max_length=3, pruning=5)
    assert released.untimed
    assert not log.untimed
    assert not set(released.case_ids) & set(log.case_ids)
    assert (log.activities.tobytes(), log.timestamps.tobytes(), log.case_ids) == before


def test_cases_are_in_random_order():
    """Real variants come first in the answer of a query, which must not show."""
    log = log_of({"ab": 50, "b": 50})
    released = release(log, epsilon=5, max_length=3, pruning=20)
    first = released.activities[released.offsets[:-1]]
    assert 10 < (np.diff(first) != 0).sum() < 90


def test_a_threshold_beyond_all_counts_leaves_an_empty_release():
    outcome = tvq.anonymize(log_of({"ab": 5}), epsilon=1, max_length=3, pruning=10**6, rng=np.random.default_rng(1))
    assert outcome.release.n_cases == 0
    assert outcome.notes[-1] == "no sequence is frequent enough to be released; the release is empty"


def test_a_log_without_cases_is_released_without_cases():
    assert release(empty_log(), epsilon=1, pruning=5).n_cases == 0


def test_empty_traces_are_counted_and_left_out():
    """At epsilon 0.01 the empty trace comes with a large count every other time."""
    seeds = range(20)
    parameters = {"epsilon": 0.01, "max_length": 1, "pruning": 1}
    outcomes = [tvq.anonymize(log_of({"a": 1}), rng=np.random.default_rng(seed), **parameters) for seed in seeds]
    assert all(outcome.release.n_cases == 0 for outcome in outcomes)
    assert any(outcome.diagnostics["empty_cases"] > 10 for outcome in outcomes)


@pytest.mark.parametrize(
    ("parameters", "composed"),
    [
        ({}, 3 * (1 + math.log(2))),
        ({"profile": "accounted"}, 1),
        ({"noise": "geom"}, 3),
        ({"noise": "abs"}, 3),
        ({"accounting": "total"}, 1 + 3 * math.log(2)),
        ({"profile": "accounted", "accounting": "per_level"}, 3),
    ],
)
def test_the_composed_epsilon_counts_every_level(parameters, composed):
    log = log_of({"ab": 500, "b": 300})
    outcome = tvq.anonymize(log, epsilon=1, max_length=3, pruning=50, rng=np.random.default_rng(1), **parameters)
    assert outcome.diagnostics["nominal_epsilon"] == 1
    assert outcome.diagnostics["composed_epsilon"] == pytest.approx(composed)
    assert any("times the nominal epsilon" in note for note in outcome.notes) == (composed > 1)


@pytest.mark.parametrize("levels", range(1, 30))
def test_shares_of_epsilon_are_not_said_to_cost_more_than_epsilon(levels):
    parameters = {"epsilon": 0.1, "max_length": levels, "pruning": 500, "profile": "accounted"}
    outcome = tvq.anonymize(log_of({"ab": 50}), rng=np.random.default_rng(1), **parameters)
    assert outcome.diagnostics["composed_epsilon"] == pytest.approx(0.1)
    assert not any("times the nominal epsilon" in note for note in outcome.notes)


def test_what_no_epsilon_covers_is_said():
    outcome = tvq.anonymize(log_of({"ab": 50}), epsilon=1, pruning="1%", rng=np.random.default_rng(1))
    assert outcome.diagnostics["not_covered"] == ["the set of activities", "max_length", "pruning"]
    assert outcome.resolved == {"epsilon": 1, "max_length": 2, "pruning": 1}
    assert "which no epsilon covers: the set of activities, max_length, pruning" in outcome.notes[0]


def test_an_explosion_is_foretold():
    log = log_of({"abcdefghijklmnopqrst": 10})
    with pytest.raises(Infeasible, match=r"about .* prefixes are to be expected, 5000000 are allowed .*pruning to 24"):
        release(log, epsilon=0.1, max_length=20, pruning=5)


def test_more_prefixes_than_allowed_are_refused_while_they_are_drawn():
    """Two thirds of the candidates survive in the mean, more by chance."""
    log = log_of({"abcdef": 1})
    expected = expected_prefixes(prefix_counts(log, 2), 2, 1, 1, Noise("trunc", 0.01))
    refusals = []
    for seed in range(20):
        try:
            release(log, seed, epsilon=0.01, max_length=2, pruning=1, style="keep-end", max_prefixes=int(expected) + 1)
        except Infeasible as refusal:
            refusals.append(str(refusal))
    assert 2 < len(refusals) < 18
    assert all("brings the kept prefixes to" in refusal for refusal in refusals)


def test_a_release_of_too_many_events_is_refused_before_it_is_made():
    """A few variants with counts near 1 / epsilon."""
    started = time.process_time()
    with pytest.raises(Infeasible, match=r"the output itself explodes: the release would have .* cases, 10000000 are"):
        release(log_of({"a": 1}), epsilon=1e-9, max_length=2, pruning=1, style="keep-end")
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("length", "count", "timed", "refused"),
    [
        (1, 10_000_000, False, None),
        (1, 10_000_001, False, r"1e\+07 cases, 10000000 are allowed"),
        (200, 500_000, False, None),
        (200, 500_001, False, r"1e\+08 events, 100000000 are allowed, as more cannot be scored within 4 GB; raise"),
        (200, 125_000, True, None),
        (200, 125_001, True, r"2\.5e\+07 events, 25000000 are allowed"),
    ],
)
def test_what_can_be_scored_is_released(length, count, timed, refused):
    found = VariantCounts(np.zeros(length, dtype=np.int64), np.array([0, 0, length]), np.array([10**9, count]))
    with pytest.raises(Infeasible, match=refused) if refused else nullcontext():
        check_size(found, timed)


def test_a_log_of_too_many_frequent_prefixes_is_refused_whatever_the_noise():
    """At epsilon 1000 noise keeps nothing; the twenty prefixes are those of the log."""
    with pytest.raises(
        Infeasible, match=r"about 20 prefixes are to be expected, 9 are allowed \(max_prefixes\); raise pr"
    ):
        release(log_of({"abcdefghijklmnopqrst": 10}), epsilon=1000, max_length=21, pruning=5, max_prefixes=9)


def test_a_long_case_costs_time_in_proportion_to_its_length():
    """One variant of 3000 activities: what each level costs does not grow with its number."""
    log = log_of({tuple(f"{place % 5}" for place in range(3000)): 20})
    started = time.process_time()
    released = release(log, epsilon=50, max_length=3001, pruning=10)
    assert released.lengths.max() == 3000
    assert time.process_time() - started < 5


@pytest.mark.parametrize(("epsilon", "refused"), [(0.01, True), (5, False)])
def test_a_maximum_length_beyond_all_cases_takes_no_time(epsilon, refused):
    started = time.process_time()
    parameters = {"epsilon": epsilon, "max_length": 10**9, "pruning": 3, "style": "keep-end"}
    if refused:
        with pytest.raises(Infeasible, match="about inf prefixes are to be expected"):
            release(log_of({"abcd": 50}), **parameters)
    else:
        assert release(log_of({"abcd": 50}), **parameters).n_cases > 0
    assert time.process_time() - started < 1


@pytest.mark.parametrize("name", ["profile", "style", "noise", "accounting"])
def test_unknown_choices_are_refused(name):
    with pytest.raises(ParameterError, match=f"{name} must be one of .*; it is 'new'"):
        release(log_of({"a": 1}), epsilon=1, **{name: "new"})
