"""What the text of a published address says, against the addresses behind it.

A text that is cut from the digits of two bounds need not match every address between them: the row is published under
a text that is wrong of it. And different intervals may read alike.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from data.relation import Relation
from data.relation_release import RelationRelease
from metrics.metric import EMPTY, Metric, Value, not_applicable
from metrics.recoded import UNLINKED, address_of, published

PREFIX = re.compile(r"(\d+)\.(\d+)\.(\d+)\.(\d+)/(\d+)")
DIGITS = re.compile(r"[\d*]{3}(\.[\d*]{3}){3}")
ANY = -1  # a digit that is not published
OCTETS = np.arange(256)[:, None] // (100, 10, 1) % 10  # the digits of every octet
NO_TEXT = not_applicable("no address is published as one text")


def _metric(name: str, title: str, unit: str = "", **facts: Any) -> Metric:
    facts = {"identity": None, "doubled": None, "blind_to": "how wide the intervals are"} | facts
    return Metric(name=name, title=title, unit=unit, of="relation", **facts)


METRICS = (
    _metric("unsound_classes", "Classes with an address that their text does not match", "share of classes", high=1.0),
    _metric("unsound_rows", "Rows whose address their text does not match", "share of rows", high=1.0),
    _metric("address_texts", "Distinct published texts of addresses", direction="none"),
    _metric("text_excess", "Addresses that a text matches / of its interval, log2, mean", low=-32.0, direction="none"),
)


def score(original: Relation, release: RelationRelease, origins: np.ndarray | None) -> dict[str, Value]:
    """How many classes and rows are published under a wrong text, distinct texts, and what these cover in addition."""
    if not published(release):
        return {metric.name: EMPTY for metric in METRICS}
    address = address_of(original, release)
    if address is None or address not in release.recoded or release.recoded[address].low is None:
        return {metric.name: NO_TEXT for metric in METRICS}
    recoded, n = release.recoded[address], len(release.published_sizes)
    texts = [Text(text) for text in recoded.texts[:n]]
    matched = np.array([text.size for text in texts], dtype=float)
    lengths = (recoded.high - recoded.low)[:n] + 1.0
    values: dict[str, Value] = {
        "unsound_classes": UNLINKED,
        "unsound_rows": UNLINKED,
        "address_texts": float(len(set(recoded.texts[:n]))),
        "text_excess": float(np.log2(matched / lengths).mean()),
    }
    if origins is not None:
        rows = slice(published(release))
        wrong = ~matches(texts, release.classes[rows], original[address].values[origins[rows]])
        wrong_classes = np.bincount(release.classes[rows], wrong, minlength=n) > 0
        values |= {"unsound_classes": float(wrong_classes.mean()), "unsound_rows": float(wrong.mean())}
    return values


class Text:
    """A published text of an address: a prefix of bits ``a.b.c.d/p``, twelve digits and asterisks, or ``*``.

    Attributes
    ----------
    digits : int array (12,)
        `ANY` where a digit is not published; all `ANY` for a prefix.
    low, high : int
        Ends of a prefix; of all addresses for digits.
    size : int
        Addresses that it matches.

    Raises
    ------
    ValueError
        If it is none of these.
    """

    def __init__(self, text: str) -> None:
        self.digits, self.low, self.high = np.full(12, ANY), 0, (1 << 32) - 1
        if prefix := PREFIX.fullmatch(text):
            *octets, bits = map(int, prefix.groups())
            self.size = 1 << (32 - bits)
            self.low = sum(octet << shift for octet, shift in zip(octets, (24, 16, 8, 0), strict=True))
            self.high = self.low + self.size - 1
        elif DIGITS.fullmatch(text):
            self.digits = np.array([ANY if sign == "*" else int(sign) for sign in text.replace(".", "")])
            octets = self.digits.reshape(4, 1, 3)
            self.size = int(((octets == ANY) | (octets == OCTETS)).all(axis=2).sum(axis=1).prod())
        elif text == "*":
            self.size = 1 << 32
        else:
            raise ValueError(f"{text!r} is no text of an address that is known here")


def matches(texts: list[Text], of_row: np.ndarray, addresses: np.ndarray) -> np.ndarray:
    """Whether the address of each row matches its text.

    Parameters
    ----------
    texts : list of Text
    of_row : int64 array (rows,)
        Index of the text of each row.
    addresses : int64 array (rows,)
    """
    low, high = (np.array([getattr(text, end) for text in texts])[of_row] for end in ("low", "high"))
    digits = np.array([text.digits for text in texts])[of_row]
    found = OCTETS[addresses[:, None] >> (24, 16, 8, 0) & 255].reshape(len(addresses), 12)
    return (low <= addresses) & (addresses <= high) & ((digits == ANY) | (digits == found)).all(axis=1)
