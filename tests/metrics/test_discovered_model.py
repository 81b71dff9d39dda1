"""Qualities of discovered models: small logs by hand, the limit of time, a real log."""

from __future__ import annotations

import numpy as np
import pytest
from small_logs import RX_ORIGINAL, log_of, take

from data.io import read_log
from data.log import empty_log
from metrics import discovered_model, model_im, model_imf
from metrics.discovered_model import QUALITIES
from metrics.metric import Marked

MINERS = [("im", model_im), ("imf", model_imf)]


@pytest.mark.parametrize(("miner", "module"), MINERS)
def test_the_log_itself_deviates_in_nothing(miner, module):
    values = module.score(RX_ORIGINAL, take(RX_ORIGINAL, np.arange(4)))
    assert [values[f"{miner}_{quality}_dev"] for quality in QUALITIES] == [0] * len(QUALITIES)
    assert all(0 <= value <= 1 for value in values.values())
    assert values.keys() == {metric.name for metric in module.METRICS}


def test_a_model_that_allows_more_loses_precision_and_not_fitness():
    values = model_im.score(log_of("ab"), log_of("ab", "ba"))
    assert (values["im_fitness"], values["im_fitness_dev"]) == (1, 0)
    assert values["im_precision"] == pytest.approx(2 / 3)
    assert values["im_precision_dev"] == pytest.approx(1 / 3)
    assert values["im_f1"] == pytest.approx(0.8)


def test_logs_of_equal_directly_follows_graphs_are_not_told_apart():
    values = model_im.score(log_of("axb", "cxd"), log_of("axd", "cxb"))
    assert values["im_precision_dev"] == values["im_simplicity_dev"] == 0


def test_events_of_one_time_keep_their_order():
    """pm4py sorts by time."""
    log = log_of(("abcdefgh", (1,) * 8))
    assert model_im.score(log, log_of("abcdefgh"))["im_fitness"] == 1


def test_an_empty_release_has_no_model():
    assert {value.status for value in model_im.score(RX_ORIGINAL, empty_log()).values()} == {"EMPTY"}


def test_a_model_that_takes_too_long_is_marked(monkeypatch):
    monkeypatch.setattr(discovered_model, "LIMIT_S", 0.01)
    rng = np.random.default_rng(0)
    log = log_of(*("".join(rng.permutation(list("abcdefghij"))) for _ in range(60)))
    values = model_imf.score(log, log)
    assert {value.status for value in values.values() if isinstance(value, Marked)} == {"TO"}
    assert len(values) == len(model_imf.METRICS)


@pytest.mark.slow
def test_receipt_has_the_qualities_that_others_measured(real_log):
    """Fitness, precision, generalisation, simplicity of both miners on the whole log."""
    log = read_log(real_log("receipt.xes.gz"))
    for (miner, module), expected in zip(
        MINERS, [(0.9997, 0.167, 0.832, 0.604), (0.9447, 0.266, 0.641, 0.659)], strict=True
    ):
        values = module.score(log, take(log, np.arange(log.n_cases)))
        found = [values[f"{miner}_{quality}"] for quality in QUALITIES if quality != "f1"]
        assert found == pytest.approx(expected, abs=0.001)
