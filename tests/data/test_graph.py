"""Directly-follows graphs: from logs, and to and from files."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.graph import OUTSIDE, DirectlyFollowsGraph, directly_follows, read_graph, write_graph
from data.io import write_log
from data.log import EventLog, LogError, empty_log
from data.release import read_release, write_release

TRACES = st.lists(st.text("abc", min_size=1, max_size=5), max_size=6)


def log_of(traces: list[str]) -> EventLog:
    if not traces:
        return empty_log()
    cases = [f"case {number}" for number, trace in enumerate(traces) for _ in trace]
    return EventLog.from_rows(cases, [*"".join(traces)], np.arange(len(cases)))


def edges(graph: DirectlyFollowsGraph) -> dict:
    """Frequencies by the labels of both ends, None being the start or the end of a case."""
    labels = {OUTSIDE: None} | dict(enumerate(graph.labels))
    ends = zip(graph.sources.tolist(), graph.targets.tolist(), graph.frequencies.tolist(), strict=True)
    return {(labels[source], labels[target]): n for source, target, n in ends}


@settings(max_examples=40, deadline=None)
@given(TRACES, st.integers(1, 7))
def test_the_graph_of_a_log(traces, limit):
    pairs = [list(pairwise([None, *trace, None])) for trace in traces]
    assert edges(directly_follows(log_of(traces))) == Counter(pair for case in pairs for pair in case)
    cut = Counter(pair for case in pairs for pair in case[:limit])
    assert edges(directly_follows(log_of(traces), limit)) == cut


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("labels", ["ab", ["", "a,b"], ['q"', "line\nbreak"], ["START", "END"], ["é", "null"]])
def test_files_keep_graphs_whatever_the_labels(tmp_path, suffix, labels):
    codes = np.array([OUTSIDE, 0, 1, 1]), np.array([1, OUTSIDE, 0, 1])
    graph = DirectlyFollowsGraph(tuple(labels), *codes, np.array([5, 4, 3, 2]))
    write_graph(graph, tmp_path / f"graph.{suffix}")
    assert edges(read_graph(tmp_path / f"graph.{suffix}")) == edges(graph)
    assert [path.name for path in tmp_path.iterdir()] == [f"graph.{suffix}"]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_graph_without_edges(tmp_path, suffix):
    write_graph(directly_follows(empty_log()), tmp_path / f"graph.{suffix}")
    assert len(read_graph(tmp_path / f"graph.{suffix}")) == 0


def test_the_file_does_not_tell_the_order_of_codes(tmp_path):
    """Codes are those of the original log, by first appearance."""
    for name, traces in (("one", ["ab", "c"]), ("other", ["c", "ab"])):
        write_graph(directly_follows(log_of(traces)), tmp_path / f"{name}.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()


def test_a_file_tells_whether_it_is_a_log_or_a_graph(tmp_path):
    log = log_of(["ab", "a"])
    for release in (log, directly_follows(log)):
        write_release(release, tmp_path / "release.parquet")
        assert type(read_release(tmp_path / "release.parquet")) is type(release)
    (tmp_path / "release.parquet").write_bytes(b"")
    with pytest.raises(LogError, match="empty file"):
        read_release(tmp_path / "release.parquet")
    (tmp_path / "release.parquet").write_bytes(b"neither")
    with pytest.raises(LogError, match="not a readable event log"):
        read_release(tmp_path / "release.parquet")


def test_what_is_no_graph_is_named(tmp_path):
    write_log(log_of(["ab"]), tmp_path / "log.parquet")
    with pytest.raises(LogError, match=r"log\.parquet: no directly-follows graph; its columns are"):
        read_graph(tmp_path / "log.parquet")
    with pytest.raises(LogError, match="no such file"):
        read_graph(tmp_path / "absent.parquet")
    with pytest.raises(LogError, match=r"unknown kind of file; use one of \.parquet, \.csv"):
        write_graph(directly_follows(log_of(["ab"])), tmp_path / "graph.xes")
    with pytest.raises(LogError, match="the folder does not exist"):
        write_graph(directly_follows(log_of(["ab"])), tmp_path / "absent" / "graph.csv")


@pytest.mark.parametrize(
    ("sources", "targets", "frequencies", "message"),
    [
        ([0], [1], [0], "not positive"),
        ([0], [2], [1], "has no label"),
        ([-2], [0], [1], "has no label"),
        ([OUTSIDE], [OUTSIDE], [1], "from the start to the end"),
        ([0, 0], [1, 1], [1, 2], "appears twice"),
        ([0, 1], [1], [1], "differ in number"),
    ],
)
def test_graphs_that_cannot_be(sources, targets, frequencies, message):
    with pytest.raises(ValueError, match=message):
        DirectlyFollowsGraph(("a", "b"), *map(np.array, (sources, targets, frequencies)))
