"""An original log and a release in one space of activity codes, and what several metrics derive from both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from data.graph import OUTSIDE, DirectlyFollowsGraph, directly_follows, edge_numbers
from data.log import EventLog, Variants, factorize, ranges
from data.texts import texts


@dataclass(frozen=True)
class SharedVariants:
    """The variants of two logs.

    Attributes
    ----------
    traces : tuple of str
        Distinct variants, one character an activity, so that string kernels apply to them.
    original, release : int64 arrays (variants,)
        Number of cases of each variant, 0 where a log lacks it.
    """

    traces: tuple[str, ...]
    original: np.ndarray
    release: np.ndarray


@dataclass(frozen=True)
class Edges:
    """The directly-follows pairs of a log, one element a pair of consecutive events of a case.

    Attributes
    ----------
    codes : int64 array (pairs,)
        The same number for the same pair of activities, in both logs of a pair.
    gaps : int64 array (pairs,)
        Time from the first to the second event, microseconds.
    """

    codes: np.ndarray
    gaps: np.ndarray


@dataclass(frozen=True, eq=False)
class Pair:
    """Two logs in which an activity code means the same label; made by `align`."""

    original: EventLog
    release: EventLog

    @cached_property
    def variants(self) -> SharedVariants:
        """The variants of both logs and their counts."""
        original, release = (texts(v.activities, v.offsets) for v in (self.original.variants, self.release.variants))
        codes, traces = factorize(original + release)
        counts = np.zeros((2, len(traces)), dtype=np.int64)
        counts[0, codes[: len(original)]] = self.original.variants.counts
        counts[1, codes[len(original) :]] = self.release.variants.counts
        return SharedVariants(traces, *counts)

    @cached_property
    def edges(self) -> tuple[Edges, Edges]:
        """The directly-follows pairs of the original and of the release, events in the order of the log."""
        base = len(self.release.labels)
        return _edges(self.original, base), _edges(self.release, base)

    @cached_property
    def edge_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """How often each directly-follows pair of either log occurs in the original and in the release."""
        return _sums_by_key(*self.variant_edges)

    @cached_property
    def variant_edges(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """The directly-follows pairs of the variants of the original and of the release: codes as in `edges`, and the
        number of cases of each."""
        base = len(self.release.labels)
        return _variant_edges(self.original.variants, base), _variant_edges(self.release.variants, base)

    def edge_sums(self, original: np.ndarray, release: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums over each directly-follows pair of either log of a weight per occurrence, float64 (edges,)."""
        return _sums_by_key(*zip((edges.codes for edges in self.edges), (original, release), strict=True))

    def ngram_counts(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """How often each n-gram of activities occurs in the original and in the release.

        A case is padded with n - 1 artificial events on both ends, so that it has ``length + n - 1`` n-grams
        and n = 2 gives the directly-follows counts with start and end edges.
        """
        base = len(self.release.labels) + 1
        return _sums_by_key(_ngrams(self.original, n, base), _ngrams(self.release, n, base))


@lru_cache(maxsize=1)  # all metrics of a run share one pair
def align(original: EventLog, release: EventLog) -> Pair:
    """The pair in which the codes of the release are those of the original, new labels behind them."""
    index = {label: code for code, label in enumerate(original.labels)}
    recode = np.array([index.setdefault(label, len(index)) for label in release.labels], dtype=np.int32)
    return Pair(original, release.recoded(recode, tuple(index)))


def graph_frequencies(
    original: EventLog, release: DirectlyFollowsGraph, *, ends: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies of the directly-follows pairs of a log and of a released graph, over those that either has.

    Parameters
    ----------
    original : EventLog
    release : DirectlyFollowsGraph
    ends : bool
        With the pairs of an activity and the start or the end of a case.
    """
    index = {label: code for code, label in enumerate(original.labels)}
    recode = np.array([OUTSIDE, *(index.setdefault(label, len(index)) for label in release.labels)])
    sides = []
    for graph, codes in ((directly_follows(original), np.arange(OUTSIDE, len(index))), (release, recode)):
        wanted = ends | ((graph.sources != OUTSIDE) & (graph.targets != OUTSIDE))
        numbers = edge_numbers(codes[graph.sources + 1], codes[graph.targets + 1], len(index))
        sides.append((numbers[wanted], graph.frequencies[wanted]))
    return _sums_by_key(*sides)


def _sums_by_key(
    original: tuple[np.ndarray, np.ndarray], release: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of weights by key, over the union of the keys; each side is an array of keys and one of weights."""
    keys = np.concatenate((original[0], release[0]))
    if len(keys) and keys.min() >= 0 and keys.max() < len(keys):  # few enough to count without sorting
        present = np.bincount(keys) > 0
        return tuple(np.bincount(*side, minlength=len(present))[present] for side in (original, release))
    found, place = np.unique(keys, return_inverse=True)
    split = len(original[0])
    return (
        np.bincount(place[:split], original[1], minlength=len(found)),
        np.bincount(place[split:], release[1], minlength=len(found)),
    )


def _edges(log: EventLog, base: int) -> Edges:
    inner = ~log.first_events[1:]
    activities = log.activities.astype(np.int64)
    return Edges((activities[:-1] * base + activities[1:])[inner], np.diff(log.timestamps)[inner])


def _variant_edges(variants: Variants, base: int) -> tuple[np.ndarray, np.ndarray]:
    activities = variants.activities.astype(np.int64)
    within = np.delete(activities[:-1] * base + activities[1:], variants.offsets[1:-1] - 1)
    return within, np.repeat(variants.counts, variants.lengths - 1)


def _ngrams(log: EventLog, n: int, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the n-grams of every variant (numbers in the given base, 0 the padding) and their case counts."""
    variants = log.variants
    padded_lengths = variants.lengths + 2 * (n - 1)
    starts = np.cumsum(padded_lengths) - padded_lengths
    padded = np.zeros(padded_lengths.sum(), dtype=np.int64)
    padded[ranges(starts + n - 1, variants.lengths)] = variants.activities + 1
    heads = ranges(starts, variants.lengths + n - 1)
    codes = np.zeros(len(heads), dtype=np.int64)
    for position in range(n):
        codes = codes * base + padded[heads + position]
    return codes, np.repeat(variants.counts, variants.lengths + n - 1)
