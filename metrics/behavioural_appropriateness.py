"""Behavioural appropriateness: which activities follow and precede which, always, sometimes or never, in two logs.

`aba_code` is what the published code of the embedding study computes (roeselfa/FeatureLearningBasedDistanceMetrics
at 9659de1): the agreement of both logs' labels over all pairs of activities of the original; no model is discovered.
The measure that it is named after, a'_B of Rozinat and van der Aalst, "Conformance checking of processes based on
monitoring real behavior" (Information Systems 2008), compares a log with a model, over the pairs labelled
sometimes alone; with a release in place of the model it is 1 for every subset of the variants. `aba_s_recall` turns
it round: the share of the original's sometimes-pairs that are sometimes-pairs of the release.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

METRICS = (
    Metric(
        name="aba_code",
        title="Behavioural appropriateness, as in the study's code",
        high=1.0,
        direction="higher",
        identity=1.0,
        doubled=1.0,
        group="published",
        blind_to="frequency and times; most pairs agree that they never occur, so garbage scores far above 0",
    ),
    Metric(
        name="aba_s_recall",
        title="Variable order kept",
        unit="share of sometimes-pairs",
        high=1.0,
        direction="higher",
        identity=1.0,
        doubled=1.0,
        blind_to="frequency, times, and order that the release adds",
    ),
)

NEVER, SOMETIMES, ALWAYS = range(3)
AT_ONCE = 10_000_000  # variants times activities


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Agreement of all labels, and the recall of the label sometimes."""
    pair = align(original, release)
    size = len(original.labels)
    labels = _labels(pair.original)
    released = _labels(pair.release)[:, :size, :size]
    return {"aba_code": float((labels == released).mean()), "aba_s_recall": _recall(labels, released)}


def _labels(log: EventLog) -> np.ndarray:
    """The label of every relation (follows, precedes) and ordered pair (x, y) of activities.

    y follows x in a trace if some y stands after the first x; y precedes x if some y stands before the last x.
    """
    size = len(log.labels)
    after, occurrences = np.zeros((size, size), dtype=np.int64), np.zeros((size, 1), dtype=np.int64)
    for first, last in _ends(log):
        # In how many variants the last y stands after the first x; x then precedes y.
        after += np.stack([(first[:, [x]] < last).sum(0) for x in range(size)])
        occurrences += (last >= 0).sum(0)[:, None]
    counts = np.stack((after, after.T))
    return np.where(counts == 0, NEVER, np.where(counts == occurrences, ALWAYS, SOMETIMES))


def _ends(log: EventLog) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Place of the first and of the last event of each activity in each variant, some variants at a time.

    int32 (variants, activities); beyond any other if none.
    """
    variants, size = log.variants, len(log.labels)
    step = max(1, AT_ONCE // size)
    for start in range(0, len(variants), step):
        offsets = variants.offsets[start : start + step + 1]
        activities = variants.activities[offsets[0] : offsets[-1]]
        shape = len(offsets) - 1, size
        position = np.arange(len(activities), dtype=np.int32)
        first, last = np.full(shape, len(position), dtype=np.int32), np.full(shape, -1, dtype=np.int32)
        variant = np.repeat(np.arange(shape[0]), np.diff(offsets))
        np.minimum.at(first, (variant, activities), position)
        np.maximum.at(last, (variant, activities), position)
        yield first, last


def _recall(labels: np.ndarray, released: np.ndarray) -> Value:
    """Mean over both relations of the share of sometimes-pairs kept; 1 for a relation that has none."""
    wanted = labels == SOMETIMES
    if not wanted.any():
        return not_applicable("no two activities of the original stand in an order that varies")
    kept = (wanted & (released == SOMETIMES)).sum((1, 2))
    total = wanted.sum((1, 2))
    return float(np.where(total, kept / np.maximum(total, 1), 1.0).mean())
