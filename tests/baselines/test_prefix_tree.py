"""The prefix tree with its counts, and the activities that it lacks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_queries import prefix_counts as literal_counts
from query_logs import log_of, random_traces

from baselines.prefix_query.absent import nth_absent
from baselines.prefix_query.tree import NOWHERE, prefix_counts
from data.log import empty_log
from data.prefix_tree import prefix_tree


def by_prefix(tree, labels) -> dict:
    """Counts of the tree as the literal ones."""
    parents, children = tree.children(np.arange(len(tree.counts)))
    prefixes = {0: ()}
    for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
        prefixes[child] = (*prefixes[parent], labels[tree.activities[child]])
    counts = {prefixes[node]: count for node, count in enumerate(tree.counts.tolist()) if node}
    return counts | {
        (*prefixes[node], "$"): count for node, count in enumerate(tree.ending(np.arange(len(tree.counts)))) if count
    }


@settings(max_examples=50, deadline=None)
@given(random_traces(), st.integers(1, 6))
def test_counts_of_prefixes(traces, depth):
    log = log_of(traces)
    literal = literal_counts({tuple(trace): count for trace, count in traces.items()})
    wanted = {prefix: n for prefix, n in literal.items() if len([s for s in prefix if s != "$"]) <= depth}
    assert by_prefix(prefix_counts(log, depth), log.labels) == wanted


@settings(max_examples=50, deadline=None)
@given(random_traces())
def test_absent_activities_are_those_that_no_child_has(traces):
    tree = prefix_counts(log_of(traces), 5)
    for node in [NOWHERE, *range(len(tree.counts))]:
        nodes = np.array([node])
        children = tree.activities[tree.children(nodes)[1]]
        expected = np.setdiff1d(np.arange(tree.n_activities), children)
        assert tree.absent(nodes)[0] == len(expected)
        ranks = np.arange(len(expected))
        assert tree.absent_activities(np.full(len(ranks), node), ranks).tolist() == expected.tolist()


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, 30)))
def test_absent_numbers(present):
    numbers = np.array(sorted(present), dtype=np.int64)
    expected = [number for number in range(40) if number not in present]
    assert nth_absent(numbers, np.arange(len(expected))).tolist() == expected


def test_a_tree_has_its_nodes_by_depth_and_stops_where_it_is_told_to():
    log = log_of({"abc": 2, "ab": 1, "b": 1})
    tree = prefix_tree(log.variants)
    assert tree.depths.tolist() == [0, 1, 3, 4, 5]
    assert tree.first_children().tolist() == [1, 3, 4, 4, 5, 5]
    cut = prefix_tree(log.variants, 1)
    assert (len(cut), cut.depths.tolist()) == (3, [0, 1, 3])
    assert cut.reached.tolist() == [1, -1, -1, 1, -1, 2]


@pytest.mark.parametrize("depth", [None, 3])
def test_a_log_without_cases_has_the_empty_prefix(depth):
    assert len(prefix_tree(empty_log().variants, depth)) == 1
    tree = prefix_counts(empty_log(), 3)
    assert (tree.counts.tolist(), tree.ends.tolist()) == ([0], [0])
