"""From classes of rows to a release and its account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from baselines.relational.attributes import Attribute, attributes_of, check_k, columns_of, units_of
from baselines.relational.frequencies import numbered
from baselines.relational.hierarchies import Hierarchy
from baselines.relational.rendering import RENDERINGS
from data.relation import Relation, grouped
from data.relation_release import STAR, Recoded, RelationRelease
from mechanisms import Infeasible, Outcome, ParameterError


def prepared(
    relation: Relation,
    *,
    k: int,
    attributes: str | Sequence[str],
    encoding: str,
    unit: str,
    keep: str | Sequence[str],
    rendering: str,
) -> tuple[np.ndarray | None, list[Attribute], list[str]]:
    """What the parameters say that all mechanisms of tables have: the units that k counts, what to recode and to keep.

    Raises
    ------
    ParameterError
        If a parameter has a value that it cannot have.
    Infeasible
        If there are fewer than k rows, or distinct values of the unit.
    """
    check_rendering(rendering)
    units = units_of(relation, unit)
    check_k(relation, units, k)
    chosen = attributes_of(relation, attributes, encoding)
    return units, chosen, kept_columns(relation, keep, chosen, unit)


def insufficient(k: int, allowed: int) -> Infeasible:
    """The refusal where no levels suffice."""
    return Infeasible(
        f"with every attribute at its highest level, more than {allowed} rows are still in classes of fewer than "
        f"k = {k}; allow more suppression, or add a level * to the hierarchies"
    )


def full_domain(
    relation: Relation,
    hierarchies: Sequence[Hierarchy],
    levels: Sequence[int],
    *,
    k: int,
    units: np.ndarray | None,
    rendering: str,
    kept: Sequence[str],
) -> tuple[RelationRelease, np.ndarray]:
    """The release in which each attribute is at one level, and rows of classes that do not reach k are suppressed.

    Returns
    -------
    release : RelationRelease
    origins : int64 array (rows,)
        The row of the relation that each released row stems from.
    """
    classes, first = numbered([hierarchy.at(level) for hierarchy, level in zip(hierarchies, levels, strict=True)])
    support = supports(classes, units)
    recoded = {
        hierarchy.attribute.name: hierarchy.recoded(level, first, rendering)
        for hierarchy, level in zip(hierarchies, levels, strict=True)
    }
    return released(relation, classes, recoded, support < k, kept)


def supports(classes: np.ndarray, units: np.ndarray | None) -> np.ndarray:
    """Rows of each class or, where k counts units, distinct units; int64 (classes,)."""
    if units is None:
        return np.bincount(classes)
    _, first = numbered([classes, units])
    return np.bincount(classes[first])


def released(
    relation: Relation,
    classes: np.ndarray,
    recoded: Mapping[str, Recoded],
    suppressed: np.ndarray,
    kept: Sequence[str],
) -> tuple[RelationRelease, np.ndarray]:
    """The release of rows in classes, in an order that tells nothing else.

    Parameters
    ----------
    relation : Relation
    classes : int64 array (rows,)
        The class of each row, in any order; classes that read alike become one.
    recoded : mapping of str to Recoded
        By class.
    suppressed : bool array (classes,)
    kept : sequence of str
        Columns to release as they are.

    Returns
    -------
    release : RelationRelease
    origins : int64 array (rows,)
    """
    reading = [np.where(suppressed, 0, column) for each in recoded.values() for column in _reading(each)]
    number, first = grouped([suppressed.astype(np.int64), *reading])
    of_row = number[classes]
    origins = np.lexsort((*(relation[name].values for name in reversed(kept)), of_row))
    gone = int(suppressed[classes].sum())
    published = {name: _reordered(each, first, gone > 0) for name, each in recoded.items()}
    columns = {name: relation[name].take(origins) for name in kept}
    return RelationRelease(of_row[origins], published, gone, columns), origins


def _reordered(recoded: Recoded, classes: np.ndarray, suppressed: bool) -> Recoded:
    """How an attribute reads in some classes, of which the last may be that of the suppressed rows."""
    texts = [recoded.texts[c] for c in classes.tolist()]
    bounds = [None if bound is None else bound[classes] for bound in (recoded.low, recoded.high)]
    if suppressed:
        texts[-1] = STAR
        for bound in filter(lambda bound: bound is not None, bounds):
            bound[-1] = 0
    return Recoded(tuple(texts), *bounds, recoded.kind)


def _reading(recoded: Recoded) -> list[np.ndarray]:
    """What tells how an attribute reads in each class, as integers."""
    if recoded.low is not None:
        return [recoded.low, recoded.high]
    places = {text: code for code, text in enumerate(sorted(set(recoded.texts)))}
    return [np.array([places[text] for text in recoded.texts], dtype=np.int64)]


def discernibility(release: RelationRelease) -> int:
    """Sum of the squared sizes of classes, and for a suppressed row the number of all rows (Bayardo and Agrawal).

    From R. J. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    """
    return int((release.published_sizes**2).sum()) + release.n_rows * release.suppressed


def accounted(
    release: RelationRelease,
    origins: np.ndarray,
    diagnostics: Mapping[str, object],
    *,
    resolved: Mapping[str, object] = {},
    notes: Sequence[str] = (),
) -> Outcome:
    """The outcome with what is said of every such release: classes, sizes, suppressed rows, discernibility."""
    sizes = release.published_sizes
    said = {
        "classes": len(sizes),
        "min_size": int(sizes.min()) if len(sizes) else None,
        "max_size": int(sizes.max()) if len(sizes) else None,
        "suppressed": release.suppressed,
        "discernibility": discernibility(release),
    }
    return Outcome(release, {**said, **diagnostics}, resolved=resolved, notes=notes, origins=origins)


def kept_columns(
    relation: Relation, keep: str | Sequence[str], attributes: Sequence[Attribute], unit: str
) -> list[str]:
    """The columns to release as they are.

    Raises
    ------
    ParameterError
        If one is unknown, recoded, or identifies whom k protects.
    """
    names = columns_of(relation, keep, "keep")
    recoded = {each.name.rpartition(".")[0] if each.octet else each.name for each in attributes}
    for name in names:
        if name in recoded or name == unit:
            raise ParameterError(f"keep: {name!r} is {'recoded' if name in recoded else 'the unit of k'}; leave it out")
    return names


def check_rendering(rendering: str) -> None:
    """Refuse a rendering that is unknown."""
    if rendering not in RENDERINGS:
        raise ParameterError(f"rendering must be one of {', '.join(RENDERINGS)}; it is {rendering!r}")
