"""What a release carries over of a case as it stands: its id, plain or hashed, its timestamps, or attributes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from data.hashing import case_keys
from data.log import DURATION, EventLog
from metrics.metric import NO_TIMES, Metric, Value, not_applicable, unless_empty

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
    Metric(
        name="shifted_times",
        title="Cases with all times from event to event of an original one",
        unit="share of released cases of three events and more",
        high=1.0,
        identity=None,
        doubled=None,
        blind_to="times that are changed in part; what a coarse clock lets coincide (see `gaps_coincidence`)",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """All shares."""
    values: dict[str, Value] = {"original_ids": len(with_original_id(original, release)) / release.n_cases}
    for name, find, least in (("original_times", with_original_times, 2), ("shifted_times", with_original_gaps, 3)):
        long = int((release.lengths >= least).sum())
        if release.untimed and not original.untimed:
            values[name] = NO_TIMES
        else:
            found = len(find(original, release))
            values[name] = found / long if long else not_applicable(f"no released case has {least} events")
    return values


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


def with_original_gaps(original: EventLog, release: EventLog) -> np.ndarray:
    """The released cases of three events and more with all times from event to event of an original case.

    So their timestamps are those of that case, perhaps shifted by a constant.
    """
    known, keys = (case_keys(log, log.gaps, ~log.first_events) for log in (original, release))
    return np.flatnonzero((release.lengths > 2) & np.isin(keys, known[original.lengths > 2]))


def carried_over(original: EventLog, release: EventLog, allowed: Sequence[str] = ()) -> list[str]:
    """The attributes of the original that the release has, but for those that it may have.

    Durations may always be released, as they are claimed and measured by themselves.
    """
    return sorted(set(release.attributes) & set(original.attributes) - {DURATION, *allowed})


def _spellings(case_id: str) -> Iterator[str]:
    yield case_id
    for name in HASHES:
        yield hashlib.new(name, case_id.encode()).hexdigest()
