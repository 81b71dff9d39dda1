"""The minimal acyclic automaton (DAFSA) of the variants of a log.

A state stands for the prefixes that lead to it and the suffixes that leave it; Amun adds its noise per
transition. The trie of the variants is built one depth at a time; equal states are then merged from the
deepest one up, as in Daciuk et al., "Incremental construction of minimal acyclic finite-state automata"
(Computational Linguistics, 2000), used by Reissner et al. for event logs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import Variants


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


@dataclass(frozen=True)
class _Trie:
    """A trie whose nodes are numbered by depth, then parent, then label; node 0 is the root."""

    parents: np.ndarray  # (nodes - 1,) parent of node 1, 2, ...: it never falls
    labels: np.ndarray  # (nodes - 1,) label on the edge into node 1, 2, ...
    depths: np.ndarray  # (depths + 1,) first node of each depth, and the number of nodes
    reached: np.ndarray  # (events of all variants,) node after each event


def minimal_dafsa(variants: Variants) -> Dafsa:
    """The unique minimal automaton that accepts exactly the given variants.

    Parameters
    ----------
    variants : Variants
        At least one variant.
    """
    trie = _trie(variants)
    ends = np.zeros(trie.depths[-1], dtype=bool)
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


def _trie(variants: Variants) -> _Trie:
    lengths = variants.lengths
    longest_first = np.argsort(-lengths, kind="stable")
    starts = variants.offsets[:-1][longest_first]
    # Number of variants that still have an event at each depth.
    alive = np.searchsorted(-lengths[longest_first], -np.arange(lengths.max()), side="left")
    n_labels = variants.activities.max() + 1
    reached = np.empty(len(variants.activities), dtype=np.int64)
    node = np.zeros(len(variants), dtype=np.int64)
    edges, depths = [], [0, 1]
    for depth, n in enumerate(alive):
        events = starts[:n] + depth
        keys, inverse = np.unique(node[:n] * n_labels + variants.activities[events], return_inverse=True)
        node = depths[-1] + inverse
        reached[events] = node
        edges.append(keys)
        depths.append(depths[-1] + len(keys))
    edges = np.concatenate(edges)
    return _Trie(edges // n_labels, edges % n_labels, np.array(depths), reached)


def _merge(trie: _Trie, ends: np.ndarray) -> np.ndarray:
    """The automaton's state of each node of the trie."""
    nodes = trie.depths[-1]
    first_child = 1 + np.searchsorted(trie.parents, np.arange(nodes + 1))
    state = np.empty(nodes, dtype=np.int64)
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
