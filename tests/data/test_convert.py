"""From a raw file to the canonical log and its statistics."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT
from data.convert import convert
from data.datasets import Dataset, dataset
from data.io import LogError, read_log, write_log
from data.log import EventLog
from data.overview import overview
from data.xes import LIFECYCLE


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


def test_conversion_does_not_load_pandas():
    code = "import data.convert, sys; sys.exit(bool({'pandas', 'scipy', 'pm4py'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_overview(raw, tmp_path):
    facts = [Dataset("a"), Dataset("b", events="4"), Dataset("c", events="5", cases="2", variants="9")]
    sink = io.StringIO()
    overview([convert(raw, tmp_path / "log.parquet", fact) for fact in facts], sink)
    lines = sink.getvalue().splitlines()
    assert [line.rsplit(",", 1)[1] for line in lines] == ["published", "unknown", "equal", "differs: events variants"]
