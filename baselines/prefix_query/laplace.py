"""The Laplace trace-variant query over the prefix tree.

Mannhardt, Koschmider, Baracaldo, Weidlich, Michael: "Privacy-Preserving Process Mining" (BISE 2019), in two published
forms. `full-prune` is what the code of PRIPEL (Fahrenkrog-Petersen, van der Aa, Weidlich, BPM 2020) and pm4py compute:
every count below the threshold goes, and what is still open after the last level is dropped. END takes up one level,
so a released variant has at most ``levels - 1`` activities. `keep-end` is the Laplace baseline in the code of SaCoFa
(ICPM 2021): ended prefixes and the last level are kept from count 1 on, and open prefixes are released as if they were
whole variants.
"""

from __future__ import annotations

import math

import numpy as np

from baselines.prefix_query.absent import draw_absent
from baselines.prefix_query.growth import EMPTY, MAX_PREFIXES, Cap, Ended, Prefixes, VariantCounts, grow
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.tree import NOWHERE, PrefixCounts
from mechanisms import Infeasible

STYLES = ("full-prune", "keep-end")
NEGLIGIBLE = 1e-9  # prefixes to be expected


def trace_variant_query(
    tree: PrefixCounts,
    *,
    levels: int,
    pruning: int,
    noise: Noise,
    style: str = "full-prune",
    max_prefixes: int = MAX_PREFIXES,
    answers: int = 1,
    rng: np.random.Generator,
) -> VariantCounts:
    """Noisy counts of variants.

    Parameters
    ----------
    tree : PrefixCounts
        Counts of the prefixes of up to `levels` activities.
    levels : int
        Symbols of the longest sequence, END included.
    pruning : int
        Smallest count, of at least 1, that keeps a prefix open.
    noise : Noise
        Of every level.
    style : {"full-prune", "keep-end"}
    max_prefixes : int
        Most prefixes to keep, of all lengths together, open or ended.
    answers : int
        How many independent answers to draw at once, which is much faster than one by one on a small log.
    rng : numpy.random.Generator

    Returns
    -------
    VariantCounts
        Prefixes of real cases come first, so whatever is released must be shuffled.

    Raises
    ------
    Infeasible
        If more prefixes are to be expected than are allowed, or more are drawn.
    """
    keep_end = style == "keep-end"
    to_end = 1 if keep_end else pruning
    _check_size(tree, levels, pruning, to_end, noise, max_prefixes)
    cap = Cap(max_prefixes * answers)

    def draw(lengths: list[Prefixes], last: bool) -> tuple[Prefixes, Ended]:
        alive = lengths[-1]
        ended = _ended(tree, alive, to_end, noise, cap, rng)
        if last and not keep_end:
            return EMPTY, ended
        return _extended(tree, alive, 1 if last else pruning, noise, cap, rng), ended

    return grow(draw, levels, cap, release_open=keep_end, answers=answers)


def expected_prefixes(tree: PrefixCounts, levels: int, pruning: int, to_end: int, noise: Noise) -> float:
    """About how many prefixes a query keeps, open or ended.

    Every kept prefix has on average ``activities * noise.tail(pruning)`` extensions without cases that are kept; if
    these are more than one, the number of prefixes grows exponentially with their length.

    Parameters
    ----------
    to_end : int
        Smallest count that keeps an ended prefix: 1 also keeps the open prefixes of the last level.
    tree, levels, pruning, noise
        As in `trace_variant_query`.
    """
    real = np.add.reduceat((tree.counts >= pruning).astype(np.int64), tree.depths[:-1]).tolist()
    false, total = 0.0, 0.0
    for level in range(1, levels + 1):
        alive = false + (real[level - 1] if level <= len(real) else 0)
        false = alive * tree.n_activities * noise.tail(pruning if level < levels else 1)
        total += alive * noise.tail(to_end)
        if level < levels or to_end == 1:
            total += false + (real[level] if level < len(real) else 0)
        if math.isinf(total) or (level >= len(real) and alive < NEGLIGIBLE):
            break
    return total


def _check_size(tree: PrefixCounts, levels: int, pruning: int, to_end: int, noise: Noise, allowed: int) -> None:
    expected = expected_prefixes(tree, levels, pruning, to_end, noise)
    if expected > allowed:
        branching = tree.n_activities * noise.tail(pruning)
        found = f"about {expected:.3g} prefixes are to be expected, {allowed} are allowed (max_prefixes)"
        if branching <= 1:  # it is the log that has so many prefixes
            raise Infeasible(f"{found}; raise pruning or lower max_length")
        least = 1 + math.ceil(math.log(tree.n_activities * noise.tail(1)) / noise.epsilon)
        raise Infeasible(
            f"{found}: noise alone keeps {branching:.3g} extensions of every prefix; raise pruning to {least} cases "
            "or more, or epsilon, or lower max_length"
        )


def _extended(
    tree: PrefixCounts, alive: Prefixes, threshold: int, noise: Noise, cap: Cap, rng: np.random.Generator
) -> Prefixes:
    """The kept extensions of the alive prefixes by one activity."""
    parents, nodes = tree.children(alive.nodes)
    counts = noise.noisy(tree.counts[nodes], rng)
    kept = counts >= threshold
    cap.keep(int(kept.sum()))
    absent = tree.absent(alive.nodes)
    ends = np.cumsum(absent)
    chosen, other_counts = draw_absent(int(ends[-1]), threshold, noise, cap, rng)
    others = np.searchsorted(ends, chosen, side="right")
    other_activities = tree.absent_activities(alive.nodes[others], chosen - (ends - absent)[others])
    return Prefixes(
        np.concatenate((parents[kept], others)),
        np.concatenate((tree.activities[nodes[kept]], other_activities)),
        np.concatenate((nodes[kept], np.full(len(others), NOWHERE))),
        np.concatenate((counts[kept], other_counts)),
    )


def _ended(
    tree: PrefixCounts, alive: Prefixes, threshold: int, noise: Noise, cap: Cap, rng: np.random.Generator
) -> Ended:
    """The alive prefixes that are released as whole variants."""
    ending = tree.ending(alive.nodes)
    parents = np.flatnonzero(ending)
    counts = noise.noisy(ending[parents], rng)
    kept = counts >= threshold
    cap.keep(int(kept.sum()))
    absent = np.flatnonzero(ending == 0)
    chosen, other_counts = draw_absent(len(absent), threshold, noise, cap, rng)
    return Ended(np.concatenate((parents[kept], absent[chosen])), np.concatenate((counts[kept], other_counts)))
