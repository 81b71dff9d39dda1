"""What is audited of the trace-variant query."""

from __future__ import annotations

import numpy as np

from baselines.tvq import anonymize, query
from data.log import EventLog
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, alphabet, composed, deep, empty, isolated, pruned, replaced
from mechanisms.observations import Draws, draws_of_counts

PUBLISHED, ACCOUNTED = {"profile": "published"}, {"profile": "accounted"}
THRESHOLD = 5  # of the pair that is about it


def sample(log: EventLog, draws: int, rng: np.random.Generator, **parameters) -> Draws:
    """Many answers to one query, as `mechanisms.audit.Audit` wants them."""
    found, *_, labels = query(log, **parameters, answers=draws, rng=rng)
    return draws_of_counts((found.activities, found.offsets), found.counts, found.answers, labels, draws)


def _audit(pair: Pair, levels: int, settings: dict[str, str], unit: str, pruning: int = 1, **more) -> Audit:
    return Audit(
        name=f"{settings['profile']}-{pair.name}",
        settings=settings,
        parameters={"epsilon": 1.0, "max_length": levels, "pruning": pruning, **settings, **more},
        pair=pair,
        anonymize=anonymize,
        unit=unit,
        sample=sample,
    )


PAIRS = (
    (isolated(), 2, 1),
    (composed(), 2, 1),
    (deep(4), 5, 1),
    (pruned(THRESHOLD), 2, THRESHOLD),
    (empty(), 2, 1),
    (replaced(), 2, 1),
)

AUDITS = (
    *(_audit(pair, levels, PUBLISHED, "one count", least) for pair, levels, least in (*PAIRS, (alphabet(), 2, 1))),
    *(_audit(pair, levels, ACCOUNTED, "one case", least) for pair, levels, least in PAIRS),
    _audit(alphabet(), 2, ACCOUNTED, "one case", alphabet=("a", "b")),
)
