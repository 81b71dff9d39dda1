"""Bounds of the earth mover's distance between distributions over more traces than can be compared pairwise.

The mass of both sides is cut at random into blocks of equal mass, so that all blocks together have no more than
`MAX_PAIRS` pairs of traces, and each block is solved exactly. Their plans together are a plan, which bounds the
distance from above. The blocks' potentials of all targets bound it from below by duality, once the sources' potentials
are made feasible for all targets (c-transform); that is done for a sample of sources, so the lower bound is that of the
sample's mean less `DEVIATIONS` standard errors.

The middle of the bounds is mostly much closer to the distance than they are: see benchmarks/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from metrics.transport import MAX_PAIRS, Bracket, Costs, GroundDistance, transport

SAMPLE = 1_000  # sources
DEVIATIONS = 3
SHRUNK = (0, 0.5, 0.8, 1)  # of the blocks' potentials, which fit their own sources best and others less
SEED = 0  # the same logs have the same bounds


def block_bracket(
    p: np.ndarray, q: np.ndarray, sources: Sequence[str], targets: Sequence[str], ground: GroundDistance
) -> Bracket:
    """Bounds of the earth mover's distance.

    Parameters
    ----------
    p, q : int64 arrays (sources,), (targets,)
        Positive masses of equal sum.
    sources, targets : sequences of str
        The traces that carry them, one character an activity.
    ground : callable
        `steinhaus` or `over_longer`.
    """
    rng = np.random.default_rng(SEED)
    total = int(p.sum())
    upper, prices = 0.0, np.zeros(len(q))
    for (rows, p_part), (columns, q_part) in _blocks(p, q, -(-len(p) * len(q) // MAX_PAIRS), rng):
        costs = Costs([sources[row] for row in rows], [targets[column] for column in columns], ground)
        block = transport(p_part, q_part, costs)
        upper += block.upper * int(p_part.sum()) / total
        # Potentials are known up to a constant, which must not differ from block to block.
        prices[columns] += q_part * (block.potentials - block.potentials @ q_part / q_part.sum())
    lower = _lower(p, q, prices / q, sources, targets, ground, rng)
    return Bracket(min(lower, upper), upper, prices / q)


def _blocks(
    p: np.ndarray, q: np.ndarray, count: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[np.ndarray, np.ndarray], ...]]:
    """Indices, rising, and masses of the sources and of the targets of each block; a trace may be in two."""
    sides = [(order, np.cumsum(masses[order]), masses) for masses in (p, q) for order in [rng.permutation(len(masses))]]
    edges = [int(p.sum()) * number // count for number in range(count + 1)]
    for low, high in pairwise(edges):
        yield tuple(_between(low, high, *side) for side in sides)


def _between(
    low: int, high: int, order: np.ndarray, ends: np.ndarray, masses: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The traces, and the masses, that lie between two points of all mass in an order."""
    inside = np.minimum(ends, high) - np.maximum(ends - masses[order], low)
    chosen = np.flatnonzero(inside > 0)
    rising = chosen[np.argsort(order[chosen])]
    return order[rising], inside[rising]


def _lower(
    p: np.ndarray,
    q: np.ndarray,
    prices: np.ndarray,
    sources: Sequence[str],
    targets: Sequence[str],
    ground: GroundDistance,
    rng: np.random.Generator,
) -> float:
    """The best lower bound that the prices of the targets, shrunk or not, prove for the sampled sources."""
    sampled = rng.choice(len(p), size=SAMPLE, p=p / p.sum())
    found = []
    for part in np.array_split(sampled, -(-SAMPLE * len(q) // MAX_PAIRS)):
        costs = Costs([sources[row] for row in part], targets, ground)
        found += [[(block - shrunk * prices).min(axis=1) for shrunk in SHRUNK] for _, block in costs.blocks()]
    bounds = []
    for shrunk, least in zip(SHRUNK, np.concatenate(found, axis=1), strict=True):
        error = DEVIATIONS * least.std(ddof=1) / np.sqrt(SAMPLE)
        bounds.append(least.mean() - error + shrunk * (prices @ q) / q.sum())
    return max(0.0, *map(float, bounds))
