"""Re-identification by partial background knowledge, against its definition and against values by hand."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_logs import log_of, random_logs, relabelled, take

from data.io import read_log
from data.log import EventLog, empty_log
from mechanisms import pretsa, shuffle
from metrics import attack_background, attack_background_times
from metrics import knowledge as known_things
from metrics.attack_background_times import WIDTHS, midnight_of, timed
from metrics.knowledge import KINDS, Matches, knowledge, places, traces_of
from metrics.linkage import SIZES, Linkage, linkage, persons_of, prior, victims_of
from metrics.metric import Marked
from metrics.pair import align

T = log_of("abc", "abc", "acb", "ab", "abb")
S = log_of("abc", "abc", "abc", "ab", "ab")
MODULES = (attack_background, attack_background_times)
TIMED = [f"{kind}_{width}" for kind in attack_background_times.KINDS for width in WIDTHS]


def linked(original: EventLog, release: EventLog, origins, kind: str, size: int, seed=1, persons=None) -> Linkage:
    """As the metrics do it, of any kind, as `sequence` or `sequence_day`."""
    pair = align(original, release)
    kind, _, width = kind.partition("_")
    if width:
        logs = timed((pair.original, pair.release), midnight_of(original), WIDTHS[width])
    else:
        logs = [(log, log.activities) for log in (pair.original, pair.release)]
    return linkage(*traces_of(*logs), np.asarray(origins), kind, size, seed, persons)


def scored(original: EventLog, release: EventLog, origins, seed: int = 1) -> dict:
    private = {"origins": origins, "record": {"seed": seed}}
    return {name: value for module in MODULES for name, value in module.score(original, release, **private).items()}


@pytest.mark.parametrize(("release", "kind", "size", "success", "unique"), [
    (T, "set", 1, "17/75", "0"), (T, "set", 2, "19/75", "0"),
    (T, "multiset", 2, "23/75", "1/15"), (T, "multiset", 3, "11/25", "1/5"),
    (T, "sequence", 2, "28/75", "2/15"), (T, "sequence", 3, "16/25", "2/5"),
    (T, "prefix", 1, "1/5", "0"), (T, "prefix", 2, "2/5", "1/5"), (T, "prefix", 3, "13/20", "2/5"),
    (S, "set", 2, "19/75", "0"), (S, "multiset", 2, "6/25", "0"), (S, "sequence", 2, "49/225", "0"),
    (S, "sequence", 3, "13/75", "0"), (S, "prefix", 2, "4/25", "0"), (S, "prefix", 3, "13/75", "0"),
])  # fmt: skip
def test_re_identification_by_hand(release, kind, size, success, unique):
    found = linked(T, release, np.arange(5), kind, size)
    assert found.success == pytest.approx(float(Fraction(success)), abs=1e-15)
    assert found.unique_correct == pytest.approx(float(Fraction(unique)), abs=1e-15)
    assert prior(np.arange(5), np.arange(5), np.arange(5)) == pytest.approx(1 / 5)


def brute_force(original: EventLog, release: EventLog, origins, persons, kind: str, size: int):
    """Success, and the chances of one right, one wrong, and no fitting case, straight from the definitions."""
    kind, _, width = kind.partition("_")

    def events(log: EventLog, case: int) -> list:
        midnight = original.timestamps.min() // WIDTHS["day"] * WIDTHS["day"]
        span = range(log.offsets[case], log.offsets[case + 1])
        moments = [(int(log.timestamps[e] - midnight) // WIDTHS[width]) if width else 0 for e in span]
        return [(log.labels[log.activities[e]], moment) for e, moment in zip(span, moments, strict=True)]

    def what_is_known(case: list) -> list:
        if kind == "prefix":
            return [case[:size]]
        items = sorted(set(case)) if kind == "set" else case
        return list(combinations(items, min(size, len(items))))

    def fits(known, case: list) -> bool:
        if kind == "prefix":
            return case[: len(known)] == known
        if kind == "sequence":
            rest = iter(case)
            return all(item in rest for item in known)
        return all(case.count(item) >= (list(known).count(item) if kind == "multiset" else 1) for item in known)

    cases = [events(release, case) for case in range(release.n_cases)]
    totals = [Fraction(0)] * 4
    for case in range(original.n_cases):
        things = what_is_known(events(original, case))
        for known in things:
            matching = [place for place, other in enumerate(cases) if fits(known, other)]
            right = sum(origins[m] >= 0 and persons[origins[m]] == persons[case] for m in matching)
            share = Fraction(1, len(things) * original.n_cases)
            one = len(matching) == 1
            outcome = (Fraction(right, len(matching)) if matching else 0, one and right, one and not right,
                       not matching)  # fmt: skip
            totals = [total + share * value for total, value in zip(totals, outcome, strict=True)]
    return totals


def random_log(rng: np.random.Generator) -> EventLog:
    """At most six cases of at most five of three activities, within two weeks."""
    lengths = rng.integers(1, 6, rng.integers(1, 7))
    return log_of(*(("".join(rng.choice(list("abc"), n)), tuple(rng.integers(0, 300, n).tolist())) for n in lengths))


@pytest.mark.parametrize("kind", [*KINDS, *TIMED])
def test_every_kind_is_that_of_its_definition(kind, monkeypatch):
    rng = np.random.default_rng([5, *map(ord, kind)])
    for number in range(300):
        monkeypatch.setattr(known_things, "FEW", 512 if number % 2 else 0)
        original, release = random_log(rng), random_log(rng)
        origins = rng.integers(-1, original.n_cases, release.n_cases)
        persons = rng.integers(0, 4, original.n_cases) if number % 3 == 0 else np.arange(original.n_cases)
        size = int(rng.integers(1, 5))
        found = linked(original, release, origins, kind, size, persons=persons)
        exact = [Fraction(value).limit_denominator(100_000) for value in found[:4]]
        assert exact == brute_force(original, release, origins, persons, kind, size)


@pytest.mark.parametrize(("kind", "size"), [("set", 2), ("prefix", 3), ("multiset", 2), ("sequence", 2)])
def test_a_wrong_map_gives_one_over_n_on_average(kind, size):
    found = [linked(T, T, order, kind, size).success for order in permutations(range(5))]
    assert np.mean(found) == pytest.approx(1 / 5, abs=1e-12)


def test_a_wrong_map_of_a_larger_log_gives_one_over_n_within_chance():
    rng = np.random.default_rng(3)
    log = log_of(*("".join(rng.choice(list("abcd"), rng.integers(3, 9))) for _ in range(60)))
    found = [linked(log, log, rng.permutation(60), "sequence", 3).success for _ in range(200)]
    assert abs(np.mean(found) - 1 / 60) < 4 * np.std(found) / np.sqrt(200)


def test_whole_traces_with_exact_times_are_found_as_often_as_they_differ():
    log = log_of("abc", "abc", ("abc", (0, 1, 3)), ("ab", (0, 5)))
    known, released = traces_of(*[(log, log.timestamps * 8 + log.activities)] * 2)
    assert linkage(known, released, np.arange(4), "sequence", 5, 1).success == pytest.approx(3 / 4)


def test_cases_of_one_person_are_as_good_and_raise_the_prior():
    log = EventLog(
        T.activities, T.timestamps, T.offsets, T.labels, T.case_ids, {"user": np.repeat(list("xxyzz"), T.lengths)}
    )
    assert persons_of(log).tolist() == [0, 0, 1, 2, 2]
    found = scored(log, T, np.arange(5))
    assert found["linkage_prior"] == pytest.approx((2 + 2 + 1 + 2 + 2) / 25)
    # ab of c4 and c5, beside abc twice: 2 of 5; abc: 2 of 2; acb: 1 of 1.
    assert linked(T, T, np.arange(5), "prefix", 3, persons=persons_of(log)).success == pytest.approx(
        (1 + 1 + 1 + 2 / 4 + 1) / 5
    )


def test_copies_are_as_good_and_raise_the_prior():
    release, origins = take(T, np.array([0, 1, 2, 3, 3, 4])), np.array([0, 1, 2, 3, 3, 4])
    found = scored(T, release, origins)
    assert found["linkage_prior"] == pytest.approx((1 + 1 + 1 + 2 + 1) / 30)
    assert linked(T, release, origins, "prefix", 3).success == pytest.approx((1 / 2 + 1 / 2 + 1 + 2 / 5 + 1) / 5)


def test_a_release_without_cases_gives_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scored(T, empty_log(), np.empty(0, dtype=np.int64))
    assert found.pop("linkage_targets").status == "EMPTY"
    assert {value for name, value in found.items() if "abstains" not in name} == {0}
    assert {value for name, value in found.items() if "abstains" in name} == {1}


@pytest.mark.parametrize("log", [log_of("a"), log_of("abc"), log_of("a", "a")], ids=["event", "case", "same"])
def test_tiny_logs_are_attacked_without_warnings(log):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scored(log, log, np.arange(log.n_cases))
        none = scored(log, log, np.full(log.n_cases, -1))
    assert found["linkage_sequence_3"] == found["linkage_prior"] == 1 / log.n_cases
    assert none["linkage_sequence_3"] == none["linkage_prior"] == 0


def test_without_origins_or_times_the_reason_is_told():
    assert all(isinstance(value, Marked) for value in scored(T, T, None).values())
    untimed = EventLog(T.activities, np.zeros(T.n_events), T.offsets, T.labels, T.case_ids)
    found = scored(T, untimed, np.arange(5))
    assert isinstance(found["linkage_set_day_3"], Marked)
    assert found["linkage_set_2"] == pytest.approx(19 / 75)


def test_shuffled_cases_are_found_hardly_more_often_than_by_picking():
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(list("abcdefgh"), 12)) for _ in range(80)]
    log = log_of(*((word, tuple(np.sort(rng.integers(0, 5000, 12)).tolist())) for word in words))
    itself = scored(log, log, np.arange(80))
    times = rng.permutation(log.timestamps)
    times = times[np.lexsort((times, log.case_of_event))]
    dealt = EventLog(rng.permutation(log.activities), times, log.offsets, log.labels, log.case_ids)
    for release in (dealt, shuffle.release(log, rng=rng)):
        found = scored(log, release, np.arange(80))
        for kind in [*attack_background.TITLES, *TIMED]:
            assert abs(found[f"linkage_advantage_{kind}"]) < 0.03, kind
            assert itself[f"linkage_advantage_{kind}"] > found[f"linkage_advantage_{kind}"], kind


@settings(max_examples=10, deadline=None)
@given(random_logs(), random_logs(), st.integers(0, 99))
def test_names_dates_and_order_do_not_matter(log, release, seed):
    origins = np.random.default_rng(seed).integers(-1, log.n_cases, release.n_cases)
    before = scored(log, release, origins)
    order = np.random.default_rng(seed).permutation(release.n_cases)
    later = [EventLog(e.activities, e.timestamps + 35 * WIDTHS["day"], e.offsets, e.labels, e.case_ids)
             for e in (log, release)]  # fmt: skip
    place = np.random.default_rng(seed).permutation(log.n_cases)
    moved = np.append(np.argsort(place), -1)[origins]
    for changed in (
        scored(relabelled(log), relabelled(release), origins),
        scored(*later, origins),
        scored(log, take(release, order), origins[order]),
        scored(take(log, place), release, moved),
    ):
        assert changed == pytest.approx(before, abs=1e-12)


def test_long_traces_are_known_by_draws_that_do_not_depend_on_names_or_order():
    rng = np.random.default_rng(2)
    log = log_of(*("".join(rng.choice(list("abcdef"), 20)) for _ in range(30)))
    order = rng.permutation(30)
    assert scored(relabelled(take(log, order)), relabelled(log), np.argsort(order)) == pytest.approx(
        scored(log, log, np.arange(30))
    )
    drawn = places(20, 3, False, 7)
    assert drawn.shape == (known_things.DRAWS, 3)
    assert (np.diff(drawn, axis=1) > 0).all()
    assert np.bincount(drawn.ravel(), minlength=20).min() > 0


def test_many_cases_are_attacked_by_a_sample_of_victims(monkeypatch):
    monkeypatch.setattr("metrics.linkage.VICTIMS", 2)
    assert len(victims_of(T, 1)) == 2
    log = log_of("abc", "abd")
    long = take(log, np.arange(100) % 2)
    found = scored(long, long, np.arange(100))
    assert found.pop("linkage_targets") == 2
    assert {(value.status, value.reason) for value in found.values()} == {("sampled", "2 of 100 cases are looked for")}
    assert found["linkage_prior"].value == pytest.approx(1 / 100)
    assert found["linkage_prefix_3"].value == pytest.approx(1 / 50)


@pytest.mark.parametrize("few", [0, 512])
def test_matches_in_parts_are_those_of_all_at_once(monkeypatch, few):
    rng = np.random.default_rng(4)
    log = log_of(*("".join(rng.choice(list("abcd"), 8)) for _ in range(40)))
    (traces,) = traces_of((log, log.activities))
    said = knowledge(traces, np.arange(len(traces.offsets) - 1), "sequence", 3, 1)
    ones = np.ones(len(traces.offsets) - 1, dtype=np.int64)
    whole = Matches(traces, "sequence", said.items).count(ones)
    monkeypatch.setattr(known_things, "AT_ONCE", 100)
    monkeypatch.setattr(known_things, "FEW", few)
    assert (Matches(traces, "sequence", said.items).count(ones) == whole).all()


def test_a_prefix_shared_by_k_gives_no_more_than_one_in_k_of_any_victim():
    rng = np.random.default_rng(6)
    log = log_of(*("".join(rng.choice(list("abc"), 4)) for _ in range(80)))
    outcome = pretsa.anonymize(log, k=8, t=1.0, rng=np.random.default_rng(1))
    assert outcome.release.n_cases
    pair = align(log, outcome.release)
    known, released = traces_of(*((each, each.activities) for each in (pair.original, pair.release)))
    for size in SIZES:
        for victim in range(log.n_cases):
            found = linkage(known, released, outcome.origins, "prefix", size, 1, victims=np.array([victim]))
            assert found.success <= 1 / 8 + 1e-12
            assert found.unique_correct == 0


def test_sepsis(real_log):
    log = read_log(real_log("Sepsis_Cases_-_Event_Log.xes.gz"))
    found = scored(log, log, np.arange(log.n_cases))
    assert found["linkage_prefix_3"] == pytest.approx(0.0276, abs=1e-4)
    assert found["linkage_sequence_3"] > 2 * found["linkage_prior"]
    assert found["linkage_set_day_3"] == pytest.approx(0.706, abs=0.01)
    assert found["linkage_sequence_hour_5"] > 0.99
