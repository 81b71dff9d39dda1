"""The attack on presence: a case whose trace no other case has is in the log if its trace is released.

Attack h1 of Elkoumy, Pankova, Dumas (Information Systems 2022), whose attacker knows the trace and all other cases. How
often he is wrong about a case that is not in the log is measured on decoys: traces that no case has, one swap or loss
of an event away from a target. A release of epsilon-differential privacy allows an advantage of tanh(epsilon / 2).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

DECOYS = 4  # places of a trace that are changed, at most


def _attack(name: str, title: str, identity: float, low: float, blind_to: str) -> Metric:
    return Metric(
        name=name, title=title, unit="", low=low, high=1.0, identity=identity, doubled=None, empty=0.0, group="attack",
        blind_to=blind_to,
    )  # fmt: skip


METRICS = (
    _attack("presence_found", "Unique cases found by their trace", 1.0, 0.0, "cases that share their trace, and times"),
    _attack("presence_decoys", "Decoys found by their trace", 0.0, 0.0, "decoys that are less like a case"),
    _attack(
        "presence_advantage",
        "Presence: advantage",
        1.0,
        -1.0,
        "cases that share their trace, times, and counts of a trace; decoys stand for cases that are not in the log",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Shares of the unique cases, and of decoys, whose trace is released; their difference."""
    variants = align(original, release).variants
    targets = np.flatnonzero(variants.original == 1)
    if not len(targets):
        nothing = not_applicable("every case shares its trace with another")
        return {metric.name: nothing for metric in METRICS}
    found = float((variants.release[targets] > 0).mean())
    own = {variants.traces[place] for place in np.flatnonzero(variants.original)}
    released = {variants.traces[place] for place in np.flatnonzero(variants.release)}
    shares = []
    for place in targets.tolist():
        decoys = set(_decoys(variants.traces[place])) - own
        if decoys:
            shares.append(len(decoys & released) / len(decoys))
    if not shares:
        nothing = not_applicable("every trace near a unique one is that of a case")
        return {"presence_found": found, "presence_decoys": nothing, "presence_advantage": nothing}
    wrong = float(np.mean(shares))
    return {"presence_found": found, "presence_decoys": wrong, "presence_advantage": found - wrong}


def _decoys(trace: str) -> Iterator[str]:
    """The trace with two neighbours swapped, and with an event lost, at places spread over it."""
    size = len(trace)
    for place in sorted({size * part // DECOYS for part in range(DECOYS)}):
        yield trace[:place] + trace[place + 1 :]
        yield trace[:place] + trace[place : place + 2][::-1] + trace[place + 2 :]
