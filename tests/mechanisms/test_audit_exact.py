"""The audit against exact laws: probabilities of single counts and short queries, and how near the bounds come."""

from __future__ import annotations

import math

import numpy as np
import pytest

from baselines.prefix_query.noise import Noise
from baselines.tvq import anonymize
from baselines.tvq.audits import sample
from mechanisms import audit as drawing
from mechanisms.amun import anonymize as amun
from mechanisms.amun import hardened
from mechanisms.audit import Audit
from mechanisms.neighbours import composed, deep, isolated, one_case_more
from metrics.audit import audit

Q = math.exp(-1)
LAWS = {
    # The integer part of a Laplace variate, and the two-sided geometric law, both of epsilon 1.
    "trunc": lambda noise: 1 - Q if noise == 0 else (1 - Q) * Q ** abs(noise) / 2,
    "geom": lambda noise: (1 - Q) / (1 + Q) * Q ** abs(noise),
}
ACCOUNT = {
    "mechanism": "noise", "name": "count", "settings": {}, "pair": "one", "adjacency": "one case more",
    "unit": "one count", "observations": ["count"], "structural": "", "claimed": 1.0, "composed": None, "delta": 0.0,
}  # fmt: skip


def law(name: str, count: int) -> np.ndarray:
    """Exact probabilities of the noisy counts 0 to 60 of a count, negative ones being set to 0."""
    noisy = np.array([LAWS[name](noisy - count) for noisy in range(-60, 61)])
    return np.concatenate(([noisy[:61].sum()], noisy[61:]))


@pytest.mark.parametrize(
    ("name", "counts", "noisy", "likely", "rare", "loss"),
    [
        ("trunc", (6, 5), 6, 0.632121, 0.116272, 1 + math.log(2)),
        ("trunc", (1, 0), 1, 0.632121, 0.116272, 1 + math.log(2)),
        # Clamping merges all negative draws, so this order loses 2 e - 1 only.
        ("trunc", (0, 1), 0, 0.816060, 0.183940, 1.489880),
        ("geom", (0, 1), 0, 0.731059, 0.268941, 1.0),
    ],
)
def test_counts_have_their_exact_probabilities(name, counts, noisy, likely, rare, loss):
    exact = [law(name, count)[noisy] for count in counts]
    assert exact == pytest.approx([likely, rare], abs=1e-6)
    assert math.log(exact[0] / exact[1]) == pytest.approx(loss, abs=1e-6)
    rng = np.random.default_rng(1)
    drawn = [(Noise(name, 1.0).noisy(np.full(100_000, count), rng) == noisy).mean() for count in counts]
    assert drawn == pytest.approx(exact, abs=0.006)


@pytest.mark.parametrize(("name", "counts", "loss"), [
    ("trunc", (5, 6), 1 + math.log(2)), ("trunc", (0, 1), 1 + math.log(2)), ("geom", (5, 6), 1), ("geom", (0, 1), 1),
])  # fmt: skip
def test_no_event_of_a_count_loses_more(name, counts, loss):
    one, other = (law(name, count) for count in counts)
    assert np.abs(np.log(one / other)).max() == pytest.approx(loss, abs=1e-6)


def counting(name: str, epsilon: float = 1.0):
    def sides(counts: tuple[int, int], draws: int, seed: int) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        return [Noise(name, epsilon).noisy(np.full(draws, count), rng)[:, None] for count in counts]

    return sides


def mean_bound(sides, counts: tuple[int, int], draws: int, times: int = 10) -> float:
    return float(np.mean([audit(*sides(counts, draws, seed), ACCOUNT).epsilon_low for seed in range(times)]))


@pytest.mark.parametrize(
    ("name", "epsilon", "counts", "expected"),
    [
        ("trunc", 1, (5, 6), {10_000: (1.538, 1.656), 100_000: (1.643, 1.681)}),
        ("trunc", 1, (0, 1), {10_000: (1.530, 1.659), 100_000: (1.642, 1.683)}),
        ("geom", 1, (5, 6), {10_000: (0.884, 0.980), 100_000: (0.965, 0.997)}),
        ("geom", 2, (5, 6), {10_000: (1.858, 1.969), 100_000: (1.952, 1.988)}),
    ],
)
def test_bounds_on_a_count_come_as_near_as_expected(name, epsilon, counts, expected):
    """Between the 5 % and the 95 % quantile of such bounds."""
    for draws, (low, high) in expected.items():
        assert low <= mean_bound(counting(name, epsilon), counts, draws) <= high, draws


def query(pair, levels: int, **parameters) -> Audit:
    given = {"epsilon": 1.0, "max_length": levels, "pruning": 1, **parameters}
    return Audit(name="x", parameters=given, pair=pair, anonymize=anonymize, sample=sample)


@pytest.mark.parametrize("draws", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (query(composed(), 2), {10_000: (2.824, 3.128), 100_000: (3.071, 3.176)}),
        (query(composed(), 2, noise="geom"), {10_000: (1.775, 1.964), 100_000: (1.925, 1.987)}),
        (query(composed(), 2, profile="accounted"), {10_000: (0.775, 0.956), 100_000: (0.937, 0.986)}),
        (query(deep(4), 5), {10_000: (5.29, 6.18), 100_000: (6.53, 7.15)}),
        # Of these means alone are known: 1.594 and 1.666, .929 and .975, .421 and .477, 4.289 and 4.738, .591, .847.
        (query(isolated(), 2), {10_000: (1.54, 1.65), 100_000: (1.64, 1.69)}),
        (query(isolated(), 2, noise="geom"), {10_000: (0.88, 0.98), 100_000: (0.95, 1.00)}),
        (query(isolated(), 2, profile="accounted"), {10_000: (0.37, 0.47), 100_000: (0.46, 0.5)}),
        (query(deep(4), 5, noise="geom"), {10_000: (4.0, 4.5), 100_000: (4.6, 4.85)}),
        (query(deep(4), 5, profile="accounted"), {10_000: (0.45, 0.75), 100_000: (0.8, 0.95)}),
    ],
)  # fmt: skip
def test_bounds_on_a_query_come_as_near_as_expected(asked, expected, draws):
    bounds = []
    for seed in range(8):
        first, second, account = drawing.run(asked, draws, seed)
        bounds.append(audit(first, second, {"mechanism": "x", **account}).epsilon_low)
    low, high = expected[draws]
    assert low <= np.mean(bounds) <= high


@pytest.mark.parametrize(
    ("event", "parameters", "likely", "rare", "loss"),
    [
        (lambda counts: counts == 1, {}, 0.515848, 0.021387, 3.183027),
        (lambda counts: counts > 0, {}, 0.665954, 0.033834, 2.979760),
        (lambda counts: counts > 0, {"noise": "geom"}, 0.534447, 0.072329, 2.0),
    ],
)
def test_a_short_case_has_its_exact_probabilities_in_a_query(event, parameters, likely, rare, loss):
    assert math.log(likely / rare) == pytest.approx(loss, abs=2e-5)
    shares, pair, size = [], composed(), 100_000
    for log in (pair.second, pair.first):
        drawn = sample(log, size, np.random.default_rng(1), epsilon=1, max_length=2, pruning=1, **parameters)
        ones = drawn.variant == drawn.variants.index(("a",))
        shares.append(event(np.bincount(drawn.draw[ones], drawn.count[ones], minlength=size)).mean())
    assert shares == pytest.approx([likely, rare], abs=0.006)


@pytest.mark.parametrize("nodes", [2, 3, 5])
def test_a_chain_of_counts_is_present_with_its_exact_probability(nodes):
    """Every level has to survive: 1 - q/2 and q/2 each under truncated noise, 1/(1+q) and q/(1+q) under geometric."""
    pair, size = deep(nodes - 1), 100_000
    for law_name, likely, rare in (("trunc", 1 - Q / 2, Q / 2), ("geom", 1 / (1 + Q), Q / (1 + Q))):
        for log, each in ((pair.second, likely), (pair.first, rare)):
            drawn = sample(log, size, np.random.default_rng(1), epsilon=1, max_length=nodes, pruning=1, noise=law_name)
            found = (drawn.variant == drawn.variants.index(pair.target)).sum() if pair.target in drawn.variants else 0
            assert found / size == pytest.approx(each**nodes, abs=0.006)


def test_rounding_the_noise_or_taking_absolute_values_keeps_to_epsilon_per_count():
    """Laplace noise rounded to whole numbers: a point loses 0.719 only, the tails lose 1."""
    rng = np.random.default_rng(1)
    rounded = [np.rint(count + rng.laplace(size=100_000)).astype(np.int64)[:, None] for count in (5, 6)]
    shares = [(side == 5).mean() for side in rounded]
    assert math.log(shares[0] / shares[1]) == pytest.approx(0.719, abs=0.03)
    for sides in (rounded, counting("abs")((5, 6), 100_000, 1), counting("abs")((0, 1), 100_000, 1)):
        finding = audit(*sides, ACCOUNT)
        assert (finding.verdict, finding.epsilon_low < 1) == ("consistent", True)


@pytest.mark.parametrize(("base", "case", "event", "likely", "rare"), [
    (["ab"] * 5 + ["ac"] * 5, "ad", lambda count: count > 0, 1.0, 0.0),
    # Noise that only adds: with 4 cases no release has 3, without the fourth it has 3 if nothing is added.
    (["ab"] * 5 + ["ac"] * 5 + ["a"] * 3, "a", lambda count: count < 4, 0.0, None),
])  # fmt: skip
def test_oversampling_has_outputs_that_one_log_alone_can_give(base, case, event, likely, rare):
    pair = one_case_more("x", base, case, "abcd")
    shares = []
    for log in (pair.second, pair.first):
        rng, hits = np.random.default_rng(1), 0
        for _ in range(200):
            released = amun(log, delta=0.3, mode="oversampling", profile="code", rng=rng).release
            labels = np.array(released.labels)
            hits += event(
                sum("".join(labels[c]) == case for c in np.split(released.activities, released.offsets[1:-1]))
            )
        shares.append(hits / 200)
    assert shares[0] == likely
    assert shares[1] == rare if rare is not None else shares[1] > 0.5


@pytest.mark.parametrize(("additive", "low", "right", "fails", "keeps"), [
    (0.01, 5, 6, 0.013390, 0.004926), (1e-5, 12, 13, 1.221e-5, 4.49e-6),
])  # fmt: skip
def test_thresholds_are_right_for_the_geometric_law(additive, low, right, fails, keeps):
    assert hardened.threshold(1.0, additive) == right
    assert math.ceil(1 + math.log(1 / (2 * additive))) == low
    for least, probability in ((low, fails), (right, keeps)):
        assert Q ** (least - 1) / (1 + Q) == pytest.approx(probability, rel=1e-3)
        assert (probability > additive) == (least == low)


def test_a_threshold_that_is_too_low_is_found_and_the_right_one_is_not(monkeypatch):
    """A variant of one case is released too often, by the release of counts of profile hardened."""
    account = ACCOUNT | {"delta": 0.01}

    def findings():
        for seed in range(20):
            rng = np.random.default_rng(seed)
            released = hardened.release_counts(np.ones(100_000, dtype=np.int64), 1.0, 0.01, rng)[:, None]
            yield audit(np.zeros_like(released), released, account)

    assert {finding.verdict for finding in findings()} == {"consistent"}
    monkeypatch.setattr(hardened, "threshold", lambda epsilon, additive: 5)
    found = list(findings())
    assert {finding.verdict for finding in found} == {"violated"}
    assert np.mean([finding.delta_low for finding in found]) == pytest.approx(0.01225, abs=0.0003)
