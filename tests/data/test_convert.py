"""From a raw file to the canonical log and its statistics."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from benchmarks import process, synthetic
from conftest import ROOT
from data.convert import convert, main
from data.datasets import Dataset, dataset
from data.importing import import_log
from data.io import LogError, read_log, write_log
from data.log import DURATION, LIFECYCLE, EventLog
from data.options import ImportOptions
from data.overview import overview


@pytest.fixture
def raw(tmp_path):
    """A raw log: case 1 is a (start), a (COMPLETE), b (none), case 2 only a (start)."""
    transitions = np.array(["start", "COMPLETE", None, "start"], dtype=object)
    log = EventLog.from_rows("1112", "aaba", np.array([0, 1, 2, 3]) * 10**6, {LIFECYCLE: transitions})
    write_log(log, tmp_path / "raw.xes.gz")
    return tmp_path / "raw.xes.gz"


def test_all_events(raw, tmp_path):
    statistics = convert(raw, tmp_path / "log.parquet", Dataset("mine", title="Mine", synthetic="yes"))
    log = read_log(tmp_path / "log.parquet")
    assert log.n_events == 4
    assert not log.attributes
    expected = {
        "log": "mine",
        "title": "Mine",
        "synthetic": True,
        "file": "raw.xes.gz",
        "lifecycle": "all",
        "cases": 2,
        "events": 4,
        "activities": 2,
        "variants": 2,
        "mean_variant_cases": 1.0,
        "max_variant_cases": 1,
        "min_len": 1,
        "mean_len": 2.0,
        "max_len": 3,
        "first": "1970-01-01T00:00:00.000000+00:00",
        "last": "1970-01-01T00:00:03.000000+00:00",
        "published": {},
    }
    assert {key: statistics[key] for key in expected} == expected
    assert statistics["import"]["events"] == 4


def test_complete_events(raw, tmp_path):
    facts = Dataset("mine", lifecycle="complete", events="4", variants="1", mean_len="2.1")
    statistics = convert(raw, tmp_path / "log.parquet", facts)
    log = read_log(tmp_path / "log.parquet")
    assert log.case_ids == ("1",)
    assert log.timestamps.tolist() == [10**6, 2 * 10**6]
    assert statistics["import"]["events_not_complete"] == 2
    assert statistics["import"]["cases_without_complete_event"] == 1
    assert statistics["published"] == {
        "events": {"published": "4", "found": 4, "kept": 2, "equal": True},
        "variants": {"published": "1", "found": 2, "kept": 1, "equal": True},
        "mean_len": {"published": "2.1", "found": 2.0, "kept": 2.0, "equal": False},
    }


def test_without_any_lifecycle_all_events_are_complete(tmp_path):
    write_log(EventLog.from_rows("1", "a", np.array([0])), tmp_path / "raw.xes")
    assert convert(tmp_path / "raw.xes", tmp_path / "log.parquet", Dataset("m", lifecycle="complete"))["events"] == 1


def test_lifecycle_that_keeps_nothing_is_refused(real_log, tmp_path):
    path = real_log("BPI_Challenge_2013_closed_problems.xes.gz")
    with pytest.raises(LogError, match=r"keeps no event.*In Progress.*use lifecycle `all`"):
        convert(path, tmp_path / "log.parquet", Dataset("m", lifecycle="complete"))
    assert not list(tmp_path.iterdir())


def test_log_without_event_is_refused(tmp_path):
    (tmp_path / "raw.xes").write_text("<log/>")
    with pytest.raises(LogError, match="holds no event"):
        convert(tmp_path / "raw.xes", tmp_path / "log.parquet")


def test_csv_and_parquet_give_the_same_log(raw, tmp_path):
    log = read_log(raw)
    for name in ("raw.csv", "raw.parquet"):
        write_log(log, tmp_path / name)
        convert(tmp_path / name, tmp_path / f"{name}.log.parquet")
    convert(raw, tmp_path / "log.parquet")
    expected = (tmp_path / "log.parquet").read_bytes()
    assert (tmp_path / "raw.csv.log.parquet").read_bytes() == expected
    assert (tmp_path / "raw.parquet.log.parquet").read_bytes() == expected


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("sepsis", "Sepsis_Cases_-_Event_Log.xes.gz"),
        ("receipt", "receipt.xes.gz"),
        ("bpic2013_closed", "BPI_Challenge_2013_closed_problems.xes.gz"),
        ("bpic2020_prepaid", "PrepaidTravelCost.xes.gz"),
        ("bpic2020_rfp", "RequestForPayment.xes.gz"),
        ("ccc19", "CCC19.xes.gz"),
        ("unrineweginfectie", "Unrineweginfectie.xes.gz"),
        ("bpic2015_1", "BPIC15_1.xes.gz"),
        pytest.param("bpic2012", "BPI_Challenge_2012.xes.gz", marks=pytest.mark.slow),
        pytest.param("road_traffic", "RTFMP_reexport.xes.gz", marks=pytest.mark.slow),
    ],
)
def test_real_logs_agree_with_their_published_statistics(real_log, tmp_path, key, name):
    published = convert(real_log(name), tmp_path / "log.parquet", dataset(key))["published"]
    assert {"cases", "events", "activities", "variants"} <= set(published)
    assert all(compared["equal"] for compared in published.values()), published


@pytest.mark.slow
def test_complete_events_of_bpic2012(real_log, tmp_path):
    statistics = convert(real_log("BPI_Challenge_2012.xes.gz"), tmp_path / "log.parquet", dataset("bpic2012"))
    assert [statistics[name] for name in ("events", "activities", "variants")] == [164506, 23, 4336]


def run(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "data.convert", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, text=True, capture_output=True)


def test_command_line(raw, tmp_path):
    target, statistics = tmp_path / "log.parquet", tmp_path / "statistics.json"
    done = run(raw, target, statistics, "--dataset", "mine", "--title", "Größe", "--lifecycle", "complete")
    assert done.returncode == 0, done.stderr
    assert read_log(target).n_events == 2
    assert json.loads(statistics.read_text(encoding="utf-8"))["title"] == "Größe"


def test_command_line_names_what_is_wrong(tmp_path):
    (tmp_path / "raw.xes").write_text("<log>")
    done = run(tmp_path / "raw.xes", tmp_path / "log.parquet", tmp_path / "s.json", "--dataset", "mine")
    assert done.returncode == 1
    assert "not well-formed" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", [".parquet", ".csv", ".csv.gz", ".xes", ".xes.gz"])
@pytest.mark.parametrize("source", [".parquet", ".csv", ".csv.gz", ".xes", ".xes.gz", ".zip"])
def test_any_format_into_any_other(raw, tmp_path, monkeypatch, capsys, source, target):
    log = read_log(raw)
    if source == ".zip":
        with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
            archive.write(raw, "raw.xes.gz")
    else:
        write_log(log, tmp_path / f"in{source}")
    monkeypatch.setattr(sys, "argv", ["convert", str(tmp_path / f"in{source}"), str(tmp_path / f"out{target}")])
    main()
    found = read_log(tmp_path / f"out{target}")
    assert (found.case_ids, found.labels) == (log.case_ids, log.labels)
    assert found.timestamps.tolist() == log.timestamps.tolist()
    assert f"in{source}: 2 cases, 4 events, 2 activities, 2 variants" in capsys.readouterr().out


def test_command_line_prints_what_it_repaired(tmp_path):
    rows = "1;a;01.02.2020 10:00\n;b;01.02.2020 11:00\n1;c;01.02.2020 09:00\n"
    (tmp_path / "raw.csv").write_text("Fall;Schritt;Zeit\n" + rows, encoding="utf-16")
    options = ["--case", "Fall", "--activity", "Schritt", "--time", "Zeit", "--separator", ";", "--encoding", "utf-16"]
    options += ["--time-format", "%d.%m.%Y %H:%M", "--zone", "Europe/Berlin"]
    done = run(tmp_path / "raw.csv", tmp_path / "log.parquet", *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "raw.csv: 1 cases, 2 events, 2 activities, 1 variants",
        "2 to 2 events a case, mean 2.00",
        "2020-02-01T08:00:00.000000+00:00 to 2020-02-01T09:00:00.000000+00:00",
        "found and repaired:",
        "  events_without_case = 1",
        "  events_without_zone = 3",
        "  events_out_of_order = 1",
    ]
    done = run(tmp_path / "raw.csv", tmp_path / "other.parquet", *options, "--strict")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "row 2 has no case" in done.stderr
    assert not (tmp_path / "other.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.xes", "log.parquet"], "no such file"),
        (["raw.xes.gz", "log.doc"], "unknown kind"),
        (["raw.xes.gz", "none/log.csv"], "folder does not exist"),
        (["raw.xes.gz", "log.csv", "--zone", "Mars"], "unknown time zone"),
        (["raw.xes.gz", "log.csv", "none/statistics.json"], "No such file"),
    ],
)
def test_refusals_are_one_line(raw, monkeypatch, arguments, message):
    monkeypatch.chdir(raw.parent)
    monkeypatch.setattr(sys, "argv", ["convert", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert message in ended.value.code
    assert "\n" not in ended.value.code


def test_durations_of_pairs(tmp_path):
    transitions = np.array(["start", "complete", "complete"], dtype=object)
    log = EventLog.from_rows("111", "aab", np.array([0, 90, 99]) * 10**6, {LIFECYCLE: transitions})
    write_log(log, tmp_path / "raw.xes")
    statistics = convert(tmp_path / "raw.xes", tmp_path / "log.parquet", Dataset("m", lifecycle="pairs"))
    found = read_log(tmp_path / "log.parquet")
    assert list(found.attributes) == [DURATION]
    assert np.array_equal(found.attributes[DURATION], [90, np.nan], equal_nan=True)
    assert statistics["import"]["completes_without_start"] == 1


def test_further_attributes_on_request(raw, tmp_path):
    for attributes in (False, True):
        convert(raw, tmp_path / "log.xes", options=ImportOptions(attributes=attributes))
        found, _ = import_log(tmp_path / "log.xes")
        assert (LIFECYCLE in found.attributes) == attributes


@pytest.mark.slow
def test_large_log_within_two_gigabytes(tmp_path):
    """2.5 million events in the shape of BPIC 2018: 57 events a case, 41 activities, ten further attributes."""
    source, target = tmp_path / "large.xes.gz", tmp_path / "large.parquet"
    synthetic.write(source, cases=43_860, events=57)
    cost = process.run([sys.executable, "-m", "data.convert", str(source), str(target)])
    log = read_log(target)
    assert (log.n_cases, log.n_events, len(log.labels)) == (43_860, 2_500_020, 41)
    assert cost.peak_mb < 2000


def test_conversion_does_not_load_pandas():
    code = "import data.convert, sys; sys.exit(bool({'pandas', 'scipy', 'pm4py'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_overview(raw, tmp_path):
    facts = [Dataset("a"), Dataset("b", events="4"), Dataset("c", events="5", cases="2", variants="9")]
    overview([convert(raw, tmp_path / "log.parquet", fact) for fact in facts], tmp_path)
    with (tmp_path / "datasets.csv").open(newline="", encoding="utf-8") as lines:
        verdicts = [row["verdict"] for row in csv.DictReader(lines)]
    assert verdicts == ["unknown", "equal", "differs: events variants"]
