"""What a release carries over of a case as it stands: its id, plain or hashed, or all of its timestamps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from data.hashing import case_keys
from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty

HASHES = ("md5", "sha1", "sha256")  # without salt, anyone who knows an id finds it

METRICS = (
    Metric(
        name="original_ids",
        title="Cases with an original id",
        unit="share of released cases",
        high=1.0,
        identity=None,
        doubled=None,
        blind_to="salted or encrypted ids, and identifiers of anything but cases",
    ),
    Metric(
        name="original_times",
        title="Cases with all timestamps of an original one",
        unit="share of released cases of two events and more",
        high=1.0,
        identity=None,
        doubled=None,
        blind_to="times that are shifted or changed in part (see `gaps_identified`)",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Both shares."""
    times = with_original_times(original, release)
    long = int((release.lengths > 1).sum())
    if release.untimed and not original.untimed:
        share = not_applicable("the release has no times")
    else:
        share = len(times) / long if long else not_applicable("no released case has two events")
    return {"original_ids": len(with_original_id(original, release)) / release.n_cases, "original_times": share}


def with_original_id(original: EventLog, release: EventLog) -> np.ndarray:
    """The released cases whose id, or a text attribute of one of whose events, is an original id or a hash of one."""
    known = {text for case_id in original.case_ids for text in _spellings(case_id)}
    found = [case for case, case_id in enumerate(release.case_ids) if case_id in known]
    for values in release.attributes.values():
        if values.dtype.kind in "OUST":
            texts, places = np.unique(values.astype(str), return_inverse=True)
            exposed = np.array([text in known for text in texts.tolist()], dtype=bool)
            found += release.case_of_event[exposed[places]].tolist()
    return np.unique(np.array(found, dtype=np.int64))


def with_original_times(original: EventLog, release: EventLog) -> np.ndarray:
    """The released cases of two events and more with all timestamps of an original case."""
    known, keys = (case_keys(log, log.timestamps) for log in (original, release))
    return np.flatnonzero((release.lengths > 1) & np.isin(keys, known[original.lengths > 1]))


def _spellings(case_id: str) -> Iterator[str]:
    yield case_id
    for name in HASHES:
        yield hashlib.new(name, case_id.encode()).hexdigest()
