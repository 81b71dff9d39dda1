"""Attributes: which are released, what made-up events get, and the noise on each kind."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from pripel_logs import timed
from scipy.stats import chisquare, kstest, laplace

from baselines.pripel.attributes import noisy_attributes, readable
from data.log import EventLog

N = 20_000


def log_with(**attributes: np.ndarray) -> EventLog:
    """Cases ab, with the attributes of their events; a name with ``__`` gets a colon."""
    columns = {key.replace("__", ":"): values for key, values in attributes.items()}
    cases = len(next(iter(columns.values()))) // 2
    return timed(*[("ab", [10 * case, 10 * case + 1]) for case in range(cases)], attributes=columns)


def noisy(log: EventLog, sources: np.ndarray, epsilon: float = 1.0) -> dict[str, np.ndarray]:
    activities = np.where(sources >= 0, log.activities[sources], 0)
    return noisy_attributes(log, activities, sources, epsilon, np.random.default_rng(7))


def objects(*values) -> np.ndarray:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def test_text_is_answered_at_random():
    log = log_with(resource=objects("x", "y", "z", "x"))
    drawn = noisy(log, np.zeros(N, int))["resource"]
    shares = np.array([0.576117, 0.211942, 0.211942])
    found = [(drawn == value).sum() for value in "xyz"]
    assert chisquare(found, N * shares / shares.sum()).pvalue > 0.001


def test_truth_values_flip():
    log = log_with(urgent=np.array([True, True, True, True]))
    drawn = noisy(log, np.zeros(N, int), 2.0)["urgent"]
    assert drawn.dtype == bool
    keep = np.exp(2) / (1 + np.exp(2))
    assert chisquare([drawn.sum(), (~drawn).sum()], [N * keep, N * (1 - keep)]).pvalue > 0.001


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_numbers_stay_in_their_range_and_follow_the_law(epsilon):
    log = log_with(cost=np.array([2.5, 10.0, 3.0, 7.0]))
    drawn = noisy(log, np.full(N, 2), epsilon)["cost"]
    law = laplace(3, 7.5 / epsilon)
    assert kstest(drawn, lambda x: (law.cdf(x) - law.cdf(2.5)) / (law.cdf(10) - law.cdf(2.5))).pvalue > 0.001


def test_whole_numbers_are_rounded_by_the_type_of_the_first():
    whole = noisy(log_with(n=np.array([2, 10, 3, 7])), np.zeros(500, int))["n"]
    assert whole.dtype == np.int64
    assert 2 <= whole.min() <= whole.max() <= 10
    gaps = noisy(log_with(n=objects(None, 3, 5.5, 9)), np.array([1, 2, 0]))["n"]
    assert np.isnan(gaps[2])
    assert (gaps[:2] == np.rint(gaps[:2])).all()
    broken = noisy(log_with(n=objects(2.5, 3, 5, 9)), np.arange(4))["n"]
    assert (broken != np.rint(broken)).any()


def test_every_draw_is_independent():
    log = log_with(a=objects("x", "y", "x", "y"), b=objects("x", "y", "x", "y"))
    drawn = noisy(log, np.zeros(N, int))
    same = (drawn["a"] == drawn["b"]).mean()
    keep = np.e / (1 + np.e)
    assert same == pytest.approx(keep**2 + (1 - keep) ** 2, abs=0.02)
    # Neighbouring events are independent, too.
    assert (drawn["a"][1:] == drawn["a"][:-1]).mean() == pytest.approx(keep**2 + (1 - keep) ** 2, abs=0.02)


def test_events_without_a_value_stay_so():
    log = log_with(resource=objects("x", None, "y", "x"), cost=np.array([1, np.nan, 3, 4]))
    drawn = noisy(log, np.array([1, 0, 1]))
    assert [value is None for value in drawn["resource"]] == [True, False, True]
    assert np.isnan(drawn["cost"]).tolist() == [True, False, True]


def test_made_up_events_draw_from_all_values():
    """They have what the first event of their activity has: a has no cost, b has."""
    log = log_with(cost=np.array([np.nan, 5.0, np.nan, 9.0]), resource=objects("x", "y", "y", "y"))
    activities = np.repeat([0, 1], N)
    drawn = noisy_attributes(log, activities, np.full(2 * N, -1), 1e6, np.random.default_rng(1))
    assert np.isnan(drawn["cost"][:N]).all()
    # At this epsilon hardly any noise is left, so the drawn values are seen: pooled over activities, as often as there.
    costs, resources = np.rint(drawn["cost"][N:]), drawn["resource"]
    assert chisquare([(costs == 5).sum(), (costs == 9).sum()]).pvalue > 0.001
    shares = [(resources == "x").sum(), (resources == "y").sum()]
    assert chisquare(shares, [2 * N / 4, 2 * N * 3 / 4]).pvalue > 0.001


def test_what_noise_cannot_hide_is_left_out():
    log = log_with(
        one_text=objects("x", "x", None, "x"),
        one_number=np.full(4, 3),
        no_value=objects(None, None, None, None),
        no_number=np.full(4, np.nan),
        infinite=np.array([1, 2, np.inf, 3]),
        moment=objects(*[datetime(2020, 1, day) for day in (1, 2, 3, 4)]),
        date=np.array(["2020-01-01", "2020-01-02"] * 2, dtype="datetime64[us]"),
        mixed=objects("x", 3, "y", "x"),
        case__loan=objects("x", "y", "x", "y"),
        kept=objects("x", "y", "x", "y"),
    )
    assert set(noisy(log, np.arange(4))) == {"kept"}


def test_thousands_of_texts_take_no_matrix():
    """The published code builds a matrix of all pairs: 8 GB for an attribute of 8,577 texts."""
    texts = objects(*[f"id {number}" for number in range(100_000)])
    log = log_with(id=texts)
    drawn = noisy(log, np.arange(100_000), 1.0)["id"]
    assert (drawn == texts).sum() < 100  # each is kept with probability e / (e + 99,999)


def test_odd_texts_are_values_like_others():
    log = log_with(text=objects("", ">>>", "TRACE_END", "@"))
    assert set(noisy(log, np.zeros(2000, int), 0.1)["text"].tolist()) == {"", ">>>", "TRACE_END", "@"}


def test_large_whole_numbers_do_not_overflow():
    attribute = readable(np.array([2**63 - 1, -(2**63), 5], dtype=np.int64))
    assert not attribute.whole
