"""Whether a released relation keeps the k that its run claims, counted on the release and on the persons behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.relation import Relation
from data.relation_release import RelationRelease
from metrics.metric import EMPTY, Metric, Value, not_applicable
from metrics.recoded import UNLINKED, distinct_values, published

ROWS = "rows"


def _claim(name: str, title: str, blind_to: str) -> Metric:
    return Metric(
        name=name, title=title, of="relation", high=1.0, direction="higher", identity=None, doubled=None,
        group="claim", blind_to=blind_to,
    )  # fmt: skip


METRICS = (
    _claim("claim_k_rows", "k-anonymity of rows holds", "several rows of one person"),
    _claim("claim_k_unit", "k-anonymity of the claimed unit holds", "what else is known of its members"),
)


def score(
    original: Relation, release: RelationRelease, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """1 for a claim that holds, 0 for one that fails; what is not claimed is not applicable.

    A mechanism states in its diagnostics the k that it claims and of which unit: rows, or distinct values of a column,
    which then are at least as many rows.
    """
    k, unit = (record["diagnostics"].get(name) for name in ("k", "unit"))
    if k is None:
        return dict.fromkeys([metric.name for metric in METRICS], not_applicable("the run claims nothing of the kind"))
    if not published(release):
        return dict.fromkeys([metric.name for metric in METRICS], EMPTY)
    return {
        "claim_k_rows": float(release.published_sizes.min() >= k),
        "claim_k_unit": _unit(original, release, origins, k, unit),
    }


def _unit(original: Relation, release: RelationRelease, origins: np.ndarray | None, k: int, unit: str) -> Value:
    if unit == ROWS:
        return not_applicable("the run claims k of rows")
    if origins is None:
        return UNLINKED
    rows = slice(published(release))
    members = distinct_values(release.classes[rows], original[unit].values[origins[rows]], len(release.published_sizes))
    return float(members.min() >= k)
