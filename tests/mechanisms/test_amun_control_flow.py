"""Laws of the noise, and what becomes of it: copies and deletions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from data.log import EventLog
from mechanisms.amun.control_flow import (
    Lookup,
    Moves,
    draw_noise,
    draw_variants,
    lookup_table,
    mean_absolute_noise,
    move_cases,
    plan_moves,
    two_sided_geometric,
)
from mechanisms.amun.dafsa import minimal_dafsa

DELTA = 0.3
Q = ((1 - DELTA) / (1 + DELTA)) ** 2
DRAWS = 40_000


def log_of(words: list[str]) -> EventLog:
    cases = np.repeat([f"case {i}" for i in range(len(words))], [len(word) for word in words])
    return EventLog.from_rows(cases, list("".join(words)), np.zeros(len(cases)))


def lookup_of(log: EventLog) -> Lookup:
    variants = log.variants
    paths = minimal_dafsa(variants).paths
    return lookup_table(
        log, np.concatenate([paths[variants.offsets[v] : variants.offsets[v + 1]] for v in variants.of_case])
    )


# Variants AB (3 cases), AC (1 case), D (2 cases): transitions A of 4 cases, D of 2, B of 3, C of 1.
LOG = log_of(["AB", "AC", "AB", "D", "AB", "D"])


def assert_law(draws: np.ndarray, law) -> None:
    """Chi-square test of integer draws against a law, tails of small expectation pooled."""
    values = np.arange(draws.min(), draws.max() + 1)
    expected = np.array([law(k) for k in values]) * len(draws)
    observed = np.array([(draws == k).sum() for k in values])
    common = expected >= 10
    observed = np.append(observed[common], len(draws) - observed[common].sum())
    expected = np.append(expected[common], len(draws) - expected[common].sum())
    assert chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize("mode", ["sampling", "filtering"])
def test_law_of_the_code_rounds_up(mode):
    draws = draw_noise(DRAWS, DELTA, mode, "code", np.random.default_rng(1))

    def law(k):
        if k == 0:
            return (1 - Q) / 2
        return (Q ** (k - 1) if k > 0 else Q**-k) * (1 - Q) / 2

    assert_law(draws, law)
    assert draws.mean() == pytest.approx(0.5, abs=0.03)


def test_law_of_the_code_when_oversampling_is_never_0():
    draws = draw_noise(DRAWS, DELTA, "oversampling", "code", np.random.default_rng(2))
    assert_law(draws, lambda k: Q ** (k - 1) * (1 - Q) if k >= 1 else 0)
    assert draws.mean() == pytest.approx((1 + DELTA) ** 2 / (4 * DELTA), abs=0.02)


def test_law_of_the_paper_is_the_discrete_laplace():
    draws = draw_noise(DRAWS, DELTA, "sampling", "paper", np.random.default_rng(3))
    assert_law(draws, lambda k: (1 - Q) / (1 + Q) * Q ** abs(k))
    positive = draw_noise(DRAWS, DELTA, "oversampling", "paper", np.random.default_rng(4))
    assert_law(positive, lambda k: (1 - Q) / (1 + Q) * (2 * Q**k if k else 1))


@pytest.mark.parametrize("mode", ["oversampling", "sampling", "filtering"])
@pytest.mark.parametrize("profile", ["code", "paper"])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.8])
def test_mean_of_the_absolute_noise(mode, profile, delta):
    draws = np.abs(draw_noise(DRAWS, delta, mode, profile, np.random.default_rng(16)))
    error = draws.std() / np.sqrt(DRAWS)
    assert mean_absolute_noise(delta, mode, profile) == pytest.approx(draws.mean(), abs=4 * error)


def test_closed_form_table_of_the_noise(shared_dir):
    rows = np.genfromtxt(shared_dir / "reported" / "amun" / "eps_closed_form.csv", delimiter=",", names=True)
    for row in rows[rows["delta"] >= 0.1]:
        rng = np.random.default_rng(5)
        over = draw_noise(DRAWS, row["delta"], "oversampling", "code", rng)
        both = draw_noise(DRAWS, row["delta"], "sampling", "code", rng)
        assert over.mean() == pytest.approx(row["mean_abs_noise_oversampling"], rel=0.03)
        assert (both == 0).mean() == pytest.approx(row["P_noise0_sampling"], abs=0.01)
        assert np.maximum(both, 0).mean() == pytest.approx(row["E_pos_sampling"], rel=0.04)
        assert np.maximum(-both, 0).mean() == pytest.approx(row["E_neg_sampling"], rel=0.08)


def test_two_sided_geometric_noise_is_symmetric():
    draws = two_sided_geometric(DRAWS, 0.5, np.random.default_rng(6))
    assert abs(draws.mean()) < 0.05
    assert draws.dtype == np.int64


def test_lookup_counts_the_cases_through_every_transition():
    lookup = lookup_of(LOG)
    assert sorted(lookup.cases.tolist()) == [1, 2, 3, 4]
    assert (lookup.counts(LOG.variants.counts) == lookup.cases).all()


def test_variants_through_a_transition_are_drawn_by_their_cases():
    lookup = lookup_of(LOG)
    through_a = int(np.flatnonzero(lookup.cases == 4)[0])
    drawn = lookup.draw(through_a, DRAWS, np.random.default_rng(7))
    assert set(drawn.tolist()) == {0, 1}
    assert chisquare(np.bincount(drawn), [0.75 * DRAWS, 0.25 * DRAWS]).pvalue > 1e-3


@pytest.mark.parametrize("order", ["least_served", "most_served", "frequency"])
def test_every_need_is_met_with_the_full_number_of_draws(order):
    lookup = lookup_of(LOG)
    required = np.where(lookup.cases == 2, 5, 0)  # D, through which only variant D goes
    assert draw_variants(required, lookup, order, np.random.default_rng(8)).tolist() == [0, 0, 5]
    everywhere = np.full(4, 3)
    drawn = draw_variants(everywhere, lookup, order, np.random.default_rng(9))
    assert (lookup.counts(drawn) >= everywhere).all()


@pytest.mark.parametrize("order", ["least_served", "most_served", "frequency"])
def test_a_drawn_path_serves_every_transition_on_it(order):
    # A, B and C need one case each. Whatever comes first, one AB and one AC are enough.
    lookup = lookup_of(LOG)
    required = np.where(lookup.cases == 2, 0, 1)
    for seed in range(50):
        assert draw_variants(required, lookup, order, np.random.default_rng(seed)).tolist() == [1, 1, 0]


def loop_of_the_specification(noise, lookup: Lookup, counts, rng, profile: str, sign: int) -> tuple[int, ...]:
    """Sections 9a (code, sign 1), 9b (code, sign -1) and 9d (paper), word for word."""
    done = dict.fromkeys(range(len(noise)), 0)
    drawn = [0] * len(counts)
    through = [[v for v in range(len(counts)) if t in lookup.path(v)] for t in done]
    while needy := [t for t in done if (done[t] < noise[t] if sign > 0 else done[t] > noise[t])]:
        top = max(done[t] for t in needy)
        published = [top - done[t] for t in needy]
        weights = np.array(published if profile == "code" else lookup.cases[needy], dtype=float)
        weights = weights / weights.sum() if weights.any() else np.full(len(needy), 1 / len(needy))
        chosen = rng.choice(needy, p=weights)
        draws, times = (abs(noise[chosen]), 1) if profile == "code" else (1, abs(noise[chosen]))
        shares = counts[through[chosen]] / counts[through[chosen]].sum()
        for variant in rng.choice(through[chosen], size=draws, p=shares):
            drawn[variant] += times
            for transition in lookup.path(variant):
                done[transition] += sign * times
    return tuple(drawn)


@pytest.mark.parametrize(("profile", "sign"), [("code", 1), ("code", -1), ("paper", 1), ("paper", -1)])
def test_the_loops_have_the_specified_law(profile, sign):
    log = log_of(["ABD", "ABD", "ACD", "ABE", "ACE", "ACE", "ACE", "FE"])
    lookup, counts = lookup_of(log), log.variants.counts
    noise = sign * (1 + np.arange(len(lookup.cases)) % 3)
    rng = np.random.default_rng(15)
    expected = [loop_of_the_specification(noise, lookup, counts, rng, profile, sign) for _ in range(1500)]
    moves = [plan_moves(log.variants, lookup, noise, "sampling", profile, rng) for _ in range(1500)]
    found = [tuple((m.drawn_copies if sign > 0 else m.drawn_deletions).tolist()) for m in moves]
    common = [outcome for outcome in set(expected) if expected.count(outcome) + found.count(outcome) >= 20]
    assert len(common) >= 8
    table = [[*map(side.count, common), len(side) - sum(map(side.count, common))] for side in (expected, found)]
    assert chi2_contingency(np.array(table)[:, np.any(table, axis=0)]).pvalue > 1e-3


def test_the_code_acts_only_on_variants_drawn_for_both_and_deletes_one_at_most():
    rng = np.random.default_rng(10)
    log = log_of(["AB"] * 50 + ["AC"] * 50 + ["D"] * 50)
    lookup = lookup_of(log)
    for _ in range(200):
        noise = draw_noise(len(lookup.cases), 0.2, "sampling", "code", rng)
        moves = plan_moves(log.variants, lookup, noise, "sampling", "code", rng)
        both = (moves.drawn_copies > 0) & (moves.drawn_deletions > 0)
        net = moves.drawn_copies - moves.drawn_deletions
        assert (moves.copies == np.where(both & (net > 0), net, 0)).all()
        assert (moves.deletions == np.where(both & (net < 0), 1, 0)).all()


def test_the_paper_nets_copies_and_deletions_and_stops_at_the_last_case():
    rng = np.random.default_rng(11)
    lookup = lookup_of(LOG)
    for _ in range(200):
        noise = draw_noise(len(lookup.cases), 0.1, "sampling", "paper", rng)
        moves = plan_moves(LOG.variants, lookup, noise, "sampling", "paper", rng)
        net = moves.drawn_copies - moves.drawn_deletions
        assert (moves.copies == np.maximum(net, 0)).all()
        assert (moves.deletions == np.minimum(np.maximum(-net, 0), LOG.variants.counts)).all()


def test_oversampling_copies_all_that_was_drawn_and_deletes_nothing():
    for profile in ("code", "paper"):
        rng = np.random.default_rng(12)
        lookup = lookup_of(LOG)
        noise = draw_noise(len(lookup.cases), 0.2, "oversampling", profile, rng)
        moves = plan_moves(LOG.variants, lookup, noise, "oversampling", profile, rng)
        assert (moves.copies == moves.drawn_copies).all()
        assert not moves.deletions.any()


def moves_of(copies: list[int], deletions: list[int]) -> Moves:
    nothing = np.zeros(len(copies), dtype=np.int64)
    return Moves(nothing, nothing, nothing, np.array(copies), np.array(deletions))


def test_cases_are_moved_by_variant_and_copies_stand_behind():
    sources = move_cases(LOG.variants, moves_of([4, 0, 0], [0, 1, 1]), np.random.default_rng(13))
    originals, copies = sources[:4], sources[4:]
    assert len(sources) == 4 + 4
    assert (np.diff(originals) > 0).all()
    assert (LOG.variants.of_case[copies] == 0).all()
    assert np.bincount(LOG.variants.of_case[originals], minlength=3).tolist() == [3, 0, 1]


def test_every_case_of_a_variant_is_as_likely_copied_or_deleted():
    copied, deleted = np.zeros(6), np.zeros(6)
    rng = np.random.default_rng(14)
    for _ in range(3000):
        sources = move_cases(LOG.variants, moves_of([2, 0, 0], [0, 0, 1]), rng)
        copied += np.bincount(sources[5:], minlength=6)
        deleted += np.bincount(sources[:5], minlength=6) == 0
    assert chisquare(copied[[0, 2, 4]]).pvalue > 1e-3
    assert chisquare(deleted[[3, 5]]).pvalue > 1e-3
    assert copied[[1, 3, 5]].sum() == deleted[[0, 1, 2, 4]].sum() == 0
