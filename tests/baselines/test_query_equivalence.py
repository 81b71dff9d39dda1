"""The fast samplers draw from the same distribution as the queries written down word for word.

Two-sample chi-square tests of whole outputs of tiny logs, and of their totals, with fixed seeds; p-values are corrected
for their number as by Holm. Deliberately wrong samplers show that the procedure finds errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

import literal_queries
import numpy as np
import pytest
from query_logs import answer, log_of
from scipy.stats import chi2_contingency

from baselines.prefix_query.laplace import trace_variant_query
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.tree import prefix_counts
from baselines.sacofa import query as sacofa_query
from baselines.sacofa.query import Settings, semantic_query
from baselines.sacofa.relations import relations_of

LOGS = {
    "chain": {"ab": 2, "a": 1},
    "branch": {"ab": 3, "ba": 1, "aab": 1},
    "heal": {"aba": 3, "c": 1},  # the real prefix ab violates until a comes again
}
LAPLACE = [("trunc", "full-prune"), ("geom", "full-prune"), ("abs", "full-prune"), ("trunc", "keep-end")]
MODES = ["ba", "ba_prune", "ba_multi", "occured"]
EPSILON = 1.2
PRUNING, CONFORMING = 2, 1
SIGNIFICANCE = 0.001

Sampler = Callable[[np.random.Generator], Counter]


def laplace_samplers(traces: dict, law: str, style: str, levels: int = 2) -> tuple[Sampler, Sampler]:
    """The fast and the literal trace-variant query."""
    log = log_of(traces)
    tree = prefix_counts(log, levels)

    def fast(rng):
        noise = Noise(law, EPSILON)
        found = trace_variant_query(tree, levels=levels, pruning=PRUNING, noise=noise, style=style, rng=rng)
        return answer(found, log.labels)

    given = {tuple(trace): count for trace, count in traces.items()}
    return fast, partial(literal_queries.trace_variants, given, law, EPSILON, levels, PRUNING, style)


def semantic_samplers(traces: dict, mode: str, levels: int = 2) -> tuple[Sampler, Sampler]:
    """The fast and the literal SaCoFa."""
    log = log_of(traces)
    tree, relations = prefix_counts(log, levels), relations_of(log)
    cost = 3 if mode == "ba_multi" else 1
    conforming = CONFORMING if mode == "ba_prune" else PRUNING
    noise = Noise("trunc", EPSILON / cost)
    parameters = Settings(levels, PRUNING, conforming, noise, cost, mode != "occured", 10**6)

    def fast(rng):
        return answer(semantic_query(tree, relations, parameters, rng), log.labels)

    given = {tuple(trace): count for trace, count in traces.items()}
    return fast, partial(literal_queries.semantic, given, mode, EPSILON, levels, PRUNING, conforming)


def p_values(fast: Sampler, literal: Sampler, draws: int, seed: int = 1) -> list[float]:
    """Of whole outputs, number of variants, total, longest variant, and the counts of single variants."""
    streams = [np.random.default_rng([seed, side]) for side in range(2)]
    outputs = [[sampler(rng) for _ in range(draws)] for sampler, rng in zip((fast, literal), streams, strict=True)]
    common = Counter(trace for output in outputs[1] for trace in output).most_common(6)
    views = [
        lambda output: frozenset(output.items()),
        len,
        lambda output: sum(output.values()),
        lambda output: max(map(len, output), default=-1),
        *(lambda output, trace=trace: output[trace] for trace, _ in common),
    ]
    return [two_samples(*([view(output) for output in side] for side in outputs)) for view in views]


def two_samples(one: Iterable, other: Iterable) -> float:
    """p-value of a chi-square test; values that are rare on both sides are taken together."""
    counts = Counter(one), Counter(other)
    pooled = counts[0] + counts[1]
    frequent = sorted((value for value in pooled if pooled[value] >= 10), key=repr)
    table = np.array([[*(side[value] for value in frequent), 0] for side in counts])
    table[:, -1] = [side.total() for side in counts] - table.sum(axis=1)
    table = table[:, table.sum(axis=0) > 0]
    return chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


def agree(values: list[float]) -> bool:
    """Whether no p-value is significant after Holm's correction, whose first step decides that."""
    return min(values) * len(values) > SIGNIFICANCE


def test_fast_and_literal_samplers_agree():
    values = []
    for number, (law, style) in enumerate(LAPLACE):
        values += p_values(*laplace_samplers(LOGS["branch"], law, style), draws=800, seed=number)
    for number, mode in enumerate(MODES):
        values += p_values(*semantic_samplers(LOGS["heal"], mode), draws=600, seed=10 + number)
    assert agree(values), sorted(values)


@pytest.mark.slow
def test_fast_and_literal_samplers_agree_on_all_logs():
    values = []
    for number, traces in enumerate(LOGS.values()):
        for law, style in LAPLACE:
            values += p_values(*laplace_samplers(traces, law, style, levels=3), draws=2500, seed=number)
        for mode in MODES:
            values += p_values(*semantic_samplers(traces, mode, levels=3), draws=2000, seed=10 + number)
    assert agree(values), sorted(values)[:10]


def test_a_tail_that_is_off_by_one_is_found(monkeypatch):
    tail = Noise.tail
    monkeypatch.setattr(Noise, "tail", lambda self, threshold: tail(self, threshold + 1))
    assert not agree(p_values(*laplace_samplers(LOGS["branch"], "trunc", "full-prune"), draws=700))
    assert not agree(p_values(*semantic_samplers(LOGS["branch"], "ba"), draws=700))


def test_another_law_of_j_is_found(monkeypatch):
    monkeypatch.setattr(sacofa_query, "number_to_choose", lambda violating, epsilon, rng: rng.integers(violating + 1))
    assert not agree(p_values(*semantic_samplers(LOGS["heal"], "ba"), draws=700))


def test_lost_relations_are_found():
    log = log_of(LOGS["heal"])
    relations = relations_of(log)
    tree = prefix_counts(log, 2)
    wrong = relations._replace(always_precedes=np.zeros_like(relations.always_precedes))
    parameters = Settings(2, PRUNING, PRUNING, Noise("trunc", EPSILON), 1, True, 10**6)

    def fast(rng):
        return answer(semantic_query(tree, wrong, parameters, rng), log.labels)

    assert not agree(p_values(fast, semantic_samplers(LOGS["heal"], "ba")[1], draws=700))
