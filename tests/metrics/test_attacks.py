"""Attacks succeed where they must, on the log itself, and fail where they must, on releases that tell nothing."""

from __future__ import annotations

import inspect
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from small_logs import log_of, random_logs, relabelled, take

from baselines import pripel, tvq
from data.io import read_log
from data.log import EventLog, empty_log
from mechanisms import amun, identity, shuffle
from metrics import attack_background as background
from metrics import attack_copies, attack_decoding, attack_duration, attack_gaps, attack_presence
from metrics.links import blind_guesses
from metrics.metric import Marked
from metrics.registry import metric_modules

DECLARED = [(module, module.METRICS[0]) for module in metric_modules()]
ATTACKS = [module for module, first in DECLARED if first.group == "attack" and first.of == "log" and not first.held_out]
MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE
# As many variants as cases, and gaps of their own.
WORDS = [f"{''.join(word)}z" for word in product("abcd", repeat=3)]
RANDOM = np.random.default_rng(5)
LOG = log_of(*((word, tuple(np.cumsum(RANDOM.integers(1, 10**6, 4)) / 3600)) for word in WORDS))
T = log_of("abc", "abc", "acb", "ab", "abb")


def attack(module, original: EventLog, release: EventLog, origins=None, seed: int = 1) -> dict:
    known = {"original": original, "release": release, "origins": origins, "record": {"seed": seed, "parameters": {}}}
    return module.score(**{name: known[name] for name in inspect.signature(module.score).parameters})


def all_attacks(original: EventLog, release: EventLog, origins=None) -> dict:
    return {name: v for module in ATTACKS for name, v in attack(module, original, release, origins).items()}


def released(mechanism, log: EventLog, seed: int = 1, **parameters) -> dict:
    outcome = mechanism.anonymize(log, **parameters, rng=np.random.default_rng(seed))
    return all_attacks(log, outcome.release, outcome.origins)


def number(value) -> float | str:
    return value.status if isinstance(value, Marked) else value


# These deal durations out by the order of the events.
DEALT_OUT = {
    "gaps_coincidence",
    *(f"gaps{end}_{part}" for end in ("", "_and_trace") for part in ("prior", "advantage")),
}


# Controls


def test_on_the_log_itself_attacks_succeed():
    found = released(identity, LOG)
    assert (found["presence_found"], found["presence_decoys"], found["presence_advantage"]) == (1, 0, 1)
    assert found["duration_10s_coverage"] == found["duration_10s_success"] == 1
    assert found["duration_10s_advantage"] > 0.9
    assert found["gaps_success"] == 1
    assert found["gaps_advantage"] > 0.9
    assert found["decoded_success"] == 1
    assert number(found["copy_by_position_advantage"]) == "n/a"
    assert found["order_kept"] == pytest.approx(1)
    assert found["linkage_prefix_3"] == pytest.approx(1)
    assert found["linkage_advantage_prefix"] == pytest.approx(1 - 1 / 64)
    assert found["linkage_set_3"] > 4 * found["linkage_prior"]


def test_on_a_release_without_utility_they_fail():
    found = released(shuffle, LOG)
    for name in ("presence_advantage", "duration_10min_advantage", "gaps_advantage", "decoded_advantage"):
        assert abs(number(found[name])) < 0.1, name
    for kind in background.TITLES:
        assert abs(found[f"linkage_advantage_{kind}"]) < 0.03, kind


def test_on_an_empty_release_there_is_no_advantage():
    found = all_attacks(LOG, empty_log(), np.empty(0, dtype=np.int64))
    gained = {name: number(value) for name, value in found.items() if "advantage" in name}
    nobody = ("gaps", "verbatim", "decoded", "copy")  # have no targets there
    assert gained == {name: "EMPTY" if name.startswith(nobody) else 0 for name in gained}
    assert {number(found[name]) for name in ("gaps_success", "decoded_prior", "presence_targets")} == {"EMPTY"}


def test_without_origins_who_needs_them_says_so():
    found = all_attacks(LOG, LOG)
    assert {number(found[name]) for name in ("duration_10min_advantage", "decoded_success", "linkage_set_3")} == {"n/a"}
    assert (found["presence_advantage"], found["gaps_success"]) == (1, 1)


def test_a_log_without_targets():
    one = log_of("a", "a")
    found = all_attacks(one, one, np.arange(2))
    assert {number(found[name]) for name in ("presence_found", "gaps_advantage", "duration_10s_advantage")} == {"n/a"}


@pytest.mark.parametrize("log", [log_of("a"), log_of("ab"), log_of("a", "a"), log_of("ab", "ab"), log_of("abc")])
@pytest.mark.filterwarnings("error")
def test_tiny_logs_have_no_targets_or_values_and_no_warnings(log):
    for release, origins in ((log, np.arange(log.n_cases)), (empty_log(), np.empty(0, dtype=np.int64)), (log, None)):
        for value in all_attacks(log, release, origins).values():
            assert isinstance(value, Marked) or np.isfinite(value)


@settings(max_examples=10, deadline=None)
@given(random_logs(), st.integers(0, 99))
def test_names_order_and_dates_do_not_matter(log, seed):
    origins = np.random.default_rng(seed).integers(-1, log.n_cases, log.n_cases)
    before = all_attacks(log, log, origins)
    place = np.random.default_rng(seed).permutation(log.n_cases)
    backwards = take(log, place)
    later = EventLog(log.activities, log.timestamps + 7 * DAY, log.offsets, log.labels, log.case_ids)
    for changed in (
        all_attacks(relabelled(log), relabelled(log), origins),
        all_attacks(later, later, origins),
        all_attacks(log, backwards, origins[place]) | {n: before[n] for n in before if n.startswith(("copy", "order"))},
    ):
        for name in before:
            if isinstance(before[name], Marked):
                assert number(changed[name]) == number(before[name]), name
            elif name not in DEALT_OUT:
                assert changed[name] == pytest.approx(before[name]), name


@settings(max_examples=30, deadline=None, phases=[Phase.generate])
@given(random_logs(), random_logs(), st.integers(0, 99))
def test_values_stay_in_their_range(original, release, seed):
    origins = np.random.default_rng(seed).integers(-1, original.n_cases, release.n_cases)
    for module in ATTACKS:
        values = attack(module, original, release, origins)
        for metric in module.METRICS:
            if not isinstance(values[metric.name], Marked):
                assert metric.low <= values[metric.name] <= metric.high + 1e-12, metric.name


# Presence


def test_decoys_tell_a_release_of_everything_from_one_that_knows():
    log = log_of("abc", "aabc", *["xyz"] * 3)
    everything = log_of("abc", "aabc", "ab", "bc", "ac", "bac", "acb", "aab", "aac", "abac", "aacb")
    assert attack(attack_presence, log, log)["presence_advantage"] == 1
    found = attack(attack_presence, log, everything)
    assert found["presence_found"] == 1
    assert found["presence_advantage"] < 0.2


# Durations


def test_a_blind_guess_by_hand():
    log = log_of(*(("ab", (0, minutes / 60)) for minutes in (25, 27, 30, 40)))
    for width, expected in ((2, [29, 27, 27, 27]), (10, [37, 35, 35, 35])):
        guesses = blind_guesses(log, log, width * MINUTE)[1::2]
        assert (guesses / MINUTE).tolist() == expected


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.integers(1, 3))
def test_a_blind_guess_is_that_of_a_search_through_all_windows(minutes, width):
    log = log_of(*(("ab", (0, value / 60)) for value in minutes))
    guesses = blind_guesses(log, log, width * MINUTE)[1::2] / MINUTE
    for place, guess in enumerate(guesses):
        others = sorted(minutes[:place] + minutes[place + 1 :])
        held = [sum(low <= other <= low + 2 * width for other in others) for low in others]
        assert np.isnan(guess) if not others else guess == others[held.index(max(held))] + width


def test_priors_by_hand(monkeypatch):
    monkeypatch.setattr(attack_duration, "PRECISIONS", {"10min": 2 * MINUTE, "10s": 10 * MINUTE})
    log = log_of(*(("ab", (0, minutes / 60)) for minutes in (25, 27, 30, 40)))
    found = attack(attack_duration, log, log, np.arange(4))
    assert (found["duration_10min_prior"], found["duration_10min_advantage"]) == (1 / 4, 3 / 4)
    assert found["duration_10s_prior"] == 3 / 4


def test_noise_that_misleads_is_ignored():
    log = log_of(*(("ab", (0, 1)),) * 20)
    noisy = log_of(*(("ab", (0, hours)) for hours in range(20, 40)))
    found = attack(attack_duration, log, noisy, np.arange(20))
    assert (found["duration_10min_prior"], found["duration_10min_advantage"]) == (1, 0)


def test_events_are_linked_as_far_as_the_activities_agree():
    log = log_of(("abcd", (0, 1, 3, 6)))
    found = attack(attack_duration, log, log_of(("abxd", (0, 1, 3, 6))), np.array([0]))
    assert found["duration_10min_coverage"] == 1 / 3


@pytest.mark.parametrize(("scale", "compressed"), [(10, 1), (40, 1), (40, 0.25)])
def test_noise_hides_durations_as_its_law_says(scale, compressed):
    rng = np.random.default_rng(1)
    hours = rng.permutation(4000) * 10 + 1000.0  # too far apart to be guessed
    noise = rng.laplace(0, scale, 4000) * compressed / 60
    log = log_of(*(("ab", (0, value)) for value in hours))
    noisy = log_of(*(("ab", (0, value)) for value in hours + noise))
    found = attack(attack_duration, log, noisy, np.arange(4000))
    assert found["duration_10min_prior"] == 0
    assert found["duration_10min_advantage"] == pytest.approx(1 - np.exp(-10 / (scale * compressed)), abs=0.02)


def test_a_known_bias_is_corrected():
    log = log_of(*(("ab", (0, value)) for value in range(100, 140)))
    late = log_of(*(("ab", (0, value + 5)) for value in range(100, 140)))
    assert attack(attack_duration, log, late, np.arange(40))["duration_10s_success"] == 1
    assert attack_duration.bias_of_others(np.array([0, 0, 0, 1]), np.array([1.0, 5.0, 9.0, 7.0])).tolist() == [
        5,
        1,
        1,
        0,
    ]


def test_without_any_other_duration_the_public_bounds_are_guessed():
    log = log_of(("ab", (0, 36)))
    known = {"original": log, "release": log, "origins": np.arange(1)}
    for days, prior in ((None, 0), (3, 1), (4, 0)):
        found = attack_duration.score(**known, record={"parameters": {"max_duration": days}})
        assert found["duration_10s_prior"] == prior


def test_who_links_by_trace_needs_no_origins():
    log = log_of(("abc", (0, 1, 3)), ("abd", (0, 2, 3)), ("ab", (0, 5)), ("ab", (0, 7)))
    found = attack(attack_duration, log, log)
    assert found["duration_by_trace_10s_success"] == 1
    assert found["duration_by_trace_10s_coverage"] == 4 / 6
    assert number(found["duration_10s_success"]) == "n/a"


# Exact times


def test_exact_times_are_found_in_another_order_and_only_where_they_are_of_one_case():
    log = log_of(("abc", (0, 1, 3)), ("abc", (0, 2, 3)), ("abc", (0, 2, 3)), ("ab", (0, 7)))
    found = attack(attack_gaps, log, take(log, np.array([2, 0, 3, 1])), np.array([2, 0, 3, 1]))
    assert found["gaps_success"] == pytest.approx(1 / 3)
    wrong = attack(attack_gaps, log, take(log, np.array([2, 0, 3, 1])), np.array([2, 1, 3, 0]))
    assert wrong["gaps_success"] == 0


def test_times_of_two_cases_are_told_apart_by_their_traces():
    log = log_of(("abc", (0, 1, 3)), ("abd", (0, 1, 3)))
    found = attack(attack_gaps, log, log, np.arange(2))
    assert (found["gaps_success"], found["gaps_and_trace_success"]) == (0, 1)
    assert found["gaps_held_out"] == 1, "as if the own case were not there"
    assert found["gaps_clock"] == 3600


def test_one_duration_counts_where_it_is_of_the_own_case():
    log = log_of(("ab", (0, 1)), ("ab", (0, 2)), ("ab", (0, 2)))
    release = log_of(("ab", (0, 1)), ("ab", (0, 2)), ("ab", (0, 9)))
    assert attack(attack_gaps, log, release, np.array([0, 1, 2]))["verbatim_success"] == 2 / 3
    assert attack(attack_gaps, log, release, np.array([2, 0, 1]))["verbatim_success"] == 0
    assert attack(attack_gaps, log, release)["verbatim_success"] == 2 / 3


def test_a_coarse_clock_is_no_success_of_the_attack():
    rng = np.random.default_rng(1)
    coarse = log_of(*(("abcde", tuple(np.cumsum(rng.integers(0, 4, 5)))) for _ in range(60)))
    found = attack(attack_gaps, coarse, coarse, np.arange(60))
    assert found["gaps_coincidence"] > 0.1
    assert found["gaps_advantage"] == found["gaps_success"] - found["gaps_coincidence"]


def test_pripel_copies_exact_times_unless_it_draws_noise_on_each():
    parameters = {
        "epsilon": 5,
        "max_length": 6,
        "pruning": 1,
        "dates": ("1999-01-01", "2030-01-01"),
        "max_duration": 30,
    }
    log = LOG.take(np.arange(40) % 8, [str(place) for place in range(40)])
    log = EventLog(log.activities, log.timestamps + np.arange(log.n_events) ** 2, log.offsets, log.labels, log.case_ids)
    assert released(pripel, log, **parameters)["gaps_advantage"] > 0.5
    assert released(pripel, log, **parameters, time_mode="local")["gaps_success"] == 0


# Decoding


def test_decoding_by_hand():
    seen = np.array([36.5, 143.05, 1728.75, 0.5])
    assert attack_decoding.decode(seen, 0.2) == pytest.approx([30.5, 119.25, 1440.75, 0.5])
    true = np.array([30.5, 119.25, 1440.75, 0.5])
    assert attack_decoding.common_factor(true, seen) == pytest.approx(0.2)


def test_constant_durations_of_the_published_code_are_decoded_and_hardened_ones_are_not():
    times = [(0, 1 + place % 2, 4.5 + place % 3) for place in range(30)]
    log = log_of(*(("abc", time) for time in times), *[("ad", (0, 2.25))] * 10)
    found = released(amun, log, delta=0.3, profile="code", mode="oversampling")
    assert found["decoded_success"] > 0.1, "the ten of <a,d>"
    public = {"dates": ("1999-01-01", "2030-01-01"), "max_length": 3, "max_duration": 30.0}
    assert abs(released(amun, log, delta=0.3, **public)["decoded_success"]) < 0.05


def test_the_factor_is_found_from_round_durations_alone():
    assert attack_decoding.likely_factor(np.array([72.0, 72.0, 143.05, 0.0, 0.0, 0.0])) == pytest.approx(
        0.2
    )  # of an hour
    assert attack_decoding.likely_factor(np.array([1679.2643, 1679.2643, 5.0])) == pytest.approx(0.16616, abs=1e-5)
    assert attack_decoding.likely_factor(np.array([0.0, 0.5])) == 0


# Copies


def test_defensible_variants_keep_attacks_within_what_they_claim():
    public = {"dates": ("1999-01-01", "2030-01-01"), "max_length": 4, "max_duration": 30.0}
    found = [released(amun, LOG, seed, delta=0.3, **public) for seed in range(3)]
    for name in ("presence_advantage", "duration_10min_advantage", "gaps_advantage", "decoded_advantage"):
        assert np.mean([number(f[name]) for f in found if number(f[name]) not in ("n/a", "EMPTY")] or 0) <= 0.3, name
    twice = LOG.take(np.tile(np.arange(64), 20), [str(place) for place in range(1280)])
    accounted = [
        released(tvq, twice, seed, epsilon=1, max_length=5, pruning=1, profile="accounted") for seed in range(3)
    ]
    assert {number(f["presence_advantage"]) for f in accounted} == {"n/a"}, "no case has a trace of its own"
    alone = [released(tvq, LOG, seed, epsilon=1, max_length=5, pruning=1, profile="accounted") for seed in range(3)]
    assert np.mean([f["presence_advantage"] for f in alone]) <= np.tanh(0.5)


def test_copies_by_hand():
    labels = np.array([False, False, True, False, True])
    assert attack_copies.area_under_curve(np.arange(5), labels) == pytest.approx(5 / 6)
    found = attack(attack_copies, T, T, np.array([0, 1, 0, 2, 1]))
    # In random order, the later one of two stands behind the first of another two with probability 5/6, behind a
    # single one with 2/3, behind its own first for certain: 5/6 on average.
    assert found["copy_by_position_advantage"] == pytest.approx(0)
    assert attack(attack_copies, T, T, np.array([0, 1, 2, 1, 0]))["copy_by_position_advantage"] == pytest.approx(1)
    assert attack_copies.area_of_random_order(np.array([2, 2, 1])) == pytest.approx(5 / 6)


def test_ids_and_times_may_tell_copies():
    origins = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    rng = np.random.default_rng(1)
    hours = rng.permutation(1000)[:4][origins].astype(float)
    near = log_of(*(("ab", (0, hour + noise)) for hour, noise in zip(hours, rng.random(10) / 100, strict=True)))
    assert attack_copies.nearness(near).max() > -0.01
    numbered = EventLog(
        near.activities, near.timestamps, near.offsets, near.labels, [str(n) for n in (*range(4), *range(50, 56))]
    )
    found = attack(attack_copies, T, numbered, origins)
    assert found["copy_by_id_success"] == found["copy_by_position_success"] == found["copy_accuracy"] == 1
    assert found["copy_majority"] == 0.6
    assert found["copy_null_error"] == pytest.approx(np.sqrt(11 / (12 * 6 * 4)))


def test_order_follows_the_starts():
    log = log_of(("ab", (0, 1)), ("ab", (5, 6)), ("ab", (9, 10)))
    assert attack(attack_copies, log, log, np.array([2, 1, 0]))["order_by_start"] == pytest.approx(1)
    assert attack(attack_copies, log, log, np.array([2, 1, 0]))["order_kept"] == pytest.approx(-1)


def test_copies_in_random_order_are_not_told():
    rng = np.random.default_rng(1)
    origins = np.array([0, 0, 0, 1, 1, 2, 3, 4])
    log = log_of(*["ab"] * 8)
    values = [
        attack(attack_copies, log, log, rng.permutation(origins))["copy_by_position_advantage"] for _ in range(2000)
    ]
    assert np.mean(values) == pytest.approx(0, abs=0.04)


def test_the_published_code_leaves_copies_behind_and_the_paper_does_not():
    assert released(amun, LOG, delta=0.3, profile="code", mode="oversampling")["copy_by_position_advantage"] == 1
    spread = [released(amun, LOG, seed, delta=0.3, profile="paper", mode="oversampling") for seed in range(3)]
    assert abs(np.mean([found["copy_by_position_advantage"] for found in spread])) < 0.3


# Real logs


def test_sepsis(real_log):
    log = read_log(real_log("Sepsis_Cases_-_Event_Log.xes.gz"))
    found = released(amun, log, delta=0.3, profile="code", mode="oversampling")
    assert found["presence_advantage"] == 1
    assert found["decoded_success"] == pytest.approx(0.487, abs=0.01)
    found = released(amun, log, delta=0.3, profile="code", mode="sampling")
    assert found["presence_found"] == pytest.approx(744 / 784, abs=0.03)
    assert found["copy_by_position_advantage"] == 1
