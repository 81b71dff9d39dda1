"""How much detail a released relation has lost: the normalised certainty penalty, and the levels of hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.relation import Relation
from data.relation_release import RelationRelease
from metrics.metric import Marked, Metric, Value, not_applicable
from metrics.recoded import NOT_STATED, UNLINKED, column_of, distinct_values, published

LEVELS = tuple(f"level_{number}" for number in range(1, 5))
BLIND = "how many rows are together, and whether the published texts cover their values"


def _metric(name: str, title: str, **facts: Any) -> Metric:
    facts = {"identity": None, "doubled": None, "blind_to": BLIND} | facts
    return Metric(name=name, title=title, of="relation", **facts)


METRICS = (
    _metric("gcp", "Global certainty penalty", high=1.0, identity=0.0, group="default"),
    _metric("ncp", "Normalised certainty penalty, all rows", identity=0.0),
    _metric("generalisation_height", "Generalisation height (levels / highest level, summed)"),
    *(_metric(name, f"Level of attribute {name[-1]}", direction="none") for name in LEVELS),
)


def score(
    original: Relation, release: RelationRelease, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """Penalties and levels.

    The penalty of a value is the width of the published interval over that of all values of the attribute, 0 for an
    exact value and 1 for a suppressed one; of a text without bounds, the number of values that it stands for less one
    over that of all less one (Xu et al., "Utility-based anonymization using local recoding", KDD 2006, but for the
    subtraction, which makes an exact value cost nothing). `ncp` sums over rows and attributes, `gcp` is the mean.
    """
    penalties = [_penalties(original, release, origins, name) for name in release.recoded]
    marks = [penalty for penalty in penalties if isinstance(penalty, Marked)]
    if marks:
        losses: dict[str, Value] = {"gcp": marks[0], "ncp": marks[0]}
    else:
        suppressed = float(release.suppressed * len(penalties))
        total = sum(float((penalty * release.published_sizes).sum()) for penalty in penalties) + suppressed
        losses = {"gcp": total / (release.n_rows * len(penalties)), "ncp": total}
    return losses | _levels(record["diagnostics"])


def _penalties(
    original: Relation, release: RelationRelease, origins: np.ndarray | None, name: str
) -> np.ndarray | Marked:
    """The penalty of an attribute in each published class, float64."""
    column, recoded, classes = column_of(original, name), release.recoded[name], len(release.published_sizes)
    if recoded.low is not None:
        whole = int(column.values.max()) - int(column.values.min())
        return np.minimum((recoded.high - recoded.low)[:classes] / max(whole, 1), 1)
    if origins is None:
        return UNLINKED
    places = {text: code for code, text in enumerate(dict.fromkeys(recoded.texts))}
    text_of_class = np.array([places[text] for text in recoded.texts], dtype=np.int64)
    rows = slice(published(release))
    covered = distinct_values(text_of_class[release.classes[rows]], column.values[origins[rows]], len(places))
    return (covered[text_of_class[:classes]] - 1) / max(len(np.unique(column.values)) - 1, 1)


def _levels(diagnostics: Mapping[str, Any]) -> dict[str, Value]:
    """Levels and their height, of mechanisms that raise attributes to one level each."""
    levels, heights = diagnostics.get("levels"), diagnostics.get("heights")
    if levels is None:
        return dict.fromkeys((*LEVELS, "generalisation_height"), not_applicable("the mechanism has no levels"))
    found: dict[str, Value] = dict.fromkeys(LEVELS, not_applicable("there are fewer attributes"))
    found |= {name: float(level) for name, level in zip(LEVELS, levels.values(), strict=False)}
    height = NOT_STATED if heights is None else sum(levels[name] / max(heights[name], 1) for name in levels)
    return found | {"generalisation_height": height}
