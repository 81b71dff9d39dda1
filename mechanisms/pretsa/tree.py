"""The prefix tree of a log's variants, as arrays.

A node stands for one distinct prefix. Children stand in the order in which the variants are inserted, and nodes are
numbered in pre-order, so a subtree is a range of numbers and the first of some nodes in pre-order is the smallest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import Variants
from data.prefix_tree import prefix_tree

ROOT = 0


@dataclass(frozen=True, eq=False)
class Tree:
    """A prefix tree; node 0 is the root, the empty prefix.

    Attributes
    ----------
    parent, depth, activity : int64 arrays (nodes,)
        Of the root -1, 0 and -1. The depth of a node is the number of its event in a case, from 1.
    size : int64 array (nodes,)
        Nodes of the subtree, itself included: the subtree of `n` is ``range(n, n + size[n])``.
    through : int64 array (nodes,)
        A variant through each node, of the root the last one.
    nodes : int64 array (variant events,)
        Node of each event of the variants one after the other, as in `Variants.activities`.
    variants : Variants
    """

    parent: np.ndarray
    depth: np.ndarray
    activity: np.ndarray
    size: np.ndarray
    through: np.ndarray
    nodes: np.ndarray
    variants: Variants

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def homes(self) -> np.ndarray:
        """Node at which each variant ends, int64 (variants,)."""
        return self.nodes[self.variants.offsets[1:] - 1]

    def path(self, node: int) -> np.ndarray:
        """Nodes from below the root to a node, int64 (depth,)."""
        start = self.variants.offsets[self.through[node]]
        return self.nodes[start : start + self.depth[node]]

    def sequence(self, node: int) -> np.ndarray:
        """Activities from the root to a node, int32 (depth,)."""
        return self.variants.sequence(self.through[node])[: self.depth[node]]


def build(variants: Variants, order: np.ndarray) -> Tree:
    """The tree of all variants.

    Parameters
    ----------
    variants : Variants
    order : int array (variants,)
        The variants as they are inserted.
    """
    tree = prefix_tree(variants)
    parents = np.concatenate(([-1], tree.parents))
    levels = np.split(np.arange(len(tree)), tree.depths[1:-1])
    depth = np.repeat(np.arange(len(levels)), np.diff(tree.depths))
    inserted = np.full(len(tree), len(variants))
    np.minimum.at(inserted, tree.reached, np.repeat(np.argsort(order), variants.lengths))
    size = np.ones(len(tree), dtype=np.int64)
    for level in reversed(levels[1:]):
        np.add.at(size, parents[level], size[level])
    number = np.zeros(len(tree), dtype=np.int64)
    for level in levels[1:]:
        before = _before_siblings(parents[level], inserted[level], size[level])
        number[level] = number[parents[level]] + 1 + before
    nodes = number[tree.reached]
    in_preorder = np.argsort(number)
    activity, through = np.full((2, len(parents)), -1)
    activity[nodes] = variants.activities
    through[nodes] = np.repeat(np.arange(len(variants)), variants.lengths)
    return Tree(
        parent=np.concatenate(([-1], number[parents[in_preorder[1:]]])),
        depth=depth[in_preorder],
        activity=activity,
        size=size[in_preorder],
        through=through,
        nodes=nodes,
        variants=variants,
    )


def _before_siblings(parents: np.ndarray, inserted: np.ndarray, size: np.ndarray) -> np.ndarray:
    """For each node of a level, the sizes of the siblings inserted before it together."""
    order = np.lexsort((inserted, parents))
    before = np.cumsum(size[order]) - size[order]
    first_sibling = np.searchsorted(parents[order], parents[order])
    result = np.empty_like(size)
    result[order] = before - before[first_sibling]
    return result
