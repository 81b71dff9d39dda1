"""Earth mover's distance between two distributions over traces, with bounds that certify it.

One scheme serves every size: solve the transport problem on some of the arcs, which bounds the distance from
above; make its potentials feasible for all arcs (c-transform), which bounds it from below; add arcs that violate
the potentials and repeat until the bounds meet. With all arcs at once it is a plain solution with its proof.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

GroundDistance = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

MAX_PAIRS = 100_000_000  # up to a minute, 0.6 GB; beyond, bounds (`metrics.blocks`)
DENSE_PAIRS = 1_000_000  # up to here all arcs at once are faster than pricing
TOLERANCE = 1e-6  # bounds closer than this count as met
ROUNDS = 50  # a limit in rounds, not in seconds: the value must not depend on the machine
STEP = 0.8  # from the best proof to the latest potentials; 1 needs over 30 rounds on degenerate problems, .5 some 15
BLOCK_PAIRS = 4_000_000  # distances held as floats at a time
ARCS_PER_SOURCE = 20


class TransportError(ArithmeticError):
    """The solver did not reach the optimum, or its potentials contradict it."""


@dataclass(frozen=True, eq=False)
class Bracket:
    """Certified bounds of a distance per unit of mass.

    Attributes
    ----------
    lower, upper : float
    potentials : float64 array (targets,)
        Prices of the targets that prove the lower bound.
    """

    lower: float
    upper: float
    potentials: np.ndarray

    @property
    def met(self) -> bool:
        """Whether the bounds determine the distance."""
        return self.upper - self.lower < TOLERANCE


def steinhaus(edits: np.ndarray, source_lengths: np.ndarray, target_lengths: np.ndarray) -> np.ndarray:
    """Levenshtein distance scaled to [0, 1] such that it stays a metric: 2 lev / (length + length + lev).

    Li and Liu, A normalized Levenshtein distance metric, IEEE TPAMI 29(6), 2007.
    """
    return 2.0 * edits / (source_lengths + target_lengths + edits)


def over_longer(edits: np.ndarray, source_lengths: np.ndarray, target_lengths: np.ndarray) -> np.ndarray:
    """Levenshtein distance over the longer length; not a metric: ab, aba, ba give 1 > 1/3 + 1/3.

    Leemans, Syring, van der Aalst, Earth movers' stochastic conformance checking, BPM Forum 2019.
    """
    return edits / np.maximum(source_lengths, target_lengths)


class Costs:
    """Ground distances of traces, kept as edit distances (one byte a pair) and scaled block by block.

    Parameters
    ----------
    sources, targets : sequences of str
        Traces, one character an activity, none empty.
    ground : callable
        `steinhaus` or `over_longer`.
    """

    def __init__(self, sources: Sequence[str], targets: Sequence[str], ground: GroundDistance) -> None:
        self._ground = ground
        self._source_lengths, self._target_lengths = _lengths(sources), _lengths(targets)
        longest = max(self._source_lengths.max(), self._target_lengths.max())
        self._edits = cdist(sources, targets, scorer=Levenshtein.distance, dtype=np.min_scalar_type(longest))
        self.shape = self._edits.shape
        self.size = self._edits.size

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows and their distances, float64 (rows, targets), one block after the other."""
        height = max(1, BLOCK_PAIRS // self.shape[1])
        for start in range(0, self.shape[0], height):
            rows = slice(start, start + height)
            yield rows, self._ground(self._edits[rows], self._source_lengths[rows, None], self._target_lengths)

    def of(self, arcs: np.ndarray) -> np.ndarray:
        """Distances of the given arcs, numbered row by row, float64."""
        rows, columns = np.divmod(arcs, self.shape[1])
        return self._ground(self._edits.ravel()[arcs], self._source_lengths[rows], self._target_lengths[columns])


def support(masses: np.ndarray, traces: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The positive masses and their traces, in lexicographic order, so that neighbours are alike."""
    order = sorted(np.flatnonzero(masses).tolist(), key=traces.__getitem__)
    return masses[order], [traces[i] for i in order]


def transport(p: np.ndarray, q: np.ndarray, costs: Costs) -> Bracket:
    """Earth mover's distance of two distributions, as bounds that meet unless the rounds run out.

    Parameters
    ----------
    p, q : int64 arrays (sources,), (targets,)
        Positive masses of equal sum.
    costs : Costs
        Distances of one unit of mass.

    Raises
    ------
    TransportError
        If the solver warns or its potentials contradict its value.
    """
    masses = np.concatenate((p, q)) / p.sum()
    proof, nearest = _price(masses, np.zeros(len(masses)), costs, below=np.inf)
    dense = costs.size <= DENSE_PAIRS
    arcs = np.arange(costs.size) if dense else np.union1d(nearest, _staircase(p, q))
    for _ in range(ROUNDS):
        upper, potentials = _solve(masses, arcs, costs)
        # Potentials of degenerate plans leap from round to round; those near the best proof so far do not.
        step = 1 if len(arcs) == costs.size else STEP
        feasible, violated = _price(masses, step * potentials + (1 - step) * proof, costs, below=-1e-9)
        proof = max(proof, feasible, key=masses.__matmul__)
        bracket = Bracket(float(proof @ masses), upper, proof[len(p) :])
        if bracket.met:
            break
        if len(arcs) == costs.size:
            raise TransportError(f"the potentials prove only {bracket.lower}, but the solver claims {upper}")
        arcs = np.union1d(arcs, violated)
    return bracket


def _lengths(traces: Sequence[str]) -> np.ndarray:
    return np.fromiter(map(len, traces), dtype=np.int64, count=len(traces))


def _solve(masses: np.ndarray, arcs: np.ndarray, costs: Costs) -> tuple[float, np.ndarray]:
    """Cost of the cheapest plan on the given arcs, and its potentials of sources and targets."""
    import ot  # 1.4 s, so only where there is something to solve
    from scipy.sparse import coo_matrix

    values = costs.of(arcs)
    if len(arcs) == costs.size:
        matrix = values.reshape(costs.shape)
    else:
        # A cost of 0 would be lost in the sparse form.
        matrix = coo_matrix((np.maximum(values, 1e-15), np.divmod(arcs, costs.shape[1])), shape=costs.shape)
    # The default limit of 100,000 iterations stops below the optimum on logs of some thousand variants.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # raised below
        log = ot.emd(*np.split(masses, costs.shape[:1]), matrix, numItermax=10**9, log=True)[1]
    if log["warning"]:
        raise TransportError(f"the solver stopped early: {log['warning']}")
    return float(log["cost"]), np.concatenate((log["u"], log["v"]))


def _price(masses: np.ndarray, potentials: np.ndarray, costs: Costs, below: float) -> tuple[np.ndarray, np.ndarray]:
    """The potentials made feasible for all arcs, and the arcs that are cheapest in relation to them.

    Those are `ARCS_PER_SOURCE` of each source and one of each target, where the cheapest is below a limit.
    """
    u, v = np.split(potentials, costs.shape[:1])
    source_slack, target_slack = np.empty(len(u)), np.full(len(v), np.inf)
    source_of, targets = np.zeros(len(v), dtype=np.int64), np.arange(len(v))
    count = min(ARCS_PER_SOURCE, len(v))
    arcs = []
    for rows, block in costs.blocks():
        block -= u[rows, None] + v
        source_slack[rows] = block.min(axis=1)
        near = np.flatnonzero(source_slack[rows] < below)
        columns = np.argpartition(block[near], count - 1, axis=1)[:, :count]
        arcs.append(((rows.start + near)[:, None] * len(v) + columns).ravel())
        closest = block.argmin(axis=0)
        closer = block[closest, targets] < target_slack
        source_of[closer] = rows.start + closest[closer]
        target_slack[closer] = block[closest, targets][closer]
    arcs.append((source_of * len(v) + targets)[target_slack < below])
    # Either side alone can give way; the one that loses less does.
    by_sources, by_targets = np.concatenate((u + source_slack, v)), np.concatenate((u, v + target_slack))
    return max(by_sources, by_targets, key=masses.__matmul__), np.concatenate(arcs)


def _staircase(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Arcs of the north-west-corner plan, which make the problem feasible."""
    p_sums, q_sums = np.cumsum(p), np.cumsum(q)
    steps = np.union1d(p_sums, q_sums)
    return np.searchsorted(p_sums, steps) * len(q) + np.searchsorted(q_sums, steps)
