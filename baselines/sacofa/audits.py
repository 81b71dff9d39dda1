"""What is audited of SaCoFa."""

from __future__ import annotations

import numpy as np

from baselines.sacofa import anonymize, noisy_variants
from data.log import EventLog
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, alphabet, composed, deep, empty, isolated, one_case_more, pruned
from mechanisms.observations import Draws, draws_of_counts

PRUNING = 3  # of the pair that is about it: a conforming prefix needs 2 cases


def relations() -> Pair:
    """One case turns the relations of two activities around, which decide what gets noise."""
    return one_case_more("relations", ["aba"] * 7, "ba", "ab")


def sample(log: EventLog, draws: int, rng: np.random.Generator, **parameters) -> Draws:
    """Many answers to one query, as `mechanisms.audit.Audit` wants them."""
    found = noisy_variants(log, **parameters, answers=draws, rng=rng)[0]
    return draws_of_counts((found.activities, found.offsets), found.counts, found.answers, log.labels, draws)


def _audit(pair: Pair, levels: int, pruning: int = 1) -> Audit:
    return Audit(
        name=pair.name,
        settings={"mode": "ba_prune"},
        parameters={"epsilon": 1.0, "max_length": levels, "pruning": pruning, "mode": "ba_prune"},
        pair=pair,
        anonymize=anonymize,
        unit="one count",
        sample=sample,
    )


AUDITS = (
    _audit(isolated(), 2),
    _audit(composed(), 2),
    _audit(deep(3), 4),
    _audit(pruned(2), 2, PRUNING),
    _audit(relations(), 4),
    _audit(alphabet(), 2),
    _audit(empty(), 2),
)
