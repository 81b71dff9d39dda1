"""Claims: what a file of them may say, and the verdicts."""

from __future__ import annotations

import csv
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from report import judge
from report.claims import COLUMNS, Claim, ClaimError, check_cells, read_claims

GRIDS = {"amun": ["delta", "mode"], "shuffle": []}
LOGS = ["sepsis", "receipt"]
FIELDS = {
    "id": "one", "source": "a paper", "log": "sepsis", "mechanism": "amun", "parameters": "delta=0.3,mode=sampling",
    "metric": "emd_variants", "kind": "value", "reported": "0.41",
}  # fmt: skip
ORDER = {"kind": "order", "reported": "better", "than": "mode=filtering"}


def claim(**changes: str) -> Claim:
    return Claim(**dict.fromkeys(COLUMNS, "") | FIELDS | changes)


def write(path, *lines: dict[str, str]):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({name: line.get(name, "") for name in COLUMNS} for line in lines)
    return path


def side(*settings: list[float | None], status: str = "TO") -> pd.DataFrame:
    """Values by setting and repeat; None has a status instead."""
    lines = [
        (place, str(repeat), value, "ok" if value is not None else status)
        for place, values in enumerate(settings)
        for repeat, value in enumerate(values)
    ]
    return pd.DataFrame(lines, columns=["setting", "repeat", "value", "status"]).astype({"value": float})


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"log": "sepsi"}, "log 'sepsi' is unknown; known: sepsis"),
        ({"metric": "emd_variant"}, "metric 'emd_variant' is unknown; known: emd_variants"),
        ({"metric": "statistic.cases"}, "metric 'statistic.cases' is unknown"),
        ({"mechanism": "anum"}, "mechanism 'anum' is unknown; known: amun"),
        ({"parameters": "delta=0.3,mood=sampling"}, "amun needs, in this order: delta, mode"),
        ({"parameters": "delta=0.3"}, "amun needs, in this order: delta, mode"),
        ({"parameters": "delta 0.3"}, "'delta 0.3' is not of the form name=value"),
        ({"kind": "valeu"}, "kind 'valeu' is unknown; known: value"),
        ({"reported": "about 3"}, "reported 'about 3' is no number"),
        ({"reported": "nan"}, "reported 'nan' is no number"),
        ({"tolerance": "-1"}, "tolerance '-1'"),
        ({"runs": "few"}, "runs 'few'"),
        ({"than": "mode=filtering"}, "belongs to orders alone"),
        (ORDER | {"than": ""}, "belongs to orders alone"),
        (ORDER | {"reported": "best"}, "reported 'best' is unknown; known: better"),
        (ORDER | {"reported": "similar"}, "tolerance is missing"),
        (ORDER | {"metric": "variants"}, "variants has no better value"),
        (ORDER | {"metric": "run.h1_hit_rate"}, "say lower or higher"),
        (ORDER | {"than": "mode=filtering|oversampling"}, "than has 2 settings, and the claimed side has 1"),
        (ORDER | {"than": "mechanism=amun,delta=1"}, "amun needs, in this order: delta, mode"),
        (ORDER | {"than": "log=recept"}, "log 'recept' is unknown; known: receipt"),
        ({"source": ""}, "source is missing"),
        ({"id": "one/two"}, "id 'one/two'"),
    ],
)
def test_a_wrong_claim_is_refused_with_its_line(tmp_path, changes, named):
    path = write(tmp_path / "claims.csv", FIELDS, FIELDS | {"id": "two"} | changes)
    with pytest.raises(ClaimError) as error:
        check_cells(read_claims([path], LOGS), GRIDS)
    assert f"{path}:3: " in str(error.value)
    assert named in str(error.value)


def test_other_columns_a_short_line_and_the_same_id_are_refused(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text("id,source\n")
    with pytest.raises(ClaimError, match=r"claims.csv:1: the columns must be id,source,log"):
        read_claims([path])
    path.write_text(",".join(COLUMNS) + "\none,a paper\n")
    with pytest.raises(ClaimError, match=r"claims.csv:2: 13 fields are needed"):
        read_claims([path])
    with pytest.raises(ClaimError, match=r"claims.csv:3: id 'one' stands in .*claims.csv:2 too"):
        read_claims([write(path, FIELDS, FIELDS)])


def test_the_claims_of_the_project_can_be_read():
    paths = sorted((ROOT / "config/claims").glob("*.csv"))
    claims = read_claims(paths)
    assert len(claims) > 500
    assert {claim.kind for claim in claims} == {"value", "order"}


def test_the_files_behind_a_claim():
    several = claim(parameters="delta=0.2|0.3,mode=sampling")
    assert several.files == [
        f"results/scores/runs/amun/delta={delta},mode=sampling/sepsis.csv" for delta in ("0.2", "0.3")
    ]
    assert claim(**ORDER).other_files == ["results/scores/runs/amun/delta=0.3,mode=filtering/sepsis.csv"]
    control = claim(**ORDER | {"than": "mechanism=shuffle,log=receipt"})
    assert control.other_files == ["results/scores/runs/shuffle/default/receipt.csv"]
    assert claim(mechanism="", parameters="", metric="statistics.cases").files == [
        "results/logs/sepsis/statistics.json"
    ]


@pytest.mark.parametrize(
    ("reported", "tolerance", "expected"),
    [("0.41", "", 0.005), ("120", "", 0.5), ("1.2e-3", "", 0.00005), ("0.41", "0.1", 0.1)],
)
def test_half_a_unit_of_the_last_printed_digit(reported, tolerance, expected):
    assert judge.tolerance_of(claim(reported=reported, tolerance=tolerance)) == pytest.approx(expected)


def test_an_interval_by_hand():
    # Mean 2, standard deviation 1; Student's t of 2 degrees of freedom: 9.9248 at 99.5 %, 1.0607 at 80 %.
    found = judge.judge(claim(reported="2.00"), side([1, 2, 3]))
    assert (found.verdict, found.mean, found.repeats) == ("reproduced", 2, 3)
    assert found.high - 2 == pytest.approx(9.9248 / math.sqrt(3), abs=1e-4)
    assert found.detectable == pytest.approx((9.9248 + 1.0607) / math.sqrt(3), abs=1e-4)
    one_run = judge.judge(claim(reported="9", runs="1"), side([1, 2, 3]))
    assert one_run.high - 2 == pytest.approx(9.9248 * math.sqrt(1 / 3 + 1), abs=1e-4)
    assert one_run.verdict == "within noise"


VALUES = [
    ("2.0", [2.04, 2.0, 1.99], "reproduced"),
    ("2.0", [2.2, 2.0, 2.1], "within noise"),
    ("2.0", [3.0, 3.01, 2.99], "differs"),
    ("2.0", [3.0, 3.0], "differs"),
    ("2.0", [3.0], "not comparable"),
    ("2.0", [2.0], "reproduced"),
    ("2.0", [2.0, None], "not comparable"),
]


@pytest.mark.parametrize(("reported", "values", "verdict"), VALUES)
def test_verdicts_on_values(reported, values, verdict):
    found = judge.judge(claim(reported=reported), side(values))
    assert found.verdict == verdict
    assert found.reason


def test_what_cannot_be_decided_says_why():
    assert judge.judge(claim(), None).verdict == "not run"
    assert judge.judge(claim(**ORDER), side([1, 2]), None).verdict == "not run"
    failed = judge.judge(claim(), side([None, 0.4, None]))
    assert (failed.verdict, failed.reason) == ("not comparable", "2 of 3 runs have no value: 2 TO")
    unlike = judge.judge(claim(unlike="another log"), side([0.41]))
    assert (unlike.verdict, unlike.reason) == ("not comparable", "another log")


def test_times_of_another_machine_never_differ():
    slow, near = (claim(metric="wall_s", reported=text) for text in ("1000", "3.0"))
    assert judge.judge(slow, side([1, 1])).verdict == "other machine"
    assert judge.judge(near, side([1, 1])).verdict == "same order"


LESS, MORE, EITHER, EQUAL = [1, 2, 3], [2, 3.01, 4], [2, 1, 4], [1, 2, 3]


@pytest.mark.parametrize(
    ("word", "other", "verdict"),
    [
        ("lower", MORE, "reproduced"),
        ("lower", EITHER, "within noise"),
        ("lower", EQUAL, "differs"),
        ("higher", MORE, "differs"),
        ("better", MORE, "reproduced"),
        ("worse", MORE, "differs"),
        ("not worse", MORE, "reproduced"),
        ("not worse", EQUAL, "reproduced"),
        ("similar", EQUAL, "reproduced"),
        ("similar", MORE, "differs"),
        ("similar", EITHER, "within noise"),
    ],
)
def test_verdicts_on_orders_pair_the_repeats(word, other, verdict):
    """Both sides vary much and together; only their difference counts."""
    order = claim(**ORDER | {"reported": word, "tolerance": "0.1"})
    assert judge.judge(order, side(LESS), side(other)).verdict == verdict
    if word in ("better", "worse", "not worse"):  # of a metric of which more is better
        turned = claim(**ORDER | {"reported": word, "metric": "variant_overlap", "tolerance": "0.1"})
        assert judge.judge(turned, side(other), side(LESS)).verdict == verdict


def test_an_order_over_settings_leaves_out_those_without_values():
    order = claim(**ORDER)
    found = judge.judge(order, side([1, 2], [None, 5]), side([2, 3.01], [1, 1]))
    assert found.verdict == "reproduced"
    assert "1 of 2 settings have all values" in found.reason
    assert judge.judge(order, side([None, None]), side([1, 1])).reason == "no setting has all values: 2 TO"


def test_statuses():
    timeout = claim(kind="status", reported="TO")
    assert judge.judge(timeout, side([None, None])).verdict == "reproduced"
    assert judge.judge(timeout, side([None, 1])).verdict == "other machine", "a faster machine is no contradiction"
    refused = claim(kind="status", reported="INF")
    assert judge.judge(refused, side([None, None])).verdict == "differs"


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.floats(-1e6, 1e6))
def test_the_verdict_on_a_value_does_not_depend_on_the_zero_point(values, shift):
    """And a value inside the interval never differs."""
    found = judge.judge(claim(reported="0", tolerance="0"), side(values))
    inside = found.low <= 0 <= found.high
    assert (found.verdict == "differs") != (inside or found.mean == 0)
    moved = judge._interval(np.array(values) + shift)
    assert moved[0] - shift == pytest.approx(found.mean, abs=1e-6)


def test_the_table_and_the_summary_tell_all(tmp_path):
    claims = read_claims([write(tmp_path / "c.csv", FIELDS, FIELDS | {"id": "two", "log": "receipt"})])
    table = judge.judgements(claims, repeats=2, absent=["receipt"])
    assert list(table["verdict"]) == ["not run", "not run"]
    assert "no public source offers the log receipt" in table["reason"][1]
    text = judge.printed(table).loc["one", "claim"]
    assert text == "emd_variants of amun delta=0.3,mode=sampling on sepsis"
    assert "not run" in judge.summary(table)
