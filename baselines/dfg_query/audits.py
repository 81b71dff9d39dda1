"""What is audited of the directly-follows query."""

from __future__ import annotations

import numpy as np

from baselines.dfg_query import PROFILES, anonymize, noisy_pairs
from data.log import EventLog
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, alphabet, deep, empty, isolated, one_case_more, replaced
from mechanisms.observations import Draws, draws_of_pairs

UNITS = {"published": "one pair of events", "accounted": "one case"}


def pairs() -> Pair:
    """A case of four pairs, its start and its end counted, each of them its own."""
    return one_case_more("pairs", ["b"] * 20, "abc", "abc")


def sample(log: EventLog, draws: int, rng: np.random.Generator, **parameters) -> Draws:
    """Many answers to one query, as `mechanisms.audit.Audit` wants them."""
    found = noisy_pairs(log, **parameters, answers=draws, rng=rng)
    return draws_of_pairs(found.numbers, found.frequencies, found.answers, found.labels, draws)


def _audit(pair: Pair, length: int, profile: str, **more) -> Audit:
    return Audit(
        name=f"{profile}-{pair.name}",
        settings={"profile": profile},
        parameters={"epsilon": 1.0, "profile": profile, "max_length": length, **more},
        pair=pair,
        anonymize=anonymize,
        unit=UNITS[profile],
        sample=sample,
    )


PAIRS = ((pairs(), 3), (isolated(), 1), (deep(4), 4), (empty(), 1), (replaced(), 1))

AUDITS = (
    *(_audit(pair, length, profile) for profile in PROFILES for pair, length in PAIRS),
    _audit(alphabet(), 1, "published"),
    _audit(alphabet(), 1, "accounted", alphabet=("a", "b")),
)
