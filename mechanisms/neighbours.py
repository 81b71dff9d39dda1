"""Pairs of tiny logs that differ in one case or in one time: what an audit of differential privacy runs on.

A small difference in a small log is the hardest to hide, and its effect on the output can be told by hand. The
alphabet and all parameters are public, unless a pair is about them: both logs of a pair have the same labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.log import EventLog

MINUTE = 60_000_000  # microseconds
DAY = 24 * 60 * MINUTE
START = 17_897 * DAY  # 2019-01-01
DAYS = 10  # over which the cases of a log start
ONE_CASE, ONE_TIME, ONE_CASE_REPLACED = "one case more", "one time changed", "one case replaced"

Case = str | tuple[str, Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two neighbouring logs.

    Attributes
    ----------
    name : str
    first, second : EventLog
    target : tuple of str
        Trace of the case in which they differ.
    adjacency : str
        What they differ in.
    """

    name: str
    first: EventLog
    second: EventLog
    target: tuple[str, ...]
    adjacency: str = ONE_CASE


def log_of(cases: Sequence[Case], labels: str) -> EventLog:
    """A log of cases written as strings, one character an event.

    Parameters
    ----------
    cases : sequence of str or (str, sequence of float)
        With the minutes between its events, 10 each if not given. Case i starts on day ``i mod 10``, at noon.
    labels : str
        All activities, those that occur in no case too.
    """
    timed = [(case, [10.0] * (len(case) - 1)) if isinstance(case, str) else case for case in cases]
    times = [
        START + index % DAYS * DAY + DAY // 2 + np.cumsum([0, *gaps]) * MINUTE for index, (_, gaps) in enumerate(timed)
    ]
    lengths = [len(activities) for activities, _ in timed]
    codes = [labels.index(activity) for activities, _ in timed for activity in activities]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    timestamps = np.concatenate([np.empty(0), *times]).astype(np.int64)
    ids = [f"case {index}" for index in range(len(timed))]
    return EventLog(np.array(codes, dtype=np.int64), timestamps, offsets, tuple(labels), ids)


def one_case_more(name: str, base: Sequence[Case], case: Case, labels: str) -> Pair:
    """A log, and the same with one case more, at its end."""
    target = case if isinstance(case, str) else case[0]
    return Pair(name=name, first=log_of(base, labels), second=log_of([*base, case], labels), target=tuple(target))


def one_activity_more(name: str, base: Sequence[Case], case: str, labels: str) -> Pair:
    """A log, and the same with one case more, of which an activity is known from no other case."""
    first = log_of(base, labels)
    second = log_of([*base, case], labels + "".join(sorted(set(case) - set(labels))))
    return Pair(name=name, first=first, second=second, target=tuple(case))


def one_case_replaced(name: str, base: Sequence[Case], before: str, after: str, labels: str) -> Pair:
    """A log with one case more than the base, and the same with another case instead."""
    first, second = log_of([*base, before], labels), log_of([*base, after], labels)
    return Pair(name=name, first=first, second=second, target=tuple(after), adjacency=ONE_CASE_REPLACED)


def one_time_changed(name: str, cases: Sequence[Case], changed: Case, labels: str) -> Pair:
    """A log, and the same with other times in its last case."""
    first, second = log_of(cases, labels), log_of([*cases[:-1], changed], labels)
    return Pair(name=name, first=first, second=second, target=tuple(changed[0]), adjacency=ONE_TIME)


# The pairs that single out one count, or add up all counts of a case, in a query of variants.

COMMON = 60  # cases of the variant that all cases of a base have: its prefixes survive any noise


def isolated() -> Pair:
    """One count alone: whether 60 or 61 cases end after their first activity."""
    return one_case_more("isolated", ["a"] * COMMON, "a", "ab")


def composed() -> Pair:
    """All counts of a short case at once: its variant is seen only if it survives on every level."""
    return one_case_more("composed", ["b"] * COMMON, "a", "ab")


def deep(length: int) -> Pair:
    """The counts of a long case, one a level."""
    return one_case_more("deep", ["b"] * COMMON, "a" * length, "ab")


def pruned(threshold: int) -> Pair:
    """Whether a count reaches the threshold that keeps it."""
    return one_case_more("pruned", ["b"] * COMMON + ["a"] * (threshold - 1), "a", "ab")


def empty() -> Pair:
    """No case at all, or one."""
    return one_case_more("empty", [], "a", "ab")


def replaced() -> Pair:
    """One case of a short variant, or of another one."""
    return one_case_replaced("replaced", ["c"] * COMMON, "b", "a", "abc")


def alphabet() -> Pair:
    """An activity that only the one case has, and the alphabet is that of the log."""
    return one_activity_more("alphabet", ["b"] * COMMON, "a", "b")
