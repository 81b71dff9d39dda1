"""The checker on releases made by hand: what the published generations of PRETSA make of small logs, and sound ones."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from small_logs import log_of, random_logs, take

from data.io import write_log
from data.log import DURATION
from metrics.checker import check, main
from metrics.claims import score
from metrics.exposed_identifiers import HASHES
from metrics.verdicts import BORDERLINE, FAIL, PASS, UNKNOWN, t_of_durations

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


@settings(max_examples=30, deadline=None)
@given(random_logs())
def test_a_log_is_a_release_of_itself_that_breaks_no_structural_claim(log):
    found = check(log, take(log, np.arange(log.n_cases)), k=1, t=1.0)
    assert {verdict.verdict for verdict in found} <= {PASS, UNKNOWN, BORDERLINE, "reported"}


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
