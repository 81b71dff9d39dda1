"""What is audited of the trace-variant query."""

from __future__ import annotations

import numpy as np

from baselines.tvq import anonymize, query
from data.log import EventLog
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, alphabet, composed, deep, isolated
from mechanisms.observations import EMPTY, RELEASED, Draws

PUBLISHED, ACCOUNTED = {"profile": "published"}, {"profile": "accounted"}


def sample(log: EventLog, draws: int, rng: np.random.Generator, **parameters) -> Draws:
    """Many answers to one query, as `mechanisms.audit.Audit` wants them."""
    found, _, _ = query(log, **parameters, answers=draws, rng=rng)
    filled = np.flatnonzero(found.lengths)  # as in the release, which holds no empty case
    width = int(found.lengths.max(initial=0))
    padded = np.full((len(found), width), -1)
    padded[np.arange(width) < found.lengths[:, None]] = found.activities
    sequences, variant = np.unique(padded[filled], axis=0, return_inverse=True)
    ends = np.full(draws, EMPTY)
    ends[found.answers[filled]] = RELEASED
    names = tuple(tuple(log.labels[code] for code in row[row >= 0]) for row in sequences)
    return Draws(ends, names, found.answers[filled], variant.ravel(), found.counts[filled])


def _audit(pair: Pair, levels: int, settings: dict[str, str], unit: str) -> Audit:
    return Audit(
        name=f"{settings['profile']}-{pair.name}",
        settings=settings,
        parameters={"epsilon": 1.0, "max_length": levels, "pruning": 1, **settings},
        pair=pair,
        anonymize=anonymize,
        unit=unit,
        sample=sample,
    )


PAIRS = ((isolated(), 2), (composed(), 2), (deep(4), 5))

AUDITS = (
    *(_audit(pair, levels, PUBLISHED, "one count") for pair, levels in (*PAIRS, (alphabet(), 2))),
    *(_audit(pair, levels, ACCOUNTED, "one case") for pair, levels in PAIRS),
)
