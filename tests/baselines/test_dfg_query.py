"""The directly-follows query against noise on every cell, and what it claims."""

from __future__ import annotations

import math

import numpy as np
import pytest
from literal_queries import noise as literal
from query_logs import log_of
from scipy.stats import chi2_contingency

from baselines import dfg_query
from data.graph import OUTSIDE, DirectlyFollowsGraph, directly_follows
from data.log import EventLog, empty_log
from mechanisms import ParameterError

LOG = log_of({"ab": 3, "aab": 1, "b": 2})  # pairs: start a 4, start b 2, aa 1, ab 4, b end 6
LENGTH = 2


def release(log: EventLog, seed: int = 1, **parameters) -> DirectlyFollowsGraph:
    return dfg_query.release(log, rng=np.random.default_rng(seed), **parameters)


def matrix(graph: DirectlyFollowsGraph) -> np.ndarray:
    """Frequencies by source and target, start and end coming first."""
    cells = np.zeros((3, 3), dtype=np.int64)
    cells[graph.sources + 1, graph.targets + 1] = graph.frequencies
    return cells


@pytest.mark.parametrize(
    ("profile", "law", "epsilon", "true"),
    [
        ("published", "abs", 0.8, [[0, 4, 2], [0, 1, 4], [6, 0, 0]]),
        # Of aab only the first three pairs: start a, aa, ab.
        ("accounted", "geom", 0.8 / (LENGTH + 1), [[0, 4, 2], [0, 1, 4], [5, 0, 0]]),
    ],
)
def test_every_cell_is_distributed_as_its_noisy_count(profile, law, epsilon, true):
    rng, draws = np.random.default_rng(1), 3000
    graphs = [
        matrix(dfg_query.release(LOG, epsilon=0.8, profile=profile, max_length=LENGTH, rng=rng)) for _ in range(draws)
    ]
    found = np.array(graphs)
    noisy = literal(law, epsilon, rng)
    assert (found[:, 0, 0] == 0).all()  # from start to end
    p_values = []
    for row, column in np.argwhere(np.ones((3, 3), dtype=bool))[1:]:
        expected = np.array([noisy(true[row][column]) for _ in range(draws)])
        cells = 1 + max(found[:, row, column].max(), expected.max())
        table = np.array([np.bincount(side, minlength=cells) for side in (found[:, row, column], expected)])
        p_values.append(chi2_contingency(table[:, table.sum(axis=0) >= 10]).pvalue)
    assert min(p_values) * len(p_values) > 0.001


@pytest.mark.parametrize("profile", dfg_query.PROFILES)
def test_without_noise_the_graph_itself(profile):
    found = release(LOG, epsilon="inf", profile=profile, max_length=9)
    assert matrix(found).tolist() == matrix(directly_follows(LOG)).tolist()


def test_composed_epsilons():
    """Published: the longest case, aab, has four pairs."""
    published = dfg_query.anonymize(LOG, epsilon=0.5, rng=np.random.default_rng(1))
    assert published.diagnostics["composed_epsilon"] == 4 * 0.5
    assert "hiding the longest case costs 4 times as much" in published.notes[1]
    accounted = dfg_query.anonymize(
        LOG, epsilon=0.5, profile="accounted", max_length="mean", rng=np.random.default_rng(1)
    )
    assert accounted.diagnostics["composed_epsilon"] == pytest.approx(0.5)
    assert accounted.diagnostics["not_covered"] == ["the set of activities", "max_length"]
    assert accounted.diagnostics["pairs_cut"] == 1
    assert accounted.resolved == {"epsilon": 0.5, "max_length": 2}
    infinite = dfg_query.anonymize(LOG, epsilon=math.inf, rng=np.random.default_rng(1))
    assert infinite.diagnostics["composed_epsilon"] is None


def test_large_alphabets():
    labels = [f"activity {number}" for number in range(1500)]
    log = log_of({tuple(labels): 1})
    found = release(log, epsilon=5, profile="published")
    assert 1501**2 * math.exp(-2.5) * 0.98 < len(found) < 1501**2 * math.exp(-2.5) * 1.02 + 1501
    assert not ((found.sources == OUTSIDE) & (found.targets == OUTSIDE)).any()


def test_the_same_seed_gives_the_same_graph_and_the_log_stays_as_it_is():
    before = LOG.activities.tobytes()
    assert matrix(release(LOG, epsilon=1)).tolist() == matrix(release(LOG, epsilon=1)).tolist()
    assert LOG.activities.tobytes() == before


def test_a_log_without_cases_has_an_empty_graph():
    assert len(release(empty_log(), epsilon=1)) == 0


def test_an_unknown_profile_is_refused():
    with pytest.raises(ParameterError, match="profile must be one of published, accounted; it is 'code'"):
        release(LOG, epsilon=1, profile="code")
