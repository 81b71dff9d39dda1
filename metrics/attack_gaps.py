"""The attacks by exact times: who knows the times between the events of a case looks for them in the release.

A released case is identified if its sequence of durations is that of exactly one original case, and where the mechanism
tells, if it stems from that case. Two controls tell what a coarse clock lets coincide: the same with other durations in
the release, taken from all over the original where the same two activities follow each other; and how often a released
case has the sequence of exactly one other case than its own, as if its own were held out. Who knows one duration alone
looks for the only event of an activity that has it.
"""

from __future__ import annotations

import numpy as np

from data.hashing import case_keys, mix
from data.log import EventLog
from metrics.attack import Attack
from metrics.durations import UNKNOWN, both_durations
from metrics.exposed_durations import unique_and_known
from metrics.links import NO_ORIGINS
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

LEAST = 3  # events of a case that is attacked
GAPS = Attack(
    name="gaps",
    title="Exact times",
    family="exact times",
    adversary="knows the times between all events of each case; right is the only case with the released ones",
    blind_to="times that are only near; cases of one or two events; who knows some of the times alone",
    empty=None,
)
WITH_TRACE = Attack(
    name="gaps_and_trace",
    title="Exact times and trace",
    family="exact times",
    adversary="knows the activities of each case and the times between them; right is the only case with the released "
    "ones",
    blind_to=GAPS.blind_to,
    empty=None,
)
VERBATIM = Attack(
    name="verbatim",
    title="One exact duration",
    family="exact times",
    adversary="knows the duration of an activity in each case; right is the only released event with it, if it is of "
    "that case",
    blind_to="times that are only near",
    empty=None,
)
ATTACKS = (GAPS, WITH_TRACE, VERBATIM)


def _control(name: str, title: str, blind_to: str, **declared) -> Metric:
    return Metric(
        name=name, title=title, identity=None, doubled=None, group="attack", blind_to=blind_to, **declared
    )  # fmt: skip


METRICS = (
    *(metric for attack in ATTACKS for metric in attack.metrics),
    _control("gaps_coincidence", "Exact times: identified by other times", GAPS.blind_to, high=1.0),
    _control("gaps_held_out", "Exact times: identified as another case", GAPS.blind_to, high=1.0),
    _control("gaps_clock", "Resolution of the released times", "a resolution that only some events have", unit="s"),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None) -> dict[str, Value]:
    """The records of both attacks, and the controls of the first one.

    The prior is that of a random pick, or of coincidence where that is more.
    """
    if (durations := both_durations(original, release)) is None:
        return {metric.name: UNKNOWN for metric in METRICS}
    return _sequences(original, release, durations, origins) | _single(original, release, origins)


def _sequences(original, release, durations, origins) -> dict[str, Value]:
    """The attack by all times of a case; of released cases of at least three events."""
    values = {"gaps_clock": _resolution(release)}
    eligible = np.flatnonzero(release.lengths >= LEAST)
    if not len(eligible):
        nothing = not_applicable("no released case has three events")
        controls = dict.fromkeys(("gaps_coincidence", "gaps_held_out"), nothing)
        return values | controls | GAPS.undefined(nothing) | WITH_TRACE.undefined(nothing)
    keys = duration_keys(release, durations[1])[eligible]
    known = _Keys(original, duration_keys(original, durations[0]))
    own = None if origins is None else origins[eligible]
    others = duration_keys(release, _others(original, release, *durations))[eligible]
    coincidence = float(known.identify(others, None).mean())
    held_out = NO_ORIGINS
    if own is not None:
        held_out = float(known.mistake(keys, own).mean())
    controls = {"gaps_coincidence": coincidence, "gaps_held_out": held_out}
    prior = max(coincidence, 1 / original.n_cases)
    success = float(known.identify(keys, own).mean())
    pair = align(original, release)
    traces = [case_keys(log, log.activities) for log in (pair.original, pair.release)]
    both = _Keys(original, mix(duration_keys(original, durations[0])) ^ traces[0])
    found = float(both.identify(mix(keys) ^ traces[1][eligible], own).mean())
    return (
        values
        | controls
        | GAPS.values(targets=len(eligible), prior=prior, success=success)
        | WITH_TRACE.values(targets=len(eligible), prior=prior, success=found)
    )


def _single(original, release, origins) -> dict[str, Value]:
    """The attack by one duration; of released cases."""
    found = np.flatnonzero(unique_and_known(original, release, origins))
    share = len(np.unique(release.case_of_event[found])) / release.n_cases
    return VERBATIM.values(targets=release.n_cases, prior=1 / original.n_cases, success=share)


def duration_keys(log: EventLog, durations: np.ndarray) -> np.ndarray:
    """A number of each case that tells its sequence of durations, that of its first event aside; uint64 (cases,)."""
    return case_keys(log, durations, ~log.first_events)


def _resolution(log: EventLog) -> Value:
    """The longest time of which all released ones are multiples, seconds."""
    step = int(np.gcd.reduce(log.timestamps - log.timestamps[0]))
    return step / 1e6 if step else not_applicable("all events are at the same time")


class _Keys:
    """Numbers that tell sequences apart, of the original cases of at least three events.

    The place behind all is for what none of them has.
    """

    def __init__(self, original: EventLog, of_case: np.ndarray) -> None:
        cases = np.flatnonzero(original.lengths >= LEAST)
        self._keys, first, places, counts = np.unique(
            of_case[cases], return_index=True, return_inverse=True, return_counts=True
        )
        self._counts, self._owners = np.append(counts, 0), np.append(cases[first], -1)
        self._place_of_case = np.full(original.n_cases + 1, -1)  # the last one is of no case
        self._place_of_case[cases] = places

    def identify(self, wanted: np.ndarray, origins: np.ndarray | None) -> np.ndarray:
        """Whether each key is that of exactly one case, of that where it stems from if that is known; bool array."""
        place = self._find(wanted)
        right = self._counts[place] == 1
        return right if origins is None else right & (self._owners[place] == origins)

    def mistake(self, wanted: np.ndarray, origins: np.ndarray) -> np.ndarray:
        """Whether each key is that of exactly one case besides the one that it stems from; bool array."""
        place = self._find(wanted)
        return self._counts[place] - (self._place_of_case[origins] == place) == 1

    def _find(self, wanted: np.ndarray) -> np.ndarray:
        place = np.searchsorted(self._keys, wanted)
        return np.where(np.append(self._keys, np.uint64(0))[place] == wanted, place, len(self._keys))


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
