"""Intervals of rates, by an independent implementation and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.intervals import wilson
from report.intervals import over_seeds


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_is_that_of_scipy(n, share):
    hits = round(share * n)
    peer = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits / n, n) == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_over_seeds_by_hand():
    # mean 3, s = 1.5811, t(4) = 2.7764
    assert over_seeds([1, 2, 3, 4, 5], 0, 10) == pytest.approx((3 - 1.9632, 3 + 1.9632), abs=1e-4)
    assert over_seeds([0.0, 1.0, 1.0, 1.0, 1.0], -1, 1)[1] == 1
