"""What t-closeness and l-diversity ask of a node's class: the durations that its own cases have there.

The cases of a node with a duration there are those that are on their original path, so a class only ever holds
values of its activity. A class is compared with all values of the activity by the Wasserstein distance, as a share
of their range: the published check, laxer than Li's distance of ranks (ICDE 2007), as one outlier sets the range.
"""

from __future__ import annotations

import numpy as np

from mechanisms.pretsa.durations import Populations
from mechanisms.pretsa.tree import Tree
from mechanisms.pretsa.wasserstein import GUARD, Population


class Classes:
    """The durations of all nodes, and the two checks.

    Parameters
    ----------
    tree : Tree
    populations : Populations
    nodes, variants : int arrays (events,)
        Node of each event of the log, and original variant of its case.
    seconds : float array (events,)
    closeness : float
        t; a class whose distance to its activity's durations is at least t violates it. From t = 1 on none can.
    diversity : int, optional
        l; a class of fewer than l distinct durations violates it.
    empty_pass : bool
        Whether a class without any value passes l-diversity.
    """

    def __init__(
        self,
        tree: Tree,
        populations: Populations,
        nodes: np.ndarray,
        variants: np.ndarray,
        seconds: np.ndarray,
        *,
        closeness: float,
        diversity: int | None,
        empty_pass: bool,
    ) -> None:
        self.tree = tree
        self.closeness, self.diversity, self.empty_pass = closeness, diversity, empty_pass
        by_value = np.lexsort((seconds, nodes))
        self._seconds, self._variants = seconds[by_value], variants[by_value]
        self._starts = np.searchsorted(nodes[by_value], np.arange(len(tree) + 1))
        low, high = populations.bounds()
        self.populations = {activity: Population(populations[activity]) for activity in np.flatnonzero(low < high)}

    def violate(self, node: int, own_depth: np.ndarray) -> bool:
        """Whether the class of a node violates t-closeness or l-diversity.

        Parameters
        ----------
        node : int
        own_depth : int array (variants,)
            Depth down to which the cases of each original variant are on their original path.
        """
        population = self.populations.get(self.tree.activity[node])
        if population is None:
            return False
        members = slice(self._starts[node], self._starts[node + 1])
        present = own_depth[self._variants[members]] >= self.tree.depth[node]
        sample = self._seconds[members][present]
        if not len(sample):
            return self.diversity is not None and not self.empty_pass
        # What the sample shares with the population need not move, so the distance is at most the rest.
        farthest = 1 - len(sample) / len(population.values)
        if farthest >= self.closeness - GUARD and population.reaches(sample, self.closeness):
            return True
        return self.diversity is not None and 1 + np.count_nonzero(np.diff(sample)) < self.diversity

    def far_from_population(self, nodes: np.ndarray, seconds: np.ndarray) -> list[int]:
        """The nodes that violate t-closeness by the durations of a release.

        Parameters
        ----------
        nodes : int array (released events,)
        seconds : float array (released events,)
        """
        by_value = np.lexsort((seconds, nodes))
        found, starts = np.unique(nodes[by_value], return_index=True)
        samples = zip(found.tolist(), np.split(seconds[by_value], starts[1:]), strict=True)
        return [
            node
            for node, sample in samples
            if (population := self.populations.get(self.tree.activity[node]))
            and population.reaches(sample, self.closeness)
        ]
