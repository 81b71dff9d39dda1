"""The lattice of levels: which nodes suffice for k, from the bottom up.

Three facts save work: outliers never grow upwards, so every generalization of a node that suffices does too; the
frequency set of a node is rolled up from any finer one; and a height needs only the frequency sets of the one below.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baselines.relational.frequencies import Frequencies, outliers
from baselines.relational.hierarchies import Hierarchy
from mechanisms import Infeasible

Node = tuple[int, ...]
MAX_NODES = 1_000_000
MINIMAL, TOOLBOX, ALL_OK = "minimal", "toolbox", "all_ok"
SCOPES = (MINIMAL, TOOLBOX, ALL_OK)


@dataclass(frozen=True)
class Sufficient:
    """A node at which few enough rows are outliers.

    Attributes
    ----------
    levels : tuple of int
        One an attribute.
    minimal : bool
        Whether no direct specialization suffices.
    classes, suppressed_classes : int
        Those of all rows, and those that do not reach k.
    suppressed : int
        Rows in the latter.
    squares : int
        Sum of the squared sizes of the former that do.
    """

    levels: Node
    minimal: bool
    classes: int
    suppressed_classes: int
    suppressed: int
    squares: int


def search(
    hierarchies: Sequence[Hierarchy], frequencies: Frequencies, k: int, allowed: int, scope: str
) -> list[Sufficient]:
    """The nodes of some scope that suffice, by rising height and at one height by falling levels.

    Parameters
    ----------
    hierarchies : sequence of Hierarchy
    frequencies : Frequencies
        At level 0 of all hierarchies.
    k, allowed : int
        At most `allowed` rows may be in classes that do not reach k.
    scope : {"minimal", "toolbox", "all_ok"}
        Nodes none of whose direct specializations suffices; those that the UTD Anonymization ToolBox visits, which
        are the ones whose canonical parent (the last level that is not 0 lowered by one) does not suffice; or all.

    Raises
    ------
    Infeasible
        If the lattice has more than a million nodes.
    """
    heights = [hierarchy.height for hierarchy in hierarchies]
    if (nodes := math.prod(height + 1 for height in heights)) > MAX_NODES:
        raise Infeasible(f"the lattice has {nodes} nodes, more than {MAX_NODES}; use fewer attributes or levels")
    found: list[Sufficient] = []
    below: dict[Node, Frequencies] = {}
    sufficient_below: set[Node] = set()
    for nodes_of_height in by_height(heights):
        here: dict[Node, Frequencies] = {}
        sufficient: set[Node] = set()
        for node in nodes_of_height:
            parents = list(_parents(node))
            tagged = any(parent in sufficient_below for parent in parents)
            if tagged:
                sufficient.add(node)
                if scope == MINIMAL or (scope == TOOLBOX and parents[-1] in sufficient_below):
                    continue
            here[node] = _rolled_up(node, parents, below, hierarchies) if parents else frequencies
            classes = here[node].classes()
            if tagged or outliers(classes, k) <= allowed:
                sufficient.add(node)
                found.append(_described(node, classes, k, minimal=not tagged))
        below, sufficient_below = here, sufficient
    return found


def by_height(heights: Sequence[int]) -> Iterator[list[Node]]:
    """All nodes, by their sum of levels and then by falling levels."""
    nodes = itertools.product(*(range(height, -1, -1) for height in heights))
    return (list(group) for _, group in itertools.groupby(sorted(nodes, key=sum), key=sum))


def _parents(node: Node) -> Iterator[Node]:
    """The direct specializations of a node; the last is the canonical one."""
    return ((*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level)


def _rolled_up(
    node: Node, parents: Sequence[Node], below: dict[Node, Frequencies], hierarchies: Sequence[Hierarchy]
) -> Frequencies:
    """The frequency set of a node from that of the direct specialization that has the fewest vectors."""
    parent = min((parent for parent in parents if parent in below), key=lambda parent: len(below[parent]))
    steps = [h.steps[low] if low < level else None for h, low, level in zip(hierarchies, parent, node, strict=True)]
    return below[parent].raised(steps)


def _described(node: Node, classes: tuple, k: int, minimal: bool) -> Sufficient:
    support, rows = classes
    small = support < k
    squares = int((rows[~small] ** 2).sum())
    return Sufficient(node, minimal, len(rows), int(small.sum()), int(rows[small].sum()), squares)
