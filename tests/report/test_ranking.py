"""Methods compared over logs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.registry import declarations
from report.comparison import by_log, compared, comparison_table, notes
from report.rank_figure import rank_figure
from report.ranking import comparable_runs, critical_difference, holm, pairs, ranks

# Demšar 2006, Table 6: AUC of C4.5 plain, with m, with cf, and with both tuned, on 14 data sets.
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9752, 0.975],  # printed 0.975 twice, but ranked 2 and 3
        [0.957, 0.978, 0.946, 0.970],
    ]
)
HIGHER, LOWER = declarations()["variant_overlap"], declarations()["emd_variants"]


def table(values: np.ndarray, metric=HIGHER, parameter: str = "") -> pd.DataFrame:
    """A score table of (logs, methods, repeats); NaN is a run that timed out."""
    lines = [
        (f"log{log}", f"m{method}", parameter or "default", str(repeat), metric.name, value)
        for (log, method, repeat), value in np.ndenumerate(values)
    ]
    frame = pd.DataFrame(lines, columns=["log", "mechanism", "parameters", "repeat", "metric", "value"])
    return frame.assign(status=np.where(frame["value"].isna(), "TO", "ok"))


def test_the_example_of_the_paper():
    runs = comparable_runs(table(AUC[:, :, None]), HIGHER, ())
    found = ranks(runs)
    assert found.mean == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)
    # Its chi square of 9.28 is without the correction for ties that SciPy makes.
    assert stats.chi2.sf(9.28, 3) >= found.p > 0.01


def test_critical_values_of_the_paper():
    # Table 5 (a): 1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164 for 2 to 10 methods.
    for methods, quantile in enumerate((1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164), start=2):
        root = math.sqrt(methods * (methods + 1) / 6)
        assert critical_difference(methods, 1) / root == pytest.approx(quantile, abs=1e-3)


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, times 3, 2, 1; the last is raised to the one before.
    assert holm(np.array([0.03, 0.01, math.nan, 0.02])) == pytest.approx([0.04, 0.03, math.nan, 0.04], nan_ok=True)
    assert holm(np.array([0.9, 0.8])) == pytest.approx([1, 1])


def test_shares_by_hand():
    # On the first log the first method wins in all three repeats, on the second in one, ties in one: (1 + 1/2) / 2.
    values = np.array([[[1, 1, 1], [2, 2, 2]], [[1, 2, 3], [2, 2, 2]]], dtype=float)
    runs = comparable_runs(table(values, LOWER), LOWER, ())
    [line] = pairs(runs, ranks(runs).mean).to_dict("records")
    assert (line["method"], line["other"], line["better"]) == ("m0", "m1", 0.75)
    assert line["low"] < 0.75 < line["high"] <= 1


def test_a_method_that_failed_is_worse_than_any_other_and_does_not_vanish():
    values = np.full((3, 3, 2), [[0.2], [0.9], [0.1]])
    values[0, 2, 1] = math.nan  # the best one times out once
    runs = comparable_runs(table(values, LOWER), LOWER, ())
    assert runs.methods == ["m0", "m1", "m2"]
    assert ranks(runs).mean == pytest.approx([(1 + 2 + 2) / 3, (2 + 3 + 3) / 3, (3 + 1 + 1) / 3])
    never = np.where(np.arange(3)[None, :, None] == 1, math.nan, values)
    assert comparable_runs(table(never, LOWER), LOWER, ()).left_out == ["m1"]


def test_a_method_without_the_parameter_of_the_rows_stands_in_all_rows():
    with_rows = pd.concat(
        [table(np.full((2, 1, 2), value), LOWER, f"delta={delta}") for delta, value in ((0.2, 0.1), (0.3, 0.5))]
    )
    other = table(np.full((2, 1, 2), 0.3), LOWER).assign(mechanism="whole")
    runs = comparable_runs(pd.concat([with_rows, other]), LOWER, ["delta"])
    assert runs.values.shape == (2, 4, 2)
    assert runs.values[1] == pytest.approx(0.3)
    assert ranks(runs).mean == pytest.approx([1.5, 1.5]), "one row is won, one is lost"


def test_intervals_on_every_log_hold_the_difference():
    rng = np.random.default_rng(1)
    values = rng.normal([[[0.0], [1.0]]], 0.1, (2, 2, 10))
    found = compared(table(values, LOWER), [LOWER], ())
    lines = by_log(found)
    assert list(lines["log"]) == ["log0", "log1"]
    assert (lines["difference"].between(lines["low"], lines["high"])).all()
    assert (lines["high"] < -0.5).all()
    assert lines["difference"].to_numpy() == pytest.approx((values[:, 0] - values[:, 1]).mean(axis=1))


def test_table_notes_and_figure_name_every_method():
    values = np.repeat(AUC[:, :, None], 3, axis=2)
    found = compared(table(values), [HIGHER], ())
    data, printed = comparison_table(found)
    assert len(data) == 6
    assert list(printed.index.get_level_values("method")) == ["m3", "m1", "m2", "m0"]
    names = {f"log{log}": f"log{log}" for log in range(14)}
    assert any("critical difference of ranks (Nemenyi, 0.05) 1.25" in note for note in notes(found, names))
    axis = rank_figure(found, names, "T").axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["m3", "m1", "m2", "m0"]


def test_nothing_to_compare_is_said():
    found = compared(table(np.ones((1, 1, 1))), [HIGHER], ())
    assert found == {}
    assert "no two methods can be compared" in rank_figure(found, {}, "T").get_suptitle()
    assert comparison_table(found)[1].empty


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_ranks_do_not_depend_on_the_scale_of_a_log(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (4, 3, 2)).astype(float)
    scales = 2.0 ** rng.integers(-9, 9, (4, 1, 1))
    one, other = (ranks(comparable_runs(table(v, LOWER), LOWER, ())) for v in (values, values * scales))
    assert one.mean == pytest.approx(other.mean)
    assert one.mean.sum() == pytest.approx(6)
