"""The canonical event log: an immutable, columnar event log over numpy arrays.

Every mechanism and metric reads and writes this one class. Cases are contiguous, the events of a case
are in order, activities are integer codes, and timestamps are microseconds since 1970-01-01 UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from data.order import arrange

if TYPE_CHECKING:
    import pandas

CASE = "case:concept:name"
ACTIVITY = "concept:name"
TIMESTAMP = "time:timestamp"
CASE_NAME = "concept:name"  # of a trace in XES
LIFECYCLE = "lifecycle:transition"
DURATION = "duration_s"  # seconds from the start of an event to its time, where the source tells
KEYS = (CASE, ACTIVITY, TIMESTAMP)
CASES_AT_ONCE = 1 << 16


class LogError(ValueError):
    """A log file that cannot be read or written; the message names the file and the remedy."""


@dataclass(frozen=True)
class Variants:
    """The distinct activity sequences of a log, numbered by first appearance.

    Attributes
    ----------
    of_case : int64 array (cases,)
        Variant of each case.
    counts : int64 array (variants,)
        Number of cases of each variant.
    representative : int64 array (variants,)
        Index of the first case of each variant.
    activities, offsets : arrays
        Activity codes of all variants one after the other; variant `v` is
        ``activities[offsets[v]:offsets[v + 1]]``.
    """

    of_case: np.ndarray
    counts: np.ndarray
    representative: np.ndarray
    activities: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def lengths(self) -> np.ndarray:
        """Number of events of each variant, int64 (variants,)."""
        return np.diff(self.offsets)

    @property
    def alone(self) -> np.ndarray:
        """Whether each case has a variant that no other case has, bool (cases,)."""
        return self.counts[self.of_case] == 1

    def sequence(self, variant: int) -> np.ndarray:
        """Activity codes of one variant, int32 (length,)."""
        return self.activities[self.offsets[variant] : self.offsets[variant + 1]]


@dataclass(frozen=True, eq=False)
class EventLog:
    """An event log.

    Parameters
    ----------
    activities : int32 array (events,)
        Activity code of each event, an index into `labels`.
    timestamps : int64 array (events,)
        Microseconds since 1970-01-01 UTC.
    offsets : int64 array (cases + 1,)
        The events of case `c` are ``offsets[c]:offsets[c + 1]``; no case is empty.
    labels : tuple of str
        Distinct activity labels.
    case_ids : tuple of str
        Distinct case ids, as written in the source.
    attributes : mapping of str to array (events,)
        Further event attributes by their XES key.

    Raises
    ------
    ValueError
        If the arrays do not fit together.
    """

    activities: np.ndarray
    timestamps: np.ndarray
    offsets: np.ndarray
    labels: tuple[str, ...]
    case_ids: tuple[str, ...]
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Views, so that freezing them does not freeze the caller's arrays.
        set_field = object.__setattr__
        set_field(self, "activities", np.asarray(self.activities, dtype=np.int32).view())
        set_field(self, "timestamps", np.asarray(self.timestamps, dtype=np.int64).view())
        set_field(self, "offsets", np.asarray(self.offsets, dtype=np.int64).view())
        set_field(self, "labels", tuple(self.labels))
        set_field(self, "case_ids", tuple(self.case_ids))
        for array in (self.activities, self.timestamps, self.offsets):
            array.flags.writeable = False
        self._check()

    def _check(self) -> None:
        events = len(self.activities)
        if len(self.timestamps) != events:
            raise ValueError(f"{events} activities but {len(self.timestamps)} timestamps")
        if len(self.offsets) != len(self.case_ids) + 1:
            raise ValueError(f"{len(self.case_ids)} case ids but {len(self.offsets)} offsets")
        if self.offsets[0] != 0 or self.offsets[-1] != events or (np.diff(self.offsets) <= 0).any():
            raise ValueError("offsets must rise from 0 to the number of events, no case empty")
        if events and not 0 <= self.activities.min() <= self.activities.max() < len(self.labels):
            raise ValueError("an activity code has no label")
        if not all_distinct(self.labels):
            raise ValueError("activity labels repeat")
        if not all_distinct(self.case_ids):
            raise ValueError("case ids repeat")
        for key, values in self.attributes.items():
            if len(values) != events:
                raise ValueError(f"attribute {key!r} has {len(values)} values for {events} events")

    @property
    def n_cases(self) -> int:
        return len(self.case_ids)

    @property
    def n_events(self) -> int:
        return len(self.activities)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Number of events of each case, int64 (cases,)."""
        return np.diff(self.offsets)

    @property
    def untimed(self) -> bool:
        """Whether all events are at 1970-01-01T00:00Z, as releases of activities without times write them."""
        return not self.timestamps.any()

    @cached_property
    def case_of_event(self) -> np.ndarray:
        """Case index of each event, int64 (events,)."""
        return np.repeat(np.arange(self.n_cases), self.lengths)

    @cached_property
    def gaps(self) -> np.ndarray:
        """Time since the event before in the case, 0 for a first event; microseconds, int64 (events,), read-only."""
        gaps = np.diff(self.timestamps, prepend=self.timestamps[:1])
        gaps[self.first_events] = 0
        gaps.flags.writeable = False
        return gaps

    @cached_property
    def first_events(self) -> np.ndarray:
        """True at the first event of each case, bool (events,)."""
        first = np.zeros(self.n_events, dtype=bool)
        first[self.offsets[:-1]] = True
        return first

    @cached_property
    def variants(self) -> Variants:
        """The variants of the log and the variant of each case."""
        # Byte strings compare exactly and hash at C speed: one dictionary look-up a case.
        width = np.min_scalar_type(len(self.labels))
        index: dict[bytes, int] = {}
        of_case = np.empty(self.n_cases, dtype=np.int64)
        for first in range(0, self.n_cases, CASES_AT_ONCE):
            offsets = self.offsets[first : first + CASES_AT_ONCE + 1]
            buffer = self.activities[offsets[0] : offsets[-1]].astype(width).tobytes()
            bounds = ((offsets - offsets[0]) * width.itemsize).tolist()
            of_case[first : first + CASES_AT_ONCE] = [
                index.setdefault(buffer[start:stop], len(index)) for start, stop in pairwise(bounds)
            ]
        representative = np.flatnonzero(np.diff(np.maximum.accumulate(of_case), prepend=-1))
        lengths = self.lengths[representative]
        return Variants(
            of_case=of_case,
            counts=np.bincount(of_case, minlength=len(index)),
            representative=representative,
            activities=self.activities[ranges(self.offsets[representative], lengths)],
            offsets=np.concatenate(([0], np.cumsum(lengths))),
        )

    def take(self, cases: np.ndarray, case_ids: Sequence[str]) -> EventLog:
        """The log made of the given cases, in that order and under new ids; a case may repeat.

        Parameters
        ----------
        cases : int array (n,)
            Case indices.
        case_ids : sequence of n distinct str
            The ids of the taken cases.
        """
        lengths = self.lengths[cases]
        events = ranges(self.offsets[cases], lengths)
        return EventLog(
            activities=self.activities[events],
            timestamps=self.timestamps[events],
            offsets=np.concatenate(([0], np.cumsum(lengths))),
            labels=self.labels,
            case_ids=tuple(case_ids),
            attributes={key: values[events] for key, values in self.attributes.items()},
        )

    def recoded(self, codes: np.ndarray, labels: Sequence[str]) -> EventLog:
        """The log, without further attributes, under other activity codes.

        Parameters
        ----------
        codes : int32 array (labels,)
            The new code of each activity, distinct indices into `labels`.
        labels : sequence of str
        """
        log = EventLog(codes[self.activities], self.timestamps, self.offsets, tuple(labels), self.case_ids)
        # They need not be found anew.
        log.__dict__["variants"] = replace(self.variants, activities=codes[self.variants.activities])
        return log

    @classmethod
    def from_rows(
        cls,
        cases: Sequence[str] | np.ndarray,
        activities: Sequence[str] | np.ndarray,
        timestamps: np.ndarray,
        attributes: Mapping[str, np.ndarray] | None = None,
    ) -> EventLog:
        """The canonical log of event rows in file order.

        Rows of one case id form one case, cases in order of their first row; the events of a case are
        sorted by time, ties in file order.

        Parameters
        ----------
        cases, activities : sequences of n str
        timestamps : int64 array (n,)
            Microseconds since 1970-01-01 UTC.
        attributes : mapping of str to array (n,), optional
        """
        case_codes, case_ids = factorize(cases)
        activity_codes, labels = factorize(activities)
        return cls.from_codes(
            case_codes, case_ids, activity_codes, labels, np.asarray(timestamps, dtype=np.int64), attributes or {}
        )

    @classmethod
    def from_codes(
        cls,
        case_codes: np.ndarray,
        case_ids: Sequence[str],
        activity_codes: np.ndarray,
        labels: Sequence[str],
        timestamps: np.ndarray,
        attributes: Mapping[str, np.ndarray],
    ) -> EventLog:
        """As `from_rows`, with cases and activities given as codes into `case_ids` and `labels`."""
        columns = {CASE: np.asarray(case_codes), ACTIVITY: activity_codes, TIMESTAMP: timestamps}
        columns |= {key: np.asarray(values) for key, values in attributes.items()}
        offsets, _ = arrange(columns, CASE, TIMESTAMP, len(case_ids))
        return cls(columns.pop(ACTIVITY), columns.pop(TIMESTAMP), offsets, tuple(labels), tuple(case_ids), columns)

    @classmethod
    def from_frame(cls, frame: pandas.DataFrame) -> EventLog:
        """The canonical log of a pandas frame with XES column names; further columns become attributes.

        Raises
        ------
        ValueError
            If a key column is missing or holds a null, naming the column and its first such row.
        """
        for key in KEYS:
            if key not in frame:
                raise ValueError(f"column {key!r} is missing; the frame has {list(frame.columns)}")
            if frame[key].isna().any():
                row = frame.index[frame[key].isna()][0]
                raise ValueError(f"column {key!r} is null in row {row!r}; drop or fill such rows first")
        import pandas as pd

        times = pd.to_datetime(frame[TIMESTAMP], utc=True)
        return cls.from_rows(
            frame[CASE].astype(str).to_numpy(object),
            frame[ACTIVITY].astype(str).to_numpy(object),
            times.dt.tz_localize(None).to_numpy("datetime64[us]").astype(np.int64),
            {key: frame[key].to_numpy() for key in frame.columns if key not in KEYS},
        )

    def to_frame(self) -> pandas.DataFrame:
        """The log as a pandas frame with XES column names, one row an event, fit for every pm4py function."""
        import pandas as pd

        return pd.DataFrame(
            {
                CASE: np.array(self.case_ids, dtype=object)[self.case_of_event],
                ACTIVITY: np.array(self.labels, dtype=object)[self.activities],
                TIMESTAMP: pd.to_datetime(self.timestamps, unit="us", utc=True),
                **self.attributes,
            }
        )


def empty_log() -> EventLog:
    """The log without any case."""
    return EventLog(np.empty(0), np.empty(0), np.zeros(1), (), ())


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The concatenation of ``arange(s, s + n)`` for each start s and length n, int64."""
    ends = np.cumsum(lengths)
    steps = np.repeat(starts - (ends - lengths), lengths)
    return steps + np.arange(len(steps))


def all_distinct(texts: Sequence[str]) -> bool:
    """Whether no text comes twice."""
    # Their hashes take less memory than a set of them, and hardly ever agree by chance.
    hashes = np.sort(np.fromiter(map(hash, texts), np.int64, len(texts)))
    return not (hashes[1:] == hashes[:-1]).any() or len(set(texts)) == len(texts)


def factorize(values: Sequence[str] | np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes of the values and the distinct values, numbered by first appearance."""
    index: dict[str, int] = {}
    codes = np.fromiter((index.setdefault(v, len(index)) for v in values), dtype=np.int64, count=len(values))
    return codes, tuple(index)
