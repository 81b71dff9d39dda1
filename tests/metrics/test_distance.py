"""One-dimensional distances against SciPy and POT."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance
from small_logs import random_logs, scores

from metrics.distance import HOUR, total_variation, wasserstein, wasserstein_by_group
from metrics.event_times import WEEK
from metrics.pair import _sums_by_key, align

samples = st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=20).map(lambda x: np.array(x, dtype=np.int64))


@settings(deadline=None)
@given(samples, samples)
def test_wasserstein_agrees_with_scipy(a, b):
    assert wasserstein(a, b) == pytest.approx(wasserstein_distance(a, b), rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(samples, samples), min_size=1, max_size=4))
def test_groups_are_independent(pairs):
    groups_a = np.concatenate([np.full(len(a), group) for group, (a, _) in enumerate(pairs)])
    groups_b = np.concatenate([np.full(len(b), group) for group, (_, b) in enumerate(pairs)])
    a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
    expected = [wasserstein(*pair) for pair in pairs]
    assert wasserstein_by_group(groups_a, a, groups_b, b) == pytest.approx(expected, rel=1e-9)


def test_a_sample_written_thrice_is_exactly_0_away():
    sample = np.random.default_rng(1).integers(0, 10**15, 1000)
    assert wasserstein(sample, np.tile(sample, 3)) == 0


def test_total_variation():
    assert total_variation(np.array([3, 1, 0]), np.array([2, 0, 2])) == pytest.approx(0.5)
    assert total_variation(np.array([1, 2, 7]), np.array([3, 6, 21])) == 0


@settings(deadline=None, max_examples=20)
@given(random_logs(), random_logs())
def test_the_circular_distance_agrees_with_pot(original, release):
    import ot

    def hours(log):
        return log.timestamps // HOUR % WEEK

    # By the plan, not by POT's own circular distance, which is a whole turn where all times are at the turn.
    straight = np.abs(np.subtract.outer(hours(original), hours(release)))
    expected = ot.emd2([], [], np.minimum(straight, WEEK - straight).astype(float))
    assert scores(original, release)["hourweek_circ"] == pytest.approx(expected, abs=1e-6)


@settings(deadline=None, max_examples=20)
@given(random_logs(), random_logs())
def test_edge_counts_agree_with_pm4py(original, release):
    from pm4py.algo.discovery.dfg.variants import native

    pair = align(original, release)
    for log, counts in zip((original, release), pair.edge_counts, strict=True):
        # In the order of the log: pm4py on a frame would sort by time again.
        traces = [
            [{"concept:name": log.labels[code]} for code in log.activities[start:stop]]
            for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True)
        ]
        assert sorted(counts[counts > 0]) == sorted(native.native(traces).values())


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 40, 10**12]))
def test_sums_by_key_are_the_same_with_and_without_sorting(seed, largest):
    """Few keys are counted, many are sorted."""
    rng = np.random.default_rng(seed)
    sides = [(rng.integers(0, largest, n), rng.random(n)) for n in rng.integers(0, 60, 2)]
    found = _sums_by_key(*sides)
    union = sorted({*sides[0][0].tolist(), *sides[1][0].tolist()})
    for (keys, weights), sums in zip(sides, found, strict=True):
        expected = [weights[keys == key].sum() for key in union]
        assert np.allclose(sums, expected, rtol=1e-12)
        assert len(sums) == len(union)
