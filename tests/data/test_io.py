"""Reading and writing logs by suffix."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT
from data.io import LogError, read_log, write_log
from data.log import ACTIVITY, CASE, TIMESTAMP, EventLog, empty_log

SUFFIXES = (".parquet", ".csv", ".csv.gz", ".xes", ".xes.gz")
YEAR = 366 * 86400 * 10**6

# Every character that XML 1.0 can hold.
texts = st.text(
    st.characters(exclude_categories=("Cc", "Cs"), include_characters="\t\n\r\x85", exclude_characters="\ufffe\uffff"),
    max_size=8,
) | st.sampled_from(["NA", "null", "007", "1.0", "", " x", "2020-01-01", "true"])
rows = st.lists(st.tuples(texts, texts, st.integers(-1900 * YEAR, 7900 * YEAR)), min_size=1, max_size=12)


def content(log: EventLog) -> list[tuple[str, str, int]]:
    cases = [log.case_ids[case] for case in log.case_of_event]
    return list(zip(cases, [log.labels[code] for code in log.activities], log.timestamps.tolist(), strict=True))


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=40, deadline=None)
@given(rows=rows)
def test_round_trip(tmp_path_factory, suffix, rows):
    cases, activities, times = zip(*rows, strict=True)
    log = EventLog.from_rows(cases, activities, np.array(times))
    path = tmp_path_factory.mktemp("trip") / f"log{suffix}"
    write_log(log, path)
    assert content(read_log(path)) == content(log)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_empty_log_round_trip(tmp_path, suffix):
    write_log(empty_log(), tmp_path / f"log{suffix}")
    assert read_log(tmp_path / f"log{suffix}").n_cases == 0


def test_parquet_bytes_depend_on_the_log_alone(tmp_path):
    log = EventLog.from_rows(["1", "2"], ["a", "b"], np.array([0, 1]))
    for name in ("first.parquet", "second.parquet"):
        write_log(log, tmp_path / name)
    assert (tmp_path / "first.parquet").read_bytes() == (tmp_path / "second.parquet").read_bytes()


def test_labels_without_event_are_left_out(tmp_path):
    log = EventLog(np.array([1]), np.array([0]), np.array([0, 1]), ("lost", "kept"), ("1",))
    write_log(log, tmp_path / "log.parquet")
    assert read_log(tmp_path / "log.parquet").labels == ("kept",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("log.csv", f"{CASE},{ACTIVITY}\n1,a\n", TIMESTAMP),
        ("log.csv", "", "empty file"),
        ("log.txt", "x", "unknown kind"),
        ("log.parquet", "no parquet", "not a readable event log"),
    ],
)
def test_unreadable_files_are_named(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(LogError, match=message):
        read_log(path)


def test_missing_file_and_folder_are_named(tmp_path):
    with pytest.raises(LogError, match="no such file"):
        read_log(tmp_path / "none.xes")
    with pytest.raises(LogError, match="folder does not exist"):
        write_log(empty_log(), tmp_path / "none" / "log.xes")


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int64()])
def test_a_dictionary_of_any_width_order_and_surplus_is_read(tmp_path, index):
    """As other programs write it: unused values, values out of order, several row groups."""
    cases = pa.DictionaryArray.from_arrays(pa.array([2, 2, 1], index), pa.array(["unused", "b", "a"]))
    table = pa.table(
        {CASE: cases, ACTIVITY: ["x", "y", "x"], TIMESTAMP: pa.array([1, 2, 3], pa.timestamp("us", "UTC"))}
    )
    pq.write_table(table, tmp_path / "log.parquet", row_group_size=1)
    log = read_log(tmp_path / "log.parquet")
    assert log.case_ids == ("a", "b")
    assert [log.labels[code] for code in log.activities] == ["x", "y", "x"]


def test_reading_and_writing_parquet_needs_no_pandas(tmp_path):
    """Its import would cost every run of a mechanism 0.2 s."""
    code = (
        "import sys, numpy as np; from data.io import read_log, write_log; from data.log import EventLog\n"
        "path = sys.argv[1]; write_log(EventLog.from_rows(['a'], ['x'], np.array([1])), path); read_log(path)\n"
        "sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "log.parquet")], check=True, cwd=ROOT)
