"""Re-identification by partial background knowledge: who knows a little of a case picks it from the release.

The attacker knows some activities of the original case: its first ones, some distinct ones, those of some events, or
these in their order (`metrics.knowledge`); with times: `metrics.attack_background_times`. Of the released cases that
fit he picks one at random; none fits: he abstains. Success is how often it is the case that he looks for, or a copy of
it; where the log tells persons apart, a case of the same person. The prior is how often a case picked at random is.

The style is that of the published measures of re-identification risk (Nuñez von Voigt et al., CAiSE 2020; Rafiei, van
der Aalst, arXiv 2012.12031), which however measure one log alone (`metrics.exposure`): here knowledge is of the
original, and is looked up in the release, where it may be wrong. Then the advantage is negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from data.log import EventLog
from metrics.knowledge import traces_of
from metrics.linkage import attack, attacks, declared, linkage, marked, persons_of, prior, values, victims_of
from metrics.links import NO_ORIGINS
from metrics.metric import Value, unless_empty
from metrics.pair import align

TITLES = {
    "prefix": "first activities",
    "set": "activities",
    "multiset": "events",
    "sequence": "events in order",
}

ATTACKS = attacks(TITLES)
METRICS = (
    attack("linkage_targets", "Cases that are looked for", high=float("inf"), empty=None),
    attack("linkage_prior", "Re-identified by picking at random"),
    *declared(TITLES),
)


@unless_empty(METRICS)
def score(
    original: EventLog, release: EventLog, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """Success for each kind and size of knowledge, the prior, and at the main size all that is told of it."""
    if origins is None:
        return {metric.name: NO_ORIGINS for metric in METRICS}
    pair, seed = align(original, release), record["seed"]
    known, released = traces_of((original, pair.original.activities), (release, pair.release.activities))
    persons, victims = persons_of(original), victims_of(original, seed)
    chance = prior(persons, origins, victims)
    found: dict[str, Value] = {"linkage_prior": chance}
    for kind in TITLES:
        link = partial(linkage, known, released, origins, kind, seed=seed, persons=persons, victims=victims)
        found |= values(kind, link, chance)
    return {"linkage_targets": float(len(victims))} | marked(found, len(victims), original.n_cases)
