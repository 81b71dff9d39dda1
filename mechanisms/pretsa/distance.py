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
KEPT_BYTES = 2**28  # of distances that are kept


class Distance:
    """Distances of the log's variants to the sequences that they may be merged into.

    Parameters
    ----------
    sources, targets : sequences of int arrays (length,)
        Activity codes.
    common : int
        Those to the first so many targets are computed together and kept, as they are asked for most.
    """

    radii: tuple[float, ...] = (inf,)  # within which the nearest target is looked for, one after the other

    def __init__(self, sources: Sequence[np.ndarray], targets: Sequence[np.ndarray], common: int) -> None:
        self._sources, self._common = sources, np.arange(min(common, len(targets)))
        self._rows: dict[int, tuple[float, np.ndarray]] = {}

    def __call__(self, source: int, targets: np.ndarray, radius: float = inf) -> np.ndarray:
        """Distances of a source to the targets at some positions, float (targets,).

        Of those beyond the radius it is only certain that they are.
        """
        distances = np.empty(len(targets))
        common = targets < len(self._common)
        distances[common] = self._row(source, radius)[targets[common]]
        if not common.all():
            distances[~common] = self.compute(self._sources[source], targets[~common], radius)
        return distances

    def near(self, source: int, targets: np.ndarray, own: int) -> np.ndarray:
        """As a call, with infinity at position `own` unless that is negative, and exact only as far as the least."""
        for radius in self.radii:
            distances = self(source, targets, radius)
            if own >= 0:
                distances[own] = inf
            if distances.min(initial=inf) <= radius:
                break
        return distances

    def _row(self, source: int, radius: float) -> np.ndarray:
        known, row = self._rows.get(source, (-inf, self._common))
        if known < radius:
            if len(self._rows) * self._common.nbytes >= KEPT_BYTES:
                self._rows.clear()
            row = self.compute(self._sources[source], self._common, radius)
            self._rows[source] = radius, row
        return row

    def compute(self, source: np.ndarray, targets: np.ndarray, radius: float = inf) -> np.ndarray:
        """Distances of a sequence to the targets at some positions, numbers (targets,), as in a call."""
        raise NotImplementedError


class Levenshtein(Distance):
    """Least number of activities to insert, delete or replace; a small radius makes it several times as fast."""

    radii = (16, 64, inf)

    def __init__(self, sources: Sequence[np.ndarray], targets: Sequence[np.ndarray], common: int) -> None:
        super().__init__(sources, targets, common)
        self._targets = np.array([as_text(sequence) for sequence in targets], dtype=object)

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
        self,
        sources: Sequence[np.ndarray],
        targets: Sequence[np.ndarray],
        common: int,
        activities: np.ndarray,
        form: str,
    ) -> None:
        super().__init__(sources, targets, common)
        self._form = form
        self._lengths = np.array([len(sequence) for sequence in targets])
        # Behind the end of a sequence stands a code at distance 0 to all, a position a row.
        beyond = len(activities)
        self._positions = np.full((self._lengths.max(), len(targets)), beyond, dtype=np.int32)
        for target, sequence in enumerate(targets):
            self._positions[: len(sequence), target] = sequence
        self._activities = np.pad(activities, ((0, 0), (0, 1)))

    def compute(self, source: np.ndarray, targets: np.ndarray, radius: float = inf) -> np.ndarray:
        if self._form in ("linear", "quadratic"):
            return self._compared(source, targets) + self._penalty(source, targets)
        if self._form == "alignment":
            return self._aligned(source, targets, drop=REMOVED, add=ADDED, first_drop=REMOVED, first_add=ADDED)
        result = np.empty(len(targets))
        longer = self._lengths[targets] > len(source)
        result[longer] = self._aligned(source, targets[longer], drop=3, add=3, first_drop=0, first_add=3)
        result[~longer] = self._aligned(source, targets[~longer], drop=2, add=2, first_drop=2, first_add=0)
        return result

    def _compared(self, source: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Sum over the positions that both have, in their order."""
        total = np.zeros(len(targets))
        for activity, codes in zip(source, self._positions, strict=False):
            total += self._activities[activity].take(codes[targets])
        return total

    def _penalty(self, source: np.ndarray, targets: np.ndarray) -> np.ndarray:
        excess = self._lengths[targets] - len(source)
        penalty = np.where(excess > 0, ADDED * excess, -REMOVED * excess)
        if self._form == "quadratic":
            penalty *= np.where(self._lengths[targets] > 0, np.abs(excess), 1)
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
