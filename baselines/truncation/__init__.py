"""Truncation: addresses cut to their first bits, /24 or /16, as it is often done. It reaches no k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.relational.attributes import INTEGER, ROWS
from baselines.relational.frequencies import numbered
from baselines.relational.hierarchies import from_widths
from baselines.relational.release import accounted, prepared, released, supports
from data.relation import IPV4, Relation
from data.relation_release import RelationRelease
from mechanisms import Outcome, ParameterError


def release(relation: Relation, *, rng: np.random.Generator, **parameters) -> RelationRelease:
    """The released relation alone; parameters as in `anonymize`."""
    return anonymize(relation, rng=rng, **parameters).release


def anonymize(
    relation: Relation,
    *,
    prefix: int,
    attributes: str | Sequence[str],
    k: int = 10,
    rendering: str = "cidr",
    unit: str = ROWS,
    keep: str | Sequence[str] = (),
    rng: np.random.Generator,
) -> Outcome:
    """Cut addresses to a prefix.

    Parameters
    ----------
    relation : Relation
        It is not changed.
    prefix : int
        Bits to keep, 0 to 32.
    attributes : str or sequence of str
        Columns of addresses; all others are left out.
    k : int
        Rows in classes that do not reach it are counted, and released all the same.
    rendering, unit, keep
        As in `baselines.datafly.anonymize`.
    rng : numpy.random.Generator
        Not used: nothing is drawn.

    Raises
    ------
    ParameterError
        If a parameter has a value that it cannot have, or an attribute holds no addresses.
    Infeasible
        If there are fewer than k rows.
    """
    if not 0 <= prefix <= 32:
        raise ParameterError(f"prefix must be a number of bits from 0 to 32; it is {prefix}")
    units, chosen, kept = prepared(
        relation, k=k, attributes=attributes, encoding=INTEGER, unit=unit, keep=keep, rendering=rendering
    )
    for attribute in chosen:
        if attribute.column.kind != IPV4:
            raise ParameterError(f"attributes: {attribute.name!r} holds no IPv4 addresses; only these are truncated")
    hierarchies = [from_widths(attribute, [1 << 32 - prefix]) for attribute in chosen]
    classes, first = numbered([attribute.column.values >> 32 - prefix for attribute in chosen])
    recoded = {each.attribute.name: each.recoded(0, first, rendering) for each in hierarchies}
    parts = released(relation, classes, recoded, np.zeros(len(first), dtype=bool), kept)
    support = supports(classes, units)
    below = int(np.bincount(classes)[support < k].sum())
    notes = [f"no guarantee: {below} of {relation.n_rows} rows are in classes of fewer than k = {k}"] if below else []
    return accounted(*parts, {"rows_below_k": below}, notes=notes)
