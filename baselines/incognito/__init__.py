"""Incognito: the best full-domain recoding, found on the lattice of all levels.

K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005. The choice
among the nodes that suffice is not part of it; `classes` is that of the UTD Anonymization ToolBox, on which Zettel's
study of access logs rests (CEUR-WS 2438, paper 4). Ties are common, and are reported.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence

import numpy as np

from baselines.incognito.lattice import ALL_OK, MINIMAL, SCOPES, Sufficient, search
from baselines.relational.attributes import OCTETS, ROWS, threshold
from baselines.relational.frequencies import frequencies_of
from baselines.relational.hierarchies import OCTET_LEVELS, Hierarchy, hierarchies_of, of_levels, without_file
from baselines.relational.release import accounted, full_domain, insufficient, prepared
from data.relation import Relation
from data.relation_release import RelationRelease
from mechanisms import Outcome, ParameterError

CRITERIA = ("classes", "dm", "height")
SHOWN = 100  # nodes of a kind in the account


def release(relation: Relation, *, rng: np.random.Generator, **parameters) -> RelationRelease:
    """The released relation alone; parameters as in `anonymize`."""
    return anonymize(relation, rng=rng, **parameters).release


def anonymize(
    relation: Relation,
    *,
    k: int,
    attributes: str | Sequence[str],
    suppression: int | str = 0,
    criterion: str = "classes",
    scope: str | None = None,
    encoding: str = OCTETS,
    octet_levels: str = OCTET_LEVELS,
    hierarchies: str | os.PathLike | None = None,
    rendering: str = "cidr",
    unit: str = ROWS,
    keep: str | Sequence[str] = (),
    rng: np.random.Generator,
) -> Outcome:
    """Recode attributes by Incognito.

    Every released row is in a class of at least k, or is suppressed. The diagnostics tell the minimal nodes and those
    that are as good as the chosen one.

    Parameters
    ----------
    relation : Relation
        It is not changed.
    k : int
    attributes : str or sequence of str
        The columns to recode; all others are left out.
    suppression : int or str
        Rows that may be suppressed, as a number or as a share like ``1%``.
    criterion : {"classes", "dm", "height"}
        The most classes that are not suppressed; the smallest discernibility metric; or the smallest sum of
        levels, each as a share of the highest. Among equals the first by height, then by falling levels.
    scope : {"minimal", "toolbox", "all_ok"}, optional
        The nodes to choose from; see `baselines.incognito.lattice.search`. By default the minimal ones where the
        best of all is among them, else all: there it need not be with the criterion `classes` if k or more rows may
        be suppressed, nor with `dm` if any may.
    encoding : {"octets", "integer"}
        Of addresses: four attributes, or one whose hierarchy merges from the right, so that an octet keeps detail
        only if all octets left of it are exact.
    octet_levels, hierarchies, rendering, unit, keep
        As in `baselines.datafly.anonymize`.
    rng : numpy.random.Generator
        Not used: nothing is drawn.

    Raises
    ------
    ParameterError
        If a parameter has a value that it cannot have.
    LogError
        If a hierarchy cannot be read.
    Infeasible
        If there are fewer than k rows, no node suffices, or there are too many nodes.
    """
    if criterion not in CRITERIA:
        raise ParameterError(f"criterion must be one of {', '.join(CRITERIA)}; it is {criterion!r}")
    if scope is not None and scope not in SCOPES:
        raise ParameterError(f"scope must be one of {', '.join(SCOPES)}; it is {scope!r}")
    units, chosen, kept = prepared(
        relation, k=k, attributes=attributes, encoding=encoding, unit=unit, keep=keep, rendering=rendering
    )
    allowed = threshold(suppression, relation.n_rows)
    found = hierarchies_of(chosen, octet_levels, hierarchies)
    scope = scope or sufficient_scope(criterion, k, allowed)
    nodes = search(found, frequencies_of(found, units), k, allowed, scope)
    if not nodes:
        raise insufficient(k, allowed)
    best, ties = choose(nodes, loss(criterion, found, relation.n_rows))
    parts = full_domain(relation, found, best.levels, k=k, units=units, rendering=rendering, kept=kept)
    minimal = [node.levels for node in nodes if node.minimal]
    account = {
        "k": k,
        "unit": unit,
        **of_levels(found, best.levels),
        "allowed": allowed,
        "nodes": math.prod(hierarchy.height + 1 for hierarchy in found),
        "minimal_nodes": len(minimal),
        "minimal": [list(levels) for levels in minimal[:SHOWN]],
        "ties": [list(node.levels) for node in ties[:SHOWN]],
    }
    notes = without_file(found, hierarchies)
    if len(ties) > 1:
        others = ", ".join("-".join(map(str, node.levels)) for node in ties[1:SHOWN])
        notes.append(f"by the criterion {criterion}, as good as the chosen levels: {others}")
    return accounted(*parts, account, resolved={"scope": scope}, notes=notes)


def sufficient_scope(criterion: str, k: int, allowed: int) -> str:
    """The minimal nodes where the best of all nodes is among them, else all."""
    among = {"classes": allowed < k, "dm": allowed == 0, "height": True}[criterion]
    return MINIMAL if among else ALL_OK


def loss(criterion: str, hierarchies: Sequence[Hierarchy], rows: int) -> Callable[[Sufficient], float]:
    """What the best node has least of."""
    if criterion == "classes":
        return lambda node: node.suppressed_classes - node.classes
    if criterion == "dm":
        return lambda node: node.squares + rows * node.suppressed
    heights = [max(hierarchy.height, 1) for hierarchy in hierarchies]
    whole = math.lcm(*heights)  # whole numbers, so that ties are ties
    return lambda node: sum(level * whole // height for level, height in zip(node.levels, heights, strict=True))


def choose(nodes: Sequence[Sufficient], loss: Callable[[Sufficient], float]) -> tuple[Sufficient, list[Sufficient]]:
    """The first of the best nodes, and all of them."""
    least = min(map(loss, nodes))
    ties = [node for node in nodes if loss(node) == least]
    return ties[0], ties
