"""The classes of a released relation: how many, how large, and what that costs by the discernibility metric.

As Zettel counts them (Anonymization of the University Information System Log Data, CEUR-WS 2438): rows that are
suppressed are one class more. The normalised average is of the k that was asked for (LeFevre, DeWitt and
Ramakrishnan, "Mondrian", ICDE 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.relation import Relation
from data.relation_release import RelationRelease
from metrics.metric import EMPTY, Metric, Value
from metrics.recoded import NOT_STATED, requested_k

QUANTILES = {"class_size_min": 0, "class_size_q1": 0.25, "class_size_median": 0.5, "class_size_q3": 0.75}
QUANTILES |= {"class_size_max": 1}
BLIND = "which rows are together, what is published of them, and how many persons they are"


def _metric(name: str, title: str, unit: str = "", **facts: Any) -> Metric:
    facts = {"identity": None, "doubled": None, "blind_to": BLIND} | facts
    return Metric(name=name, title=title, unit=unit, of="relation", **facts)


METRICS = (
    _metric("discernibility", "Discernibility", group="default"),
    _metric("discernibility_published", "Discernibility of published rows"),
    _metric("class_size_normalised", "Mean class size / k", group="default"),
    _metric("classes", "Classes", direction="higher", group="default"),
    _metric("suppressed_rows", "Suppressed rows", "rows", identity=0.0, empty=None, group="default"),
    _metric("rows_below_k", "Published rows in classes of fewer than k", "share of rows", high=1.0, group="default"),
    _metric("class_size_min", "Smallest class", "rows", direction="none"),
    _metric("class_size_q1", "Class size, first quartile", "rows", direction="none"),
    _metric("class_size_median", "Class size, median", "rows", direction="none"),
    _metric("class_size_q3", "Class size, third quartile", "rows", direction="none"),
    _metric("class_size_max", "Largest class", "rows"),
    _metric("class_size_excess", "Largest class / (2k − 1)"),
)


def score(original: Relation, release: RelationRelease, record: Mapping[str, Any]) -> dict[str, Value]:
    """Figures of the sizes of the classes.

    `discernibility` is the sum of the squared sizes of the published classes, and for a suppressed row the number of
    all rows (Bayardo and Agrawal, ICDE 2005); quartiles are sizes of published classes, the smaller of two.
    """
    sizes, k = release.published_sizes, requested_k(record)
    squares = int((sizes**2).sum())
    values: dict[str, Value] = {
        "discernibility": float(squares + release.n_rows * release.suppressed),
        "discernibility_published": float(squares),
        "class_size_normalised": NOT_STATED if k is None else release.n_rows / release.n_classes / k,
        "classes": float(release.n_classes),
        "suppressed_rows": float(release.suppressed),
        "class_size_excess": NOT_STATED,
        "rows_below_k": NOT_STATED if k is None else int(sizes[sizes < k].sum()) / release.n_rows,
    }
    if not len(sizes):
        return values | dict.fromkeys([*QUANTILES, "class_size_excess"], EMPTY)
    if k is not None:
        values["class_size_excess"] = sizes.max() / (2 * k - 1)
    return values | {name: float(np.quantile(sizes, share, method="lower")) for name, share in QUANTILES.items()}
