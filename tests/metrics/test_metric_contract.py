"""What every metric promises, checked for every metric that `metrics.registry` finds."""

from __future__ import annotations

import math
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from small_logs import RX_ORIGINAL, RX_RELEASE, doubled, log_of, random_logs, relabelled, scores, take

from data.log import EventLog, empty_log
from metrics.metric import Marked, Metric
from metrics.registry import declarations

OF_LOGS = [
    m for m in declarations().values() if m.of == "log" and m.group not in ("run", "claim", "attack") and not m.costly
]
WITH_BEST = [metric for metric in OF_LOGS if metric.identity is not None]
DEFAULT = [metric for metric in OF_LOGS if metric.group == "default"]
TRUE_METRICS = [metric.name for metric in OF_LOGS if metric.is_metric]

name = attrgetter("name")
every_metric = pytest.mark.parametrize("metric", OF_LOGS, ids=name)


def loss(metric: Metric, value: float) -> float:
    """How bad a value is."""
    if metric.direction == "one":
        return abs(math.log(value))
    return value if metric.direction == "lower" else -value


def shuffled(log: EventLog, rng: np.random.Generator) -> EventLog:
    """A release without use: 70 % of the cases, their activities in random order, their gaps three times as long."""
    kept = take(log, rng.choice(log.n_cases, size=int(0.7 * log.n_cases), replace=False))
    return EventLog(rng.permutation(kept.activities), 3 * kept.timestamps, kept.offsets, kept.labels, kept.case_ids)


def test_the_eight_default_metrics_are_those_of_the_main_tables():
    assert {metric.name for metric in DEFAULT} == {
        "emd_variants",
        "variant_overlap",
        "variants_kept",
        "novel_cases",
        "cases_ratio",
        "dfg_tv",
        "edge_time_w1",
        "cycle_time_w1",
    }


@every_metric
def test_every_declaration_says_what_the_metric_is_blind_to(metric):
    assert metric.blind_to
    assert metric.title


@pytest.mark.parametrize("metric", WITH_BEST, ids=name)
@pytest.mark.parametrize("log", [RX_ORIGINAL, RX_RELEASE])
def test_identity_reaches_the_declared_and_best_value(metric, log):
    best = {"lower": metric.low, "higher": metric.high, "one": 1.0}[metric.direction]
    assert scores(log, log)[metric.name] == metric.identity == best


@every_metric
def test_an_empty_release_has_the_declared_value_or_the_status(metric):
    value = scores(RX_ORIGINAL, empty_log())[metric.name]
    if metric.empty is None:
        assert isinstance(value, Marked)
        assert (value.status, value.value) == ("EMPTY", None)
    else:
        assert value == metric.empty


@pytest.mark.parametrize("metric", [metric for metric in OF_LOGS if metric.doubled is not None], ids=name)
def test_the_log_written_twice_has_the_declared_value(metric):
    assert scores(RX_ORIGINAL, doubled(RX_ORIGINAL))[metric.name] == pytest.approx(metric.doubled)


@settings(max_examples=20, deadline=None)
@given(random_logs(), random_logs())
def test_values_stay_in_the_declared_range(original, release):
    values = scores(original, release)
    for metric in OF_LOGS:
        value = values[metric.name]
        if not isinstance(value, Marked):
            assert metric.low <= value <= metric.high + 1e-12, metric.name


@settings(max_examples=10, deadline=None)
@given(random_logs(), random_logs())
def test_renaming_activities_in_both_logs_changes_nothing(original, release):
    assert scores(relabelled(original), relabelled(release)) == pytest.approx(scores(original, release), abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(random_logs(), random_logs())
def test_the_order_of_cases_does_not_matter(original, release):
    forwards, backwards = (take(release, np.arange(release.n_cases)[::step]) for step in (1, -1))
    assert scores(original, backwards) == pytest.approx(scores(original, forwards), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(random_logs(), random_logs(), random_logs())
def test_declared_metrics_are_symmetric_and_obey_the_triangle_inequality(first, second, third):
    there, back = scores(first, second), scores(second, first)
    onward, direct = scores(second, third), scores(first, third)
    for metric in TRUE_METRICS:
        values = [each[metric] for each in (there, back, onward, direct)]
        if not any(isinstance(value, Marked) for value in values):
            assert values[0] == pytest.approx(values[1], abs=1e-9), metric
            assert values[3] <= values[0] + values[2] + 1e-9, metric


@pytest.mark.parametrize("seed", range(5))
def test_a_useless_release_is_worse_than_identity_by_every_default_metric(seed):
    # Long traces in three shapes: on a log of a few short variants chance can bring all of them back.
    log = log_of(*["abcdefgh"] * 10, *["abdcefgh"] * 7, *["hgabcdef"] * 3)
    values = scores(log, shuffled(log, np.random.default_rng(seed)))
    for metric in DEFAULT:
        assert loss(metric, values[metric.name]) > loss(metric, metric.identity), metric.name


def test_an_original_without_cases_is_refused():
    with pytest.raises(ValueError, match="original log has no case"):
        scores(empty_log(), RX_RELEASE)
