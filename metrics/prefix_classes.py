"""The prefix classes of a log: the cases that begin alike, one class a distinct prefix (a node of the prefix tree)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data.log import EventLog, ranges


@dataclass(frozen=True, eq=False)
class PrefixClasses:
    """The classes of a log, shorter prefixes first.

    Attributes
    ----------
    activities : int32 array (classes,)
        The last activity of each prefix.
    parents : int64 array (classes,)
        The class of the prefix without its last activity, -1 where none is left.
    cases : int64 array (classes,)
        How many cases begin with the prefix.
    of_event : int64 array (events,)
        The class of the prefix that ends with each event.
    """

    activities: np.ndarray
    parents: np.ndarray
    cases: np.ndarray
    of_event: np.ndarray

    def prefix(self, index: int) -> list[int]:
        """The activity codes of a class."""
        codes = []
        while index >= 0:
            codes.append(int(self.activities[index]))
            index = self.parents[index]
        return codes[::-1]


@lru_cache(maxsize=1)
def prefix_classes(log: EventLog) -> PrefixClasses:
    """The prefix classes of a log, found level by level on its variants."""
    variants = log.variants
    of_position = np.empty(len(variants.activities), dtype=np.int64)
    deep = np.arange(len(variants))
    last = np.full(len(variants), -1)
    keys, size = [np.empty(0, dtype=np.int64)], 0
    for depth in range(variants.lengths.max(initial=0)):
        deep = deep[variants.lengths[deep] > depth]
        positions = variants.offsets[deep] + depth
        found, place = np.unique(last[deep] * len(log.labels) + variants.activities[positions], return_inverse=True)
        last[deep] = of_position[positions] = size + place
        keys.append(found)
        size += len(found)
    parents, activities = np.divmod(np.concatenate(keys), max(len(log.labels), 1))
    of_event = of_position[ranges(variants.offsets[variants.of_case], log.lengths)]
    return PrefixClasses(activities, parents, np.bincount(of_event, minlength=size), of_event)
