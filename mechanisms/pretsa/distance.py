"""Distances from a trace that is to be merged to the sequences it may be merged into.

Levenshtein's (PRETSA, ICPM 2019), and the asymmetric ones over a distance of activities from an embedding: Rösel,
Fahrenkrog-Petersen, van der Aa, Weidlich, "A Distance Measure for Privacy-Preserving Process Mining based on Feature
Learning" (BPM workshops 2021). The paper speaks of a penalty for excess events, 2 for each that would be added and 3
for each that would be removed; its code multiplies the penalty by their number once more. Four forms:

* `linear`: activities compared position by position, plus the penalty of the text.
* `quadratic`: the same with the penalty of the code; to the empty sequence it is linear there too.
* `shift`: a later file of the authors that nothing uses: an alignment whose gaps cost 2 if the trace is at least as
  long as the sequence, else 3, so the other way round; leading events of the shorter one are skipped at no cost.
* `alignment`: ours, an alignment that drops an event for 3 and adds one for 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

FORMS = ("linear", "quadratic", "shift", "alignment")
ADDED, REMOVED = 2, 3
FIRST, GROWTH = 64, 8  # targets that are compared first, and how many times as many next
STEPS = 16  # positions after which targets that are already too far are left out
ROUNDING = 1e-6  # of sums of distances of activities, which may be a little below 0


class Distance:
    """Distances of the log's variants to the sequences that they may be merged into.

    Parameters
    ----------
    sources, targets : sequences of int arrays (length,)
        Activity codes.
    """

    def __init__(self, sources: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
        self._sources = sources
        self._lengths = np.array([len(sequence) for sequence in targets])

    def nearest(self, source: int, targets: np.ndarray) -> tuple[int, float]:
        """Place of the first of the nearest among the targets at some positions, and its distance.

        Targets are compared by rising bounds, as long as one can still be as near as the nearest so far.
        """
        sequence = self._sources[source]
        bounds = self.bounds(sequence)[targets]
        order = np.argsort(bounds.astype(np.min_scalar_type(bounds.max())), kind="stable")  # radix, where small
        distances = np.full(len(targets), inf)
        least, done, count = inf, 0, FIRST
        while done < len(order) and bounds[order[done]] <= least + ROUNDING:
            chunk = order[done : done + count]
            chunk = chunk[bounds[chunk] <= least + ROUNDING]
            distances[chunk] = self.compute(sequence, targets[chunk], least)
            least = min(least, distances[chunk].min())
            done, count = done + count, count * GROWTH
        place = int(distances.argmin())
        return place, float(distances[place])

    def bounds(self, source: np.ndarray) -> np.ndarray:
        """What the distances of a sequence to all targets are at least, int array (all targets,)."""
        raise NotImplementedError

    def compute(self, source: np.ndarray, targets: np.ndarray, radius: float = inf) -> np.ndarray:
        """Distances of a sequence to the targets at some positions, numbers (targets,).

        Of those beyond the radius it is only certain that they are.
        """
        raise NotImplementedError


class Levenshtein(Distance):
    """Least number of activities to insert, delete or replace."""

    def __init__(self, sources: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
        super().__init__(sources, targets)
        self._targets = np.array([as_text(sequence) for sequence in targets], dtype=object)
        # How often each activity occurs in each target, a row an activity, so that sums run along memory.
        activities = 1 + max(int(sequence.max(initial=-1)) for sequence in (*sources, *targets))
        most = max(len(sequence) for sequence in (*sources, *targets))
        self._counts = np.zeros((activities, len(targets)), dtype=np.min_scalar_type(-most - 1))
        for target, sequence in enumerate(targets):
            self._counts[:, target] = np.bincount(sequence, minlength=activities)

    def bounds(self, source: np.ndarray) -> np.ndarray:
        """Events that only one of both has, whatever their order; the more of both sides, as each edit is of either."""
        counts = np.bincount(source).astype(self._counts.dtype)
        own = np.flatnonzero(counts)
        lacking = np.maximum(counts[own, None] - self._counts[own], 0).sum(axis=0, dtype=self._counts.dtype)
        return np.maximum(lacking, lacking + self._lengths - len(source))

    def compute(self, source: np.ndarray, targets: np.ndarray, radius: float = inf) -> np.ndarray:
        from rapidfuzz.distance import Levenshtein as Edits
        from rapidfuzz.process import cdist

        cutoff = None if radius == inf else radius
        return cdist(
            [as_text(source)], self._targets[targets], scorer=Edits.distance, score_cutoff=cutoff, dtype=np.int32
        )[0]


class Embedded(Distance):
    """A form of the distance over an embedding.

    Parameters
    ----------
    activities : float array (activities, activities)
        Distance of each two activities, 0 of one to itself.
    form : {"linear", "quadratic", "shift", "alignment"}
    """

    def __init__(
        self, sources: Sequence[np.ndarray], targets: Sequence[np.ndarray], activities: np.ndarray, form: str
    ) -> None:
        super().__init__(sources, targets)
        self._form = form
        # Behind the end of a sequence stands a code at distance 0 to all, a position a row.
        beyond = len(activities)
        shape = (self._lengths.max(), len(targets))
        self._positions = np.full(shape, beyond, dtype=np.min_scalar_type(beyond))
        for target, sequence in enumerate(targets):
            self._positions[: len(sequence), target] = sequence
        self._activities = np.pad(activities, ((0, 0), (0, 1)))

    def bounds(self, source: np.ndarray) -> np.ndarray:
        """The penalty, of which `shift` may spare all."""
        return self._penalty(source, self._lengths) * (self._form != "shift")

    def compute(self, source: np.ndarray, targets: np.ndarray, radius: float = inf) -> np.ndarray:
        if self._form in ("linear", "quadratic"):
            return self._compared(source, targets, radius)
        if self._form == "alignment":
            return self._aligned(source, targets, drop=REMOVED, add=ADDED, first_drop=REMOVED, first_add=ADDED)
        result = np.empty(len(targets))
        longer = self._lengths[targets] > len(source)
        result[longer] = self._aligned(source, targets[longer], drop=3, add=3, first_drop=0, first_add=3)
        result[~longer] = self._aligned(source, targets[~longer], drop=2, add=2, first_drop=2, first_add=0)
        return result

    def _compared(self, source: np.ndarray, targets: np.ndarray, radius: float) -> np.ndarray:
        """Sum over the positions that both have, in their order, and the penalty."""
        total, penalty = np.zeros(len(targets)), self._penalty(source, self._lengths[targets])
        kept = np.arange(len(targets))
        for start in range(0, min(len(source), len(self._positions)), STEPS):
            codes = self._positions[start : start + STEPS, targets[kept]]
            found = self._activities[source[start : start + len(codes), None], codes[: len(source) - start]]
            # Added one after the other, as sums in another order round to other values.
            total[kept] = np.add.accumulate(np.concatenate((total[None, kept], found)), axis=0)[-1]
            kept = kept[total[kept] + penalty[kept] <= radius + ROUNDING]
        return total + penalty

    def _penalty(self, source: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        excess = lengths - len(source)
        penalty = np.where(excess > 0, ADDED * excess, -REMOVED * excess)
        if self._form == "quadratic":
            penalty *= np.where(lengths > 0, np.abs(excess), 1)
        return penalty

    def _aligned(
        self, source: np.ndarray, targets: np.ndarray, drop: int, add: int, first_drop: int, first_add: int
    ) -> np.ndarray:
        """Least costs of alignments that drop events of the source and add events of the target.

        What is dropped before the first event of the target, or added before the first of the source, has a cost of
        its own.
        """
        result = np.empty(len(targets))
        by_length = np.argsort(self._lengths[targets], kind="stable")
        # Targets of similar length together, so that little is computed beyond their ends.
        for chunk in np.array_split(by_length, len(targets) // 64 + 1):
            lengths = self._lengths[targets[chunk]]
            codes = self._positions[: lengths.max(initial=0), targets[chunk]]
            steps = np.arange(len(codes) + 1)[:, None]
            costs = np.repeat(float(first_add) * steps, len(chunk), axis=1)  # of each beginning of a target, a row
            for activity in source:
                replaced = costs[:-1] + self._activities[activity].take(codes)
                dropped = costs + drop
                dropped[0] = costs[0] + first_drop
                np.minimum(dropped[1:], replaced, out=dropped[1:])
                costs = np.minimum.accumulate(dropped - add * steps, axis=0) + add * steps
            result[chunk] = costs[lengths, np.arange(len(chunk))]
        return result


def as_text(sequence: np.ndarray) -> str:
    """A character an activity, as rapidfuzz is fastest on texts."""
    return np.asarray(sequence, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
