"""Import of Parquet as other programs write it."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data import unpack
from data.importing import import_log, repairs
from data.io import LogError, read_log
from data.log import DURATION
from data.options import ImportOptions

NAMES = {"case": "c", "activity": "a", "time": "t"}
SECOND = pa.timestamp("s")


@pytest.fixture
def load(tmp_path):
    """Import a table with columns c, a and t, some of which replaced."""

    def load(columns: dict, **options):
        table = pa.table({"c": ["1", "1"], "a": ["x", "y"], "t": pa.array([0, 60], SECOND), **columns})
        pq.write_table(table, tmp_path / "log.parquet", version="2.6")
        return import_log(tmp_path / "log.parquet", ImportOptions(**NAMES, **options))

    return load


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_times_of_any_unit_and_zone(load, unit, zone):
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    log, counters = load({"t": pa.array([0, 60 * scale], pa.timestamp(unit, zone))})
    assert log.timestamps.tolist() == [0, 60 * 10**6]
    assert counters["events_without_zone"] == (0 if zone else 2)


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_nanoseconds_are_cut_downwards_and_counted(load, zone):
    log, counters = load({"t": pa.array([-1, 2_000], pa.timestamp("ns", zone))})
    assert log.timestamps.tolist() == [-1, 2]
    assert counters["events_cut_to_microseconds"] == 1
    assert "events_cut_to_microseconds" in repairs(counters)


def test_a_canonical_log_with_nanoseconds_warns(tmp_path):
    times = pa.array([1_999, None, 2_000], pa.timestamp("ns", "UTC")).fill_null(3_001)
    table = pa.table({"case:concept:name": ["1"] * 3, "concept:name": ["a"] * 3, "time:timestamp": times})
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.warns(UserWarning, match=r"log\.parquet: 2 times cut to microseconds"):
        assert read_log(tmp_path / "log.parquet").timestamps.tolist() == [1, 2, 3]


def test_texts_are_read(load):
    assert load({"t": ["1970-01-01T00:00:01Z", "1970-01-01T00:00:02"]})[0].timestamps.tolist() == [10**6, 2 * 10**6]


def test_declared_zone(load):
    log, _ = load({"t": pa.array([datetime(2020, 7, 1, 12)] * 2, pa.timestamp("us"))}, zone="Europe/Berlin")
    assert str(log.timestamps.astype("datetime64[us]")[0]) == "2020-07-01T10:00:00.000000"


def test_nulls_drop_the_event_and_are_counted(load):
    log, counters = load({"c": ["1", "1"], "a": [None, "y"]})
    assert log.n_events == 1
    assert {name: counters[name] for name in repairs(counters)} == {
        "events_without_activity": 1,
        "events_without_zone": 2,
    }
    with pytest.raises(LogError, match="row 1 has no activity"):
        load({"a": [None, "y"]}, strict=True)


def test_start_column(load):
    log, _ = load({"begin": pa.array([0, 30], SECOND), "more": [1, 2]}, start="begin", attributes=True)
    assert log.attributes[DURATION].tolist() == [0, 30]
    assert log.attributes["more"].tolist() == [1, 2]


def test_years_out_of_range_in_a_zone(load):
    with pytest.raises(LogError, match="outside the years 1 to 9999"):
        load({"t": pa.array([0, 2**40], SECOND)}, zone="Europe/Berlin")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"c": [1, 2]}, "column 'c' holds int64, not text"),
        ({"t": [1, 2]}, "column 't' holds int64, not text"),
        ({"t": pa.array([0, 2**62], pa.timestamp("ms"))}, "not a readable event log"),
        ({"t": pa.array([0, 2**40], SECOND)}, "outside the years 1 to 9999"),
        ({"t": ["1970-01-01", "x"]}, "row 2: 'x' in column 't' is no time"),
        ({"a": pa.array([None, None], pa.string())}, "none of the events can be kept"),
    ],
)
def test_refused(load, columns, message):
    with pytest.raises(LogError, match=message) as error:
        load(columns)
    assert "log.parquet" in str(error.value)


def test_long_runs_are_bombs(load, monkeypatch):
    monkeypatch.setattr(unpack, "UNSUSPICIOUS", 1000)
    rows = 200_000
    columns = {"c": ["1"] * rows, "a": ["x"] * rows, "t": pa.array([0] * rows, SECOND)}
    with pytest.raises(LogError, match=r"more than 250 times its size.*--max-ratio"):
        load(columns)
    assert load(columns, max_ratio=1e6)[0].n_events == rows
