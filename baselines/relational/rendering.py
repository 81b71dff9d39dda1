"""Texts of recoded values: closed intervals of numbers, addresses, times or categories.

Three renderings of an interval of addresses, after Zettel (CEUR-WS 2438, paper 4), whose intervals are published as
addresses with asterisks:

* `seed`: octets of three digits each; the digits that both bounds share stay, the others become asterisks. This is
  what the study describes, and not sound: 10.0.19.5 to 10.0.29.5 becomes 010.000.0*9.005, which 10.0.20.1 is not.
* `sound`: only the common leading digits stay. It covers the interval.
* `cidr`: the longest common prefix of bits, a.b.c.d/p. It covers the interval, and tells disjoint intervals of more
  than one address apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.columns import NUMBER
from data.relation import CATEGORY, IPV4, spelled
from data.relation_release import STAR

RENDERINGS = ("cidr", "sound", "seed")
PLACES = np.array([100, 10, 1])


def interval_texts(
    low: np.ndarray,
    high: np.ndarray,
    kind: str,
    *,
    rendering: str = "cidr",
    labels: Sequence[str] = (),
) -> tuple[str, ...]:
    """The texts of closed intervals.

    Parameters
    ----------
    low, high : int64 arrays (n,)
    kind : {"number", "ipv4", "time", "category"}
    rendering : {"cidr", "sound", "seed"}
        Of addresses.
    labels : sequence of str
        Of categories. An interval of them is the set of its labels, or ``*`` if these are all; if all labels are
        numbers, it is one of numbers.
    """
    if kind == IPV4:
        return tuple(_cidr(low, high) if rendering == "cidr" else _digits(low, high, sound=rendering == "sound"))
    if kind == CATEGORY and not all(map(NUMBER.fullmatch, labels)):
        return tuple(_set(labels[a : b + 1], len(labels)) for a, b in zip(low.tolist(), high.tolist(), strict=True))
    pairs = zip(spelled(low, kind, labels), spelled(high, kind, labels), strict=True)
    return tuple(a if a == b else f"[{a}, {b}]" for a, b in pairs)


def prefix_lengths(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The bits that the two addresses of each pair have in common from the left, int64."""
    return 32 - np.frexp((low ^ high).astype(float))[1].astype(np.int64)


def _cidr(low: np.ndarray, high: np.ndarray) -> list[str]:
    lengths = prefix_lengths(low, high)
    networks = low >> 32 - lengths << 32 - lengths
    return [f"{text}/{length}" for text, length in zip(spelled(networks, IPV4), lengths.tolist(), strict=True)]


def _digits(low: np.ndarray, high: np.ndarray, *, sound: bool) -> list[str]:
    digits, others = _padded(low), _padded(high)
    same = digits == others
    if sound:
        same = np.logical_and.accumulate(same, axis=1)
    characters = np.full((len(low), 16), ord("."), dtype=np.uint8)
    characters.reshape(-1, 4, 4)[:, :, :3] = np.where(same, digits + ord("0"), ord(STAR)).reshape(-1, 4, 3)
    text = characters.tobytes().decode("ascii")
    return [text[start : start + 15] for start in range(0, len(text), 16)]


def _padded(addresses: np.ndarray) -> np.ndarray:
    """The twelve digits of addresses whose octets have three each, (n, 12)."""
    octets = addresses[:, None] >> np.array([24, 16, 8, 0]) & 255
    return (octets[:, :, None] // PLACES % 10).reshape(len(addresses), 12)


def _set(labels: Sequence[str], total: int) -> str:
    if len(labels) == 1:
        return labels[0]
    return STAR if len(labels) == total else f"{{{', '.join(labels)}}}"
