"""The cases of a log that are alike to somebody who knows little of them: their end, their length or their activities.

Prefix classes (`metrics.prefix_classes`) protect nobody who knows one of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from data.hashing import mix
from data.log import EventLog, Variants

KNOWN = {
    "last": "last activity",
    "last_two": "last two activities",
    "length": "length",
    "set": "set of activities",
    "multiset": "multiset of activities",
}


class Alike(NamedTuple):
    """Cases that are alike.

    Attributes
    ----------
    cases : int64 array (groups,)
        How many each group has.
    first : int64 array (groups,)
        A variant of each.
    """

    cases: np.ndarray
    first: np.ndarray


def alike(log: EventLog, known: str) -> Alike:
    """The groups of cases that agree in what is known of them, one of `KNOWN`."""
    _, first, group = np.unique(_KEYS[known](log.variants), return_index=True, return_inverse=True)
    return Alike(np.bincount(group, log.variants.counts, minlength=len(first)).astype(np.int64), first)


def told(log: EventLog, known: str, variant: int) -> list[str]:
    """What is known of the cases of a variant, in words."""
    labels = [log.labels[code] for code in log.variants.sequence(variant)]
    return {
        "last": labels[-1:],
        "last_two": labels[-2:],
        "length": [f"{len(labels)} events"],
        "set": sorted(set(labels)),
        "multiset": sorted(labels),
    }[known]


def _last_two(variants: Variants) -> np.ndarray:
    last = variants.offsets[1:] - 1
    before = np.where(variants.lengths > 1, variants.activities[last - 1], -1)
    return before.astype(np.int64) << 32 | variants.activities[last]


def _items(variants: Variants) -> np.ndarray:
    """Variant and activity of each event as one number."""
    units = np.repeat(np.arange(len(variants)), variants.lengths)
    return units << 32 | variants.activities


def _summed(items: np.ndarray, variants: Variants) -> np.ndarray:
    """A number of each variant that tells its items, which are numbered as in `_items`, in no order."""
    sums = np.zeros(len(variants), dtype=np.uint64)
    np.add.at(sums, items >> 32, mix(items & 0xFFFFFFFF))
    return sums


_KEYS: dict[str, Callable[[Variants], np.ndarray]] = {
    "last": lambda variants: variants.activities[variants.offsets[1:] - 1],
    "last_two": _last_two,
    "length": lambda variants: variants.lengths,
    "set": lambda variants: _summed(np.unique(_items(variants)), variants),
    "multiset": lambda variants: _summed(_items(variants), variants),
}
