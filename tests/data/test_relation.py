"""Relations: what columns are taken for, what is refused and how, and that files give back what was written."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.io import LogError, write_log
from data.log import EventLog
from data.options import ImportOptions
from data.relation import CATEGORY, IPV4, NUMBER, TIME, Column, Relation, grouped
from data.relation_io import is_relation, read_relation, write_relation
from data.relation_release import Recoded, RelationRelease
from data.release import read_release, write_release

TABLE = """user,ip,at,role,weight,code
7,10.0.0.1,2020-01-01T00:00:00Z,nurse,1.5,007
7,10.0.0.2,2020-01-01T00:00:01Z, nurse,10.25,012
12,255.255.255.255,2020-01-02T00:00:00Z,doctor,-2,007
"""


def written(tmp_path, text: str, name: str = "in.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_columns_are_of_the_kind_that_their_texts_show(tmp_path):
    relation = read_relation(written(tmp_path, TABLE))
    kinds = {"user": NUMBER, "ip": IPV4, "at": TIME, "role": CATEGORY, "weight": CATEGORY, "code": CATEGORY}
    assert {name: column.kind for name, column in relation.columns.items()} == kinds
    assert relation["user"].values.tolist() == [7, 7, 12]
    assert relation["ip"].values.tolist() == [167772161, 167772162, 4294967295]
    assert np.diff(relation["at"].values).tolist() == [1_000_000, 86_399_000_000]
    assert relation["role"].texts() == ["nurse", "nurse", "doctor"]
    assert relation["role"].labels == ("doctor", "nurse")
    assert relation["weight"].labels == ("-2", "1.5", "10.25")  # by value
    assert relation["code"].texts() == ["007", "012", "007"]  # leading zeros are kept


def test_times_of_day_and_device_addresses_are_texts(tmp_path):
    relation = read_relation(written(tmp_path, "at,device,version\n10:20:30,a0:b1:c2:d3:e4:f5,1.2.3\n"))
    assert {column.kind for column in relation.columns.values()} == {CATEGORY}


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_a_relation_is_read_as_it_was_written(tmp_path, name):
    relation = read_relation(written(tmp_path, TABLE))
    write_relation(relation, tmp_path / name)
    again = read_relation(tmp_path / name)
    assert again.names == relation.names
    for column, same in zip(relation.columns.values(), again.columns.values(), strict=True):
        assert (column.kind, column.labels, column.texts()) == (same.kind, same.labels, same.texts())
        assert (column.values == same.values).all()


def test_parquet_is_marked_as_a_relation_and_an_event_log_is_not(tmp_path):
    write_relation(read_relation(written(tmp_path, TABLE)), tmp_path / "relation.parquet")
    write_log(EventLog.from_rows(["1"], ["A"], np.zeros(1)), tmp_path / "log.parquet")
    assert is_relation(tmp_path / "relation.parquet")
    assert not is_relation(tmp_path / "log.parquet")


def test_packed_text_and_text_without_names(tmp_path):
    (tmp_path / "in.data.gz").write_bytes(gzip.compress(b"1; a\n2; b\n\n"))
    relation = read_relation(tmp_path / "in.data.gz", ImportOptions(columns=("n", "t"), separator=";"))
    assert (relation["n"].values.tolist(), relation["t"].texts()) == ([1, 2], ["a", "b"])


def test_parquet_of_others(tmp_path):
    table = pa.table({"ip": ["1.2.3.4", "0.0.0.7"], "n": pa.array([3, 4], pa.int16()), "x": [0.5, 0.25]})
    pq.write_table(table, tmp_path / "in.parquet")
    relation = read_relation(tmp_path / "in.parquet")
    assert relation["ip"].values.tolist() == [16909060, 7]
    assert relation["n"].values.tolist() == [3, 4]
    assert relation["x"].labels == ("0.25", "0.5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ip\n10.0.0.1\n2001:db8::1\n",
            "row 2: '2001:db8::1' in column 'ip' is an IPv6 address, which is not supported",
        ),
        ("ip\n10.0.0.1\n10.0.0.256\n", "row 2: '10.0.0.256' in column 'ip' is no IPv4 address"),
        ("ip\n2001:db8:0:0:0:0:0:1\n", "row 1: '2001:db8:0:0:0:0:0:1' in column 'ip' is an IPv6 address"),
        ("ip\n010.0.0.1\n", "row 1: '010.0.0.1' in column 'ip' is no IPv4 address"),
        ("ip,n\n10.0.0.1,1\n10.0.0.1,\n", "row 2: column 'n' is empty; fill or drop such rows"),
        ("a,a\n1,2\n", "the names of the columns repeat"),
        ("a,b\n1,2\n3\n", "not a readable relation: CSV parse error"),
        ("", "empty file"),
    ],
)
def test_bad_input_is_refused_by_file_row_and_column(tmp_path, text, message):
    with pytest.raises(LogError) as refusal:
        read_relation(written(tmp_path, text))
    assert str(tmp_path / "in.csv") in str(refusal.value)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_that_cannot_be_written_or_found(tmp_path):
    relation = Relation({"n": Column(np.arange(3))})
    with pytest.raises(LogError, match="unknown kind of file"):
        write_relation(relation, tmp_path / "out.xes")
    with pytest.raises(LogError, match="folder does not exist"):
        write_relation(relation, tmp_path / "absent" / "out.csv")
    with pytest.raises(LogError, match="no such file"):
        read_relation(tmp_path / "absent.csv")


def test_columns_and_relations_check_themselves():
    with pytest.raises(ValueError, match="is not within 0 and 4294967295"):
        Column(np.array([-1]), IPV4)
    with pytest.raises(ValueError, match="is not within 0 and 1"):
        Column(np.array([2]), CATEGORY, ("a", "b"))
    with pytest.raises(ValueError, match="same number of rows"):
        Relation({"a": Column(np.zeros(1)), "b": Column(np.zeros(2))})


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=30))
def test_distinct_rows_come_in_the_order_of_their_first(rows):
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    distinct, of_row = Relation({"a": Column(table[:, 0]), "b": Column(table[:, 1])}).distinct(("a", "b"))
    found = list(zip(distinct["a"].values.tolist(), distinct["b"].values.tolist(), strict=True))
    assert found == list(dict.fromkeys(rows))
    assert [found[i] for i in of_row] == rows
    groups, first = grouped([table[:, 0], table[:, 1]])
    assert [rows[i] for i in first] == sorted(set(rows))
    assert [rows[first[group]] for group in groups] == rows


def test_a_release_is_read_as_it_was_written(tmp_path):
    release = RelationRelease(
        np.array([0, 0, 1, 1, 1, 2]),
        {
            "ip": Recoded(("10.0.0.0/31", "10.0.0.8/29", "*"), np.array([1, 9, 0]), np.array([2, 12, 0]), IPV4),
            "role": Recoded(("staff", "staff", "*"), kind=CATEGORY),
        },
        suppressed=1,
        kept={"income": Column(np.array([0, 2, 0, 2, 2, 0]), CATEGORY, ("high", "never", "low"))},
    )
    write_release(release, tmp_path / "out.parquet")
    again = read_release(tmp_path / "out.parquet")
    assert again.classes.tolist() == release.classes.tolist()
    assert again.suppressed == 1
    assert (again.published_sizes.tolist(), again.sizes.tolist()) == ([2, 3], [2, 3, 1])
    for name, recoded in release.recoded.items():
        assert (again.recoded[name].texts, again.recoded[name].kind) == (recoded.texts, recoded.kind)
    assert again.recoded["ip"].low.tolist()[:2] == [1, 9]
    assert again.recoded["ip"].high.tolist()[:2] == [2, 12]
    assert again.recoded["role"].low is None
    assert again.kept["income"].texts() == ["high", "low", "high", "low", "low", "high"]
    assert b"never" not in (tmp_path / "out.parquet").read_bytes()
    write_release(release, tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == '"ip","ip_lo","ip_hi","role","income"'
    assert lines[1] == '"10.0.0.0/31","0.0.0.1","0.0.0.2","staff","high"'
    assert lines[-1] == '"*",,,"*","high"'


def test_a_release_checks_itself(tmp_path):
    with pytest.raises(ValueError, match="rise from 0"):
        RelationRelease(np.array([1, 0]), {"a": Recoded(("x", "y"))})
    with pytest.raises(ValueError, match="a text for each of the 2 classes"):
        RelationRelease(np.array([0, 1]), {"a": Recoded(("x",))})
    with pytest.raises(ValueError, match="suppressed rows must be the last class"):
        RelationRelease(np.array([0, 1, 1]), {"a": Recoded(("x", "*"))}, suppressed=1)
    clash = RelationRelease(
        np.zeros(1), {"a": Recoded(("x",), np.zeros(1), np.ones(1))}, kept={"a_lo": Column(np.zeros(1))}
    )
    with pytest.raises(LogError, match="would be called 'a_lo'"):
        write_release(clash, tmp_path / "out.parquet")
