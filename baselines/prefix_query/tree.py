"""The prefix tree of a log with the number of cases of every prefix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from baselines.prefix_query.absent import nth_absent
from data.log import EventLog, ranges
from data.prefix_tree import prefix_tree

NOWHERE = -1  # node of a prefix that occurs in no case


@dataclass(frozen=True)
class PrefixCounts:
    """How many cases have each prefix, and how many are each prefix.

    The activities of the children of a node are in rising order.

    Attributes
    ----------
    n_activities : int
        Size of the alphabet, the labels of the log. END is not part of it.
    activities : int64 array (nodes,)
        Last activity of each prefix, -1 of the empty one, which is node 0.
    counts, ends : int64 arrays (nodes,)
        Number of cases that have the prefix; that end with it.
    first : int64 array (nodes + 1,)
        The children of node v are ``first[v]`` to ``first[v + 1] - 1``.
    depths : int64 array (depths + 2,)
        First node of each depth, and the number of nodes.
    """

    n_activities: int
    activities: np.ndarray
    counts: np.ndarray
    ends: np.ndarray
    first: np.ndarray
    depths: np.ndarray

    def children(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The children of some nodes that may be `NOWHERE`: index of the parent within `nodes`, and node."""
        known = np.flatnonzero(nodes != NOWHERE)
        starts = self.first[nodes[known]]
        sizes = self.first[nodes[known] + 1] - starts
        return np.repeat(known, sizes), ranges(starts, sizes)

    def ending(self, nodes: np.ndarray) -> np.ndarray:
        """Number of cases that end with each of some nodes that may be `NOWHERE`, int64."""
        return np.where(nodes == NOWHERE, 0, self.ends[nodes])

    def absent(self, nodes: np.ndarray) -> np.ndarray:
        """Number of activities that continue no case at each of some nodes that may be `NOWHERE`, int64."""
        return self.n_activities - np.where(nodes == NOWHERE, 0, self.first[nodes + 1] - self.first[nodes])

    def absent_activities(self, nodes: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Of the activities that continue no case at a node, the one of a rank (from 0), for some nodes and ranks."""
        before = nodes * self.n_activities - self.first[nodes] + 1  # pairs of a node and an absent activity
        return np.where(nodes == NOWHERE, ranks, nth_absent(self._pairs, before + ranks) % self.n_activities)

    @cached_property
    def _pairs(self) -> np.ndarray:
        """The pairs of a node and the activity of a child, as rising numbers; int64 (nodes - 1,)."""
        return np.repeat(np.arange(len(self.counts)), np.diff(self.first)) * self.n_activities + self.activities[1:]


def prefix_counts(log: EventLog, max_length: int) -> PrefixCounts:
    """Count the prefixes of up to `max_length` activities.

    Parameters
    ----------
    log : EventLog
    max_length : int
    """
    variants = log.variants
    tree = prefix_tree(variants, max_length)
    within = tree.reached >= 0
    cases = np.repeat(variants.counts, variants.lengths)
    counts = np.bincount(tree.reached[within], cases[within], minlength=len(tree)).astype(np.int64)
    counts[0] = log.n_cases
    last = tree.reached[variants.offsets[1:] - 1]
    whole = last >= 0
    ends = np.bincount(last[whole], variants.counts[whole], minlength=len(tree)).astype(np.int64)
    activities = np.concatenate(([-1], tree.labels))
    return PrefixCounts(len(log.labels), activities, counts, ends, tree.first_children(), tree.depths)
