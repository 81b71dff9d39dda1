"""Prefix classes and the distances of their durations, against the definition."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance
from small_logs import log_of, random_logs, scores

from data.log import EventLog, empty_log
from metrics.distance import wasserstein_to_one
from metrics.duration_classes import diversity, duration_classes
from metrics.durations import both_durations
from metrics.pair import align
from metrics.prefix_classes import prefix_classes

numbers = st.lists(st.integers(0, 6), min_size=1, max_size=8)


def prefixes(log: EventLog) -> list[tuple[int, ...]]:
    """The prefix that ends with each event."""
    return [
        tuple(log.activities[start : event + 1].tolist())
        for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True)
        for event in range(start, stop)
    ]


@settings(max_examples=30, deadline=None)
@given(random_logs())
def test_classes_are_the_distinct_prefixes_with_their_cases(log):
    classes = prefix_classes(log)
    found = [tuple(classes.prefix(index)) for index in range(len(classes.cases))]
    assert dict(zip(found, classes.cases.tolist(), strict=True)) == Counter(prefixes(log))
    assert [found[index] for index in classes.of_event] == prefixes(log)


def test_an_empty_log_has_no_classes():
    assert len(prefix_classes(empty_log()).cases) == 0


@settings(deadline=None)
@given(numbers, st.lists(numbers, min_size=1, max_size=4))
def test_distances_to_one_sample_agree_with_scipy(reference, samples):
    groups = np.repeat(np.arange(len(samples)), [len(sample) for sample in samples])
    found = wasserstein_to_one(np.array(reference) / 6, groups, np.concatenate(samples) / 6)
    expected = [wasserstein_distance(np.array(reference) / 6, np.array(sample) / 6) for sample in samples]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("reference", "sample", "distance"),
    [([0, 0, 10, 10], [10, 10], 5), ([0, 1, 5], [5], 3), ([0, 2, 4, 6], [2, 6], 1), ([0, 1], [-1, 3], 1.5)],
)
def test_distances_by_hand(reference, sample, distance):
    found = wasserstein_to_one(np.array(reference, float), np.zeros(len(sample), int), np.array(sample, float))
    assert found == pytest.approx([distance])


@settings(max_examples=30, deadline=None)
@given(random_logs(), random_logs())
def test_classes_of_durations_agree_with_the_definition(original, release):
    found = duration_classes(original, release)
    if found is None:
        return
    pair = align(original, release)
    own, released = both_durations(original, release)
    classes = defaultdict(list)
    for prefix, value in zip(prefixes(pair.release), released.tolist(), strict=True):
        classes[prefix].append(value)
    expected = {}
    for prefix, values in classes.items():
        reference = own[pair.original.activities == prefix[-1]]
        if len(reference) and np.ptp(reference):
            everything = (
                own[pair.original.activities == prefix[-1]].tolist()
                + released[pair.release.activities == prefix[-1]].tolist()
            )
            rank = {value: place / (len(set(everything)) - 1) for place, value in enumerate(sorted(set(everything)))}
            expected[prefix] = (
                wasserstein_distance(reference, values) / np.ptp(reference),
                wasserstein_distance([rank[v] for v in reference.tolist()], [rank[v] for v in values]),
                len(set(values)),
            )
    tree = prefix_classes(pair.release)
    assert {tuple(tree.prefix(index)) for index in found.classes} == expected.keys()
    distinct = diversity(original, release)
    assert (distinct.classes == found.classes).all()
    assert len(found.classes) + found.exempt == len(tree.cases)
    for index, *measured in zip(found.classes, found.distance, found.rank_distance, distinct.distinct, strict=True):
        assert measured == pytest.approx(expected[tuple(tree.prefix(index))], abs=1e-9)


def test_anonymity_and_novelty_by_hand():
    values = scores(log_of("ab", "ab", "abc"), log_of("ab", "ab", "abd", "abd", "b"))
    assert (values["prefix_k_min"], values["variant_k_min"], values["cases_alone"]) == (1, 1, 1 / 5)
    assert (values["novel_variants"], values["novel_edges"]) == (2 / 3, 1 / 2)
