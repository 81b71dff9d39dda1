"""The prefix tree (trie) of the variants of a log, built one depth at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import Variants


@dataclass(frozen=True)
class PrefixTree:
    """A tree whose nodes are the prefixes of some variants; node 0 is the empty one.

    Nodes are numbered by depth, then parent, then label, so the children of a node follow each other.

    Attributes
    ----------
    parents, labels : int64 arrays (nodes - 1,)
        Parent of node 1, 2, ..., which never falls, and the activity code on the edge into that node.
    depths : int64 array (depths + 2,)
        First node of each depth, and the number of nodes.
    reached : int64 array (events of all variants,)
        Node after each event, laid out as `Variants.activities`; -1 below the greatest depth.
    """

    parents: np.ndarray
    labels: np.ndarray
    depths: np.ndarray
    reached: np.ndarray

    def __len__(self) -> int:
        return len(self.parents) + 1

    def first_children(self) -> np.ndarray:
        """The children of node v are ``first[v]`` to ``first[v + 1] - 1``; int64 (nodes + 1,)."""
        return 1 + np.searchsorted(self.parents, np.arange(len(self) + 1))


def prefix_tree(variants: Variants, max_depth: int | None = None) -> PrefixTree:
    """The tree of all prefixes of the variants, or of those up to a depth.

    Parameters
    ----------
    variants : Variants
    max_depth : int, optional
        Length of the longest prefix.
    """
    lengths = variants.lengths
    longest_first = np.argsort(-lengths, kind="stable")
    starts = variants.offsets[:-1][longest_first]
    # Number of variants that still have an event at each depth.
    alive = np.searchsorted(-lengths[longest_first], -np.arange(lengths.max(initial=0)), side="left")
    n_labels = variants.activities.max(initial=0) + 1
    reached = np.full(len(variants.activities), -1)
    node = np.zeros(len(variants), dtype=np.int64)
    edges, depths = [np.empty(0, dtype=np.int64)], [0, 1]
    for depth, n in enumerate(alive[:max_depth]):
        events = starts[:n] + depth
        keys, inverse = np.unique(node[:n] * n_labels + variants.activities[events], return_inverse=True)
        node = depths[-1] + inverse
        reached[events] = node
        edges.append(keys)
        depths.append(depths[-1] + len(keys))
    edges = np.concatenate(edges)
    return PrefixTree(edges // n_labels, edges % n_labels, np.array(depths), reached)
