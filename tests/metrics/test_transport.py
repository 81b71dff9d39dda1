"""The earth mover's distance: against a linear program, with its bounds, and as a metric."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linprog
from small_logs import log_of, random_logs, scores

from metrics import blocks, emd_variants, emsc, transport
from metrics.metric import Marked
from metrics.pair import align
from metrics.transport import Costs, TransportError, over_longer, steinhaus

words = st.text("abc", min_size=1, max_size=6)
GROUNDS = {
    steinhaus: lambda lev, x, y: 2 * lev / (len(x) + len(y) + lev),
    over_longer: lambda lev, x, y: lev / max(len(x), len(y)),
}


def problem(seed, sources, targets):
    """Random traces with integer masses of equal sum; the traces are distinct within a side."""
    rng = np.random.default_rng(seed)

    def side(n):
        traces = set()
        while len(traces) < n:
            traces.add("".join(rng.choice(list("abcdef"), rng.integers(4, 12))))
        return sorted(traces)

    p, q = rng.integers(1, 20, sources), rng.integers(1, 20, targets)
    return p * q.sum(), q * p.sum(), side(sources), side(targets)


def by_linear_program(p, q, sources, targets, ground):
    """The distance per unit of mass, from its definition."""
    cost = np.array([[GROUNDS[ground](Levenshtein.distance(x, y), x, y) for y in targets] for x in sources])
    n, m = cost.shape
    rows, columns = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    masses = np.concatenate((p, q)) / p.sum()
    return linprog(cost.ravel(), A_eq=np.vstack((rows, columns)), b_eq=masses).fun


@pytest.fixture
def always_pricing(monkeypatch):
    """Problems of every size by column generation, few arcs a round, several blocks."""
    monkeypatch.setattr(transport, "DENSE_PAIRS", 0)
    monkeypatch.setattr(transport, "ARCS_PER_SOURCE", 2)
    monkeypatch.setattr(transport, "BLOCK_PAIRS", 200)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("sources", "targets"), [(1, 1), (1, 7), (6, 1), (12, 9)])
def test_dense_solution_is_the_optimum(ground, sources, targets):
    p, q, x, y = problem(3, sources, targets)
    bracket = transport.transport(p, q, Costs(x, y, ground))
    expected = by_linear_program(p, q, x, y, ground)
    assert bracket.met
    assert bracket.upper == pytest.approx(expected, abs=1e-9)
    assert bracket.lower == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("seed", "sources", "targets"), [(0, 1, 1), (1, 1, 9), (2, 40, 30), (3, 60, 90)])
@pytest.mark.usefixtures("always_pricing")
def test_column_generation_closes_at_the_optimum(ground, seed, sources, targets):
    p, q, x, y = problem(seed, sources, targets)
    bracket = transport.transport(p, q, Costs(x, y, ground))
    assert bracket.met
    assert bracket.upper == pytest.approx(by_linear_program(p, q, x, y, ground), abs=2e-6)


@pytest.mark.usefixtures("always_pricing")
def test_equal_masses_close_too():
    _, _, x, y = problem(5, 150, 150)
    ones = np.ones(150, dtype=np.int64)
    assert transport.transport(ones, ones, Costs(x, y, steinhaus)).met


@pytest.mark.usefixtures("always_pricing")
def test_bounds_hold_after_every_round(monkeypatch):
    p, q, x, y = problem(4, 60, 80)
    expected = by_linear_program(p, q, x, y, steinhaus)
    widths = []
    for rounds in (1, 2, 4):
        monkeypatch.setattr(transport, "ROUNDS", rounds)
        bracket = transport.transport(p, q, Costs(x, y, steinhaus))
        assert bracket.lower - 1e-9 <= expected <= bracket.upper + 1e-9
        widths.append(bracket.upper - bracket.lower)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > transport.TOLERANCE


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("pairs", [2000, 500, 100])
def test_bounds_by_blocks_hold_and_are_closer_the_larger_the_blocks(monkeypatch, ground, pairs):
    monkeypatch.setattr(blocks, "MAX_PAIRS", pairs)
    p, q, x, y = problem(6, 50, 40)
    expected = by_linear_program(p, q, x, y, ground)
    bracket = blocks.block_bracket(p, q, x, y, ground)
    assert bracket.lower - 1e-9 <= expected <= bracket.upper + 1e-9
    # One block is the whole problem: the upper bound is the distance, the lower one less by the sample's error.
    assert bracket.upper - bracket.lower < {2000: 0.05, 500: 0.2, 100: 0.4}[pairs]
    assert (bracket.upper == pytest.approx(expected, abs=1e-9)) == (pairs == 2000)


def test_blocks_part_all_mass():
    p, q, _, _ = problem(8, 30, 20)
    seen = np.zeros(30, dtype=np.int64), np.zeros(20, dtype=np.int64)
    parts = list(blocks._blocks(p, q, 7, np.random.default_rng(0)))
    for part in parts:
        for side, (places, masses) in zip(seen, part, strict=True):
            assert (np.diff(places) > 0).all()
            side[places] += masses
        assert part[0][1].sum() == part[1][1].sum()
    assert len(parts) == 7
    assert np.array_equal(seen[0], p)
    assert np.array_equal(seen[1], q)


def test_bounds_are_the_same_every_time(monkeypatch):
    monkeypatch.setattr(blocks, "MAX_PAIRS", 300)
    given = (*problem(9, 60, 50), steinhaus)
    first, second = blocks.block_bracket(*given), blocks.block_bracket(*given)
    assert (first.lower, first.upper) == (second.lower, second.upper)


def test_a_warning_of_the_solver_is_refused(monkeypatch):
    import ot

    solve = ot.emd
    monkeypatch.setattr(ot, "emd", lambda *arguments, **options: solve(*arguments, **options | {"numItermax": 1}))
    p, q, x, y = problem(7, 30, 30)
    with pytest.raises(TransportError, match="stopped early"):
        transport.transport(p, q, Costs(x, y, steinhaus))


def test_a_value_that_its_potentials_do_not_prove_is_refused(monkeypatch):
    import ot

    solve = ot.emd

    def off(*arguments, **options):
        plan, log = solve(*arguments, **options)
        return plan, log | {"cost": log["cost"] + 0.01}

    monkeypatch.setattr(ot, "emd", off)
    p, q, x, y = problem(7, 30, 30)
    with pytest.raises(TransportError, match="prove only"):
        transport.transport(p, q, Costs(x, y, steinhaus))


def test_beyond_the_limit_of_pairs_the_bounds_are_published(monkeypatch):
    original, release = log_of("abcd", "abce", "bcda", "ddd", "ef"), log_of("abc", "ffff", "dddf", "ebcda", "ab")
    exact = scores(original, release)
    for module in (emd_variants, emsc, blocks):
        monkeypatch.setattr(module, "MAX_PAIRS", 10)
    values = scores(original, release)
    for name in ("emd_variants", "emsc"):
        bounds, half = values[name], values[f"{name}_gap"]
        assert isinstance(bounds, Marked)
        assert bounds.status == "bracket"
        assert half > 0
        assert abs(exact[name] - bounds.value) <= half + 1e-9
        assert exact[f"{name}_gap"] == 0


@settings(deadline=None)
@given(words, words, words)
def test_steinhaus_is_a_metric(x, y, z):
    (to_y, to_z), (_, y_to_z) = (Costs([s], [y, z], steinhaus).of(np.arange(2)) for s in (x, y))
    assert to_z <= to_y + y_to_z + 1e-12
    assert (to_y == 0) == (x == y)


@settings(deadline=None)
@given(words, words)
def test_the_ground_distances_sandwich_each_other(x, y):
    scaled, longer = (Costs([x], [y], ground).of(np.arange(1))[0] for ground in (steinhaus, over_longer))
    assert 2 / 3 * longer - 1e-12 <= scaled <= longer + 1e-12


@settings(max_examples=30, deadline=None)
@given(random_logs(), random_logs())
def test_distances_of_logs_bound_each_other(original, release):
    values = scores(original, release)
    emd, emsc_distance = values["emd_variants"], 1 - values["emsc"]
    assert emd <= 1 - values["variant_overlap"] + 1e-9
    assert values["emsc"] >= values["variant_overlap"] - 1e-9
    assert 2 / 3 * emsc_distance - 1e-9 <= emd <= emsc_distance + 1e-9


@settings(max_examples=20, deadline=None)
@given(random_logs(), random_logs())
def test_cancelling_common_mass_is_exact_for_a_metric(original, release):
    variants = align(original, release).variants
    p, sources = transport.support(variants.original * variants.release.sum(), variants.traces)
    q, targets = transport.support(variants.release * variants.original.sum(), variants.traces)
    in_full = by_linear_program(p, q, sources, targets, steinhaus)
    assert scores(original, release)["emd_variants"] == pytest.approx(in_full, abs=1e-9)


def test_traces_beyond_255_events_and_256_labels():
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    value = emd_variants.score(log_of(long), log_of(long[:-1]))["emd_variants"]
    assert value == pytest.approx(2 / (300 + 299 + 1))


def test_identity_needs_no_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    log = log_of("ab", "ab", "cd")
    assert emd_variants.score(log, log) == {"emd_variants": 0.0, "emd_variants_gap": 0.0}
    assert emsc.score(log, log) == {"emsc": 1.0, "emsc_gap": 0.0}
