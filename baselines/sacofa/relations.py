"""Which activities always or never follow or precede which, and how often a sequence violates that.

Fahrenkrog-Petersen, Kabierski, Roesel, van der Aa, Weidlich: "SaCoFa: Semantics-aware Control-flow Anonymization for
Process Mining" (ICPM 2021), after the behavioural appropriateness of Rozinat and van der Aalst (2008). What follows an
activity is what stands after its first occurrence, what precedes it is what stands before its last one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from data.log import EventLog, ranges

END = -1  # the symbol that ends a sequence


class Relations(NamedTuple):
    """Relations over all cases that have the row's activity; bool arrays (activities, activities).

    Attributes
    ----------
    never_follows : the column's activity follows the row's in no case
    always_follows, always_precedes : it follows, or precedes, the row's in all of them
    starts : bool array (activities,)
        Whether some case starts with the activity.
    """

    never_follows: np.ndarray
    always_follows: np.ndarray
    always_precedes: np.ndarray
    starts: np.ndarray


def relations_of(log: EventLog) -> Relations:
    """The relations of a log, from its variants."""
    variants, n = log.variants, len(log.labels)
    rows = np.repeat(np.arange(len(variants)), variants.lengths)
    places = ranges(np.zeros_like(variants.lengths), variants.lengths)
    first, last = _positions(rows, variants.activities, places, (len(variants), n))
    never, follows, precedes = np.ones((3, n, n), dtype=bool)
    for activity in range(n):
        having = last[:, activity] >= 0
        after = last[having] > first[having, activity, None]
        never[activity] = ~after.any(axis=0)
        follows[activity] = after.all(axis=0)
        precedes[activity] = (first[having] < last[having, activity, None]).all(axis=0)
    starts = np.isin(np.arange(n), log.activities[log.offsets[:-1]])
    return Relations(never, follows, precedes, starts)


def violations(sequence: np.ndarray, relations: Relations) -> int:
    """Number of violations of a prefix, as the published code counts them.

    A pair that never follows counts twice, as it is seen from either side. A prefix of one symbol has one violation
    unless it starts some case.

    Parameters
    ----------
    sequence : int64 array (length,)
        Activity codes; the last one may be `END`.
    relations : Relations
    """
    ended = sequence[-1] == END
    if len(sequence) == 1:
        return int(ended or not relations.starts[sequence[0]])
    activities = sequence[:-1] if ended else sequence
    shape = (1, len(relations.starts))
    [first], [last] = _positions(np.zeros_like(activities), activities, np.arange(len(activities)), shape)
    present = last >= 0
    follows = last > first[:, None]
    unpreceded = (relations.always_precedes & ~follows.T)[present]
    unfollowed = (relations.always_follows & ~follows)[present] & ended
    return 2 * int((follows & relations.never_follows).sum()) + int(unpreceded.sum()) + int(unfollowed.sum())


def _positions(
    rows: np.ndarray, activities: np.ndarray, places: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """First and last place of each activity in each row, int64 arrays; beyond any, and -1, where absent."""
    first, last = np.full(shape, np.iinfo(np.int64).max), np.full(shape, -1)
    np.minimum.at(first.reshape(-1), rows * shape[1] + activities, places)
    np.maximum.at(last.reshape(-1), rows * shape[1] + activities, places)
    return first, last
