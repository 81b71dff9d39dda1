"""The minimal acyclic automaton (DAFSA) of the variants of a log.

A state stands for the prefixes that lead to it and the suffixes that leave it; Amun adds its noise per
transition. Equal states of the prefix tree are merged from the deepest one up, as in Daciuk et al., "Incremental
construction of minimal acyclic finite-state automata" (Computational Linguistics, 2000), used by Reissner et al. for
event logs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import Variants
from data.prefix_tree import PrefixTree, prefix_tree


@dataclass(frozen=True)
class Dafsa:
    """A minimal deterministic acyclic automaton; state 0 is the initial one.

    Attributes
    ----------
    sources, labels, targets : int64 arrays (transitions,)
        Transitions in rising order of (source, label).
    final : bool array (states,)
        True where a variant ends.
    paths : int64 array (events of all variants,)
        Transition of each event of each variant, laid out as `Variants.activities`.
    """

    sources: np.ndarray
    labels: np.ndarray
    targets: np.ndarray
    final: np.ndarray
    paths: np.ndarray


def minimal_dafsa(variants: Variants) -> Dafsa:
    """The unique minimal automaton that accepts exactly the given variants.

    Parameters
    ----------
    variants : Variants
        At least one variant.
    """
    trie = prefix_tree(variants)
    ends = np.zeros(len(trie), dtype=bool)
    ends[trie.reached[variants.offsets[1:] - 1]] = True
    state = _merge(trie, ends)

    final = np.zeros(state.max() + 1, dtype=bool)
    final[state[ends]] = True
    before = np.concatenate(([0], trie.reached[:-1]))
    before[variants.offsets[:-1]] = 0
    n_labels = variants.activities.max() + 1
    keys, first, paths = np.unique(
        state[before] * n_labels + variants.activities, return_index=True, return_inverse=True
    )
    return Dafsa(keys // n_labels, keys % n_labels, state[trie.reached[first]], final, paths)


def _merge(trie: PrefixTree, ends: np.ndarray) -> np.ndarray:
    """The automaton's state of each node of the trie."""
    first_child = trie.first_children()
    state = np.empty(len(trie), dtype=np.int64)
    # Two nodes are one state if both or neither end a variant and their (label, state) lists agree;
    # children are in the order of their labels, so the lists compare as byte strings.
    register: dict[tuple[bool, bytes], int] = {}
    below = b""
    for start, stop in zip(trie.depths[-2::-1], trie.depths[:0:-1], strict=True):
        bounds = (16 * (first_child[start : stop + 1] - stop)).tolist()
        state[start:stop] = [
            register.setdefault((end, below[a:b]), len(register))
            for end, a, b in zip(ends[start:stop].tolist(), bounds[:-1], bounds[1:], strict=True)
        ]
        if start:
            below = np.column_stack((trie.labels[start - 1 : stop - 1], state[start:stop])).tobytes()
    return state.max() - state  # the root was registered last and becomes 0
