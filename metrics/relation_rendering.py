"""What the text of a published address says, against the addresses behind it.

A text that is cut from the digits of two bounds need not match every address between them: the row is published under
a text that is wrong of it. And different intervals may read alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from data.relation import Relation
from data.relation_release import RelationRelease
from metrics.addresses import Texts
from metrics.metric import EMPTY, Metric, Value, not_applicable
from metrics.recoded import UNLINKED, address_of, published

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
    texts = Texts(recoded.texts[:n])
    if not texts.known.all():
        raise ValueError(f"{recoded.texts[texts.known.argmin()]!r} is no text of an address that is known here")
    lengths = (recoded.high - recoded.low)[:n] + 1.0
    values: dict[str, Value] = {
        "unsound_classes": UNLINKED,
        "unsound_rows": UNLINKED,
        "address_texts": float(len(set(recoded.texts[:n]))),
        "text_excess": float(np.log2(texts.sizes / lengths).mean()),
    }
    if origins is not None:
        rows = slice(published(release))
        wrong = ~texts.matches(release.classes[rows], original[address].values[origins[rows]])
        wrong_classes = np.bincount(release.classes[rows], wrong, minlength=n) > 0
        values |= {"unsound_classes": float(wrong_classes.mean()), "unsound_rows": float(wrong.mean())}
    return values
