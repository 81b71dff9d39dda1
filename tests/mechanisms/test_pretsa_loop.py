"""The loop of PRETSA: worked examples of every profile, and equality with a literal implementation."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretsa_logs import Literal, levenshtein, log_of, random_cases, released, variants

from mechanisms import Infeasible
from mechanisms.pretsa import anonymize
from mechanisms.pretsa.distance import FORMS, Embedded, Levenshtein

PROFILES = ("sound", "r19", "r21")


def counted(cases, **parameters) -> dict[str, int]:
    return dict(Counter("".join(trace) for trace in released(cases, **parameters)))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_example_of_the_authors(profile):
    """Order, goods receipt, check-in, payment or rejection, k = 8 (slides of the ICPM talk)."""
    cases = variants("PUGCY*10 PUGCX*5 PGUCY*7 PGUCX*5 PGUUCY")
    assert counted(cases, k=8, profile=profile) == {"PUGCY": 15, "PGUCX": 13}


@pytest.mark.parametrize(
    ("profile", "expected"), [("sound", {"BBB": 5}), ("r19", {"BBB": 3, "": 2}), ("r21", {"BBB": 3, "": 2})]
)
def test_published_forms_lose_cases(profile, expected):
    """R19 ties with the empty trace; R21 picks what is left of the other cut variant, which is nothing."""
    assert counted(variants("AXY AXZ BBB*3"), k=3, profile=profile) == expected


@pytest.mark.parametrize(
    ("profile", "expected"), [("sound", {"XW": 5}), ("r19", {"XW": 5}), ("r21", {"X": 2, "XW": 3})]
)
def test_r21_invents_a_variant(profile, expected):
    assert counted(variants("AXY AXZ XW*3"), k=3, profile=profile) == expected


@pytest.mark.parametrize(
    ("profile", "expected"), [("sound", {"Q": 9}), ("r19", {"ZBCDE": 8, "Q": 1}), ("r21", {"": 9})]
)
def test_r19_stops_early_and_r21_loses_all(profile, expected):
    """Both classes of B lie 0.5 from all durations of B; R19 stops at the emptied node A."""
    cases = [(tuple("ABCDE"), (0, 10, 0, 0, 0))] * 4 + [(tuple("ZBCDE"), (0, 0, 0, 0, 0))] * 4 + variants("Q")
    assert (
        counted(cases, k=2, t=0.4, profile=profile, **({"variant_k": True} if profile == "sound" else {})) == expected
    )


def test_an_early_stop_is_told():
    cases = [(tuple("ABCDE"), (0, 10, 0, 0, 0))] * 4 + [(tuple("ZBCDE"), (0, 0, 0, 0, 0))] * 4 + variants("Q")
    outcome = anonymize(log_of(cases), k=2, t=0.4, profile="r19", order="file", rng=np.random.default_rng(1))
    assert outcome.diagnostics["status"] == "early_stop"
    assert any("ended early" in note for note in outcome.notes)


@pytest.mark.parametrize("profile", PROFILES)
def test_k_on_prefixes_allows_a_lone_trace(profile):
    cases = variants("AB*9 A")
    unchanged = {"sound": {"variant_k": False}}.get(profile, {})
    assert counted(cases, k=3, profile=profile, **unchanged) == {"AB": 9, "A": 1}
    assert counted(cases, k=3) == {"AB": 10}


@pytest.mark.parametrize("profile", PROFILES)
def test_ties_go_by_the_joined_key(profile):
    """XQ is at distance 1 from XA and from XA1; "@X@A" comes before "@X@A1", and that before "@X@A@B"."""
    traces = [("X", "Q"), *[("X", "A")] * 2, *[("X", "A", "B")] * 2, *[("X", "A1")] * 2]
    found = released([(trace, (0.0,) * len(trace)) for trace in traces], k=2, profile=profile)
    assert Counter(found) == {("X", "A"): 3, ("X", "A", "B"): 2, ("X", "A1"): 2}


def test_the_joined_key_is_not_the_order_of_tuples():
    """XQR is at distance 1 from both others; the tuple of XAR comes first, but "@X@A1@R" comes before "@X@A@R"."""
    traces = [("X", "Q", "R"), *[("X", "A", "R")] * 2, *[("X", "A1", "R")] * 2]
    found = released([(trace, (0.0,) * len(trace)) for trace in traces], k=2)
    assert found[0] == ("X", "A1", "R")


@pytest.mark.parametrize("profile", PROFILES)
def test_equal_to_a_literal_implementation(profile):
    """500 random logs, with and without the checks of durations; quarters make exact ties of embedded distances."""
    endings = Counter()
    for seed in range(500):
        cases, rng = random_cases(seed), random.Random(seed)
        options = {"k": rng.randint(1, min(4, len(cases))), "t": rng.choice((0.2, 0.3, 0.5, 0.7, 1.0, 2.0))}
        options |= {
            "diversity": rng.choice((None, None, None, 1, 2, 3)),
            "empty_classes": rng.choice(("violate", "pass")),
        }
        if profile == "sound":
            options["variant_k"] = rng.random() < 0.5
        literal = Literal(cases, profile, distance=levenshtein, **options)
        found = released(cases, profile=profile, **options)
        assert found == literal.run(), (seed, options)
        endings[sum(trace == () for trace in found)] += 1
    assert endings[0] >= 100
    assert len(endings) > 1


@pytest.mark.parametrize("form", ["linear", "quadratic"])
@pytest.mark.parametrize("profile", PROFILES)
def test_equal_to_a_literal_implementation_over_an_embedding(profile, form, tmp_path):
    file = tmp_path / "embedding.json"
    for seed in range(60):
        cases, rng = random_cases(seed), random.Random(seed)
        labels = sorted({activity for trace, _ in cases for activity in trace})
        table = {(a, b): 0.0 if a == b else rng.choice((0.25, 0.5, 1.0, 1.75)) for a in labels for b in labels}
        file.write_text(json.dumps({"labels": labels, "distances": [[table[a, b] for b in labels] for a in labels]}))

        def distance(source, target, table=table):
            excess = len(target) - len(source)
            penalty = 2 * excess if excess > 0 else -3 * excess
            if form == "quadratic" and target:
                penalty *= abs(excess)
            return sum(table[pair] for pair in zip(source, target, strict=False)) + penalty

        k = rng.randint(1, min(4, len(cases)))
        literal = Literal(cases, profile, k, 1.0, distance)
        found = released(cases, k=k, profile=profile, distance="embedding", embedding=str(file), form=form)
        assert found == literal.run(), seed


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([0.2, 0.5, 1.0]))
def test_sound_keeps_what_it_promises(seed, k, t):
    cases = random_cases(seed)
    traces = [trace for trace, _ in cases]
    try:
        outcome = anonymize(log_of(cases), k=k, t=t, rng=np.random.default_rng(seed))
    except Infeasible:
        return
    log = outcome.release
    names = np.array(log.labels, dtype=object)[log.activities]
    found = [tuple(trace) for trace in np.split(names, log.offsets[1:-1])]
    prefixes = Counter(trace[:depth] for trace in found for depth in range(1, len(trace) + 1))
    assert len(found) == len(cases)
    assert set(found) <= set(traces)
    assert min(prefixes.values()) >= k
    assert min(Counter(found).values()) >= k


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_to_do_changes_nothing(profile):
    cases = random_cases(3)
    outcome = anonymize(log_of(cases), k=1, t=1.0, profile=profile, rng=np.random.default_rng(1))
    assert released(cases, k=1, profile=profile) == [trace for trace, _ in cases]
    assert outcome.diagnostics["imputed_values"] == outcome.diagnostics["modified_cases"] == 0
    assert outcome.diagnostics["edit_distance"] == 0
    own = [seconds for origin in outcome.origins for seconds in cases[origin][1]]
    assert outcome.release.attributes["duration_s"].tolist() == own


@pytest.mark.parametrize("profile", PROFILES)
def test_t_of_one_and_more_is_no_limit(profile):
    for seed in range(20):
        cases = random_cases(seed)
        assert released(cases, k=2, t=1.0, profile=profile) == released(cases, k=2, t=5.0, profile=profile)


def test_the_order_of_the_cases_decides():
    cases = random_cases(11)
    outcomes = set()
    for seed in range(30):
        outcomes.add(tuple(released(cases, k=3, order="random", rng=np.random.default_rng(seed))))
    assert len(outcomes) > 1
    shared = {
        tuple(released(cases, k=3, order="random", order_seed=7, rng=np.random.default_rng(seed))) for seed in range(20)
    }
    assert len(shared) == 1
    backwards = released(cases[::-1], k=3, order="frequency")[::-1]
    assert released(cases, k=3, order="frequency") == backwards


def test_labels_renamed_in_order_change_nothing():
    cases = random_cases(8)
    labels = sorted({activity for trace, _ in cases for activity in trace})
    renamed = {label: f"{number}x" for number, label in enumerate(labels)}
    other = [(tuple(renamed[activity] for activity in trace), seconds) for trace, seconds in cases]
    expected = [tuple(renamed[activity] for activity in trace) for trace in released(cases, k=3)]
    assert released(other, k=3) == expected


def test_l_diversity_counts_distinct_durations():
    """Both A have another duration, so l = 2 holds; with equal ones it does not, unless A has no range at all."""
    apart = [(("A", "B"), (0, 1)), (("A", "B"), (0, 2)), (("C",), (0,)), (("C",), (0,))]
    equal = [(("A", "B"), (0, 1)), (("A", "B"), (0, 1)), (("C", "B"), (0, 5)), (("C", "B"), (0, 6))]
    assert released(apart, k=2, diversity=2) == [trace for trace, _ in apart]
    assert released(equal, k=2, diversity=2) == [("C", "B")] * 4
    assert released(equal[:2], k=2, diversity=2) == [("A", "B")] * 2


def test_l_of_one_is_no_neutral_value_where_a_class_can_be_empty():
    """In R21 the cases of a class may all leave it to others, whose durations are elsewhere; in `sound` some stay."""
    changed = []
    for seed in range(120):
        cases = random_cases(seed)
        r21 = {"k": 2, "t": 0.3, "profile": "r21"}
        changed.append(released(cases, **r21, diversity=1) != released(cases, **r21))
        assert released(cases, **r21, diversity=1, empty_classes="pass") == released(cases, **r21)
        assert released(cases, k=2, t=0.3, diversity=1) == released(cases, k=2, t=0.3)
    assert any(changed)


def loan_distances() -> tuple[list[str], np.ndarray]:
    labels = ["CR", "NR", "CA", "SC", "IC", "PM", "RF", "BA"]
    distances = 1 - np.eye(8)
    for one, other, value in (("NR", "CA", 0.1), ("IC", "PM", 0.2), ("NR", "RF", 1.1), ("SC", "BA", 0.9)):
        i, j = labels.index(one), labels.index(other)
        distances[i, j] = distances[j, i] = value
    return labels, distances


@pytest.mark.parametrize("form", ["linear", "quadratic", "shift", "alignment"])
def test_the_loan_request(form):
    """Levenshtein puts both other cases at 2, the embedding the alike one at 0.3."""
    labels, distances = loan_distances()
    texts = ["CR NR SC IC", "CR CA SC PM", "CR RF BA IC"]
    codes = [np.array([labels.index(label) for label in text.split()]) for text in texts]
    metric = Embedded(codes, codes, distances, form)
    assert metric.compute(codes[0], np.arange(3)).tolist() == pytest.approx([0, 0.3, 2.0])
    assert metric.compute(codes[1], np.array([2])).tolist() == pytest.approx([2.1])
    assert metric.nearest(0, np.array([2, 1])) == (1, pytest.approx(0.3))
    assert levenshtein(texts[0].split(), texts[1].split()) == levenshtein(texts[0].split(), texts[2].split()) == 2


@pytest.mark.parametrize(
    ("source", "target", "linear", "quadratic", "alignment", "shift"),
    [
        ("CR NR SC", "CR", 6, 12, 6, 4),
        ("CR", "CR NR SC", 4, 8, 4, 6),
        ("CR NR SC", "", 9, 9, 9, 6),
        ("CR NR SC IC", "NR SC IC", 6, 6, 3, 2),
        ("NR SC IC", "CR NR SC IC", 5, 5, 2, 3),
        ("CR CA", "CR NR SC", 2.1, 2.1, 2.1, 3.1),
    ],
)
def test_excess_events(source, target, linear, quadratic, alignment, shift):
    labels, distances = loan_distances()
    codes = [np.array([labels.index(label) for label in text.split()], dtype=int) for text in (source, target)]
    forms = {"linear": linear, "quadratic": quadratic, "alignment": alignment, "shift": shift}
    for form, expected in forms.items():
        metric = Embedded([codes[0]], [codes[1], codes[0]], distances, form)
        assert metric.compute(codes[0], np.array([0]))[0] == pytest.approx(expected), form


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_the_alignment_is_the_cheapest(seed):
    """Against the plain recursion."""
    rng = np.random.default_rng(seed)
    distances = rng.uniform(0, 2, (4, 4))
    np.fill_diagonal(distances, 0)
    source, *targets = (rng.integers(0, 4, rng.integers(1, 7)) for _ in range(5))
    found = Embedded([source], targets, distances, "alignment").compute(source, np.arange(4))
    for target, cost in zip(targets, found, strict=True):
        table = np.add.outer(3.0 * np.arange(len(source) + 1), 2.0 * np.arange(len(target) + 1))
        for i, one in enumerate(source, start=1):
            for j, other in enumerate(target, start=1):
                replaced = table[i - 1, j - 1] + distances[one, other]
                table[i, j] = min(replaced, table[i - 1, j] + 3, table[i, j - 1] + 2)
        assert cost == pytest.approx(table[-1, -1])


@pytest.mark.parametrize("form", ["levenshtein", *FORMS])
def test_the_nearest_is_found_without_the_distances_beyond_it(form):
    """Traces from near to far, each several times, so that the first of equal ones counts."""
    rng = np.random.default_rng(5)
    activities = rng.uniform(0, 2, (13, 13))
    activities[rng.random((13, 13)) < 0.2] = -1e-16  # as the rounding of a cosine makes it
    np.fill_diagonal(activities, 0)
    base = rng.integers(0, 6, 100)
    targets = []
    for changes in (0, 1, 2, 5, 6, 7, 20, 30, 60, 90):
        for _ in range(8):
            trace = base.copy()
            trace[rng.choice(100, changes, replace=False)] = 7
            targets += [trace[: rng.integers(60, 101)]] * 3
    sources = [base, base[:90], rng.integers(0, 6, 40), rng.integers(8, 12, 200)]
    metric = Embedded(sources, targets, activities, form) if form in FORMS else Levenshtein(sources, targets)
    for number, source in enumerate(sources):
        for candidates in (np.arange(240), np.arange(239, 24, -1), rng.permutation(240)[:70], np.array([200])):
            every = metric.compute(source, candidates)
            assert metric.nearest(number, candidates) == (every.argmin(), every.min())
            assert (metric.bounds(source)[candidates] <= every + 1e-9).all()


@pytest.mark.parametrize("length", [63, 64, 127, 128])
def test_traces_without_a_common_activity_are_their_lengths_apart(length):
    """Also where the differing events of both are as many as a small integer just holds."""
    traces = [np.full(length, activity) for activity in (0, 1, 2)]
    metric = Levenshtein(traces, traces)
    assert metric.bounds(traces[0]).tolist() == [0, length, length]
    assert metric.nearest(0, np.array([2, 1])) == (0, length)
