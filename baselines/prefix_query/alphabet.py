"""A public set of activities, instead of that of the log, which no epsilon covers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from data.log import EventLog
from mechanisms import ParameterError

PRIVATE = "the set of activities"  # as it is called where it is taken from the log


def read_alphabet(path: str) -> tuple[str, ...]:
    """The activities of a text file, one a line; for command lines."""
    try:
        return tuple(filter(None, Path(path).read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{path}: must be a text of activities, one a line: {error}") from None


def with_alphabet(log: EventLog, alphabet: Sequence[str] | None) -> EventLog:
    """The log under a public alphabet: cases that have another activity are left out. Without one, the log itself.

    Raises
    ------
    ParameterError
        If the alphabet is empty or names an activity twice.
    """
    if alphabet is None:
        return log
    if not alphabet or len(set(alphabet)) < len(alphabet):
        raise ParameterError("the alphabet must have at least one activity, and each of them once")
    places = {label: place for place, label in enumerate(alphabet)}
    codes = np.array([places.get(label, -1) for label in log.labels], dtype=np.int64)
    unknown = np.repeat(np.arange(log.n_cases), log.lengths)[codes[log.activities] < 0]
    cases = np.setdiff1d(np.arange(log.n_cases), unknown)
    left = log.take(cases, [log.case_ids[case] for case in cases.tolist()])
    return replace(left, activities=codes[left.activities], labels=tuple(alphabet))


def uncovered_alphabet(alphabet: Sequence[str] | None) -> list[str]:
    """What no epsilon covers for want of a public alphabet."""
    return [PRIVATE] if alphabet is None else []
