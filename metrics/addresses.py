"""Published texts of addresses, and which addresses they match.

An address is exact, ``a.b.c.d``; the first bits of one, ``a.b.c.d/p``; four octets, of which each is exact, an interval
``[a, b]``, three digits of which some are asterisks, or ``*``; or ``*``. So a text is four sets of octets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from data.log import ranges

PREFIX = re.compile(r"(\d+\.\d+\.\d+\.\d+)/(\d+)")
EXACT, INTERVAL, DIGITS = re.compile(r"\d{1,3}"), re.compile(r"\[(\d{1,3}), (\d{1,3})\]"), re.compile(r"[\d*]{3}")
OCTETS = np.arange(256)
SPELLED = [f"{octet:03}" for octet in range(256)]
SHIFTS = (24, 16, 8, 0)


class Texts:
    """Texts of addresses.

    Attributes
    ----------
    known : bool array (texts,)
        Whether each is one that is described above; another matches nothing.
    sizes : int64 array (texts,)
        How many addresses each matches.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        places: dict[bytes, int] = {}
        sets: list[np.ndarray] = [np.zeros(256, dtype=bool)]  # what a text of another form matches
        of_octet = np.zeros((len(texts), 4), dtype=np.int64)
        for row, text in enumerate(texts):
            for octet, matched in enumerate(_octets(text)):
                place = places.setdefault(matched.tobytes(), len(sets))
                if place == len(sets):
                    sets.append(matched)
                of_octet[row, octet] = place
        self._sets, self._of_octet = np.array(sets), of_octet
        self.sizes = self._sets.sum(axis=1)[of_octet].prod(axis=1)
        self.known = self.sizes > 0

    @property
    def lowest(self) -> np.ndarray:
        """The lowest address that each matches, int64 (texts,)."""
        return self._joined(self._sets.argmax(axis=1))

    def _joined(self, octet: np.ndarray) -> np.ndarray:
        return (octet[self._of_octet] << SHIFTS).sum(axis=1)

    def matches(self, of_row: np.ndarray, addresses: np.ndarray) -> np.ndarray:
        """Whether each address matches a text; bool (rows,).

        Parameters
        ----------
        of_row : int64 array (rows,)
            Index of the text of each row.
        addresses : int64 array (rows,)
        """
        octets = addresses[:, None] >> SHIFTS & 255
        return self._sets[self._of_octet[of_row], octets].all(axis=1)

    def matching(self, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of a text and an address that it matches.

        Parameters
        ----------
        addresses : int64 array (n,)
            Rising.

        Returns
        -------
        texts, places : int64 arrays (pairs,)
            Indices of texts, and of addresses.
        """
        first = np.searchsorted(addresses, self.lowest)
        highest = self._joined(255 - self._sets[:, ::-1].argmax(axis=1))
        counts = np.where(self.known, np.searchsorted(addresses, highest, "right") - first, 0)
        texts, places = np.repeat(np.arange(len(counts)), counts), ranges(first, counts)
        found = self.matches(texts, addresses[places])
        return texts[found], places[found]


def _octets(text: str) -> tuple[np.ndarray, ...]:
    """The octets that a text matches, bool (256,) each, in order; nothing if it is of another form."""
    if text == "*":
        return (_octet("*"),) * 4
    if prefix := PREFIX.fullmatch(text):
        text, bits = prefix[1], int(prefix[2])
    parts = text.split(".")
    if len(parts) != 4:
        return ()
    if prefix:
        return tuple(_of_bits(part, min(max(bits - 8 * place, 0), 8)) for place, part in enumerate(parts))
    found = tuple(map(_octet, parts))
    return found if all(each.any() for each in found) else ()


@cache
def _of_bits(text: str, bits: int) -> np.ndarray:
    return OCTETS >> (8 - bits) == int(text) >> (8 - bits)


@cache
def _octet(text: str) -> np.ndarray:
    """The octets that a part of a text matches, none if it is of another form."""
    if text == "*":
        return OCTETS >= 0
    if EXACT.fullmatch(text):
        return int(text) == OCTETS
    if interval := INTERVAL.fullmatch(text):
        return (int(interval[1]) <= OCTETS) & (int(interval[2]) >= OCTETS)
    if DIGITS.fullmatch(text):
        return np.array([all(a in ("*", b) for a, b in zip(text, spelled, strict=True)) for spelled in SPELLED])
    return OCTETS < 0
