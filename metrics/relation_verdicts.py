"""Verdicts on what a released table is claimed to be, each with the witness that decides it."""

from __future__ import annotations

import numpy as np

from data.relation import IPV4, Relation, spelled
from data.relation_release import RelationRelease
from metrics.recoded import USER, address_of, distinct_values, published
from metrics.verdicts import FAIL, PASS, UNKNOWN, Verdict

SHOWN = 10  # classes that are listed


def units(original: Relation, unit: str | None) -> list[str]:
    """The columns whose distinct values may stand for persons: that of users, and that which k counts."""
    return [name for name in dict.fromkeys((USER, unit)) if name in original.names]


def k_of_rows(release: RelationRelease, k: int) -> Verdict:
    """Whether every published class has at least k rows."""
    return _at_least(f"k = {k} on rows", release, release.published_sizes, k)


def k_of_values(original: Relation, release: RelationRelease, origins: np.ndarray, column: str, k: int) -> Verdict:
    """Whether at least k distinct values of a column are behind every published class."""
    behind = _behind(original, release, origins, column)
    return _at_least(f"k = {k} on values of {column}", release, behind, k)


def no_single_address(original: Relation, release: RelationRelease, origins: np.ndarray | None) -> Verdict:
    """Whether no published class is of one address alone; the witnesses are these addresses, some of them."""
    claim, address = "no class of one address", address_of(original, release)
    if address is None or origins is None:
        return Verdict(claim, UNKNOWN)
    alone = np.flatnonzero(_behind(original, release, origins, address) == 1)
    first = np.searchsorted(release.classes, alone[:SHOWN])
    witness = spelled(original[address].values[origins[first]], IPV4)
    return Verdict(claim, FAIL if len(alone) else PASS, float(len(alone)), len(alone), tuple(witness))


def _behind(original: Relation, release: RelationRelease, origins: np.ndarray, column: str) -> np.ndarray:
    rows = slice(published(release))
    return distinct_values(release.classes[rows], original[column].values[origins[rows]], len(release.published_sizes))


def _at_least(claim: str, release: RelationRelease, values: np.ndarray, k: int) -> Verdict:
    """Whether all values reach k; the witness is how the class of the smallest reads."""
    if not len(values):
        return Verdict(claim, PASS)
    worst, breaking = int(np.argmin(values)), int((values < k).sum())
    texts = tuple(f"{name} {recoded.texts[worst]}" for name, recoded in release.recoded.items())
    return Verdict(claim, FAIL if breaking else PASS, float(values[worst]), breaking, texts)
