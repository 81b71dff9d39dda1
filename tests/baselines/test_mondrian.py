"""Mondrian: the vectors of the specification, agreement with the recursion, and its properties."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from relational_reference import frequencies
from relational_reference import mondrian as recursion

from baselines import mondrian
from baselines.mondrian import RULES
from baselines.mondrian.partition import partition
from baselines.relational.release import discernibility
from data.relation import CATEGORY, IPV4, Column, Relation
from mechanisms import Infeasible, ParameterError

RNG = np.random.default_rng(1)
STRICT = [rule for rule in RULES if rule != "relaxed"]


def cut(values, rule, k=10, **parameters):
    relation = Relation({"v": Column(np.array(values, dtype=np.int64))})
    return mondrian.anonymize(relation, k=k, attributes="v", rule=rule, rng=np.random.default_rng(1), **parameters)


def classes(release) -> list[tuple[int, int, int]]:
    """Size and interval of each class."""
    recoded = release.recoded["v"]
    return list(zip(release.sizes.tolist(), recoded.low.tolist(), recoded.high.tolist(), strict=True))


# Frequencies of the values 1, 2, ..., the rule, and the classes it leaves with k = 10.
V1 = frequencies(6, 6, 20, 5)
V2 = frequencies(5, 20, 6, 6)
V3 = frequencies(9, 20, 9)
V4 = frequencies(10, 2, 16, 10)
V5 = frequencies(10, 11)


@pytest.mark.parametrize(
    ("values", "rule", "expected", "dm"),
    [
        (V1, "lhs", [(37, 1, 4)], 1369),
        (V1, "lhs_rhs", [(12, 1, 2), (25, 3, 4)], 769),
        (V1, "nearest", [(12, 1, 2), (25, 3, 4)], 769),
        (V2, "lhs", [(25, 1, 2), (12, 3, 4)], 769),
        (V2, "lhs_rhs", [(25, 1, 2), (12, 3, 4)], 769),
        (V2, "nearest", [(25, 1, 2), (12, 3, 4)], 769),
        (V2, "floor", [(25, 1, 2), (12, 3, 4)], 769),
        (V2, "rhs", [(37, 1, 4)], 1369),
        *((V3, rule, [(38, 1, 3)], 38**2) for rule in STRICT),
        (V4, "lhs", [(28, 1, 3), (10, 4, 4)], 884),
        (V4, "lhs_rhs", [(12, 1, 2), (16, 3, 3), (10, 4, 4)], 500),
        (V4, "nearest", [(12, 1, 2), (16, 3, 3), (10, 4, 4)], 500),
        (V5, "lhs", [(21, 1, 2)], 441),
        (V5, "floor", [(10, 1, 1), (11, 2, 2)], 221),
        (V5, "lhs_rhs", [(10, 1, 1), (11, 2, 2)], 221),
    ],
)
def test_vectors(values, rule, expected, dm):
    outcome = cut(values, rule)
    assert classes(outcome.release) == expected
    assert outcome.diagnostics["discernibility"] == discernibility(outcome.release) == dm


def test_the_improvement_of_the_study_is_one_cut_before_the_median():
    assert cut(V1, "lhs_rhs").diagnostics["rhs_cuts"] == 1
    assert cut(V4, "lhs_rhs").diagnostics["rhs_cuts"] == 1
    assert cut(V2, "lhs_rhs").diagnostics["rhs_cuts"] == 0


def test_relaxed_halves_with_boxes_that_overlap_at_the_median():
    assert classes(cut(V1, "relaxed").release) == [(19, 1, 3), (18, 3, 4)]
    assert cut(V1, "relaxed").diagnostics["discernibility"] == 685
    assert classes(cut(V3, "relaxed").release) == [(19, 1, 2), (19, 2, 3)]
    assert cut(V3, "relaxed").diagnostics["discernibility"] == 722


def test_tight_intervals_hold_the_values_and_the_boxes_the_domain():
    values = [1] * 10 + [5] * 10
    assert classes(cut(values, "lhs").release) == [(10, 1, 1), (10, 2, 5)]
    assert classes(cut(values, "lhs", tight=True).release) == [(10, 1, 1), (10, 5, 5)]


def test_addresses_start_from_the_public_domain_on_request():
    relation = Relation({"ip": Column(np.repeat([10, 20], 10), IPV4)})
    recoded = {
        domain: mondrian.release(relation, k=10, attributes="ip", domain=domain, rng=RNG).recoded["ip"]
        for domain in ("data", "public")
    }
    assert (recoded["data"].low.tolist(), recoded["data"].high.tolist()) == ([10, 11], [10, 20])
    assert (recoded["public"].low.tolist(), recoded["public"].high.tolist()) == ([0, 11], [10, 2**32 - 1])
    assert recoded["public"].texts == ("0.0.0.0/28", "0.0.0.0/0")


def test_categories_are_cut_by_the_order_of_their_labels():
    relation = Relation({"role": Column(np.repeat([0, 1, 2, 2], 5), CATEGORY, ("a", "b", "c"))})
    release = mondrian.release(relation, k=10, attributes="role", rng=RNG)
    assert release.recoded["role"].texts == ("c", "{a, b}")
    assert release.recoded["role"].low is None
    whole = mondrian.release(relation, k=20, attributes="role", rng=RNG)
    assert whole.recoded["role"].texts == ("*",)


def test_the_widest_dimension_is_cut_and_the_first_of_equals():
    square = np.array([0, 0, 9, 9]), np.array([0, 9, 0, 9])
    assert partition(square, [(0, 9), (0, 9)], k=2).classes.tolist() == [0, 0, 1, 1]
    # Of a larger domain the first dimension has a smaller share.
    assert partition(square, [(0, 90), (0, 9)], k=2, width="data").classes.tolist() == [0, 1, 0, 1]


def test_region_and_data_width_differ():
    x, y = np.array([0, 0, 0, 0, 98, 98, 100, 100]), np.array([0, 100, 0, 100, 0, 50, 0, 50])
    # Of x > 0 both boxes are as wide as the domain; the values differ by 2 and by 50.
    pairs = {"region": [(98, 98), (100, 100)], "data": [(98, 100), (98, 100)]}
    for width, expected in pairs.items():
        classes = partition([x, y], [(0, 100), (0, 100)], k=2, width=width).classes
        assert sorted(tuple(x[4:][classes[4:] == c].tolist()) for c in set(classes[4:].tolist())) == expected


tables = st.integers(1, 3).flatmap(
    lambda q: st.lists(st.tuples(*[st.integers(0, 6)] * q, st.integers(0, 5)), min_size=2, max_size=60)
)


def _columns(table):
    array = np.array(table, dtype=np.int64)
    return [*array.T[:-1]], array.T[-1]


def _domains(columns):
    return [(int(column.min()), int(column.max())) for column in columns]


@settings(max_examples=300, deadline=None)
@given(
    table=tables,
    k=st.integers(1, 6),
    rule=st.sampled_from(STRICT),
    scope=st.sampled_from(["dimension", "partition"]),
    width=st.sampled_from(["region", "data"]),
    users=st.booleans(),
)
def test_all_depths_at_once_are_the_recursion(table, k, rule, scope, width, users):
    """P2, with users as units too."""
    columns, units = _columns(table)
    parameters = {"k": k, "rule": rule, "scope": scope, "width": width, "units": units if users else None}
    found = partition(columns, _domains(columns), **parameters)
    low, high = found.boxes.closed()
    ours = {}
    for row, c in enumerate(found.classes.tolist()):
        box = tuple(zip(low[:, c].tolist(), high[:, c].tolist(), strict=True))
        ours.setdefault(box, []).append(row)
    theirs = recursion([c.tolist() for c in columns], _domains(columns), **parameters)
    assert ours == {tuple(box): rows for rows, box in theirs}
    assert found.cuts == len(theirs) - 1


multiplicities = st.lists(st.integers(1, 25), min_size=1, max_size=12)


@settings(max_examples=500, deadline=None)
@given(counts=multiplicities, k=st.integers(1, 12))
def test_in_one_dimension_the_improved_rule_misses_no_cut(counts, k):
    """P1: an allowable boundary exists if and only if one beside the lower median is allowable; P3: sizes."""
    values = np.array(frequencies(*counts))
    n = len(values)
    sums = np.cumsum(counts)[:-1]
    found = partition([values], [(1, len(counts))], k=k, rule="lhs_rhs")
    assert (found.cuts > 0) == bool(((sums >= k) & (n - sums >= k)).any() and len(counts) > 1)
    sizes = np.bincount(found.classes)
    assert sizes.max() <= max(2 * (k - 1) + max(counts), k)
    if n >= k:
        assert sizes.min() >= k
    for c in range(len(sizes)):  # nothing is left that could be cut
        inside = np.cumsum(np.unique(values[found.classes == c], return_counts=True)[1])[:-1]
        assert not ((inside >= k) & (sizes[c] - inside >= k)).any()


@settings(max_examples=200, deadline=None)
@given(table=tables, k=st.integers(1, 6), seed=st.integers(0, 99))
def test_relaxed_classes_are_smaller_than_2k_unless_all_rows_are_equal(table, k, seed):
    """P3 of the relaxed rule."""
    columns, _ = _columns(table)
    rows = np.random.default_rng(seed).permutation(len(table))
    found = partition(columns, _domains(columns), k=k, rule="relaxed", width="data", rows=rows)
    low, high = found.boxes.closed()
    for c, size in enumerate(np.bincount(found.classes).tolist()):
        inside = [column[found.classes == c] for column in columns]
        assert size < 2 * k or all(len(set(values.tolist())) == 1 for values in inside)
        assert size >= k or found.cuts == 0
        for d, values in enumerate(inside):
            assert low[d, c] <= values.min()
            assert values.max() <= high[d, c]


@settings(max_examples=200, deadline=None)
@given(table=tables, k=st.integers(1, 5))
def test_the_scope_partition_refines_the_original_rule(table, k):
    """P7: each class lies in one of `lhs`; so there are not fewer, and discernibility is not larger."""
    columns, _ = _columns(table)
    coarse = partition(columns, _domains(columns), k=k, rule="lhs").classes
    fine = partition(columns, _domains(columns), k=k, rule="lhs_rhs", scope="partition").classes
    assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == len(set(fine.tolist()))
    assert sum(np.bincount(fine) ** 2) <= sum(np.bincount(coarse) ** 2)


@settings(max_examples=200, deadline=None)
@given(table=tables, k=st.integers(1, 5), rule=st.sampled_from(STRICT))
def test_a_box_holds_its_rows_and_no_others(table, k, rule):
    """P8."""
    columns, _ = _columns(table)
    found = partition(columns, _domains(columns), k=k, rule=rule)
    low, high = found.boxes.closed()
    within = np.ones((len(table), found.cuts + 1), dtype=bool)
    for d, column in enumerate(columns):
        within &= (low[d] <= column[:, None]) & (column[:, None] <= high[d])
    assert (within == (found.classes[:, None] == np.arange(found.cuts + 1))).all()


@settings(max_examples=100, deadline=None)
@given(table=tables, k=st.integers(1, 5), rule=st.sampled_from(STRICT), seed=st.integers(0, 99))
def test_the_order_of_rows_and_the_names_of_users_change_nothing(table, k, rule, seed):
    """P9, and P10: without suppression discernibility is even if and only if the number of rows is."""
    columns, users = _columns(table)
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(len(table)), rng.permutation(6) + 100
    released = []
    for rows, told in ((np.arange(len(table)), users), (order, names[users])):
        relation = Relation({**{f"q{d}": Column(c[rows]) for d, c in enumerate(columns)}, "user": Column(told[rows])})
        parameters = {"attributes": relation.names[:-1], "k": k, "rule": rule, "unit": "user", "rng": rng}
        try:
            released.append(mondrian.anonymize(relation, **parameters))
        except Infeasible as refusal:
            released.append(str(refusal))
    if isinstance(released[0], str):
        assert released[0] == released[1]
        return
    one, other = (outcome.release for outcome in released)
    assert one.sizes.tolist() == other.sizes.tolist()
    assert all(one.recoded[name].texts == other.recoded[name].texts for name in one.recoded)
    assert (released[0].diagnostics["discernibility"] - len(table)) % 2 == 0
    for outcome, rows in zip(released, (np.arange(len(table)), order), strict=True):
        for name, recoded in outcome.release.recoded.items():  # the origins belong to the rows
            origin = columns[int(name[1:])][rows][outcome.origins]
            assert (recoded.low[outcome.release.classes] <= origin).all()
            assert (origin <= recoded.high[outcome.release.classes]).all()


def test_users_are_counted_and_not_their_rows():
    # One user has all rows of the right half.
    relation = Relation({"v": Column(np.repeat([1, 2], 10)), "user": Column(np.array([*range(10), *[10] * 10]))})
    by_rows = mondrian.release(relation, k=5, attributes="v", rng=RNG)
    by_users = mondrian.release(relation, k=5, attributes="v", unit="user", rng=RNG)
    assert (by_rows.sizes.tolist(), by_users.sizes.tolist()) == ([10, 10], [20])


def test_no_rule_cuts_what_is_constant_or_too_small():
    for rule in RULES:
        assert classes(cut([7] * 30, rule).release) == [(30, 7, 7)]
        assert cut(list(range(19)), rule).diagnostics["cuts"] == 0


def test_values_may_span_all_integers():
    ends = np.repeat([-(2**63), 2**63 - 1], 10)
    domain = (-(2**63), 2**63 - 1)
    for width in ("region", "data"):
        assert partition([ends], [domain], k=10, width=width).cuts == 1


def test_a_cut_is_found_in_forty_dimensions():
    columns = [np.zeros(20, dtype=np.int64)] * 39 + [np.repeat([0, 1], 10)]
    assert partition(columns, [(0, 1)] * 40, k=10).cuts == 1


def test_refusals_tell_what_to_do():
    with pytest.raises(Infeasible, match="9 rows, fewer than k = 10; choose a smaller k"):
        cut(list(range(9)), "lhs")
    with pytest.raises(ParameterError, match="rule must be one of lhs, lhs_rhs"):
        cut([1, 2], "median")
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        cut([1, 2], "lhs", k=0)
    relation = Relation({"v": Column(np.arange(20)), "user": Column(np.zeros(20))})
    with pytest.raises(Infeasible, match="1 distinct values of the unit, fewer than k = 2"):
        mondrian.anonymize(relation, k=2, attributes="v", unit="user", rng=RNG)
    with pytest.raises(ParameterError, match="attributes: no column 'w'; the input has v, user"):
        mondrian.anonymize(relation, k=2, attributes="w", rng=RNG)
    with pytest.raises(ParameterError, match="'user' is the unit of k"):
        mondrian.anonymize(relation, k=1, attributes="v", unit="user", keep="user", rng=RNG)
    with pytest.raises(ParameterError, match="'v' is recoded"):
        mondrian.anonymize(relation, k=1, attributes="v", keep="v", rng=RNG)


def test_large_classes_are_halved_down_to_the_ideal():
    sizes = Counter(np.bincount(partition([np.arange(1 << 12)], [(0, 1 << 12)], k=10).classes).tolist())
    assert sizes == {16: 256}
    assert partition([np.arange(1 << 12)], [(0, 1 << 12)], k=10).depth == math.log2(256)
