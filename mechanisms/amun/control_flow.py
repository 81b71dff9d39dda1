"""Noise on the counts of transitions, turned into copies and deletions of whole cases (Amun, Algorithm 1).

Every transition draws how many cases it should gain or lose. Cases are then copied and deleted, variant by
variant, until every transition has had at least its share; no variant is ever new. Profile `code` follows
the published code, `paper` the text; where the text is silent, the choice is stated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from data.log import EventLog, Variants, ranges

# (done, required, cases) of the transitions still in need -> integer weight of each
Weights = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Lookup:
    """The correspondence between transitions and variants (Algorithm 1, line 7).

    Attributes
    ----------
    paths, offsets : int64 arrays
        Transitions of variant `v`: ``paths[offsets[v]:offsets[v + 1]]``, all distinct.
    through : int64 array
        Variants through transition 0, then those through transition 1, ...
    tickets : int64 array
        Running number of cases along `through`: a uniform ticket draws a variant by its cases.
    cases : int64 array (transitions,)
        Number of cases through each transition.
    """

    paths: np.ndarray
    offsets: np.ndarray
    through: np.ndarray
    tickets: np.ndarray
    cases: np.ndarray

    def path(self, variant: int) -> np.ndarray:
        """Transitions of one variant."""
        return self.paths[self.offsets[variant] : self.offsets[variant + 1]]

    def draw(self, transition: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Variants through a transition, with replacement, weighted by their number of cases."""
        last = self.ends[transition]
        tickets = rng.integers(last - self.cases[transition], last, size)
        return self.through[np.searchsorted(self.tickets, tickets, side="right")]
