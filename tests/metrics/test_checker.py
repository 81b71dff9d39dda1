"""The checker on releases made by hand: what the published generations of PRETSA make of small logs, and sound ones."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_logs import log_of, random_logs, take

from data.io import write_log
from data.log import DURATION, empty_log
from metrics import exposed_identifiers
from metrics.alike import alike
from metrics.checker import check, main
from metrics.claims import score
from metrics.exposed_identifiers import HASHES
from metrics.metric import Marked
from metrics.prefix_classes import prefix_classes
from metrics.verdicts import (
    BORDERLINE,
    FAIL,
    PASS,
    UNKNOWN,
    k_of_persons,
    k_of_prefixes,
    l_of_durations,
    no_shifted_times,
    t_of_durations,
    t_of_survivors,
)

SLOW = ("ABCDE", (0, 10, 10, 10, 10))
FAST = ("ZBCDE", (0, 0, 0, 0, 0))
EARLY_STOP = log_of(*[SLOW] * 4, *[FAST] * 4, "Q")  # for k = 2 and t = 0.4
GHOST = log_of("AXY", "AXZ", *["XW"] * 3)  # for k = 3


def verdicts(original, release, **claims):
    return {verdict.claim: verdict for verdict in check(original, release, **claims)}


def test_a_release_of_2019_that_stopped_early_breaks_k():
    release = log_of(*[FAST] * 8, ("Q", (1,)))
    k = verdicts(EARLY_STOP, release, k=2, t=0.4)["k = 2 on prefixes"]
    assert (k.verdict, k.worst, k.breaking, k.witness) == (FAIL, 1, 1, ("Q",))


def test_a_release_of_2021_invents_a_truncated_variant():
    found = verdicts(GHOST, log_of("X", "X", *["XW"] * 3), k=3)
    novel = found["no novel variant"]
    assert (novel.verdict, novel.worst, novel.breaking, novel.witness) == (FAIL, 2, 1, ("X",))
    assert found["no novel directly-follows pair"].verdict == PASS
    assert found["k = 3 on prefixes"].verdict == PASS
    assert found["k = 3 on variants"].verdict == "reported"
    variants = verdicts(GHOST, log_of("X", "X", *["XW"] * 3), k=3, variant_k=True)["k = 3 on variants"]
    assert (variants.verdict, variants.worst, variants.witness) == (FAIL, 2, ("X",))


def test_a_sound_release_passes():
    found = check(GHOST, take(log_of(*["XW"] * 5), np.arange(5)), k=3, t=1.0, variant_k=True)
    assert {verdict.verdict for verdict in found} == {PASS, "reported"}


def test_an_internal_end_is_safe_by_prefix_and_not_by_variant():
    log = log_of(*["AB"] * 9, "A")
    found = verdicts(log, log, k=3, variant_k=True)
    assert (found["k = 3 on prefixes"].verdict, found["k = 3 on prefixes"].worst) == (PASS, 9)
    assert (found["k = 3 on variants"].verdict, found["k = 3 on variants"].witness) == (FAIL, ("A",))


def test_lost_cases_novel_pairs_and_negative_durations_are_named():
    release = log_of("AY", "AY")
    found = verdicts(GHOST, replace(release, attributes={DURATION: np.array([0.0, -2.0, 0.0, 5.0])}))
    lost = found["no case lost or added"]
    assert (lost.verdict, lost.worst, lost.breaking) == (FAIL, 2, 3)
    pair = found["no novel directly-follows pair"]
    assert (pair.verdict, pair.worst, pair.witness) == (FAIL, 2, ("A", "Y"))
    negative = found["no negative duration"]
    assert (negative.verdict, negative.worst, negative.breaking, negative.witness) == (FAIL, -2, 1, ("Y",))


@pytest.mark.parametrize("spelling", ["{}", *HASHES])
def test_an_original_id_is_found_as_it_is_and_hashed(spelling):
    log = log_of("AB", "AC")
    spelled = log.case_ids[1] if spelling == "{}" else hashlib.new(spelling, log.case_ids[1].encode()).hexdigest()
    release = log.take(np.array([0, 1]), ["fresh", spelled])
    verdict = verdicts(log, release)["no original case id"]
    assert (verdict.verdict, verdict.breaking, verdict.witness) == (FAIL, 1, (spelled,))
    hidden = replace(take(log, np.arange(2)), attributes={"note": np.array(["", "", "", spelled], dtype=object)})
    assert verdicts(log, hidden)["no original case id"].witness == ("new 1",)
    assert verdicts(log, take(log, np.arange(2)))["no original case id"].verdict == PASS


def test_original_timestamps_are_reported():
    log = log_of(("AB", (0, 1)), ("AC", (0, 2)), "A")
    moved = log_of(("AB", (0, 1)), ("AC", (1, 3)), "A")
    verdict = verdicts(log, moved)["no case with original timestamps"]
    assert (verdict.verdict, verdict.worst, verdict.breaking) == ("reported", 1 / 3, 1)


# B lasts 0, 0, 10, 10; in the release the prefix XB has 10, 10 and YB has 0, 0: half of the range away.
TIMED = log_of(*[("XB", (0, 10))] * 2, *[("YB", (0, 0))] * 2)


@pytest.mark.parametrize(("t", "verdict"), [(0.49, FAIL), (0.5, BORDERLINE), (0.5 + 1e-12, BORDERLINE), (0.51, PASS)])
def test_t_closeness_at_its_edge(t, verdict):
    found = t_of_durations(TIMED, TIMED, t)
    assert (found.verdict, found.worst) == (verdict, 0.5)
    assert found.breaking == (2 if verdict == FAIL else 0)
    assert found.witness in {("X", "B"), ("Y", "B")}


def test_an_outlier_hides_from_the_distance_by_value_but_not_from_that_by_rank():
    log = log_of(*[("XB", (0, 1))] * 2, *[("YB", (0, 2))] * 2, ("ZB", (0, 1000)))
    found = verdicts(log, log_of(*[("XB", (0, 1))] * 3, *[("YB", (0, 2))] * 2), t=0.5)
    assert found["t = 0.5 on released durations, by value"].verdict == PASS
    by_rank = found["t = 0.5 on released durations, by rank"]
    assert by_rank.verdict == "reported"
    assert by_rank.worst == pytest.approx(0.4)  # ranks 0, 0, 1/2, 1/2, 1 to 0
    released = found["t = 0.5 to the released law, by value"]
    assert released.verdict == "reported"
    assert released.worst == pytest.approx(0.6)  # of 1, 1, 1, 2, 2 to 2


def test_l_diversity_counts_distinct_released_durations():
    found = verdicts(TIMED, log_of(("XB", (0, 10)), ("XB", (0, 0)), *[("YB", (0, 0))] * 2), l=2)
    diverse = found["l = 2 on released durations"]
    assert (diverse.verdict, diverse.worst, diverse.witness) == (FAIL, 1, ("Y", "B"))


def test_without_durations_nothing_is_said_about_them():
    untimed = replace(TIMED, timestamps=np.zeros(TIMED.n_events))
    found = verdicts(TIMED, untimed, k=2, t=0.5, l=2)
    assert found["t = 0.5 on released durations, by value"].verdict == UNKNOWN
    assert found["l = 2 on released durations"].verdict == UNKNOWN
    assert found["k = 2 on prefixes"].verdict == PASS


def test_entropy_counts_a_frequent_duration_for_less():
    log = log_of(*[("XB", (0, hour)) for hour in (1, 2, 3)], *[("YB", (0, hour)) for hour in (1, 1, 1, 2, 3)])
    found = verdicts(log, log, l=3)
    assert (found["l = 3 on released durations"].verdict, found["l = 3 on released durations"].worst) == (PASS, 3)
    entropy = found["l = 3 on released durations, by entropy"]
    assert entropy.verdict == "reported"
    assert (entropy.worst, entropy.witness) == (pytest.approx(5 * 3 ** (-3 / 5)), ("Y", "B"))
    assert l_of_durations(log, log, 3, by_entropy=True).verdict == FAIL
    even = log_of(*[("XB", (0, hour)) for hour in (1, 2, 3)])
    assert l_of_durations(even, even, 3, by_entropy=True).verdict == PASS, "three equal shares are three, not 2.99"


def test_a_missing_duration_is_a_value_of_its_own():
    log = replace(log_of("XB", "XB"), attributes={DURATION: np.array([0.0, 5.0, 0.0, 7.0])})
    released = replace(log, attributes={DURATION: np.array([0.0, 5.0, 0.0, np.nan])})
    assert l_of_durations(log, released, 2).worst == 2
    both = replace(log, attributes={DURATION: np.array([0.0, np.nan, 0.0, np.nan])})
    assert l_of_durations(log, both, 2).worst == 1
    assert t_of_durations(log, released, 0.5).verdict == UNKNOWN


def test_classes_of_one_duration_alone_are_counted_apart():
    log = log_of(("XB", (0, 1)), ("XB", (0, 2)), ("XC", (0, 1)))
    verdict = t_of_durations(log, log, 1.0)
    assert (verdict.verdict, verdict.exempt) == (PASS, 2), "X lasts nothing, C has one duration"
    assert l_of_durations(log, log, 2).exempt == 2
    assert t_of_durations(log_of("AB"), log_of("AB"), 0.1) == (
        verdict.claim.replace("t = 1", "t = 0.1"),
        PASS,
        None,
        0,
        (),
        2,
    )


def test_surviving_durations_are_those_of_the_original():
    """Released with noise, but the events that survived have 10 and 0 in one class each: half of the range away."""
    noisy = log_of(*[("XB", (0, 5))] * 2, *[("YB", (0, 5))] * 2)
    assert t_of_durations(TIMED, noisy, 0.51).worst == pytest.approx(0.5)
    found = verdicts(TIMED, noisy, t=0.6, origins=np.array([0, 2, 3, 1]))
    # The class XB has the durations of cases 0 and 2 now, but case 2 is YB: its X is none of its events.
    survivors = found["t = 0.6 on surviving durations, by value"]
    assert (survivors.verdict, survivors.worst) == ("reported", 0.5)
    assert t_of_survivors(TIMED, noisy, np.arange(4), 0.5).verdict == BORDERLINE
    assert t_of_survivors(TIMED, noisy, np.full(4, -1), 0.5).verdict == PASS


numbers = st.lists(st.integers(0, 9), min_size=2, max_size=9)


@settings(max_examples=60, deadline=None)
@given(numbers, st.data())
def test_a_class_of_some_of_the_durations_is_less_than_1_away(durations, data):
    size = data.draw(st.integers(1, len(durations)))
    log = log_of(*(("XB" if place < size else "YB", (0, hour)) for place, hour in enumerate(durations)))
    verdict = t_of_durations(log, log, 1.0)
    assert verdict.verdict == PASS
    if verdict.worst is not None:
        assert verdict.worst <= 1 - min(size, len(durations) - size or size) / len(durations) + 1e-12


# Persons, ends and windows


def test_copies_and_cases_of_one_user_are_one_person():
    log = log_of("ab", "ab", "ac")
    copies = take(log, np.array([0, 0, 0, 1, 2]))
    persons = k_of_persons(log, copies, np.array([0, 0, 0, 1, 2]), 3)
    assert (persons.verdict, persons.worst, persons.breaking, persons.witness) == (FAIL, 1, 2, ("a", "c"))
    users = replace(log, attributes={"user": np.array(list("xxxxyy"), dtype=object)})
    assert k_of_persons(users, copies, np.array([0, 0, 0, 1, 2]), 2).breaking == 2
    assert k_of_persons(users, copies, np.array([0, 0, -1, 1, -1]), 1).worst == 0, "nobody is behind what is made up"
    found = verdicts(log, copies, k=2, origins=np.array([0, 0, 0, 1, 2]))["k = 2 persons on prefixes"]
    assert (found.verdict, found.worst) == ("reported", 1)


@pytest.mark.parametrize(("known", "worst", "witness"), [
    ("last activity", 1, ("d",)), ("last two activities", 1, ("c", "d")), ("length", 1, ("4 events",)),
    ("set of activities", 1, ("a", "b", "c", "d")), ("multiset of activities", 1, ("a", "b", "c", "d")),
])  # fmt: skip
def test_who_knows_the_end_or_the_length_of_a_prefix_class(known, worst, witness):
    log = log_of(*["abc"] * 3, *["acb"] * 2, *["ab"] * 2, "abcd")
    found = verdicts(log, log, k=2)[f"k = 2 on the {known}"]
    assert (found.verdict, found.worst, found.breaking, found.witness) == ("reported", worst, 1, witness)


@settings(max_examples=40, deadline=None)
@given(random_logs())
def test_groups_alike_are_those_of_the_definition(log):
    cases = ["".join(log.labels[a] for a in log.activities[slice(*span)])
             for span in zip(log.offsets[:-1], log.offsets[1:], strict=True)]  # fmt: skip
    known = {"last": lambda c: c[-1], "last_two": lambda c: c[-2:], "length": len, "set": frozenset,
             "multiset": lambda c: "".join(sorted(c))}  # fmt: skip
    for name, what in known.items():
        assert sorted(alike(log, name).cases.tolist()) == sorted(Counter(map(what, cases)).values()), name


@settings(max_examples=60, deadline=None)
@given(random_logs(12), st.integers(1, 4))
def test_in_k_anonymous_prefixes_every_window_occurs_in_k_cases(log, k):
    release = log
    while release.n_cases and k_of_prefixes(release, k).verdict == FAIL:
        classes = prefix_classes(release)
        rare = np.unique(release.case_of_event[classes.cases[classes.of_event] < k])
        release = take(release, np.setdiff1d(np.arange(release.n_cases), rare))
    cases = [release.activities[slice(*span)].tolist()
             for span in zip(release.offsets[:-1], release.offsets[1:], strict=True)]  # fmt: skip
    for size in (1, 2, 3):
        windows = [{tuple(case[start : start + size]) for start in range(len(case) - size + 1)} for case in cases]
        assert min(Counter(window for of_case in windows for window in of_case).values(), default=k) >= k


# Identifiers


def test_shifted_times_are_found_by_the_times_from_event_to_event():
    log = log_of(("ABC", (0, 1, 3)), ("ABC", (0, 2, 3)), ("AB", (0, 5)))
    moved = log_of(("AXC", (7, 8, 10)), ("ABC", (0, 1, 2)), ("AB", (1, 6)))
    found = verdicts(log, moved)
    times = found["no case with original timestamps, shifted by a constant or not"]
    assert (times.verdict, times.worst, times.breaking, times.witness) == ("reported", 1 / 3, 1, ("case 0",))
    assert found["no case with original timestamps"].breaking == 0
    untimed = replace(moved, timestamps=np.zeros(moved.n_events))
    assert no_shifted_times(log, untimed).verdict == UNKNOWN
    values = exposed_identifiers.score(log, moved)
    assert (values["shifted_times"], values["original_times"]) == (1 / 2, 0)
    assert isinstance(exposed_identifiers.score(log, log_of("A"))["shifted_times"], Marked)


def test_attributes_that_may_not_be_released_are_named():
    log = replace(log_of("AB"), attributes={"ward": np.array(["x", "y"]), DURATION: np.array([0.0, 1.0])})
    verdict = verdicts(log, log)["no original attribute"]
    assert (verdict.verdict, verdict.breaking, verdict.witness) == (FAIL, 1, ("ward",))
    assert verdicts(log, log, allowed=["ward"])["no original attribute but ward"].verdict == PASS
    assert verdicts(log, log_of("AB"))["no original attribute"].verdict == PASS


def test_a_variant_that_was_cut_off_is_listed_apart():
    found = verdicts(GHOST, log_of("X", "X", "AY", *["XW"] * 3))
    cut = found["no variant that was cut off"]
    assert (cut.verdict, cut.worst, cut.breaking, cut.witness) == ("reported", 2, 1, ("X",))
    assert found["no novel variant"].breaking == 2


@settings(max_examples=30, deadline=None)
@given(random_logs())
def test_a_log_is_a_release_of_itself_that_breaks_no_structural_claim(log):
    found = check(log, take(log, np.arange(log.n_cases)), k=1, t=1.0)
    assert {verdict.verdict for verdict in found} <= {PASS, UNKNOWN, BORDERLINE, "reported"}


@pytest.mark.parametrize("log", [log_of("A"), log_of("AB"), log_of("A", "A")], ids=["event", "case", "same"])
def test_tiny_and_empty_logs_are_checked_without_warnings(log):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        itself = check(log, log, k=1, t=0.5, l=1, origins=np.arange(log.n_cases))
        nothing = check(log, empty_log(), k=2, t=0.5, l=2, origins=np.empty(0, dtype=np.int64))
    assert {verdict.verdict for verdict in itself} <= {PASS, UNKNOWN, FAIL, "reported"}
    assert [verdict.claim for verdict in itself if verdict.verdict == FAIL] == ["no original case id"]
    assert [verdict.claim for verdict in nothing if verdict.verdict == FAIL] == ["no case lost or added"]


@pytest.mark.parametrize(
    ("claimed", "values"), [({"k": 2}, (0, None)), ({"k": 1, "t": 0.4}, (1, 1)), ({}, (None, None))]
)
def test_claims_are_those_of_the_run(claimed, values):
    release = log_of(*[("ZBCDE", (0, 0, 0, 0, 0))] * 4, *[("ZBCDE", (0, 10, 10, 10, 10))] * 4, ("Q", (1,)))
    found = score(EARLY_STOP, release, {"diagnostics": claimed})
    assert tuple(v if isinstance(v := found[name], float) else None for name in ("claim_k", "claim_t")) == values


@pytest.mark.parametrize(("k", "code"), [(1, 0), (2, 1)])
def test_the_command_tells_by_its_exit_code(tmp_path, capsys, k, code):
    paths = [str(tmp_path / "log.parquet"), str(tmp_path / "release.parquet")]
    for log, path in zip((EARLY_STOP, take(EARLY_STOP, np.arange(9))), paths, strict=True):
        write_log(log, path)
    assert main([*paths, "--k", str(k), "--json", str(tmp_path / "verdicts.json")]) == code
    assert f"k = {k} on prefixes (worst 1, {k - 1} breaking): Q" in capsys.readouterr().out
    written = json.loads((tmp_path / "verdicts.json").read_text())["verdicts"]
    assert [v["verdict"] for v in written if v["claim"] == f"k = {k} on prefixes"] == [FAIL if code else PASS]


def test_a_log_that_cannot_be_read_is_bad_usage(tmp_path):
    command = [sys.executable, "-m", "metrics.checker", tmp_path / "none.parquet", tmp_path / "none.parquet"]
    done = subprocess.run(command, text=True, capture_output=True)
    assert done.returncode == 2
    assert "no such file" in done.stderr
