"""The attack by exact times: who knows the times between all events of a case looks for them in the release.

A released case is identified if its sequence of durations is that of exactly one original case, and where the mechanism
tells, if it stems from that case. The same is tried on the release with other durations in it, taken from all over the
original where the same two activities follow each other: what a coarse clock lets coincide.
"""

from __future__ import annotations

import numpy as np

from data.hashing import case_keys, mix
from data.log import EventLog
from metrics.durations import UNKNOWN, both_durations
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

LEAST = 3  # events of a case that is attacked
BLIND_TO = "times that are only near; cases of one or two events; who knows some of the times alone"


def _attack(name: str, title: str, low: float = 0.0, empty: float | None = None) -> Metric:
    return Metric(
        name=name, title=title, unit="share of released cases of three events", low=low, high=1.0, identity=None,
        doubled=None, empty=empty, group="attack", blind_to=BLIND_TO,
    )  # fmt: skip


METRICS = (
    _attack("gaps_identified", "Cases identified by exact times"),
    _attack("gaps_coincidence", "Cases identified by other times"),
    _attack("gaps_advantage", "Exact times: advantage", -1.0, 0.0),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """Shares of released cases, of at least three events, that are identified; the same by coincidence."""
    if (durations := both_durations(original, release)) is None:
        return {metric.name: UNKNOWN for metric in METRICS}
    eligible = release.lengths >= LEAST
    if not eligible.any():
        nothing = not_applicable("no released case has three events")
        return {metric.name: nothing for metric in METRICS}
    keys, counts, owners = _unique_keys(original, durations[0])
    found = _identified(release, durations[1], eligible, keys, counts, owners, origins)
    chance = _identified(release, _others(original, release, *durations), eligible, keys, counts, owners, None)
    return {"gaps_identified": found, "gaps_coincidence": chance, "gaps_advantage": found - chance}


def duration_keys(log: EventLog, durations: np.ndarray) -> np.ndarray:
    """A number of each case that tells its sequence of durations, that of its first event aside; uint64 (cases,)."""
    return case_keys(log, durations, ~log.first_events)


def _unique_keys(log: EventLog, durations: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The keys of the original cases of at least three events, how many have each, and the first of these."""
    cases = np.flatnonzero(log.lengths >= LEAST)
    keys, first, counts = np.unique(duration_keys(log, durations)[cases], return_index=True, return_counts=True)
    return keys, counts, cases[first]


def _identified(release, durations, eligible, keys, counts, owners, origins) -> float:
    if not len(keys):
        return 0.0
    wanted = duration_keys(release, durations)[eligible]
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    right = (keys[place] == wanted) & (counts[place] == 1)
    if origins is not None:
        right &= owners[place] == origins[eligible]
    return float(right.mean())


def _others(original: EventLog, release: EventLog, own: np.ndarray, released: np.ndarray) -> np.ndarray:
    """Each released duration replaced by one of the original between the same two activities, if it has them.

    Which one follows from the place of the event, as by chance, so that repeated scoring gives the same.
    """
    known, wanted = (edges.codes for edges in align(original, release).edges)
    before, later = (np.flatnonzero(~log.first_events) for log in (original, release))
    order = np.argsort(known, kind="stable")
    codes, starts, counts = np.unique(known[order], return_index=True, return_counts=True)
    if not len(codes):
        return released
    place = np.searchsorted(codes, wanted).clip(max=len(codes) - 1)
    chosen = starts[place] + (mix(later) % counts[place].astype(np.uint64)).astype(np.int64)
    others = released.copy()
    others[later] = np.where(codes[place] == wanted, own[before[order[chosen]]], released[later])
    return others
