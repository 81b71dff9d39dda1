"""Datafly: raise the attribute of most distinct values by one level until few enough rows are in small classes.

L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002; here as the UTD
Anonymization ToolBox has it, on which Zettel's study of access logs rests (CEUR-WS 2438, paper 4). That program ties
the suppression threshold to k, and takes 0 for no limit at all; here 0 is 0.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from baselines.relational.attributes import OCTETS, ROWS, threshold
from baselines.relational.frequencies import Frequencies, frequencies_of, outliers
from baselines.relational.hierarchies import OCTET_LEVELS, Hierarchy, hierarchies_of, of_levels, without_file
from baselines.relational.release import accounted, full_domain, insufficient, prepared
from data.relation import Relation
from data.relation_release import RelationRelease
from mechanisms import Outcome, ParameterError

TIES = ("first", "last")


def release(relation: Relation, *, rng: np.random.Generator, **parameters) -> RelationRelease:
    """The released relation alone; parameters as in `anonymize`."""
    return anonymize(relation, rng=rng, **parameters).release


def anonymize(
    relation: Relation,
    *,
    k: int,
    attributes: str | Sequence[str],
    suppression: int | str = 0,
    tie: str = "first",
    encoding: str = OCTETS,
    octet_levels: str = OCTET_LEVELS,
    hierarchies: str | os.PathLike | None = None,
    rendering: str = "cidr",
    unit: str = ROWS,
    keep: str | Sequence[str] = (),
    rng: np.random.Generator,
) -> Outcome:
    """Recode attributes by Datafly.

    Every released row is in a class of at least k, or is suppressed.

    Parameters
    ----------
    relation : Relation
        It is not changed.
    k : int
    attributes : str or sequence of str
        The columns to recode; all others are left out.
    suppression : int or str
        Rows that may be suppressed, as a number or as a share like ``1%``.
    tie : {"first", "last"}
        Which attribute is raised among those of equally many values. With octets it decides the result.
    encoding : {"octets", "integer"}
        Of addresses: four attributes, or one whose hierarchy merges from the right.
    octet_levels : str
        Levels of octets; see `baselines.relational.hierarchies`.
    hierarchies : path, optional
        A folder of hierarchies.
    rendering : {"cidr", "sound", "seed"}
        Of addresses as integers; see `baselines.relational.rendering`.
    unit : str
        What k counts: ``rows``, or the distinct values of that column. Suppressed are rows.
    keep : str or sequence of str
        Further columns to release as they are.
    rng : numpy.random.Generator
        Not used: nothing is drawn.

    Raises
    ------
    ParameterError
        If a parameter has a value that it cannot have.
    LogError
        If a hierarchy cannot be read.
    Infeasible
        If there are fewer than k rows, or every attribute at its highest level leaves too many in small classes.
    """
    if tie not in TIES:
        raise ParameterError(f"tie must be one of {', '.join(TIES)}; it is {tie!r}")
    units, chosen, kept = prepared(
        relation, k=k, attributes=attributes, encoding=encoding, unit=unit, keep=keep, rendering=rendering
    )
    allowed = threshold(suppression, relation.n_rows)
    found = hierarchies_of(chosen, octet_levels, hierarchies)
    levels = walk(found, frequencies_of(found, units), k, allowed, last=tie == "last")[-1]
    parts = full_domain(relation, found, levels, k=k, units=units, rendering=rendering, kept=kept)
    account = {"k": k, "unit": unit, **of_levels(found, levels), "allowed": allowed}
    return accounted(*parts, account, notes=without_file(found, hierarchies))


def walk(
    hierarchies: Sequence[Hierarchy], frequencies: Frequencies, k: int, allowed: int, *, last: bool = False
) -> list[tuple[int, ...]]:
    """The levels of all attributes, step by step, down to those at which few enough rows are outliers.

    Raises
    ------
    Infeasible
        If there are none.
    """
    levels = [0] * len(hierarchies)
    trace = [tuple(levels)]
    while outliers(frequencies.classes(), k) > allowed:
        able = [i for i, hierarchy in enumerate(hierarchies) if levels[i] < hierarchy.height]
        raised = _most_values(frequencies, able[::-1] if last else able)
        if raised is None:
            raise insufficient(k, allowed)
        steps = [h.steps[levels[i]] if i == raised else None for i, h in enumerate(hierarchies)]
        frequencies = frequencies.raised(steps)
        levels[raised] += 1
        trace.append(tuple(levels))
    return trace


def _most_values(frequencies: Frequencies, attributes: Sequence[int]) -> int | None:
    """Of some attributes, given by number, the first of most distinct values; None of none."""
    return max(attributes, key=lambda i: np.count_nonzero(np.bincount(frequencies.codes[i])), default=None)
