"""Mondrian: cut the rows into boxes at medians while both sides reach k.

K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006, with the second
boundary at a median that Zettel's study of access logs adds (rule `lhs_rhs`; CEUR-WS 2438, paper 4).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.mondrian.cuts import RULES
from baselines.mondrian.partition import SCOPES, WIDTHS, Partition, partition
from baselines.relational.attributes import INTEGER, ROWS, Attribute
from baselines.relational.release import accounted, prepared, released
from baselines.relational.rendering import interval_texts
from data.relation import CATEGORY, Relation
from data.relation_release import Recoded, RelationRelease
from mechanisms import Outcome, ParameterError

DOMAINS = ("data", "public")


def release(relation: Relation, *, rng: np.random.Generator, **parameters) -> RelationRelease:
    """The released relation alone; parameters as in `anonymize`."""
    return anonymize(relation, rng=rng, **parameters).release


def anonymize(
    relation: Relation,
    *,
    k: int,
    attributes: str | Sequence[str],
    rule: str = "lhs_rhs",
    scope: str = "dimension",
    width: str = "region",
    domain: str = "data",
    tight: bool = False,
    encoding: str = INTEGER,
    rendering: str = "cidr",
    unit: str = ROWS,
    keep: str | Sequence[str] = (),
    rng: np.random.Generator,
) -> Outcome:
    """Recode attributes by Mondrian.

    Every released row is in a class of at least k. Nothing is suppressed.

    Parameters
    ----------
    relation : Relation
        It is not changed.
    k : int
    attributes : str or sequence of str
        The columns to recode; all others are left out. Categories are ordered as their labels are.
    rule : {"lhs_rhs", "lhs", "nearest", "rhs", "floor", "relaxed"}
        See `baselines.mondrian.cuts`. With `relaxed` rows of one value may get two intervals, by lot.
    scope : {"dimension", "partition"}
        Of the rule `lhs_rhs`, and of no consequence in one dimension; see `baselines.mondrian.partition.partition`.
    width : {"region", "data"}
        The range that decides along which attribute to cut: that of the box (ToolBox), or of the values in it (paper).
    domain : {"data", "public"}
        The box of all rows: the smallest and the largest value of each attribute, or 0.0.0.0 to 255.255.255.255 for
        addresses and 0 to 255 for octets; numbers and times have none that is public.
    tight : bool
        Release the smallest intervals that hold the values, instead of the boxes.
    encoding : {"integer", "octets"}
        Of addresses: one attribute or four.
    rendering : {"cidr", "sound", "seed"}
        Of addresses as integers; see `baselines.relational.rendering`.
    unit : str
        What k counts: ``rows``, or the distinct values of that column.
    keep : str or sequence of str
        Further columns to release as they are.
    rng : numpy.random.Generator
        Draws how `relaxed` deals rows of equal values.

    Raises
    ------
    ParameterError
        If a parameter has a value that it cannot have.
    Infeasible
        If there are fewer than k rows, or distinct values of the unit.
    """
    for name, value, known in (
        ("rule", rule, RULES),
        ("scope", scope, SCOPES),
        ("width", width, WIDTHS),
        ("domain", domain, DOMAINS),
    ):
        if value not in known:
            raise ParameterError(f"{name} must be one of {', '.join(known)}; it is {value!r}")
    units, chosen, kept = prepared(
        relation, k=k, attributes=attributes, encoding=encoding, unit=unit, keep=keep, rendering=rendering
    )
    domains = [_domain(attribute, domain) for attribute in chosen]
    found = partition(
        [attribute.column.values for attribute in chosen],
        domains,
        k=k,
        rule=rule,
        scope=scope,
        width=width,
        units=units,
        rows=rng.permutation(relation.n_rows) if rule == "relaxed" else None,
    )
    recoded = _recoded(chosen, found, domains, rendering, tight=tight)
    parts = released(relation, found.classes, recoded, np.zeros(found.cuts + 1, dtype=bool), kept)
    account = {
        "k": k,
        "unit": unit,
        "cuts": found.cuts,
        "rhs_cuts": found.rhs_cuts,
        "depth": found.depth,
        "domain": {a.name: [int(low), int(high)] for a, (low, high) in zip(chosen, domains, strict=True)},
    }
    own = [a.name for a in chosen if not (a.public_domain and domain == "public")]
    notes = []
    if own and not tight:
        notes.append(f"the outermost bounds of {', '.join(own)} are the smallest and the largest value of the input")
    return accounted(*parts, account, notes=notes)


def _domain(attribute: Attribute, domain: str) -> tuple[int, int]:
    if domain == "public" or attribute.column.kind == CATEGORY:
        return attribute.domain
    return int(attribute.column.values.min()), int(attribute.column.values.max())


def _recoded(
    attributes: Sequence[Attribute],
    found: Partition,
    domains: Sequence[tuple[int, int]],
    rendering: str,
    *,
    tight: bool,
) -> dict[str, Recoded]:
    """How each attribute reads in each class."""
    low, high = found.boxes.closed()
    if tight:
        order = np.argsort(found.classes, kind="stable")
        begins = np.flatnonzero(np.diff(found.classes[order], prepend=-1))
        low = [np.minimum.reduceat(a.column.values[order], begins) for a in attributes]
        high = [np.maximum.reduceat(a.column.values[order], begins) for a in attributes]
    recoded = {}
    for attribute, lower, upper in zip(attributes, low, high, strict=True):
        column = attribute.column
        texts = interval_texts(lower, upper, column.kind, rendering=rendering, labels=column.labels)
        bounds = (None, None) if column.kind == CATEGORY else (lower, upper)
        recoded[attribute.name] = Recoded(texts, *bounds, column.kind)
    return recoded
