"""The mechanisms of relations once more, row by row and as they are told: recursive, and without any array."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from data.relation import IPV4, Column, Relation

Rows = list[int]
Box = list[tuple[int, bool, int, bool]]  # of each dimension: low, whether it is open, high, whether it is


def addresses(*octets: tuple[int, ...], **columns: Sequence[int]) -> Relation:
    """A relation of addresses, given by their last octets."""
    values = [sum(o << 8 * i for i, o in enumerate(reversed(address))) for address in octets]
    return Relation(
        {"ip": Column(np.array(values), IPV4), **{name: Column(np.array(values)) for name, values in columns.items()}}
    )


def frequencies(*counts: int) -> list[int]:
    """The values 1, 2, ... as often as told."""
    return [value for value, count in enumerate(counts, start=1) for _ in range(count)]


# Mondrian


def boundaries(rule: str, values: Sequence[int]) -> list[tuple[list[bool], int, str]]:
    """The boundaries that a rule looks at, in this order: which rows go left, the median, and where it lies."""
    s, ordered = len(values), sorted(values)
    lower = ordered[math.ceil(s / 2) - 1]
    after = ([v <= lower for v in values], lower, "after")
    before = ([v < lower for v in values], lower, "before")
    if rule == "lhs":
        return [after]
    if rule == "lhs_rhs":
        return [after, before]
    if rule == "before":
        return [before]
    if rule == "nearest":
        return sorted([after, before], key=lambda each: abs(2 * sum(each[0]) - s))  # stable: `after` first on ties
    if rule == "floor":
        m = next(v for v in ordered if sum(w <= v for w in ordered) >= s // 2)
        return [([v <= m for v in values], m, "after")]
    if rule == "rhs":
        median = (ordered[(s - 1) // 2] + ordered[s // 2]) / 2
        return [([v < median for v in values], ordered[s // 2], "before")]
    raise ValueError(rule)


def mondrian(
    columns: Sequence[Sequence[int]],
    domains: Sequence[tuple[int, int]],
    *,
    k: int,
    rule: str,
    scope: str = "dimension",
    width: str = "region",
    units: Sequence[int] | None = None,
) -> list[tuple[Rows, list[tuple[int, int]]]]:
    """The partitions and their closed boxes."""

    def count(rows: Rows) -> int:
        return len(rows) if units is None else len({units[row] for row in rows})

    def allowable(rows: Rows, d: int, wanted: str):
        for left, m, where in boundaries(wanted, [columns[d][row] for row in rows]):
            parts = [[row for row, goes in zip(rows, left, strict=True) if goes is side] for side in (True, False)]
            if all(count(part) >= k for part in parts):
                return (*parts, m, where)
        return None

    def span(rows: Rows, box: Box, d: int) -> float:
        low, high = domains[d]
        values = [columns[d][row] for row in rows]
        across = max(values) - min(values) if width == "data" else box[d][2] - box[d][0]
        return across / (high - low) if high > low else 0.0

    def grow(rows: Rows, box: Box) -> list:
        for wanted in ("lhs", "before") if (rule, scope) == ("lhs_rhs", "partition") else (rule,):
            best, widest = None, 0.0
            for d in range(len(columns)):
                cut = allowable(rows, d, wanted) if len(rows) > 1 else None
                if cut and span(rows, box, d) > widest:
                    best, widest = (d, cut), span(rows, box, d)
            if best:
                d, (left, right, m, where) = best
                low, low_open, high, high_open = box[d]
                one = [*box[:d], (low, low_open, m, where == "before"), *box[d + 1 :]]
                two = [*box[:d], (m, where == "after", high, high_open), *box[d + 1 :]]
                return grow(left, one) + grow(right, two)
        return [(rows, [(low + low_open, high - high_open) for low, low_open, high, high_open in box])]

    return grow(list(range(len(columns[0]))), [(low, False, high, False) for low, high in domains])


# Full-domain recodings

WIDTHS = (1, 32, 64, 128, 256)


def class_sizes(table: Sequence[tuple[int, ...]], node: Sequence[int], widths: Sequence[int] = WIDTHS) -> Counter:
    return Counter(tuple(o // widths[level] for o, level in zip(row, node, strict=True)) for row in table)


def outliers(table: Sequence[tuple[int, ...]], node: Sequence[int], k: int, widths: Sequence[int] = WIDTHS) -> int:
    return sum(size for size in class_sizes(table, node, widths).values() if size < k)


def datafly(table: Sequence[tuple[int, ...]], k: int, allowed: int, *, last: bool = False) -> list[tuple[int, ...]]:
    """The levels, step by step."""
    node = (0,) * len(table[0])
    trace = [node]
    while outliers(table, node, k) > allowed:
        distinct = [len({row[i] // WIDTHS[level] for row in table}) if level < 4 else 0 for i, level in enumerate(node)]
        places = range(len(node))
        raised = max(reversed(places) if last else places, key=distinct.__getitem__)
        node = tuple(level + (i == raised) for i, level in enumerate(node))
        trace.append(node)
    return trace


def nodes(width: int, levels: int) -> list[tuple[int, ...]]:
    """All nodes by height, then by falling levels."""
    every = itertools.product(range(levels), repeat=width)
    return sorted(every, key=lambda node: (sum(node), tuple(-level for level in node)))


def below(node: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The direct specializations, the canonical one last."""
    return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level]


def toolbox_visits(table: Sequence[tuple[int, ...]], k: int, allowed: int, levels: int = 5) -> list[tuple[int, ...]]:
    """The nodes that suffice of those that the ToolBox visits, breadth first.

    A node that does not suffice begets those in which its last level that is not 0, or a later one, is one higher.
    """
    queue, found = [(0,) * len(table[0])], []
    while queue:
        node = queue.pop(0)
        if outliers(table, node, k) <= allowed:
            found.append(node)
            continue
        last = max((i for i, level in enumerate(node) if level), default=0)
        children = [(*node[:i], node[i] + 1, *node[i + 1 :]) for i in range(last, len(node)) if node[i] + 1 < levels]
        queue += children
    return found
