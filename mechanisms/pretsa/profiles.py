"""The generations of PRETSA: which sequences a cut case may be merged into, and where it then ends.

* `sound`: ours. The targets are the original variants with a case at their end. Nothing is new, the loop ends when
  no class violates anything, and either all cases are kept or none.
* `r19`: the published code of March 2019 (samadeusfp/PRETSA, commit 000e8e7), on which the embedding study built.
  Sequences without a case and the empty sequence are targets too, so cases are lost; the first node without a case
  ends the loop, so the release may violate k and t.
* `r21`: the published code of October 2021 (commit d003f73), on which the l-diversity and noise fork built. A variant
  that runs through a cut node stays a target. Its activities without a node are skipped, so variants are invented,
  and what has none left is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mechanisms.pretsa.tree import ROOT, Tree

if TYPE_CHECKING:
    from mechanisms.pretsa.loop import State


class Sound:
    """Targets are variants that a case has.

    Attributes
    ----------
    nodes : int64 array (targets,)
        Whose sequences cut cases may be merged into at any time, the ends of the variants first.
    detaches_emptied : bool
        Whether a node above a cut that has lost all its cases goes, too.
    """

    detaches_emptied = True

    def __init__(self, tree: Tree) -> None:
        self.nodes = tree.homes

    def candidates(self, state: State) -> np.ndarray:
        """Which of `nodes` a cut case may be merged into, bool (nodes,)."""
        return state.ending[self.nodes] > 0

    def end(self, state: State, node: int) -> int:
        """The node at which a case ends that is merged into the sequence of a node."""
        return node


class R19(Sound):
    """Targets are all nodes with a case at their end or without any case, and the root."""

    detaches_emptied = False

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        others = np.ones(len(tree), dtype=bool)
        others[self.nodes] = False
        self.nodes = np.concatenate((self.nodes, np.flatnonzero(others)))

    def candidates(self, state: State) -> np.ndarray:
        eligible = state.alive & ((state.ending > 0) | (state.count == 0))
        eligible[ROOT] = True
        return eligible[self.nodes]


class R21(Sound):
    """Targets are all variants whose own end was not cut."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._tree = tree
        parents, activities = tree.parent[1:].tolist(), tree.activity[1:].tolist()
        self._children = {key: node for node, key in enumerate(zip(parents, activities, strict=True), start=1)}

    def candidates(self, state: State) -> np.ndarray:
        return ~state.cut[self.nodes]

    def end(self, state: State, node: int) -> int:
        if state.alive[node]:
            return node
        end = ROOT
        for activity in self._tree.sequence(node).tolist():
            child = self._children.get((end, activity))
            if child is not None and state.alive[child]:
                end = child
        return end


PROFILES = {"sound": Sound, "r19": R19, "r21": R21}
