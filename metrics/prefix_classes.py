"""The prefix classes of a log: the cases that begin alike, one class a distinct prefix (a node of the prefix tree)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data.log import EventLog, ranges
from data.prefix_tree import prefix_tree


@dataclass(frozen=True, eq=False)
class PrefixClasses:
    """The classes of a log, shorter prefixes first.

    Attributes
    ----------
    activities : int64 array (classes,)
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


@lru_cache(maxsize=2)  # a release, and the same as aligned with its original
def prefix_classes(log: EventLog) -> PrefixClasses:
    """The prefix classes of a log."""
    variants = log.variants
    tree = prefix_tree(variants)  # whose root, the empty prefix, is no class
    of_event = tree.reached[ranges(variants.offsets[variants.of_case], log.lengths)] - 1
    return PrefixClasses(tree.labels, tree.parents - 1, np.bincount(of_event, minlength=len(tree) - 1), of_event)
