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

DENSE_PAIRS = 1_000_000  # up to here all arcs at once are faster than pricing
TOLERANCE = 1e-6  # bounds closer than this count as met
ROUNDS = 30  # a limit in rounds, not in seconds: the value must not depend on the machine
BLOCK = 1_000  # sources whose distances are held as floats at a time
ARCS_PER_SOURCE, ARCS_PER_TARGET = 20, 2


class TransportError(ArithmeticError):
    """The solver did not reach the optimum, or its potentials contradict it."""


@dataclass(frozen=True)
class Bracket:
    """Certified bounds of a distance."""

    lower: float
    upper: float

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
        for start in range(0, self.shape[0], BLOCK):
            rows = slice(start, start + BLOCK)
            yield rows, self._ground(self._edits[rows], self._source_lengths[rows, None], self._target_lengths)

    def of(self, arcs: np.ndarray) -> np.ndarray:
        """Distances of the given arcs, numbered row by row, float64."""
        rows, columns = np.divmod(arcs, self.shape[1])
        return self._ground(self._edits.ravel()[arcs], self._source_lengths[rows], self._target_lengths[columns])


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
    total = p.sum()
    p_mass, q_mass = p / total, q / total
    if costs.size <= DENSE_PAIRS:
        arcs = np.arange(costs.size)
    else:
        arcs = np.union1d(_first_arcs(costs), _staircase(p, q, costs.shape[1]))
    for _ in range(ROUNDS):
        upper, u, v = _solve(p_mass, q_mass, arcs, costs)
        lower, violated = _price(p_mass, q_mass, u, v, costs)
        print(len(arcs), lower, upper, len(violated))
        bracket = Bracket(lower, upper)
        if bracket.met:
            break
        if not len(violated):
            raise TransportError(f"the potentials prove {lower}, but the solver claims {upper}")
        arcs = np.union1d(arcs, violated)
    return bracket


def _lengths(traces: Sequence[str]) -> np.ndarray:
    return np.fromiter(map(len, traces), dtype=np.int64, count=len(traces))


def _solve(p: np.ndarray, q: np.ndarray, arcs: np.ndarray, costs: Costs) -> tuple[float, np.ndarray, np.ndarray]:
    """Cost and potentials of the cheapest plan on the given arcs."""
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
        warnings.simplefilter("ignore")
        cost, log = ot.emd2(p, q, matrix, numItermax=10**9, log=True)
    if log["warning"]:
        raise TransportError(f"the solver stopped early: {log['warning']}")
    return float(cost), log["u"], log["v"]


def _price(
    p: np.ndarray, q: np.ndarray, u: np.ndarray, v: np.ndarray, costs: Costs
) -> tuple[float, np.ndarray]:
    """Lower bound by the potentials made feasible, and arcs that violate them most."""
    f = np.empty(len(p))
    arcs = []
    for rows, block in costs.blocks():
        block -= v
        f[rows] = block.min(axis=1)
        block -= u[rows, None]
        arcs.append(_cheapest(block, -1e-9) + rows.start * len(q))
    g = np.full(len(q), np.inf)
    for rows, block in costs.blocks():
        np.minimum(g, (block - f[rows, None]).min(axis=0), out=g)
    return float(f @ p + g @ q), np.concatenate(arcs)


def _first_arcs(costs: Costs) -> np.ndarray:
    return np.concatenate(
        [_cheapest(block, np.inf) + rows.start * costs.shape[1] for rows, block in costs.blocks()]
    )


def _cheapest(block: np.ndarray, below: float) -> np.ndarray:
    """Numbers of the cheapest arcs of each source and of each target in a block, as far as below a limit."""
    per_source, per_target = min(ARCS_PER_SOURCE, block.shape[1]), min(ARCS_PER_TARGET, block.shape[0])
    columns = np.argpartition(block, per_source - 1, axis=1)[:, :per_source]
    rows = np.argpartition(block, per_target - 1, axis=0)[:per_target]
    width = block.shape[1]
    arcs = np.concatenate(
        ((np.arange(len(block))[:, None] * width + columns).ravel(), (rows * width + np.arange(width)).ravel())
    )
    return arcs[block.ravel()[arcs] < below]


def _staircase(p: np.ndarray, q: np.ndarray, width: int) -> np.ndarray:
    """Arcs of the north-west-corner plan, which make the problem feasible."""
    p_sums, q_sums = np.cumsum(p), np.cumsum(q)
    steps = np.union1d(p_sums, q_sums)
    return np.searchsorted(p_sums, steps) * width + np.searchsorted(q_sums, steps)
