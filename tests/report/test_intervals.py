"""Intervals of rates, by the examples of the literature and of an independent implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from report.intervals import newcombe, over_seeds, wilson


@pytest.mark.parametrize(
    ("hits", "n", "expected"), [(744, 784, (0.931, 0.962)), (1120, 1247, (0.880, 0.914)), (171, 574, (0.262, 0.337))]
)
def test_wilson_by_example(hits, n, expected):
    assert wilson(hits / n, n) == pytest.approx(expected, abs=5e-4)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_is_that_of_scipy(n, share):
    hits = round(share * n)
    peer = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits / n, n) == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_newcombe_by_example():
    # Newcombe 1998, table II, row (a): 56/70 - 48/80, method 10.
    assert newcombe(56 / 70, 70, 48 / 80, 80) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert newcombe(10 / 10, 10, 0, 10) == pytest.approx((0.6075, 1), abs=1e-4)  # row (g)


def test_over_seeds_by_hand():
    # mean 3, s = 1.5811, t(4) = 2.7764
    assert over_seeds([1, 2, 3, 4, 5], 0, 10) == pytest.approx((3 - 1.9632, 3 + 1.9632), abs=1e-4)
    assert over_seeds([0.0, 1.0, 1.0, 1.0, 1.0], -1, 1)[1] == 1
