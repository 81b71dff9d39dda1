"""How recoded values read, and hierarchies from files."""

from __future__ import annotations

import ipaddress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines import datafly
from baselines.relational.attributes import Attribute
from baselines.relational.hierarchies import ALL, from_file, from_widths
from baselines.relational.rendering import RENDERINGS, interval_texts
from data.log import LogError
from data.relation import CATEGORY, IPV4, TIME, Column, Relation

RNG = np.random.default_rng(1)
address = st.integers(0, 2**32 - 1)


def integer(text: str) -> int:
    return int(ipaddress.IPv4Address(text))


def text(low: int, high: int, rendering: str) -> str:
    (only,) = interval_texts(np.array([low]), np.array([high]), IPV4, rendering=rendering)
    return only


@pytest.mark.parametrize(
    ("low", "high", "seed", "sound", "cidr"),
    [
        ("146.102.16.0", "146.102.31.255", "146.102.0**.***", "146.102.0**.***", "146.102.16.0/20"),
        ("77.48.0.1", "78.40.3.1", "07*.04*.00*.001", "07*.***.***.***", "76.0.0.0/6"),
        ("10.0.19.5", "10.0.29.5", "010.000.0*9.005", "010.000.0**.***", "10.0.16.0/20"),
        ("0.0.0.0", "255.255.255.255", "***.***.***.***", "***.***.***.***", "0.0.0.0/0"),
        ("1.2.3.4", "1.2.3.4", "001.002.003.004", "001.002.003.004", "1.2.3.4/32"),
    ],
)
def test_addresses_read_as_told(low, high, seed, sound, cidr):
    """V9, the counterexample to soundness, and the ends."""
    found = [text(integer(low), integer(high), rendering) for rendering in ("seed", "sound", "cidr")]
    assert found == [seed, sound, cidr]


@settings(max_examples=300)
@given(address, address, address)
def test_sound_and_cidr_cover_the_interval(a, b, inside):
    low, high = min(a, b), max(a, b)
    inside = low + inside % (high - low + 1)
    assert ipaddress.IPv4Address(inside) in ipaddress.IPv4Network(text(low, high, "cidr"))
    digits = ".".join(f"{int(octet):03d}" for octet in str(ipaddress.IPv4Address(inside)).split("."))
    assert all(shown in (digit, "*") for shown, digit in zip(text(low, high, "sound"), digits, strict=True))


@settings(max_examples=300)
@given(st.lists(address, min_size=4, max_size=4, unique=True))
def test_cidr_tells_disjoint_intervals_apart(bounds):
    a, b, c, d = sorted(bounds)
    assert text(a, b, "cidr") != text(c, d, "cidr")


def test_other_intervals():
    low, high = np.array([-5, 3, 0]), np.array([-2, 3, 60_000_000])
    assert interval_texts(low, high, "number") == ("[-5, -2]", "3", "[0, 60000000]")
    assert interval_texts(low[2:], high[2:], TIME) == ("[1970-01-01T00:00:00Z, 1970-01-01T00:01:00Z]",)
    labels = ("a", "b", "c")
    assert interval_texts(np.array([0, 1, 0]), np.array([1, 1, 2]), CATEGORY, labels=labels) == ("{a, b}", "b", "*")
    fractions = ("-2.5", "0.5", "11")
    assert interval_texts(np.array([0, 1]), np.array([1, 1]), CATEGORY, labels=fractions) == ("[-2.5, 0.5]", "0.5")
    assert all(interval_texts(low[:0], low[:0], IPV4, rendering=rendering) == () for rendering in RENDERINGS)


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_the_rendering_of_a_release_is_chosen(rendering):
    relation = Relation({"ip": Column(np.array([10, 10, 300, 300]), IPV4)})
    parameters = {"k": 4, "attributes": "ip", "encoding": "integer", "octet_levels": "04", "rendering": rendering}
    release = datafly.release(relation, **parameters, rng=RNG)
    assert release.recoded["ip"].texts == (text(0, 65535, rendering),)
    assert (release.recoded["ip"].low.tolist(), release.recoded["ip"].high.tolist()) == ([0], [65535])


def test_times_have_the_parts_of_a_day():
    minute = 60_000_000
    relation = Relation(
        {"at": Column(np.array([0, minute, 14 * minute, 16 * minute, 200 * minute, 239 * minute]), TIME)}
    )
    outcome = datafly.anonymize(relation, k=6, attributes="at", rng=RNG)
    assert outcome.diagnostics["levels"] == {"at": 4}
    assert outcome.release.recoded["at"].texts == ("[1970-01-01T00:00:00Z, 1970-01-01T03:59:59.999999Z]",)


def test_numbers_and_categories_without_a_file_are_exact_or_nothing():
    relation = Relation({"n": Column(np.array([1, 1, 2])), "c": Column(np.array([0, 0, 1]), CATEGORY, ("x", "y"))})
    kept = datafly.release(relation, k=2, suppression=1, attributes="n,c", rng=RNG)
    assert [each.texts for each in kept.recoded.values()] == [("1", "*"), ("x", "*")]
    assert kept.recoded["n"].low.tolist() == [1, 0]
    whole = datafly.release(relation, k=2, attributes="n,c", rng=RNG)
    assert [each.texts for each in whole.recoded.values()] == [("*",), ("*",)]


def test_widths_below_zero():
    hierarchy = from_widths(Attribute("n", Column(np.array([-11, -1, 0, 9]))), (1, 10, ALL))
    assert [hierarchy.at(level).tolist() for level in range(3)] == [[0, 1, 2, 3], [0, 1, 2, 2], [0, 0, 0, 0]]
    assert hierarchy.recoded(1, np.arange(4), "cidr").texts == ("[-20, -11]", "[-10, -1]", "[0, 9]", "[0, 9]")


ROLES = Column(np.array([0, 1, 2, 0]), CATEGORY, ("nurse", "porter", "surgeon"))
FILE = "role;group;all\nnurse;care;*\nsurgeon;care;*\nporter;house;*\nunseen;house;*\n"


@pytest.mark.parametrize("content", [FILE, FILE.replace(";", ", "), "\ufeff" + FILE])
def test_a_hierarchy_from_a_file(tmp_path, content):
    (tmp_path / "role.csv").write_text(content)
    relation = Relation({"role": ROLES, "n": Column(np.array([1, 1, 1, 1]))})
    outcome = datafly.anonymize(relation, k=3, suppression=1, attributes="role,n", hierarchies=tmp_path, rng=RNG)
    assert outcome.diagnostics["levels"] == {"role": 1, "n": 0}
    assert outcome.release.recoded["role"].texts == ("care", "*")
    assert outcome.origins.tolist() == [0, 2, 3, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nurse;care\nporter;house\n", "no line for the value 'surgeon' of 'role'; add one"),
        ("nurse;care;*\nporter;*\nsurgeon;care;*\n", "the line of 'porter' has 2 levels, others 3; complete it"),
        (
            "nurse;care;x\nporter;house;y\nsurgeon;care;y\n",
            "'care' at level 1 belongs to two texts of level 2; correct it",
        ),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused(tmp_path, content, message):
    (tmp_path / "role.csv").write_text(content)
    with pytest.raises(LogError) as refusal:
        from_file(Attribute("role", ROLES), tmp_path / "role.csv")
    assert str(refusal.value) == f"{tmp_path / 'role.csv'}: {message}"


def test_a_folder_without_any_hierarchy_is_refused(tmp_path):
    with pytest.raises(LogError, match=r"holds no hierarchy of role; each is to be in a file NAME.csv"):
        datafly.release(Relation({"role": ROLES}), k=2, attributes="role", hierarchies=tmp_path, rng=RNG)
    (tmp_path / "role.csv").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(LogError, match="not a readable hierarchy"):
        datafly.release(Relation({"role": ROLES}), k=2, attributes="role", hierarchies=tmp_path, rng=RNG)
