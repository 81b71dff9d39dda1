"""SaCoFa: relations and violations of the specification's logs, the law of j, and what holds for every log."""

from __future__ import annotations

import json
import math
from collections import Counter

import literal_queries
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from query_logs import log_of, random_traces, traces
from scipy.stats import chisquare

from baselines import sacofa
from baselines.sacofa import query
from baselines.sacofa.bits import contains, members, pack, sizes
from baselines.sacofa.prospects import Prospects, Rules
from baselines.sacofa.query import number_to_choose
from baselines.sacofa.relations import END, relations_of, violations
from data.log import EventLog, empty_log
from mechanisms import Infeasible, ParameterError

RELATED = {"abc": 2, "acb": 1, "abad": 1}
VECTOR_LOG = {"ab": 5, "a": 2, "abc": 3}


@pytest.fixture
def golden(shared_dir):
    return json.loads((shared_dir / "golden" / "dp_baselines_vectors.json").read_text())


def release(log: EventLog, seed: int = 1, **parameters) -> EventLog:
    return sacofa.release(log, rng=np.random.default_rng(seed), **parameters)


def count(text: str, log: EventLog) -> int:
    """Violations of a text of activities, $ being the end."""
    codes = [END if symbol == "$" else log.labels.index(symbol) for symbol in text]
    return violations(np.array(codes), relations_of(log))


def rows(always: np.ndarray, never: np.ndarray) -> dict:
    return {
        label: "".join("N" if n else "A" if a else "S" for a, n in zip(*pair, strict=True))
        for label, pair in zip("abcd", zip(always, never, strict=True), strict=True)
    }


def test_relations(golden):
    vectors = golden["relations of log 2x<a,b,c> 1x<a,c,b> 1x<a,b,a,d>"]
    relations = relations_of(log_of(RELATED))
    assert rows(relations.always_follows, relations.never_follows) == vectors["follows"]
    # What never precedes an activity is what it never follows.
    assert rows(relations.always_precedes, relations.never_follows.T) == vectors["precedes"]


def test_violations(golden):
    log = log_of(RELATED)
    assert {text: count(text, log) for text in golden["violation counts"]} == golden["violation counts"]


def test_a_later_repeat_heals_a_violation():
    log = log_of({"aba": 7})
    expected = {"ab": 2, "aba": 0, "aba$": 0, "aa": 1, "a$": 4, "ab$": 4, "ba": 2}
    assert {text: count(text, log) for text in expected} == expected


@pytest.mark.parametrize("chosen", [0, 1])
def test_vectors(golden, monkeypatch, chosen):
    monkeypatch.setattr(query, "number_to_choose", lambda violating, epsilon, rng: min(chosen, violating))
    for name, expected in golden["SaCoFa, same log, zero noise"].items():
        j, pruning, levels = (part.rpartition("=")[2] for part in name.removesuffix(" (zero noise)").split())
        if int(j) == chosen:
            found = release(log_of(VECTOR_LOG), epsilon="inf", max_length=levels, pruning=pruning)
            assert traces(found) == {tuple(trace.split(",")): n for trace, n in expected.items()}, name


@pytest.mark.parametrize(("violating", "epsilon"), [(2, 1.0), (5, 0.1)])
def test_the_law_of_j(golden, violating, epsilon):
    vectors = golden[f"number of violating prefixes, V={violating}, eps={epsilon:g}"]
    rng, draws = np.random.default_rng(1), 20_000
    found = np.bincount([number_to_choose(violating, epsilon, rng) for _ in range(draws)], minlength=violating + 1)
    assert chisquare(found, draws * np.array(vectors)).pvalue > 0.001


def test_the_law_of_j_does_not_overflow():
    """The published weights are not numbers from epsilon V = 1420 on; the mean is 1 / (e^(epsilon / 2) - 1)."""
    rng = np.random.default_rng(1)
    drawn = [number_to_choose(10**7, 1.0, rng) for _ in range(5000)]
    assert np.mean(drawn) == pytest.approx(1 / math.expm1(0.5), rel=0.1)
    assert number_to_choose(10, math.inf, rng) == 0
    assert number_to_choose(0, 1.0, rng) == 0
    assert max(number_to_choose(3, 1e-12, rng) for _ in range(50)) == 3


@settings(max_examples=40, deadline=None)
@given(random_traces(), st.integers(0, 99))
def test_extensions_conform_if_they_have_no_violation(given, seed):
    """The sets that are kept up from level to level, against counting violations word for word."""
    rng, log = np.random.default_rng(seed), log_of(given)
    literal = {tuple(trace): n for trace, n in given.items()}
    symbols = [*log.labels, literal_queries.END]
    relations = relations_of(log)
    rules = Rules(relations)
    prospects, prefixes = Prospects.of_empty_prefix(rules), [()]
    for _ in range(4):
        conforming = prospects.conforming(rules)
        found = {
            (*prefix, symbol): contains(conforming, np.array([row]), np.array([number]))[0]
            for row, prefix in enumerate(prefixes)
            for number, symbol in enumerate(symbols)
        }
        assert found == {prefix: literal_queries.violations(prefix, literal) == 0 for prefix in found}
        coded = {prefix: [log.labels.index(s) if s != "$" else END for s in prefix] for prefix in found}
        for prefix, codes in coded.items():
            assert violations(np.array(codes), relations) == literal_queries.violations(prefix, literal)
        parents, activities = rng.integers(len(prefixes), size=6), rng.integers(len(log.labels), size=6)
        prospects = prospects.extended(rules, parents, activities)
        prefixes = [(*prefixes[p], log.labels[a]) for p, a in zip(parents, activities, strict=True)]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 150), st.integers(1, 5), st.floats(0, 1), st.integers(0, 99))
def test_sets_of_bits(symbols, rows, density, seed):
    table = np.random.default_rng(seed).random((rows, symbols)) < density
    sets = pack(table)
    assert sizes(sets).tolist() == table.sum(axis=1).tolist()
    found = members(sets, np.arange(table.sum()))
    assert np.array_equal(found, np.nonzero(table))
    row, symbol = np.indices(table.shape).reshape(2, -1)
    assert np.array_equal(contains(sets, row, symbol), table.ravel())


@settings(max_examples=30, deadline=None)
@given(random_traces(), st.sampled_from(sacofa.MODES), st.integers(1, 5))
def test_without_noise_cut_true_counts_that_are_frequent_enough_to_go_on(given, mode, levels):
    expected = Counter()
    for trace, n in given.items():
        prefixes = [sum(k for t, k in given.items() if t.startswith(trace[:i])) for i in range(1, levels)]
        if all(prefix >= 2 for prefix in prefixes[: len(trace)]):
            expected[tuple(trace[:levels])] += n
    thresholds = {"pruning_conforming": 2} if mode == "ba_prune" else {}
    found = release(log_of(given), epsilon="inf", max_length=levels, pruning=2, mode=mode, **thresholds)
    assert traces(found) == expected


@settings(max_examples=30, deadline=None)
@given(random_traces(), st.sampled_from(sacofa.MODES), st.integers(1, 4), st.integers(0, 99))
def test_no_variant_is_longer_than_the_levels(given, mode, levels, seed):
    released = release(log_of(given), seed, epsilon=0.7, max_length=levels, pruning=2, mode=mode)
    assert released.lengths.max(initial=0) <= levels
    assert released.untimed


@settings(max_examples=20, deadline=None)
@given(random_traces(), st.sampled_from(sacofa.MODES), st.integers(0, 99))
def test_names_do_not_matter(given, mode, seed):
    names = {"a": "x>>>y", "b": "x@TRACE_END", "c": "TRACE_END"}
    renamed = {tuple(names[activity] for activity in trace): n for trace, n in given.items()}
    parameters = {"epsilon": 1, "max_length": 4, "pruning": 2, "mode": mode, "seed": seed}
    found = traces(release(log_of(given), **parameters))
    expected = {tuple(names[activity] for activity in trace): n for trace, n in found.items()}
    assert traces(release(log_of(renamed), **parameters)) == expected


def test_the_log_stays_as_it_is_and_no_case_id_is_released():
    log = log_of({"ab": 40, "b": 30})
    before = log.activities.tobytes(), log.timestamps.tobytes(), log.case_ids
    released = release(log, epsilon=1, max_length=3, pruning=5)
    assert not set(released.case_ids) & set(log.case_ids)
    assert (log.activities.tobytes(), log.timestamps.tobytes(), log.case_ids) == before


def test_the_relations_keep_away_what_noise_would_invent():
    """Of 20 activities in fixed order most candidates violate something; the plain query explodes on this log."""
    log = log_of({"abcdefghijklmnopqrst": 100})
    assert len(release(log, epsilon=0.5, max_length=20, pruning=5).variants) < 200


def test_more_prefixes_than_allowed_are_refused():
    log = log_of({"".join(np.random.default_rng(seed).permutation([*"abcdef"])): 1 for seed in range(50)})
    with pytest.raises(Infeasible, match=r"level \d brings the kept prefixes to \d+, 50 are allowed"):
        release(log, epsilon=0.01, max_length=6, pruning=1, max_prefixes=50)


def test_a_sample_of_the_prefixes_foretells_an_explosion_and_changes_nothing_else(monkeypatch):
    log = log_of({"".join(np.random.default_rng(seed).permutation([*"abcdef"])): 1 for seed in range(50)})
    parameters = {"epsilon": 0.05, "max_length": 6, "pruning": 1}
    whole = release(log, **parameters)
    monkeypatch.setattr(query, "SAMPLE", 7)
    assert traces(release(log, **parameters)) == traces(whole)
    monkeypatch.setattr(query.Cap, "keep", lambda self, number: setattr(self, "kept", self.kept + number))
    with pytest.raises(Infeasible, match=r"about \S+ prefixes are to be expected up to level [2-6], 20 are allowed"):
        release(log, **parameters, max_prefixes=20)


@pytest.mark.parametrize(("mode", "composed"), [("ba", 3 * (2 + math.log(2))), ("ba_multi", 3 * (2 / 3 + math.log(2)))])
def test_the_composed_epsilon_counts_the_choices_and_the_counts(mode, composed):
    log = log_of({"ab": 50})
    outcome = sacofa.anonymize(log, epsilon=1, max_length=3, pruning=5, mode=mode, rng=np.random.default_rng(1))
    assert outcome.diagnostics["composed_epsilon"] == pytest.approx(composed)
    assert "the relations of activities" in outcome.notes[0]


def test_conforming_prefixes_have_a_threshold_of_their_own():
    """Two cases of three are enough for the prefix a to go on, one case is not."""
    log = log_of({"ab": 2, "b": 1})
    parameters = {"epsilon": "inf", "max_length": 3, "pruning": 3, "mode": "ba_prune"}
    assert traces(release(log, **parameters)) == {("a", "b"): 2}
    assert traces(release(log, **parameters, pruning_conforming=1)) == {("a", "b"): 2, ("b",): 1}
    assert traces(release(log, **parameters, pruning_conforming=3)) == {}
    outcome = sacofa.anonymize(log, **parameters, rng=np.random.default_rng(1))
    assert outcome.resolved == {"epsilon": "inf", "max_length": 3, "pruning": 3, "pruning_conforming": 2}


def test_parameters_that_are_none():
    log = log_of({"a": 1})
    with pytest.raises(ParameterError, match="mode must be one of ba, ba_prune, ba_multi, occured; it is 'new'"):
        release(log, epsilon=1, mode="new")
    with pytest.raises(ParameterError, match="pruning_conforming is of mode ba_prune, not of ba"):
        release(log, epsilon=1, pruning_conforming=2)
    with pytest.raises(ParameterError, match="pruning_conforming must be a whole number"):
        release(log, epsilon=1, mode="ba_prune", pruning_conforming="0")


def test_a_log_without_cases_is_released_without_cases():
    assert release(empty_log(), epsilon=1, pruning=5).n_cases == 0
