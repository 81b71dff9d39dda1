"""Bounds of the earth mover's distance between distributions over more traces than can be compared pairwise.

Each side is coarsened to its heaviest traces, the landmarks, every other trace moving to its nearest one. For a
metric ground distance the triangle inequality bounds the error by the cost of the moves. The lower bound is
sharpened by Kantorovich-Rubinstein duality: the least of distance minus price over the landmarks is a function
with Lipschitz constant 1, whose difference of means no plan can undercut.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.transport import Bracket, Costs, steinhaus, transport

LANDMARKS = 1_000  # a side


def landmark_bracket(p: np.ndarray, q: np.ndarray, sources: Sequence[str], targets: Sequence[str]) -> Bracket:
    """Bounds of the earth mover's distance with ground distance `steinhaus`.

    Parameters
    ----------
    p, q : int64 arrays (sources,), (targets,)
        Positive masses of equal sum.
    sources, targets : sequences of str
        The traces that carry them, one character an activity.
    """
    total = p.sum()
    source_marks, source_masses, source_moves = _coarsen(p, sources)
    target_marks, target_masses, target_moves = _coarsen(q, targets)
    coarse = transport(source_masses, target_masses, Costs(source_marks, target_marks, steinhaus))
    moves = (source_moves + target_moves) / total
    dual = p @ _lipschitz(sources, target_marks, coarse) - q @ _lipschitz(targets, target_marks, coarse)
    return Bracket(max(coarse.lower - moves, float(dual / total)), coarse.upper + moves, coarse.potentials)


def _coarsen(masses: np.ndarray, traces: Sequence[str]) -> tuple[list[str], np.ndarray, float]:
    """The landmarks of one side, the mass that ends at each, and the cost of moving it there."""
    heaviest = np.sort(np.argsort(-masses, kind="stable")[:LANDMARKS])
    marks = [traces[i] for i in heaviest]
    nearest = np.empty(len(traces), dtype=np.int64)
    distance = np.empty(len(traces))
    for rows, block in Costs(traces, marks, steinhaus).blocks():
        nearest[rows] = block.argmin(axis=1)
        distance[rows] = block.min(axis=1)
    return marks, np.bincount(nearest, masses).astype(np.int64), float(masses @ distance)


def _lipschitz(traces: Sequence[str], marks: Sequence[str], coarse: Bracket) -> np.ndarray:
    return np.concatenate(
        [(block - coarse.potentials).min(axis=1) for _, block in Costs(traces, marks, steinhaus).blocks()]
    )
