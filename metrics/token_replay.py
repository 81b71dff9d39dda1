"""Token-based replay of a log on a Petri net by pm4py (Berti, van der Aalst, ToPNoC 2021), every step once.

What pm4py does at an event depends on nothing but the marking and the activity. So every such pair that occurs is
replayed once, as a case of one event, and all cases walk along these steps. Precision, for which pm4py replays every
prefix of every variant, is read off the same steps. All values are those of pm4py, except that its precision takes a
label with a comma for two labels.

At each step, pm4py looks several times at all transitions to see which are enabled, and follows those without a label
to see which labels may come next. Meanwhile `enabled` and `following` stand in for that, the latter once a marking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache, partial
from itertools import groupby
from math import fsum
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from data.log import ACTIVITY, Variants
from metrics.stand_in import stand_in

if TYPE_CHECKING:
    from pm4py.objects.petri_net.obj import Marking, PetriNet

    Net = tuple[PetriNet, Marking, Marking]  # with its initial and its final marking


class Replay(NamedTuple):
    """Sums over all cases of a log.

    Attributes
    ----------
    missing, consumed, remaining, produced : int
        Tokens.
    fired : Counter of transition
        How often each transition fired, those without a label, too.
    allowed, escaping : int
        Labels that the net allows after each proper prefix that fits it, and those that no case goes on with.
    """

    missing: int
    consumed: int
    remaining: int
    produced: int
    fired: Counter
    allowed: int
    escaping: int

    @property
    def fitness(self) -> float:
        """Mean of the shares of the tokens that were there when consumed, and were consumed when produced."""
        return 0.5 * (1 - self.missing / self.consumed) + 0.5 * (1 - self.remaining / self.produced)

    @property
    def precision(self) -> float:
        """Share of what the net allows that occurs (Muñoz-Gama, Carmona, BPM 2010)."""
        return 1 - self.escaping / self.allowed if self.allowed else 1.0

    def generalisation(self, net: PetriNet) -> float:
        """One minus the mean over the transitions of 1 / sqrt(times fired); one that never fired counts as 1."""
        rare = [self.fired[transition] ** -0.5 if self.fired[transition] else 1.0 for transition in net.transitions]
        return 1 - fsum(rare) / len(rare) if rare else 1.0  # in whatever order a set has them


def replay(variants: Variants, labels: tuple[str, ...], net: Net) -> Replay:
    """Replay all cases of a log.

    Parameters
    ----------
    variants : Variants
    labels : tuple of str
        Of its activities.
    net : (PetriNet, Marking, Marking)
        With its initial and its final marking. Labels of transitions differ.
    """
    steps = _Steps(net, labels)
    taken, ended, allowed, followed = Counter(), Counter(), 0, 0
    # A node is a prefix that some variants share; the first is the empty one.
    going, node = np.arange(len(variants)), np.zeros(len(variants), dtype=np.int64)
    state, fits, choices = np.array([0]), np.array([True]), np.array([len(steps.allowed[0])])
    for place in range(int(variants.lengths.max(initial=0)) + 1):
        stays = variants.lengths[going] == place
        _add(ended, state[node[stays]], variants.counts[going[stays]])
        going, node = going[~stays], node[~stays]
        keys = node * len(labels) + variants.activities[variants.offsets[going] + place]
        keys, node = np.unique(keys, return_inverse=True)
        before, activity = np.divmod(keys, len(labels))
        cases = np.bincount(node, variants.counts[going], minlength=len(keys)).astype(np.int64)
        through = np.bincount(before, cases, minlength=len(state)).astype(np.int64)
        number, reached, right, expected, after = steps.of(state[before], activity).T
        _add(taken, number, cases)
        allowed += int((through * choices)[fits].sum())
        followed += int((through[before] * expected)[fits[before]].sum())
        state, fits, choices = reached, fits[before] & (right == 1), after
    return steps.sums(taken, ended, allowed, allowed - followed)


def enabled(net: PetriNet, marking: Marking) -> set[Any]:
    """The enabled transitions, as `pm4py.objects.petri_net.semantics.enabled_transitions`.

    Parameters
    ----------
    net : PetriNet
        Whose transitions all have a place before them, as those of discovered nets.
    marking : Marking
    """
    from pm4py.objects.petri_net.semantics import is_enabled

    behind = {arc.target for place in marking for arc in place.out_arcs}
    return {transition for transition in behind if is_enabled(transition, net, marking)}


def following(net: PetriNet, marking: Marking) -> set[Any]:
    """The transitions with a label that are enabled, or are after some without one.

    As `pm4py.objects.petri_net.utils.align_utils.get_visible_transitions_eventually_enabled_by_marking`: a transition
    is tried in the marking in which it was last found to be enabled.
    """
    from pm4py.objects.petri_net.semantics import execute

    waiting = _by_name(enabled(net, marking))
    where, tried, found = dict.fromkeys(waiting, marking), set(), set()
    for transition in waiting:  # which grows
        key = transition, frozenset(where[transition].items())
        if transition.label is not None:
            found.add(transition)
        elif key not in tried and (after := execute(transition, net, where[transition])) is not None:
            more = _by_name(enabled(net, after))
            waiting += more
            where |= dict.fromkeys(more, after)
        tried.add(key)
    return found


def _by_name(transitions: set[Any]) -> list[Any]:
    return sorted(transitions, key=attrgetter("name"))


def _add(counts: Counter, keys: np.ndarray, cases: np.ndarray) -> None:
    for key, n in zip(keys.tolist(), cases.tolist(), strict=True):
        counts[key] += n


class _Steps:
    """The steps of a net, replayed when first asked for. States are the markings that were reached, by number.

    Attributes
    ----------
    allowed : list of set of str
        Of each state: labels that may follow, if need be after transitions without a label.
    """

    def __init__(self, net: Net, labels: tuple[str, ...]) -> None:
        from pm4py.algo.conformance.tokenreplay.variants.token_replay import TechnicalParameters
        from pm4py.objects.petri_net.utils.petri_utils import get_places_shortest_path_by_hidden

        self._net, initial, self._final = net
        self._following = cache(partial(following, self._net))
        self._labels = labels
        self._paths = get_places_shortest_path_by_hidden(self._net, TechnicalParameters.MAX_REC_DEPTH.value)
        self._states, self._markings = {initial: 0}, [initial]
        self.allowed = [_labels(self._following(initial))]
        self._steps: dict[tuple[int, int], tuple[int, int, bool, bool, int]] = {}
        self._tokens: list[tuple[int, int, int]] = []  # of each step: missing, consumed, produced
        self._fired: list[list[Any]] = []

    def of(self, states: np.ndarray, activities: np.ndarray) -> np.ndarray:
        """Steps from states by activities, int64 (n, 5).

        Of each: its number; the state that it reaches; whether no token was missing; whether its label was allowed;
        how many labels are allowed after it.
        """
        pairs, which = np.unique(np.stack((states, activities)), axis=1, return_inverse=True)
        pairs = list(zip(*pairs.tolist(), strict=True))
        for state, new in groupby((pair for pair in pairs if pair not in self._steps), itemgetter(0)):
            self._take(state, [activity for _, activity in new])
        return np.array([self._steps[pair] for pair in pairs], dtype=np.int64).reshape(-1, 5)[which.ravel()]

    def _take(self, state: int, activities: list[int]) -> None:
        from pm4py.objects.petri_net.obj import Marking

        traces = [[self._labels[activity]] for activity in activities]
        for activity, end in zip(activities, self._replay(traces, state, Marking()), strict=True):
            marking = end["reached_marking"]
            reached = self._states.setdefault(marking, len(self._markings))
            if reached == len(self._markings):
                self._markings.append(marking)
                self.allowed.append(_labels(end["enabled_transitions_in_marking"]))
            expected = self._labels[activity] in self.allowed[state]
            step = len(self._tokens), reached, end["trace_is_fit"], expected, len(self.allowed[reached])
            self._steps[state, activity] = step
            self._tokens.append((end["missing_tokens"], end["consumed_tokens"], self._produced(end, state)))
            self._fired.append(end["activated_transitions"])

    def sums(self, taken: Counter, ended: Counter, allowed: int, escaping: int) -> Replay:
        """What so many cases that take steps by number, and end in states, amount to."""
        tokens = np.zeros(4, dtype=np.int64)
        tokens[3] = ended.total() * self._markings[0].total()
        fired: Counter = Counter()
        for number, cases in taken.items():
            missing, consumed, produced = self._tokens[number]
            tokens += cases * np.array([missing, consumed, 0, produced])
            _fire(fired, self._fired[number], cases)
        for state, cases in ended.items():
            [end] = self._replay([[]], state, self._final)
            found = end["missing_tokens"], end["consumed_tokens"], end["remaining_tokens"], self._produced(end, state)
            tokens += cases * np.array(found)
            _fire(fired, end["activated_transitions"], cases)
        return Replay(*tokens.tolist(), fired, allowed, escaping)

    def _produced(self, end: dict[str, Any], state: int) -> int:
        """Tokens that were produced, without those that pm4py counts as such where it begins."""
        return end["produced_tokens"] - self._markings[state].total()

    def _replay(self, traces: list[list[str]], state: int, final: Marking) -> list[dict[str, Any]]:
        from pm4py.algo.conformance.tokenreplay.variants import token_replay
        from pm4py.objects.log.obj import Event, EventLog, Trace
        from pm4py.objects.petri_net import semantics
        from pm4py.objects.petri_net.utils import align_utils

        log = EventLog([Trace([Event({ACTIVITY: label}) for label in trace]) for trace in traces])
        option = token_replay.Parameters
        options = {
            option.CONSIDER_REMAINING_IN_FITNESS: False,
            option.TRY_TO_REACH_FINAL_MARKING_THROUGH_HIDDEN: bool(final),
            option.PLACES_SHORTEST_PATH_BY_HIDDEN: self._paths,
            option.SHOW_PROGRESS_BAR: False,
        }
        with (
            stand_in(semantics, enabled, "enabled_transitions"),
            stand_in(
                align_utils,
                lambda _, marking: self._following(marking),
                "get_visible_transitions_eventually_enabled_by_marking",
            ),
        ):
            return token_replay.apply(log, self._net, self._markings[state], final, parameters=options)


def _labels(transitions: Iterable[Any]) -> set[str]:
    return {transition.label for transition in transitions}


def _fire(fired: Counter, transitions: list[Any], times: int) -> None:
    for transition in transitions:
        fired[transition] += times
