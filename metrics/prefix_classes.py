"""The prefix classes of a log: the cases that begin alike, one class a distinct prefix (a node of the prefix tree)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from data.log import EventLog, ranges
from data.prefix_tree import PrefixTree, prefix_tree


@dataclass(frozen=True, eq=False)
class PrefixClasses:
    """The classes of a log, shorter prefixes first.

    Parameters
    ----------
    log : EventLog
    tree : PrefixTree
        Of its variants. Its root, the empty prefix, is no class.
    """

    log: EventLog
    tree: PrefixTree

    @property
    def activities(self) -> np.ndarray:
        """The last activity of each prefix, int64 (classes,)."""
        return self.tree.labels

    @cached_property
    def parents(self) -> np.ndarray:
        """The class of the prefix without its last activity, -1 where none is left; int64 (classes,)."""
        return self.tree.parents - 1

    @cached_property
    def cases(self) -> np.ndarray:
        """How many cases begin with the prefix, int64 (classes,)."""
        variants = self.log.variants
        weights = np.repeat(variants.counts, variants.lengths)
        return np.bincount(self.tree.reached, weights, minlength=len(self.tree))[1:].astype(np.int64)

    @cached_property
    def of_event(self) -> np.ndarray:
        """The class of the prefix that ends with each event, int64 (events,)."""
        variants = self.log.variants
        return self.tree.reached[ranges(variants.offsets[variants.of_case], self.log.lengths)] - 1

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
    return PrefixClasses(log, prefix_tree(log.variants))
