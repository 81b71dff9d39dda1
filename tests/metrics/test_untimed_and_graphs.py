"""Releases that lack something: times, or cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_logs import OF_DURATIONS, RX_ORIGINAL, RX_RELEASE, log_of, scores

from data.graph import DirectlyFollowsGraph, directly_follows
from metrics import amun_published, dfg_relative, local_order
from metrics.metric import Marked
from metrics.registry import declarations

OF_TIMES = {
    "edge_time_w1",
    "cycle_time_w1",
    "arrival_w1",
    "inter_arrival_w1",
    "abs_event_w1",
    "rel_event_w1",
    "hourweek_circ",
    "emd_time_published",
    "dfg_time_rel_l1",
    *OF_DURATIONS,
    "original_times",
    "shifted_times",
}


def untimed(log):
    return replace(log, timestamps=np.zeros(log.n_events, dtype=np.int64))


def test_metrics_of_times_are_not_applicable_to_a_release_without_times():
    values = scores(RX_ORIGINAL, untimed(RX_RELEASE))
    lacking = {name for name, value in values.items() if isinstance(value, Marked) and "no times" in value.reason}
    assert lacking == OF_TIMES
    timed = scores(RX_ORIGINAL, RX_RELEASE)
    assert {name: value for name, value in values.items() if name not in OF_TIMES} == {
        name: value for name, value in timed.items() if name not in OF_TIMES
    }


def test_an_original_without_times_is_compared_as_it_is():
    log = untimed(RX_ORIGINAL)
    values = scores(log, log)
    assert not any(isinstance(value, Marked) and "no times" in value.reason for value in values.values())
    assert values["cycle_time_w1"] == 0


@pytest.mark.parametrize("module", [amun_published, dfg_relative, local_order])
def test_a_graph_has_the_values_of_its_log(module):
    """Of a release that is a log, what can be told of its graph is the same."""
    other = log_of("abc", "cab", "x", "a")
    for release in (RX_RELEASE, other, RX_ORIGINAL):
        from_graph = module.score_graph(RX_ORIGINAL, directly_follows(release))
        from_log = module.score(RX_ORIGINAL, release)
        assert from_graph == pytest.approx({name: from_log[name] for name in from_graph})
        assert set(from_graph) <= set(declarations())


def test_frequencies_of_a_graph():
    """Original: ab 3, bc 3, ac 1, cb 1. The graph has ab 5 and ba 1; sorted 0 0 0 1 5 against 0 1 1 3 3."""
    graph = DirectlyFollowsGraph(("b", "a"), np.array([1, 0, -1]), np.array([0, 1, 1]), np.array([5, 1, 9]))
    assert amun_published.score_graph(RX_ORIGINAL, graph) == {"emd_freq_published": (0 + 1 + 1 + 2 + 2) / 5}
    assert dfg_relative.score_graph(RX_ORIGINAL, graph) == {"dfg_rel_l1": (2 + 3 + 1 + 1 + 1) / 8}
    # With start a 4, end c 3, end b 1, of 16 pairs in all; the graph has start a 9 of 15.
    u = np.array([3, 3, 1, 1, 0, 4, 3, 1]) / 16
    v = np.array([5, 0, 0, 0, 1, 9, 0, 0]) / 15
    assert local_order.score_graph(RX_ORIGINAL, graph)["dfg_tv"] == pytest.approx(np.abs(u - v).sum() / 2)
