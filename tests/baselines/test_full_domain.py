"""Datafly, Incognito and truncation: the vectors of the specification, agreement with counting, and properties."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from relational_reference import addresses, below, class_sizes, nodes, outliers, toolbox_visits
from relational_reference import datafly as counting

from baselines import datafly, incognito, truncation
from baselines.incognito.lattice import search
from baselines.relational.attributes import Attribute
from baselines.relational.frequencies import frequencies_of
from baselines.relational.hierarchies import OCTET_WIDTHS, from_widths
from data.relation import Column, Relation
from mechanisms import Infeasible, ParameterError

RNG = np.random.default_rng(1)
V6 = [(10, 1), (10, 2), (10, 65), (12, 3), (200, 3), (200, 130), (201, 131)]
V7B = [(0,), (0,), (64,), (65,)]


def octets(table):
    """The hierarchies and the frequency set of a table of octets."""
    columns = np.array(table, dtype=np.int64).T
    found = [from_widths(Attribute(f"o{i}", Column(c), octet=True), OCTET_WIDTHS) for i, c in enumerate(columns)]
    return found, frequencies_of(found, None)


def walk(table, k, allowed, **parameters):
    return datafly.walk(*octets(table), k, allowed, **parameters)


def found(table, k, allowed, scope):
    return search(*octets(table), k, allowed, scope)


def levels(outcome) -> list[int]:
    """The levels of the last two octets."""
    return list(outcome.diagnostics["levels"].values())[2:]


def test_datafly_walks_as_told():
    """V6."""
    walked = [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (4, 3)]
    assert walk(V6, 2, 0) == walked
    assert walk(V6, 2, 1) == walked[:5]
    assert walk(V6, 3, 2) == walked
    relation = addresses(*V6)
    outcomes = [
        datafly.anonymize(relation, k=k, suppression=t, attributes="ip", rng=RNG) for k, t in ((2, 0), (2, 1), (3, 2))
    ]
    assert [levels(outcome) for outcome in outcomes] == [[4, 3], [1, 3], [4, 3]]
    assert [sorted(outcome.release.published_sizes.tolist()) for outcome in outcomes] == [[2, 5], [2, 4], [5]]
    assert [outcome.release.suppressed for outcome in outcomes] == [0, 1, 2]
    assert [outcome.diagnostics["discernibility"] for outcome in outcomes] == [29, 4 + 16 + 7, 25 + 2 * 7]


def test_incognito_finds_and_chooses_as_told():
    """V7."""
    assert [node.levels for node in found(V6, 2, 0, "minimal")] == [(1, 4), (4, 3)]
    assert [node.levels for node in found(V6, 2, 0, "toolbox")] == [(1, 4), (2, 4), (4, 3), (3, 4)]
    assert [node.levels for node in found(V6, 2, 1, "minimal")] == [(1, 3), (4, 1)]
    assert [node.levels for node in found(V6, 3, 0, "minimal")] == [(1, 4)]
    relation = addresses(*V6)
    outcome = incognito.anonymize(relation, k=2, attributes="ip", rng=RNG)
    assert levels(outcome) == [1, 4]
    assert sorted(outcome.release.sizes.tolist()) == [3, 4]
    assert outcome.diagnostics["discernibility"] == 25
    assert levels(incognito.anonymize(relation, k=2, suppression=1, attributes="ip", rng=RNG)) == [1, 3]


def test_with_much_suppression_the_minimal_nodes_do_not_hold_the_best():
    """V7b."""
    assert [(n.levels, n.classes - n.suppressed_classes, n.suppressed) for n in found(V7B, 2, 2, "minimal")] == [
        ((0,), 1, 2)
    ]
    every = {n.levels: (n.classes, n.suppressed) for n in found(V7B, 2, 2, "all_ok")}
    assert every[(1,)] == (2, 0)
    relation = addresses(*V7B)
    outcome = incognito.anonymize(relation, k=2, suppression=2, attributes="ip", rng=RNG)
    assert outcome.resolved["scope"] == "all_ok"
    assert outcome.diagnostics["levels"]["ip.4"] > 0
    assert outcome.release.suppressed == 0


def test_discernibility_counts_a_suppressed_row_as_all_rows():
    """V8: classes of 3 and 3, and 2 suppressed rows."""
    relation = addresses((1,), (1,), (1,), (2,), (2,), (2,), (3,), (4,))
    outcome = datafly.anonymize(relation, k=3, suppression=2, attributes="ip", rng=RNG)
    assert outcome.diagnostics["discernibility"] == 9 + 9 + 16
    assert outcome.release.n_rows / outcome.release.n_classes / 3 == pytest.approx(0.889, abs=5e-4)


def test_all_rows_may_be_suppressed():
    outcome = datafly.anonymize(addresses(*V6), k=3, suppression="100%", attributes="ip", rng=RNG)
    assert outcome.diagnostics | {"levels": 0, "heights": 0} == {
        "k": 3,
        "unit": "rows",
        "classes": 0,
        "min_size": None,
        "max_size": None,
        "suppressed": 7,
        "discernibility": 49,
        "levels": 0,
        "heights": 0,
        "allowed": 7,
    }
    assert outcome.release.recoded["ip.4"].texts == ("*",)


def test_the_tie_decides_which_octet_keeps_detail():
    symmetric = [(a, b) for a in (0, 40, 80, 160) for b in (0, 40, 80, 160)]
    assert walk(symmetric, 2, 0)[1] == (1, 0)
    assert walk(symmetric, 2, 0, last=True)[1] == (0, 1)


def test_levels_of_octets_can_be_left_out():
    relation = addresses(*V6)
    kept = datafly.anonymize(relation, k=2, attributes="ip", octet_levels="0234", rng=RNG)
    assert levels(kept) == [3, 2]  # IP4 and IP3 by their index
    for wrong in ("1234", "0324", "", "01", "0 4"):
        with pytest.raises(ParameterError, match="octet_levels must be rising digits"):
            datafly.anonymize(relation, k=2, attributes="ip", octet_levels=wrong, rng=RNG)


def test_an_address_in_one_piece_merges_from_the_right():
    relation = addresses((1, 1), (1, 2), (1, 65), (2, 3))
    outcome = incognito.anonymize(relation, k=2, attributes="ip", encoding="integer", octet_levels="04", rng=RNG)
    assert outcome.diagnostics["levels"] == {"ip": 2}  # /16
    assert outcome.diagnostics["nodes"] == 5
    assert outcome.release.recoded["ip"].texts == ("0.0.0.0/16",)
    finer = incognito.anonymize(
        relation, k=3, suppression=1, attributes="ip", encoding="integer", octet_levels="04", rng=RNG
    )
    assert finer.release.recoded["ip"].texts == ("0.0.1.0/24", "*")


def test_ties_are_reported_and_the_first_by_height_is_chosen():
    relation = addresses((0, 0), (0, 0), (255, 255), (255, 255))
    outcome = incognito.anonymize(relation, k=2, attributes="ip", scope="all_ok", rng=RNG)
    assert outcome.diagnostics["minimal"] == [[0, 0, 0, 0]]
    assert levels(outcome) == [0, 0]
    assert [0, 0, 4, 0] in outcome.diagnostics["ties"]
    assert outcome.diagnostics["nodes"] == 625
    assert "as good as the chosen levels: 1-0-0-0, 0-1-0-0" in outcome.notes[0]


def test_criteria():
    # One class more at (0, 4), with an outlier; all equal at (4, 0).
    table = [(0, 1), (0, 1), (64, 1), (64, 1), (200, 1), (200, 2), (200, 2)]
    relation = addresses(*table)
    of = {c: incognito.anonymize(relation, k=2, suppression=1, attributes="ip", criterion=c, rng=RNG) for c in CRITERIA}
    assert [levels(of[c]) for c in CRITERIA] == [[0, 0], [0, 1], [0, 0]]
    assert of["dm"].diagnostics["discernibility"] == 4 + 4 + 9 < of["classes"].diagnostics["discernibility"] == 12 + 7


CRITERIA = ("classes", "dm", "height")

tables = st.integers(1, 3).flatmap(
    lambda q: st.lists(
        st.tuples(*[st.sampled_from([0, 1, 33, 40, 64, 100, 128, 130, 255])] * q), min_size=1, max_size=25
    )
)


@settings(max_examples=150, deadline=None)
@given(table=tables, k=st.integers(1, 5), allowed=st.integers(0, 6), last=st.booleans())
def test_datafly_is_what_counting_gives(table, k, allowed, last):
    """P2 for Datafly."""
    if len(table) < k > allowed:
        return
    assert walk(table, k, allowed, last=last) == counting(table, k, allowed, last=last)


@settings(max_examples=40, deadline=None)
@given(table=tables, k=st.integers(1, 5), allowed=st.integers(0, 6))
def test_the_lattice_is_what_counting_gives(table, k, allowed):
    """P2 and P5 for Incognito, P4: outliers never grow upwards."""
    lattice = nodes(len(table[0]), 5)
    of = {node: outliers(table, node, k) for node in lattice}
    assert all(of[node] <= of[parent] for node in lattice for parent in below(node))
    enough = [node for node in lattice if of[node] <= allowed]
    minimal = [node for node in enough if all(of[parent] > allowed for parent in below(node))]
    closed_form = [node for node in enough if not below(node) or of[below(node)[-1]] > allowed]
    assert [node.levels for node in found(table, k, allowed, "all_ok")] == enough
    assert [node.levels for node in found(table, k, allowed, "minimal")] == minimal
    assert [node.levels for node in found(table, k, allowed, "toolbox")] == closed_form
    assert toolbox_visits(table, k, allowed) == closed_form
    for node in found(table, k, allowed, "all_ok"):
        sizes = class_sizes(table, node.levels).values()
        assert node.minimal == (node.levels in minimal)
        assert (node.classes, node.suppressed_classes) == (len(sizes), sum(size < k for size in sizes))
        assert (node.suppressed, node.squares) == (of[node.levels], sum(size**2 for size in sizes if size >= k))


@settings(max_examples=100, deadline=None)
@given(table=tables, k=st.integers(1, 5), data=st.data())
def test_below_k_suppressions_the_best_of_all_is_among_the_minimal(table, k, data):
    """P6, and by default the choice is as good as the best of all for every criterion."""
    allowed = data.draw(st.integers(0, 2 * k))
    if len(table) < k:
        return
    hierarchies, _ = octets(table)
    every = found(table, k, allowed, "all_ok")
    for criterion in CRITERIA:
        loss = incognito.loss(criterion, hierarchies, len(table))
        scope = incognito.sufficient_scope(criterion, k, allowed)
        assert scope == "minimal" or (criterion != "height" and (allowed >= k or criterion == "dm"))
        assert incognito.choose(found(table, k, allowed, scope), loss)[0] == incognito.choose(every, loss)[0] or (
            min(map(loss, found(table, k, allowed, scope))) == min(map(loss, every))
        )


@settings(max_examples=60, deadline=None)
@given(table=tables, k=st.integers(1, 4), seed=st.integers(0, 99), unit=st.sampled_from(["rows", "user"]))
def test_the_order_of_rows_and_the_names_of_users_change_nothing(table, k, seed, unit):
    """P9, and that what is published reaches k."""
    rng = np.random.default_rng(seed)
    users, order = rng.integers(0, 6, len(table)), rng.permutation(len(table))
    names = rng.permutation(6) + 50
    for mechanism in (datafly, incognito):
        released = []
        for rows, told in ((np.arange(len(table)), users), (order, names[users])):
            relation = addresses(*(table[row] for row in rows), user=told[rows].tolist())
            try:
                released.append(mechanism.anonymize(relation, k=k, suppression=1, attributes="ip", unit=unit, rng=RNG))
            except Infeasible as refusal:
                released.append(str(refusal))
        if isinstance(released[0], str):
            assert released[0] == released[1]
            continue
        one, other = (outcome.release for outcome in released)
        assert one.sizes.tolist() == other.sizes.tolist()
        assert all(one.recoded[name].texts == other.recoded[name].texts for name in one.recoded)
        owners = users if unit == "user" else np.arange(len(table))
        for c in range(len(one.published_sizes)):
            assert len(set(owners[released[0].origins[one.classes == c]].tolist())) >= k


@settings(max_examples=60, deadline=None)
@given(table=tables, prefix=st.integers(0, 32), k=st.integers(1, 4))
def test_truncation_keeps_the_first_bits(table, prefix, k):
    relation = addresses(*table)
    if len(table) < k:
        return
    outcome = truncation.anonymize(relation, prefix=prefix, attributes="ip", k=k, rng=RNG)
    sizes = Counter((relation["ip"].values >> 32 - prefix).tolist())
    assert outcome.release.sizes.tolist() == [size for _, size in sorted(sizes.items())]
    assert outcome.diagnostics["rows_below_k"] == sum(size for size in sizes.values() if size < k)
    assert all(text.endswith(f"/{prefix}") for text in outcome.release.recoded["ip"].texts)


def test_truncation_takes_addresses_alone():
    relation = addresses((1,), user=[7])
    with pytest.raises(ParameterError, match="'user' holds no IPv4 addresses"):
        truncation.release(relation, prefix=24, attributes="ip+user", k=1, rng=RNG)
    with pytest.raises(ParameterError, match="from 0 to 32; it is 33"):
        truncation.release(relation, prefix=33, attributes="ip", k=1, rng=RNG)


def test_many_attributes_of_many_values():
    """Keys of vectors that 64 bits do not hold."""
    rng = np.random.default_rng(3)
    columns = {f"a{i}": Column(rng.permutation(np.repeat(np.arange(1000), 2))) for i in range(8)}
    release = datafly.release(Relation(columns), k=2000, attributes=tuple(columns), rng=RNG)
    assert (release.sizes.tolist(), release.recoded["a7"].texts) == ([2000], ("*",))
    twice = Relation({name: Column(np.tile(column.values, 2)) for name, column in columns.items()})
    assert set(datafly.release(twice, k=2, attributes=tuple(columns), rng=RNG).sizes.tolist()) == {2}


def test_refusals_tell_what_to_do(tmp_path):
    (tmp_path / "ip.4.csv").write_text("".join(f"{o};{o}\n" for o in (1, 2, 3, 4)))
    relation = addresses((1,), (2,), (3,), (4,))
    for mechanism in (datafly, incognito):
        with pytest.raises(Infeasible, match=r"more than 1 rows are still .* add a level \* to the hierarchies"):
            mechanism.release(relation, k=2, suppression=1, attributes="ip", hierarchies=tmp_path, rng=RNG)
        with pytest.raises(Infeasible, match="4 rows, fewer than k = 5"):
            mechanism.release(relation, k=5, attributes="ip", rng=RNG)
        for wrong in ("-1", "1.5", "many", "101%"):
            with pytest.raises(ParameterError, match="suppression must be a number of rows or a share such as 1%"):
                mechanism.release(relation, k=2, suppression=wrong, attributes="ip", rng=RNG)
    with pytest.raises(Infeasible, match="244140625 nodes, more than 1000000"):
        incognito.release(
            Relation({f"ip{i}": relation["ip"] for i in range(3)}), k=2, attributes="ip0+ip1+ip2", rng=RNG
        )
