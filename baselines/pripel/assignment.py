"""The cheapest matching of query traces to cases of the log (PRIPEL, step 2), on variants with multiplicities.

The cost of a pair is the Levenshtein distance of its activity sequences. The published code solves the assignment of
all query traces to all cases as one dense matrix. As the distance is a metric, some cheapest assignment matches as
many equal sequences as there are; what is left is a transportation problem between variants. The cost is the same;
which of several cheapest assignments is taken is not: the published code leaves that to the solver and the order of
the log, here the cases of a variant are dealt out at random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from data.log import Variants, factorize, ranges
from data.texts import texts
from mechanisms import Infeasible

MAX_PAIRS = 10_000_000  # pairs of variants in the transportation problem: some 0.5 GB

Cells = tuple[np.ndarray, np.ndarray, np.ndarray]  # query variant, log variant, number of pairs of their traces


def assign(query: Sequence[str], counts: np.ndarray, variants: Variants, rng: np.random.Generator) -> np.ndarray:
    """A case for each query trace, no case twice, at the smallest sum of distances.

    Parameters
    ----------
    query : sequence of distinct str
        Variants of the query's answer, one character an activity.
    counts : int64 array (query variants,)
        Traces of each, at least one.
    variants : Variants
        Of the log.
    rng : numpy.random.Generator

    Returns
    -------
    int64 array (query traces,)
        Case of each trace, traces in the order of their variants; -1 where there are too few cases.

    Raises
    ------
    Infeasible
        If more than `MAX_PAIRS` pairs of variants are to be weighed.
    """
    known = texts(variants.activities, variants.offsets)
    rows, columns, sizes = cheapest_plan(query, counts, known, variants.counts)
    shuffled = np.lexsort((rng.random(len(variants.of_case)), variants.of_case))
    cases = np.full(counts.sum(), -1)
    cases[_dealt(rows, sizes, counts)] = shuffled[_dealt(columns, sizes, variants.counts)]
    return cases


def cheapest_plan(query: Sequence[str], counts: np.ndarray, known: Sequence[str], known_counts: np.ndarray) -> Cells:
    """How many traces of which query variant get cases of which log variant, so that the distances are smallest.

    Parameters
    ----------
    query, known : sequences of distinct str
    counts, known_counts : int64 arrays (query variants,), (log variants,)
        As many pairs are made as the side with fewer traces has.
    """
    codes = factorize([*known, *query])[0][len(known) :]
    rows = np.flatnonzero(codes < len(known))
    columns = codes[rows]
    equal = rows, columns, np.minimum(counts[rows], known_counts[columns])
    supply, demand = counts.copy(), known_counts.copy()
    supply[rows] -= equal[2]
    demand[columns] -= equal[2]
    rows, columns = np.flatnonzero(supply), np.flatnonzero(demand)
    if not (len(rows) and len(columns)):
        return equal
    if len(rows) * len(columns) > MAX_PAIRS:
        raise Infeasible(
            f"{len(rows)} query variants are to be matched to {len(columns)} of the log: "
            f"{len(rows) * len(columns)} pairs, {MAX_PAIRS} are allowed; raise epsilon or the pruning"
        )
    costs = distances([query[row] for row in rows], [known[column] for column in columns])
    rest_rows, rest_columns, sizes = transport(supply[rows], demand[columns], costs)
    rest = rows[rest_rows], columns[rest_columns], sizes
    return tuple(np.concatenate(parts) for parts in zip(equal, rest, strict=True))


def distances(query: Sequence[str], known: Sequence[str]) -> np.ndarray:
    """Levenshtein distances, unsigned int (query, known)."""
    longest = max(map(len, (*query, *known)))
    return cdist(query, known, scorer=Levenshtein.distance, dtype=np.min_scalar_type(longest))


def transport(supply: np.ndarray, demand: np.ndarray, costs: np.ndarray) -> Cells:
    """The cheapest plan that ships all of the smaller side, as cells of positive size.

    Parameters
    ----------
    supply, demand : int64 arrays (rows,), (columns,)
        Positive.
    costs : int array (rows, columns)
    """
    if supply.sum() > demand.sum():
        columns, rows, sizes = transport(demand, supply, costs.T)
        return rows, columns, sizes
    return _nearest(supply, demand, costs) or _network_simplex(supply, demand, costs)


def _nearest(supply: np.ndarray, demand: np.ndarray, costs: np.ndarray) -> Cells | None:
    """The plan in which each row in turn takes what is nearest, if that costs no row more than being alone would.

    It is optimal then. This is usual where little is left to match, and spares the import of the solver.
    """
    left = demand.copy()
    plan = []
    for row, needed in enumerate(supply):
        columns, sizes = _fill(needed, costs[row], left)
        alone_columns, alone_sizes = _fill(needed, costs[row], demand)
        if costs[row, columns] @ sizes > costs[row, alone_columns] @ alone_sizes:
            return None
        left[columns] -= sizes
        plan.append((np.full(len(columns), row), columns, sizes))
    return tuple(np.concatenate(parts) for parts in zip(*plan, strict=True))


def _fill(needed: int, costs: np.ndarray, available: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cheapest columns that together have what is needed, and how much each gives."""
    order = np.argsort(costs, kind="stable")
    sizes = np.diff(np.minimum(np.cumsum(available[order]), needed), prepend=0)
    given = np.flatnonzero(sizes)
    return order[given], sizes[given]


def _network_simplex(supply: np.ndarray, demand: np.ndarray, costs: np.ndarray) -> Cells:
    """The optimal plan by the network simplex of POT; whole masses make whole flows."""
    import ot  # takes over a second

    spare = demand.sum() - supply.sum()
    if spare:  # a row that takes, at no cost, what is not shipped
        supply, costs = np.append(supply, spare), np.vstack((costs, np.zeros_like(costs[:1])))
    flows, log = ot.emd(supply.astype(float), demand.astype(float), costs.astype(float), numItermax=10**9, log=True)
    if log["warning"]:
        raise ArithmeticError(f"the solver of the assignment stopped early: {log['warning']}")
    flows = flows[: -1 if spare else None]
    rows, columns = np.nonzero(flows)
    return rows, columns, np.rint(flows[rows, columns]).astype(np.int64)


def _dealt(groups: np.ndarray, sizes: np.ndarray, group_sizes: np.ndarray) -> np.ndarray:
    """Places that the members of each cell get, where the members of a group stand one after the other.

    Parameters
    ----------
    groups, sizes : int64 arrays (cells,)
        Group of each cell and how many places it takes.
    group_sizes : int64 array (groups,)
    """
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(sizes[order])
    before = ends - sizes[order]
    first = np.searchsorted(groups[order], groups[order])  # cell that comes first in the same group
    starts = np.empty_like(sizes)
    starts[order] = (np.cumsum(group_sizes) - group_sizes)[groups[order]] + before - before[first]
    return ranges(starts, sizes)
