"""Behavioural appropriateness against a trace-by-trace reading of its definition, and its worked example."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from small_logs import doubled, log_of, random_logs, scores

from metrics.behavioural_appropriateness import score
from metrics.metric import Marked


def traces(log):
    return {tuple(log.labels[code] for code in log.variants.sequence(v)) for v in range(len(log.variants))}


def labels(log, activities):
    """Label of (relation, x, y), by looking at every trace."""
    found = {}
    for relation, x, y in product(("follows", "precedes"), activities, activities):
        seen = []
        for trace in traces(log):
            if x in trace:
                first, last = trace.index(x), len(trace) - 1 - trace[::-1].index(x)
                seen.append(y in (trace[first + 1 :] if relation == "follows" else trace[:last]))
        found[relation, x, y] = "N" if not any(seen) else "A" if all(seen) else "S"
    return found


@settings(max_examples=50, deadline=None)
@given(random_logs(), random_logs())
def test_agrees_with_the_definition(original, release):
    own, released = (labels(log, original.labels) for log in (original, release))
    values = score(original, release)
    assert values["aba_code"] == pytest.approx(np.mean([own[key] == released[key] for key in own]))
    shares = []
    for relation in ("follows", "precedes"):
        wanted = [key for key in own if key[0] == relation and own[key] == "S"]
        shares.append(np.mean([released[key] == "S" for key in wanted]) if wanted else 1.0)
    if "S" in own.values():
        assert values["aba_s_recall"] == pytest.approx(np.mean(shares))
    else:
        assert isinstance(values["aba_s_recall"], Marked)


def test_worked_example():
    values = scores(log_of("ab", "ac"), log_of("ab", "ab"))
    assert values["aba_code"] == pytest.approx(7 / 18 + 8 / 18)
    assert values["aba_s_recall"] == 0.5
    assert (values["truly_sampled"], values["unsampled"]) == (50, 50)


@settings(max_examples=10, deadline=None)
@given(random_logs(), random_logs())
def test_copies_of_cases_change_nothing(original, release):
    values = score(original, release)
    assert score(original, doubled(release)) == values
    assert score(doubled(original), release) == values


@settings(max_examples=10, deadline=None)
@given(random_logs(), random_logs())
def test_sampled_scores_do_not_change_where_both_logs_are_doubled(original, release):
    names = ("truly_sampled", "undersampled", "oversampled", "unsampled")
    once, twice = scores(original, release), scores(doubled(original), doubled(release))
    assert [once[name] for name in names] == [twice[name] for name in names]


@settings(max_examples=20, deadline=None)
@given(random_logs(), random_logs())
def test_sampled_scores_add_up(original, release):
    values = scores(original, release)
    if not isinstance(values["truly_sampled"], Marked):
        parts = [values[name] for name in ("truly_sampled", "undersampled", "oversampled")]
        assert sum(parts) == pytest.approx(100)
        assert values["unsampled"] <= values["undersampled"] + 1e-9
