"""Sets of symbols as rows of bits, 64 symbols a word."""

from __future__ import annotations

import numpy as np

WORD = 64
HALVES = (32, 16, 8, 4, 2, 1)


def pack(members: np.ndarray) -> np.ndarray:
    """The sets of which a bool array (sets, symbols) tells the members; uint64 (sets, words)."""
    padded = np.pad(members, ((0, 0), (0, -members.shape[1] % WORD)))
    return np.ascontiguousarray(np.packbits(padded, axis=1, bitorder="little")).view("<u8")


def marked(shape: tuple[int, int], rows: np.ndarray, symbols: np.ndarray) -> np.ndarray:
    """Sets of the given shape that have a symbol for each of some rows."""
    words = np.zeros(shape[0] * shape[1], dtype=np.uint64)
    np.bitwise_or.at(words, rows * shape[1] + symbols // WORD, np.uint64(1) << (symbols % WORD).astype(np.uint64))
    return words.reshape(shape)


def contains(sets: np.ndarray, rows: np.ndarray, symbols: np.ndarray) -> np.ndarray:
    """Whether the set of each given row has a symbol, bool (rows,)."""
    return (sets[rows, symbols // WORD] >> (symbols % WORD).astype(np.uint64) & np.uint64(1)).astype(bool)


def sizes(sets: np.ndarray) -> np.ndarray:
    """Number of members of each set, int64 (sets,)."""
    return np.bitwise_count(sets).sum(axis=1, dtype=np.int64)


def members(sets: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row and symbol of some members, which are numbered through all sets one after the other."""
    counts = sizes(sets)
    ends = np.cumsum(counts)
    rows = np.searchsorted(ends, indices, side="right")
    return rows, _member(sets[rows], indices - (ends - counts)[rows])


def _member(sets: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The member of each set that has so many smaller ones, int64 (sets,)."""
    rows = np.arange(len(sets))
    ends = np.cumsum(np.bitwise_count(sets), axis=1, dtype=np.int64)
    words = (ends <= ranks[:, None]).sum(axis=1)
    bits = sets[rows, words]
    ranks = ranks - ends[rows, words] + np.bitwise_count(bits)
    # Halve the word that holds it until one bit is left.
    places = np.zeros(len(sets), dtype=np.uint64)
    for half in HALVES:
        below = np.bitwise_count(bits >> places & np.uint64((1 << half) - 1))
        above = ranks >= below
        ranks = ranks - np.where(above, below, 0)
        places += np.where(above, np.uint64(half), np.uint64(0))
    return words * WORD + places.astype(np.int64)
