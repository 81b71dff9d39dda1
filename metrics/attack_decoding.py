"""The attack on compressed noise: durations that got none are decoded from one that is known.

In the published code of Amun (Elkoumy/amun, commit 07057e1) a duration of g minutes that all cases of its group share
is released as ``y = g + f floor(g)``, with one factor f for the whole release. Who knows one such duration knows f, and
decodes all others: ``m = floor(y / (1 + f))``, ``g = y - f m``. Attacked is every released duration. The factor taken
is the one that most durations agree on, so this bounds from above what the knowledge of one duration gives. A weaker
attacker knows none: of the released durations that are equal he takes the most frequent ones, and believes them to be
so many days, or hours, or minutes.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.attack import Attack, better
from metrics.links import NO_ORIGINS, blind_guesses, links
from metrics.metric import NO_TIMES, Value, not_applicable, unless_empty

MINUTE = 60e6  # microseconds
DIGITS = 6  # to which factors agree
GUARD = 1e-6  # minutes: released times are whole microseconds
TOLERANCES = {"decoded": 60, "decoded_12s": 12_000_000}  # microseconds: a millionth of a minute, and 0.2
ROUND = (1440.0, 60.0, 1.0)  # minutes: a day, an hour, a minute


def _attack(name: str, width: str, known: str) -> Attack:
    return Attack(
        name=name,
        title=f"Decoding within {width}" + (", factor unknown" if "unknown" in name else ""),
        family="decoding",
        adversary=f"knows {known}; right is a duration within {width} of the one without noise",
        blind_to="any other law of noise or compression",
        empty=None,
    )


ONE_DURATION = "one duration that got no noise, and how the published code compresses noise"
BY_TOLERANCE = {
    "decoded": _attack("decoded", "60 µs", ONE_DURATION),
    "decoded_12s": _attack("decoded_12s", "12 s", ONE_DURATION),
}
UNKNOWN_FACTOR = _attack("decoded_unknown", "12 s", "how the published code compresses noise, not its factor")
ATTACKS = (*BY_TOLERANCE.values(), UNKNOWN_FACTOR)
METRICS = tuple(metric for attack in ATTACKS for metric in attack.metrics)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """The records; targets are the released durations, but for the first of a case."""
    if origins is None:
        return {metric.name: NO_ORIGINS for metric in METRICS}
    if release.untimed and not original.untimed:
        return {metric.name: NO_TIMES for metric in METRICS}
    linked = links(original, release, origins)
    later = int((~release.first_events).sum())
    if not later or original.n_events == original.n_cases:
        nothing = not_applicable("no case has two events")
        return {metric.name: nothing for metric in METRICS}
    true, seen = original.gaps[linked.original] / MINUTE, release.gaps[linked.released] / MINUTE
    known = decode(seen, common_factor(true, seen))
    alone = decode(seen, likely_factor(release.gaps[~release.first_events] / MINUTE))
    values: dict[str, Value] = {}
    for attack, decoded in (*((attack, known) for attack in BY_TOLERANCE.values()), (UNKNOWN_FACTOR, alone)):
        tolerance = TOLERANCES.get(attack.name, TOLERANCES["decoded_12s"])
        guesses = blind_guesses(original, release, tolerance)[linked.original] / MINUTE
        blind, right = (np.abs(guess - true) * MINUTE <= tolerance for guess in (guesses, decoded))
        share = len(true) / later
        values |= attack.values(
            targets=later,
            coverage=share,
            prior=share * float(blind.mean()) if len(true) else 0.0,
            success=share * better(blind, right) if len(true) else 0.0,
        )
    return values


def common_factor(true: np.ndarray, seen: np.ndarray) -> float:
    """The factor that most durations of at least a minute agree on, 0 if there is none.

    Parameters
    ----------
    true, seen : float arrays (n,)
        Minutes.
    """
    long = true >= 1
    if not long.any():
        return 0.0
    whole = np.floor(true[long])
    factors = (seen[long] - true[long]) / whole
    place, counts = np.unique(np.round(factors, DIGITS), return_inverse=True, return_counts=True)[1:]
    agreeing = np.flatnonzero(place == np.argmax(counts))
    return float(factors[agreeing[np.argmax(whole[agreeing])]])  # the longest duration tells most digits


def likely_factor(seen: np.ndarray) -> float:
    """The factor, below 1, that makes a round duration of the most frequent released one, 0 if there is none.

    Parameters
    ----------
    seen : float array (n,)
        Minutes.
    """
    values, counts = np.unique(np.round(seen[seen >= ROUND[-1]], DIGITS), return_counts=True)
    if not len(values):
        return 0.0
    often = float(values[np.argmax(counts)])
    multiples = (unit * np.floor(often / unit) for unit in ROUND)
    return next(often / multiple - 1 for multiple in multiples if multiple)


def decode(seen: np.ndarray, factor: float) -> np.ndarray:
    """The durations, minutes, behind released ones that got no noise."""
    if factor <= -1:
        return seen
    return seen - factor * np.floor(seen / (1 + factor) + GUARD)
