"""Cases that a mechanism has seen against cases held out from it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from small_logs import log_of, relabelled, take

from conftest import ROOT
from data.held_out import split
from data.io import read_log, write_log
from data.log import EventLog, empty_log
from mechanisms import identity, shuffle
from metrics.intervals import newcombe, wilson
from metrics.membership import METRICS, TITLES, score
from metrics.metric import Marked
from report.attack_records import attack_records

MEMBERS = log_of("abcd", "abcd", "abd", "xyz")
OUTSIDERS = log_of("abd", "xyz", "acd", "abcd")


def attacked(members: EventLog, outsiders: EventLog, release: EventLog) -> dict:
    return score(members, outsiders, release, {"seed": 1})


@pytest.mark.parametrize(("cases", "held_out"), [(1000, 100), (601, 61), (300, 50), (60, 30), (1, 0), (0, 0)])
def test_a_tenth_is_held_out_at_least_fifty_at_most_half(cases, held_out):
    log = take(log_of("ab", "cd"), np.arange(cases) % 2)
    members, outsiders = split(log, np.random.default_rng(1))
    assert (members.n_cases, outsiders.n_cases) == (cases - held_out, held_out)
    assert sorted(members.case_ids + outsiders.case_ids) == sorted(log.case_ids)
    if held_out:
        again, other = (split(log, np.random.default_rng(seed))[1].case_ids for seed in (1, 2))
        assert outsiders.case_ids == again != other


def test_the_command_writes_both_parts(tmp_path):
    write_log(take(log_of("ab", "cd"), np.arange(200) % 2), tmp_path / "log.parquet")
    paths = [tmp_path / name for name in ("members.parquet", "held_out.parquet")]
    command = [sys.executable, "-m", "data.held_out", tmp_path / "log.parquet", *paths, "--seed", "3"]
    subprocess.run(command, check=True, cwd=ROOT)
    assert [read_log(path).n_cases for path in paths] == [150, 50]


def test_by_hand():
    """In the release, abcd is there twice, abd and xyz once."""
    found = attacked(MEMBERS, OUTSIDERS, take(MEMBERS, np.arange(4)))
    # Whole traces: abd and xyz of four members; abd and xyz of four others, too.
    assert (found["member_match_trace"], found["outsider_match_trace"], found["member_advantage_trace"]) == (
        0.5,
        0.5,
        0,
    )
    # Three first ones: of members abd and xyz; of the others these two, while acd fits none and abc two.
    assert (found["member_match_prefix"], found["outsider_match_prefix"]) == (0.5, 0.5)
    # Three in order: of abcd, which two cases have, abc, acd and bcd fit two, abd fits three; xyz fits one.
    assert (found["member_match_sequence"], found["outsider_match_sequence"]) == (0.25, 0.25)
    # With days, those of the first day of the log: the same.
    assert found["member_match_set_day"] == found["outsider_match_set_day"] == 0.25
    assert (found["member_targets"], found["outsider_targets"]) == (4, 4)
    assert found["member_low_trace"] < 0.5 < found["member_high_trace"]
    assert found["member_gain_low_trace"] < 0 < found["member_gain_high_trace"]


def test_times_of_cases_are_counted_from_the_midnight_of_the_members():
    members, outsiders = log_of(("ab", (0, 30))), log_of(("ab", (24, 54)))
    found = attacked(members, outsiders, take(members, np.arange(1)))
    assert (found["member_match_set_day"], found["outsider_match_set_day"]) == (1, 0)
    assert found["member_advantage_sequence_day"] == 1


def test_the_log_itself_gives_members_away_and_a_shuffled_one_nobody():
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(list("abcdefgh"), 9)) for _ in range(300)]
    log = log_of(*((word, tuple(np.sort(rng.integers(0, 9000, 9)).tolist())) for word in words))
    members, outsiders = split(log, rng)
    itself = attacked(members, outsiders, identity.release(members, rng=rng))
    nothing = attacked(members, outsiders, shuffle.release(members, rng=rng))
    assert itself["member_advantage_trace"] == 1
    for kind in ("trace", "set_day", "sequence_day"):
        assert itself[f"member_gain_low_{kind}"] > 0.5, kind
    for kind in TITLES:
        assert abs(nothing[f"member_advantage_{kind}"]) < 0.05, kind
        assert nothing[f"member_gain_low_{kind}"] <= 0 <= nothing[f"member_gain_high_{kind}"], kind


def test_the_record_of_the_attack_counts_members_and_others_apart():
    members, outsiders = (take(log_of("ab", "cd"), np.arange(n) % 2) for n in (400, 50))
    found = attacked(members, outsiders, take(members, np.array([0])))
    rows = [
        ["x", "identity", "default", repeat, name, value, "ok"] for repeat in (0, 1) for name, value in found.items()
    ]
    columns = ["log", "mechanism", "parameters", "repeat", "metric", "value", "status"]
    records = attack_records(pd.DataFrame(rows, columns=columns)).set_index("attack")
    record = records.loc["member_trace"]
    assert (record["targets"], record["success"], record["prior"]) == (400, 0.5, 0.5)
    assert (record["low"], record["high"]) == pytest.approx(newcombe((0.5, 400), (0.5, 50)))
    assert record["low"] == pytest.approx(found["member_gain_low_trace"])


def test_names_dates_and_order_do_not_matter():
    before = attacked(MEMBERS, OUTSIDERS, take(MEMBERS, np.arange(4)))
    day = 24 * 3_600_000_000
    later = [EventLog(e.activities, e.timestamps + 9 * day, e.offsets, e.labels, e.case_ids)
             for e in (MEMBERS, OUTSIDERS, take(MEMBERS, np.arange(4)))]  # fmt: skip
    assert attacked(*later) == pytest.approx(before)
    assert attacked(*map(relabelled, (MEMBERS, OUTSIDERS, take(MEMBERS, np.arange(4))))) == pytest.approx(before)
    backwards = np.arange(4)[::-1]
    assert attacked(take(MEMBERS, backwards), take(OUTSIDERS, backwards), take(MEMBERS, backwards)) == pytest.approx(
        before
    )


def test_what_is_not_defined_is_told_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none = attacked(MEMBERS, empty_log(), MEMBERS)
        lost = attacked(MEMBERS, OUTSIDERS, empty_log())
        one = attacked(log_of("a"), log_of("a"), log_of("a"))
    assert none.keys() == lost.keys() == one.keys() == {metric.name for metric in METRICS}
    assert one["member_targets"] == 1
    assert all(isinstance(value, Marked) for value in none.values())
    assert {lost.pop(name).status for name in ("member_targets", "outsider_targets")} == {"EMPTY"}
    assert set(lost.values()) == {0}
    assert one["member_match_set"] == one["outsider_match_set"] == 1
    untimed = EventLog(
        MEMBERS.activities, np.zeros(MEMBERS.n_events), MEMBERS.offsets, MEMBERS.labels, MEMBERS.case_ids
    )
    found = attacked(MEMBERS, OUTSIDERS, untimed)
    assert isinstance(found["member_advantage_set_day"], Marked)
    assert found["member_match_prefix"] == 0.5


@pytest.mark.parametrize(("right", "n", "low", "high"), [
    (744, 784, 0.931, 0.962), (1120, 1247, 0.880, 0.914), (171, 574, 0.262, 0.337), (0, 10, 0, 0.278), (9, 9, 0.701, 1),
])  # fmt: skip
def test_intervals_of_shares(right, n, low, high):
    assert wilson(float(Fraction(right, n)), n) == pytest.approx((low, high), abs=5e-4)


def test_the_interval_of_a_difference_is_that_of_newcombe():
    """His example (a): 56 of 70 and 48 of 80."""
    assert newcombe((56 / 70, 70), (48 / 80, 80)) == pytest.approx((0.0524, 0.3339), abs=1e-4)
