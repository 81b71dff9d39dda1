"""How prefixes keep to the relations so far, and which extensions do; level by level, for all prefixes at once.

Sets of symbols as in `baselines.sacofa.bits`: activities, and behind them END.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.sacofa.bits import WORD, contains, pack, sizes
from baselines.sacofa.relations import Relations


class Rules:
    """Relations as sets of symbols.

    Attributes
    ----------
    alone, never_follow, always_follow, always_precede, always_preceded : uint64 arrays (activities, words)
        For each activity the set of it alone; of those that never follow, always follow, always precede it; and of
        those that it always precedes.
    starts, end, all : uint64 arrays (1, words)
        The activities that start a case; END; all symbols.
    """

    def __init__(self, relations: Relations) -> None:
        activities = len(relations.starts)
        symbols = np.eye(activities + 1, dtype=bool)
        self.alone = pack(symbols[:-1])
        self.end = pack(symbols[-1:])
        self.all = pack(symbols.any(axis=0)[None])
        self.starts = pack(np.append(relations.starts, False)[None])
        self.never_follow = _sets(relations.never_follows)
        self.always_follow = _sets(relations.always_follows)
        self.always_precede = _sets(relations.always_precedes)
        self.always_preceded = _sets(relations.always_precedes.T)


def _sets(relation: np.ndarray) -> np.ndarray:
    return pack(np.pad(relation, ((0, 0), (0, 1))))


@dataclass(frozen=True)
class Prospects:
    """What decides which extensions of some prefixes of one length conform.

    Attributes
    ----------
    broken : bool array (prefixes,)
        Whether an activity follows another that it never follows.
    seen, barred, unpreceded, owed : sets of activities, uint64 arrays (prefixes, words)
        Those that have occurred; that never follow one of these; before whose last occurrence something is missing,
        which heals only if they occur again; that must occur before the end.
    """

    broken: np.ndarray
    seen: np.ndarray
    barred: np.ndarray
    unpreceded: np.ndarray
    owed: np.ndarray

    @classmethod
    def of_empty_prefix(cls, rules: Rules, times: int = 1) -> Prospects:
        """Those of the empty prefix alone, once or several times."""
        nothing = np.zeros((times, rules.all.shape[1]), dtype=np.uint64)
        return cls(np.zeros(times, dtype=bool), nothing, nothing, nothing, nothing)

    def extended(self, rules: Rules, parents: np.ndarray, activities: np.ndarray) -> Prospects:
        """Those of some extensions, given by the index of the prefix and the activity that it is extended by."""
        seen, alone = self.seen[parents], rules.alone[activities]
        unpreceded, owed = self.unpreceded[parents] & ~alone, self.owed[parents] & ~alone
        early = (rules.always_precede[activities] & ~seen).any(axis=1, keepdims=True)
        first = ~(seen & alone).any(axis=1, keepdims=True)
        return Prospects(
            self.broken[parents] | contains(self.barred, parents, activities),
            seen | alone,
            self.barred[parents] | rules.never_follow[activities],
            np.where(early, unpreceded | alone, unpreceded),
            np.where(first, owed | rules.always_follow[activities], owed),
        )

    def conforming(self, rules: Rules) -> np.ndarray:
        """The symbols that extend each prefix without violation, as sets, uint64 (prefixes, words)."""
        if not self.seen.any():  # the empty prefix
            return np.repeat(rules.starts, len(self.broken), axis=0)
        number = sizes(self.unpreceded)[:, None]
        # One unpreceded activity can heal itself; of two, one stays behind.
        others = np.where(number == 0, np.uint64(0), np.where(number == 1, ~self.unpreceded, ~np.uint64(0)))
        extensions = ~(rules.end | self.barred | self._early(rules) | others)
        ending = np.where((self.unpreceded | self.owed).any(axis=1, keepdims=True), np.uint64(0), rules.end)
        return np.where(self.broken[:, None], np.uint64(0), (extensions | ending) & rules.all)

    def _early(self, rules: Rules) -> np.ndarray:
        """The activities before which something would be missing, as sets."""
        early = np.zeros_like(self.seen)
        for activity in np.flatnonzero(rules.always_preceded.any(axis=1)):
            unseen = ~self.seen[:, activity // WORD] >> np.uint64(activity % WORD) & np.uint64(1)
            early |= unseen[:, None] * rules.always_preceded[activity]
        return early
