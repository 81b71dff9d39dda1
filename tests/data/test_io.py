"""Reading and writing logs by suffix."""

from __future__ import annotations

import re
import struct
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT
from data.importing import import_log
from data.io import ROWS_AT_ONCE, LogError, read_log, write_log
from data.log import ACTIVITY, CASE, LIFECYCLE, TIMESTAMP, EventLog, empty_log
from data.options import ImportOptions

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


columns = st.lists(
    st.tuples(
        texts | st.none(),
        st.integers(-(2**53), 2**53),
        st.floats(allow_infinity=False),
        st.booleans(),
        st.sampled_from(["start", "COMPLETE", None]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=40, deadline=None)
@given(rows=columns)
def test_round_trip_of_attributes(tmp_path_factory, suffix, rows):
    note, number, real, flag, transition = zip(*rows, strict=True)
    attributes = {
        # A column without any text has no type in CSV, and none at all in XES.
        "note": np.array(["some", *note[1:]], dtype=object),
        "número": np.array(number),
        "real": np.array([0.5, *real[1:]]),
        "flag": np.array(flag),
        LIFECYCLE: np.array(["start", *transition[1:]], dtype=object),
    }
    log = EventLog.from_rows(["1"] * len(rows), ["a"] * len(rows), np.arange(len(rows)), attributes)
    path = tmp_path_factory.mktemp("trip") / f"log{suffix}"
    write_log(log, path)
    found = import_log(path, ImportOptions(attributes=True))[0].attributes
    assert set(found) == set(attributes)
    for key, values in attributes.items():
        assert found[key].dtype.kind == values.dtype.kind
        assert np.array_equal(found[key], values, equal_nan=values.dtype.kind == "f")


def test_exports_hold_the_log_and_nothing_else(tmp_path):
    """Neither owner nor path nor date, nor an index column."""
    log = EventLog.from_rows(["1"], ["a"], np.array([0]))
    for suffix in SUFFIXES:
        write_log(log, tmp_path / f"secret{suffix}")
    schema = pq.read_schema(tmp_path / "secret.parquet")
    assert schema.names == [CASE, ACTIVITY, TIMESTAMP]
    assert not schema.metadata
    assert set(pq.read_metadata(tmp_path / "secret.parquet").metadata or {}) <= {b"ARROW:schema"}
    assert (tmp_path / "secret.csv").read_text() == (
        f'"{CASE}","{ACTIVITY}","{TIMESTAMP}"\n"1","a",1970-01-01 00:00:00.000000Z\n'
    )
    xes = (tmp_path / "secret.xes").read_text()
    assert re.findall('key="(.*?)" value="(.*?)"', xes) == [
        (ACTIVITY, "1"),
        (ACTIVITY, "a"),
        (TIMESTAMP, "1970-01-01T00:00:00+00:00"),
    ]
    for suffix in (".csv.gz", ".xes.gz"):
        flags, written = struct.unpack("<xxxBI", (tmp_path / f"secret{suffix}").read_bytes()[:8])
        assert (flags, written) == (0, 0)
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.iterdir())


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


def test_a_file_does_not_tell_the_order_of_labels_of_the_log_it_stems_from(tmp_path):
    """Here the case with the first label comes last in the release."""
    log = EventLog.from_rows(["a", "b"], ["Z", "A"], np.array([1, 2])).take(np.array([1, 0]), ["p", "q"])
    write_log(log, tmp_path / "log.parquet")
    column = pq.ParquetFile(tmp_path / "log.parquet", read_dictionary=[ACTIVITY]).read()[ACTIVITY]
    assert column.chunk(0).dictionary.to_pylist() == ["A", "Z"]


@pytest.mark.parametrize("damage", [lambda whole: b"PAR1" + whole[4:40][::-1] + whole[40:], lambda _: b"PAR1junkPAR1"])
def test_a_damaged_parquet_file_is_refused(tmp_path, damage):
    path = tmp_path / "log.parquet"
    write_log(EventLog.from_rows(["a"] * 9, list("xyzxyzxyz"), np.arange(9)), path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LogError, match=r"log\.parquet"):
        read_log(path)


def test_a_column_that_stands_twice_is_refused(tmp_path):
    times = pa.array([1], pa.timestamp("us", "UTC"))
    table = pa.table([["a"], ["x"], times, [1], [2]], names=[CASE, ACTIVITY, TIMESTAMP, "cost", "cost"])
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(LogError, match="cost"):
        read_log(tmp_path / "log.parquet")


def test_blocks_of_events_without_times_are_read_as_such(tmp_path):
    times = np.zeros(3 * ROWS_AT_ONCE, dtype=np.int64)
    times[[ROWS_AT_ONCE + 1, -1]] = 7, -7
    ids = [str(case) for case in range(len(times))]
    write_log(EventLog(np.zeros(len(times)), times, np.arange(len(times) + 1), ("a",), ids), tmp_path / "log.parquet")
    assert (read_log(tmp_path / "log.parquet").timestamps == times).all()
