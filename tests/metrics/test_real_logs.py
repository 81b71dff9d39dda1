"""Real logs whose variant counts are perturbed: plausible values, and what they may cost."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest
from small_logs import scores, take

from data.io import read_log
from metrics.links import NO_ORIGINS
from metrics.metric import Marked
from metrics.registry import declarations


def perturbed(log, scale=2.0):
    """Every variant count n becomes max(0, round(n + Laplace noise))."""
    rng = np.random.default_rng(0)
    variants = log.variants
    counts = np.maximum(0, np.round(variants.counts + rng.laplace(0, scale, len(variants)))).astype(int)
    return take(log, np.repeat(variants.representative, counts))


@pytest.fixture(scope="module")
def sepsis(real_log):
    return read_log(real_log("Sepsis_Cases_-_Event_Log.xes.gz"))


def test_identity_is_exact(sepsis):
    values = scores(sepsis, take(sepsis, np.arange(sepsis.n_cases)))
    best = {name: declarations()[name].identity for name in values}
    assert {name: value for name, value in values.items() if best[name] is not None} == {
        name: value for name, value in best.items() if value is not None
    }


def test_perturbed_sepsis_is_as_far_as_the_same_noise_was_before(sepsis):
    values = scores(sepsis, perturbed(sepsis))
    # The metrics note measured .10465 and, with the published ground distance, .11187 for another draw.
    assert values["emd_variants"] == pytest.approx(0.105, abs=0.01)
    assert 1 - values["emsc"] == pytest.approx(0.112, abs=0.01)
    assert values["novel_cases"] == 0
    marked = {value for value in values.values() if isinstance(value, Marked)}
    assert marked == {NO_ORIGINS}  # persons need to know which case is whose


@pytest.mark.slow
def test_the_metrics_of_a_large_log_take_seconds(real_log):
    log = read_log(real_log("BPI_Challenge_2012.xes.gz"))
    release = perturbed(log)
    started = time.process_time()
    values = scores(log, release)
    spent = time.process_time() - started
    assert values["emd_variants"] == pytest.approx(0.094, abs=0.005)
    assert values["emd_variants_gap"] == 0
    assert spent < 25  # some 7 s on a quiet machine
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 < 2000
