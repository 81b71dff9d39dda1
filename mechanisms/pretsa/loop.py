"""The loop: cut the first node in pre-order that violates a check, merge its cases into the nearest sequences, repeat.

Fahrenkrog-Petersen, van der Aa, Weidlich: "PRETSA: Event Log Sanitization for Privacy-aware Process Discovery" (ICPM
2019), Section IV. All cases of an original variant are cut together and are merged into the same sequence, so the
state is kept by variant. Only nodes on the paths of cut and merged cases are checked again.
"""

from __future__ import annotations

import heapq

import numpy as np

from mechanisms.pretsa.classes import Classes
from mechanisms.pretsa.distance import Distance
from mechanisms.pretsa.profiles import Sound
from mechanisms.pretsa.tree import ROOT, Tree


class State:
    """Where the cases are.

    Attributes
    ----------
    end : int64 array (variants,)
        Node at which the cases of each original variant end; the root if they are lost.
    own_depth : int64 array (variants,)
        Depth down to which they are on their original path.
    count, ending : int64 arrays (nodes,)
        Cases in each node, and cases that end there.
    alive, cut : bool arrays (nodes,)
        Still in the tree; once taken out for a violation.
    """

    def __init__(self, tree: Tree) -> None:
        variants = tree.variants
        self.end = tree.homes
        self.own_depth = variants.lengths
        weights = np.repeat(variants.counts, variants.lengths)
        self.count = np.bincount(tree.nodes, weights, minlength=len(tree)).astype(np.int64)
        self.ending = np.bincount(self.end, variants.counts, minlength=len(tree)).astype(np.int64)
        self.alive = np.ones(len(tree), dtype=bool)
        self.cut = np.zeros(len(tree), dtype=bool)


class Loop:
    """The tree under sanitisation.

    Parameters
    ----------
    tree : Tree
    profile : Sound
        Or one of its subclasses.
    k : int
        A node of fewer cases violates.
    variant_k : bool
        Whether fewer than k cases that end at a node violate, too; they are then cut without the rest.
    classes : Classes, optional
        The checks of durations.
    distance : Distance
        Of the variants to the sequences of the profile's nodes.
    key_order : int array (profile's nodes,)
        Their positions by sequence key; of the nearest, the first is taken.

    Attributes
    ----------
    tree, profile, classes
        As given.
    state : State
    cuts : int
        Violations that were removed.
    move_distance : float
        Distances of the cut cases to what they were merged into, summed over all cuts.
    stopped : bool
        Whether an empty node has ended the loop (`r19`).
    """

    def __init__(
        self,
        tree: Tree,
        profile: Sound,
        *,
        k: int,
        variant_k: bool,
        classes: Classes | None,
        distance: Distance,
        key_order: np.ndarray,
    ) -> None:
        self.tree, self.profile, self.classes, self.state = tree, profile, classes, State(tree)
        self.cuts, self.move_distance, self.stopped = 0, 0.0, False
        self._k, self._variant_k = k, variant_k
        self._distance, self._key_order, self._homes = distance, key_order, tree.homes
        # Nodes to be checked. All others are known to violate nothing, so the least that violates is the first.
        self._heap = list(range(1, len(tree)))
        self._queued = np.ones(len(tree), dtype=bool)
        self._stale = np.ones(len(tree), dtype=bool)  # its class has changed
        self._condemned = np.zeros(len(tree), dtype=bool)

    def run(self) -> None:
        """Remove violations until there is none, or until `r19` gives up."""
        while not self.stopped and self._heap:
            node = heapq.heappop(self._heap)
            self._queued[node] = False
            if self.state.alive[node]:
                self._check(node)

    def condemn(self, nodes: np.ndarray) -> None:
        """Have the next `run` cut some nodes, whatever their checks say."""
        self._condemned[nodes] = True
        self._queue(nodes)

    def _check(self, node: int) -> None:
        state, size = self.state, self.tree.size[node]
        if state.count[node] < self._k or self._condemned[node] or self._class_violates(node):
            cases = np.flatnonzero((state.end >= node) & (state.end < node + size))
            if not len(cases):
                self.stopped = True
                return
            state.cut[node] = True
            state.alive[node : node + size] = False
        elif self._variant_k and 0 < state.ending[node] < self._k:
            cases = np.flatnonzero(state.end == node)
        else:
            return
        self.cuts += 1
        self._take_out(node, cases)
        self._merge(cases)

    def _class_violates(self, node: int) -> bool:
        if self.classes is None or not self._stale[node]:
            return False
        self._stale[node] = False
        return self.classes.violate(node, self.state.own_depth)

    def _take_out(self, node: int, cases: np.ndarray) -> None:
        """Remove the cases of some variants from the node and what lies above."""
        state, weights = self.state, self.tree.variants.counts[cases]
        path = self.tree.path(node)
        state.count[path] -= weights.sum()
        np.subtract.at(state.ending, state.end[cases], weights)
        if self.profile.detaches_emptied:
            for emptied in path[(state.count[path] == 0) & state.alive[path]]:
                state.alive[emptied : emptied + self.tree.size[emptied]] = False
        self._queue(path)

    def _merge(self, cases: np.ndarray) -> None:
        """Merge cut cases into the nearest sequences as they stand right after the cut."""
        candidates = self._key_order[self.profile.candidates(self.state)[self._key_order]]
        targets = [self._nearest(variant, candidates) for variant in cases.tolist()]
        ends = {target: self.profile.end(self.state, int(self.profile.nodes[target])) for target in {*targets} - {None}}
        for variant, target in zip(cases.tolist(), targets, strict=True):
            self._place(variant, ends.get(target, ROOT))

    def _nearest(self, variant: int, candidates: np.ndarray) -> int | None:
        """The candidate that a variant is merged into, if there is any but the variant itself."""
        others = candidates[candidates != variant]  # the first of the profile's nodes are the ends of the variants
        if not len(others):
            return None
        place, distance = self._distance.nearest(variant, others)
        self.move_distance += distance * int(self.tree.variants.counts[variant])
        return int(others[place])

    def _place(self, variant: int, end: int) -> None:
        state, weight = self.state, self.tree.variants.counts[variant]
        path, own = self.tree.path(end), self.tree.path(self._homes[variant])
        shared = min(len(path), len(own))
        depth = np.count_nonzero(path[:shared] == own[:shared])
        low, high = sorted((depth, state.own_depth[variant]))
        self._stale[own[low:high]] = True
        state.end[variant], state.own_depth[variant] = end, depth
        state.count[path] += weight
        state.ending[end] += weight
        self._queue(path)

    def _queue(self, nodes: np.ndarray) -> None:
        for node in nodes[~self._queued[nodes]].tolist():
            heapq.heappush(self._heap, node)
        self._queued[nodes] = True
