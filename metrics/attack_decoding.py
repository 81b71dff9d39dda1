"""The attack on compressed noise: durations that got none are decoded from one that is known.

In the published code of Amun (Elkoumy/amun, commit 07057e1) a duration of g minutes that all cases of its group share
is released as ``y = g + f floor(g)``, with one factor f for the whole release. Who knows one such duration knows f, and
decodes all others: ``m = floor(y / (1 + f))``, ``g = y - f m``. Attacked is every released duration. The factor taken
is the one that most durations agree on, so this bounds from above what the knowledge of one duration gives.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.links import NO_ORIGINS, blind_guesses, links
from metrics.metric import Metric, Value, not_applicable, unless_empty

MINUTE = 60e6  # microseconds
EXACT = 60  # microseconds, a millionth of a minute
DIGITS = 6  # to which factors agree
GUARD = 1e-6  # minutes: released times are whole microseconds


def _attack(name: str, title: str, low: float = 0.0, empty: float | None = None) -> Metric:
    return Metric(
        name=name, title=title, unit="share of released durations", low=low, high=1.0, identity=None, doubled=None,
        empty=empty, group="attack", blind_to="any other law of noise or compression",
    )  # fmt: skip


METRICS = (
    _attack("decoded_durations", "Durations decoded exactly"),
    _attack("decoded_prior", "Durations guessed blindly and exactly"),
    _attack("decoded_advantage", "Decoding: advantage", -1.0, 0.0),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """The share of released durations, but for the first of a case, that are decoded; blindly, for comparison."""
    if origins is None:
        return {metric.name: NO_ORIGINS for metric in METRICS}
    if release.untimed and not original.untimed:
        nothing = not_applicable("the release has no times")
        return {metric.name: nothing for metric in METRICS}
    linked = links(original, release, origins)
    later = int((~release.first_events).sum())
    if not later or original.n_events == original.n_cases:
        nothing = not_applicable("no case has two events")
        return {metric.name: nothing for metric in METRICS}
    true, seen = original.gaps[linked.original], release.gaps[linked.released]
    decoded = decode(seen / MINUTE, common_factor(true / MINUTE, seen / MINUTE)) * MINUTE
    found = float((np.abs(decoded - true) <= EXACT).sum() / later)
    guesses = blind_guesses(original, release, EXACT)[linked.original]
    prior = float((np.abs(guesses - true) <= EXACT).sum() / later)
    return {"decoded_durations": found, "decoded_prior": prior, "decoded_advantage": found - prior}


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


def decode(seen: np.ndarray, factor: float) -> np.ndarray:
    """The durations, minutes, behind released ones that got no noise."""
    if factor <= -1:
        return seen
    return seen - factor * np.floor(seen / (1 + factor) + GUARD)
