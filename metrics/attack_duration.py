"""The attack on durations: a guess of the time between two events that is right within a precision.

Attack h2 of Elkoumy, Pankova, Dumas (Information Systems 2022): a mechanism with their delta claims that the release
makes a right guess likelier by delta at most. The strongest attacker knows which released case is whose, and all other
durations between the same two activities. He guesses what is released, or ignores it, whichever does better on the
other half of the durations. Twice in one case counts as two durations.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.durations import UNKNOWN, both_durations
from metrics.links import NO_ORIGINS, blind_guesses, links
from metrics.metric import Metric, Value, not_applicable, unless_empty

PRECISIONS = {"10min": 600_000_000, "10s": 10_000_000}  # microseconds
BLIND_TO = "what several guesses of one case give together; groups finer than two activities in a row"


def _attack(name: str, title: str, low: float = 0.0, empty: float | None = None) -> Metric:
    return Metric(
        name=name, title=title, low=low, high=1.0, identity=None, doubled=None, empty=empty, group="attack",
        blind_to=BLIND_TO,
    )  # fmt: skip


METRICS = (
    _attack("duration_covered", "Durations that are released", empty=0.0),
    *(
        metric
        for name in PRECISIONS
        for metric in (
            _attack(f"duration_prior_{name}", f"Durations guessed blindly within {name}"),
            _attack(f"duration_found_{name}", f"Durations guessed within {name}"),
            _attack(f"duration_advantage_{name}", f"Durations within {name}: advantage", -1.0, 0.0),
        )
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """Shares of right guesses without and with the release, and their difference, for each precision."""
    if origins is None or (durations := both_durations(original, release)) is None:
        return {metric.name: NO_ORIGINS if origins is None else UNKNOWN for metric in METRICS}
    linked = links(original, release, origins)
    instances = np.bincount(linked.original, minlength=original.n_events)
    targets = np.flatnonzero(instances)
    attacked = int((~original.first_events).sum())
    if not len(targets):
        nothing = not_applicable("no released duration stems from a case")
        # Who looks for durations in vain has gained nothing.
        gained = {m.name: 0.0 for m in METRICS if attacked and m.name.startswith(("duration_cov", "duration_adv"))}
        return {metric.name: gained.get(metric.name, nothing) for metric in METRICS}
    sums = np.bincount(linked.original, durations[1][linked.released].astype(float), minlength=original.n_events)
    published, true = sums[targets] / instances[targets], durations[0][targets]
    values: dict[str, Value] = {"duration_covered": len(targets) / attacked}
    for name, width in PRECISIONS.items():
        blind = np.abs(blind_guesses(original, release, width)[targets] - true) <= width
        prior, found = float(blind.mean()), _better(blind, np.abs(published - true) <= width)
        values |= {
            f"duration_prior_{name}": prior,
            f"duration_found_{name}": found,
            f"duration_advantage_{name}": found - prior,
        }
    return values


def _better(blind: np.ndarray, informed: np.ndarray) -> float:
    """The share of right guesses of who takes, on either half of the targets, what does better on the other half."""
    halves = np.arange(len(blind)) % 2 == 0
    right = np.empty(len(blind), dtype=bool)
    for half in (halves, ~halves):
        other = ~half if (~half).any() else half
        chosen = informed if informed[other].mean() > blind[other].mean() else blind
        right[half] = chosen[half]
    return float(right.mean())
