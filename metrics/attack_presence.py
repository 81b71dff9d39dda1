"""The attack on presence: a case whose trace no other case has is in the log if its trace is released.

Attack h1 of Elkoumy, Pankova, Dumas (Information Systems 2022), whose attacker knows the trace and all other cases. A
fair coin decides whether the case is in the log. How often he is wrong about a case that is not is measured on decoys:
traces that no case has, one swap or loss of an event away from a target; a mechanism without new variants releases
none, so there this is exact. `mechanisms.presence` measures it on releases of the log without the case. A release of
epsilon-differential privacy allows an advantage of tanh(epsilon / 2).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from data.log import EventLog
from metrics.attack import Attack, better
from metrics.links import NO_ORIGINS
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import SharedVariants, align

DECOYS = 4  # places of a trace that are changed, at most

PRESENCE = Attack(
    name="presence",
    title="Presence",
    family="presence",
    adversary="knows all other cases and the trace of a case, which no other has; says that it is in the log if its "
    "trace is released",
    limit="epsilon",
    blind_to="cases that share their trace, times, and counts of a trace; decoys stand for cases that are not in the "
    "log",
    rates=("found", "decoys"),
    names={"suppressed": "presence_suppressed"},
)
ATTACKS = (PRESENCE,)


def _share(name: str, title: str, identity: float | None, blind_to: str, empty: float) -> Metric:
    return Metric(
        name=name, title=title, high=1.0, identity=identity, doubled=None, empty=empty, group="attack",
        blind_to=blind_to,
    )  # fmt: skip


METRICS = (
    *PRESENCE.metrics,
    _share("presence_found", "Unique cases found by their trace", 1.0, "cases that share their trace, and times", 0.0),
    _share("presence_decoys", "Decoys found by their trace", 0.0, "decoys that are less like a case", 0.0),
    _share("presence_suppressed", "Unique cases that are not released", None, "cases that share their trace", 1.0),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """Shares of the unique cases, and of decoys, whose trace is released, and the record of the attack.

    A case that a mechanism leaves out counts as not found; `presence_suppressed` tells how many are.
    """
    variants = align(original, release).variants
    targets = np.flatnonzero(variants.original == 1)
    if not len(targets):
        nothing = not_applicable("every case shares its trace with another")
        return {metric.name: nothing for metric in METRICS}
    found = variants.release[targets] > 0
    values: dict[str, Value] = {
        "presence_found": float(found.mean()),
        "presence_suppressed": _suppressed(original, origins),
    }
    wrong = _decoys_found(variants, targets)
    tried = ~np.isnan(wrong)
    if not tried.any():
        nothing = not_applicable("every trace near a unique one is that of a case")
        return values | {"presence_decoys": nothing} | PRESENCE.undefined(nothing)
    false = float(wrong[tried].mean())
    gained = better(np.zeros(len(targets)), found - np.where(tried, wrong, false))
    record = PRESENCE.values(targets=len(targets), prior=1 / 2, success=(1 + gained) / 2)
    # Of a game with two outcomes the advantage is the difference of the rates of right and of false alarms.
    return values | {"presence_decoys": false, **record, PRESENCE.metric("advantage"): gained}


def _suppressed(original: EventLog, origins: np.ndarray | None) -> Value:
    """The share of the cases with a trace of their own from which no released case stems."""
    if origins is None:
        return NO_ORIGINS
    released = np.zeros(original.n_cases, dtype=bool)
    released[origins[origins >= 0]] = True
    return float((~released[original.variants.alone]).mean())


def _decoys_found(variants: SharedVariants, targets: np.ndarray) -> np.ndarray:
    """The share of each target's decoys that are released, NaN where it has none; float (targets,)."""
    own = {variants.traces[place] for place in np.flatnonzero(variants.original)}
    released = {variants.traces[place] for place in np.flatnonzero(variants.release)}
    shares = []
    for place in targets.tolist():
        decoys = set(_decoys(variants.traces[place])) - own
        shares.append(len(decoys & released) / len(decoys) if decoys else np.nan)
    return np.array(shares)


def _decoys(trace: str) -> Iterator[str]:
    """The trace with two neighbours swapped, and with an event lost, at places spread over it."""
    size = len(trace)
    for place in sorted({size * part // DECOYS for part in range(DECOYS)}):
        yield trace[:place] + trace[place + 1 :]
        yield trace[:place] + trace[place : place + 2][::-1] + trace[place + 2 :]
