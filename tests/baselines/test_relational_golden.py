"""Agreement with the UTD Anonymization ToolBox on its outputs, and with reference counts on Adult."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from baselines import datafly, incognito, mondrian
from baselines.relational.attributes import Attribute
from baselines.relational.hierarchies import from_file
from conftest import ROOT
from data.options import ImportOptions
from data.relation import IPV4, Column, Relation
from data.relation_io import read_relation
from data.relation_release import RelationRelease

RNG = np.random.default_rng(1)
ADULT = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race sex capital_gain "
    "capital_loss hours_per_week native_country income"
)
QUASI = "age,education,marital_status,occupation,sex,native_country"
HIERARCHIES = ROOT / "config" / "hierarchies" / "adult"


@pytest.fixture(scope="module")
def golden(shared_dir) -> Path:
    folder = shared_dir / "golden" / "relational"
    if not folder.is_dir():
        pytest.skip(f"no reference outputs at {folder}; set PPM_SHARED to the folder that holds golden/")
    return folder


@pytest.fixture(scope="module")
def adult(shared_dir) -> Relation:
    path = shared_dir / "data" / "access" / "adult.data"
    if not path.is_file():
        pytest.skip(f"{path} is absent; set PPM_SHARED to the folder that holds data/access/")
    return read_relation(path, ImportOptions(columns=tuple(ADULT.split())))


def pairs(golden: Path, name: str) -> Relation:
    relation = read_relation(golden / f"{name}.csv", ImportOptions(columns=("user", "ip", "o1", "o2", "o3", "o4")))
    return Relation({"ip": Column(relation["ip"].values, IPV4), "user": relation["user"]})


def theirs(path: Path) -> Counter:
    """How many classes have a size and a vector of closed intervals."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    return Counter((int(size), tuple(map(closed, vector.split("|")))) for size, vector in lines)


def closed(interval: str) -> tuple[int, int]:
    low, high = (int(float(bound)) for bound in interval[1:-1].split(":"))
    return low + (interval[0] == "("), high - (interval[-1] == ")")


def ours(release: RelationRelease) -> Counter:
    bounds = [np.stack((each.low, each.high), axis=-1) for each in release.recoded.values()]
    found = [
        (int(size), tuple(tuple(each[c].tolist()) for each in bounds)) for c, size in enumerate(release.published_sizes)
    ]
    if release.suppressed:  # which they publish as the class of the highest levels
        found.append((release.suppressed, ((0, 255),) * 4))
    return Counter(found)


@pytest.mark.parametrize(
    ("name", "expected", "suppression"),
    [
        ("small400", "datafly", 10),
        ("small400", "datafly_T5", 5),
        ("mid1500", "datafly", 10),
        ("small400", "datafly_T0", "100%"),  # where their 0 is no limit
    ],
)
def test_datafly(golden, name, expected, suppression):
    release = datafly.release(pairs(golden, name), k=10, suppression=suppression, attributes="ip", rng=RNG)
    assert ours(release) == theirs(golden / f"{name}__{expected}.classes.tsv")


@pytest.mark.parametrize("scope", ["toolbox", "minimal", "all_ok"])
@pytest.mark.parametrize(
    ("name", "expected", "octet_levels"),
    [
        ("small400", "incognito4", "0234"),
        ("small400", "incognito4_T5", "0234"),
        ("small400", "incognito4_T10", "0234"),
        ("small400", "incognito5_T10", "01234"),
        ("mid1500", "incognito4_T10", "0234"),
    ],
)
def test_incognito(golden, name, expected, octet_levels, scope):
    """Their check never sees the threshold, so it is 0."""
    parameters = {"k": 10, "attributes": "ip", "octet_levels": octet_levels, "scope": scope}
    release = incognito.release(pairs(golden, name), **parameters, rng=RNG)
    assert ours(release) == theirs(golden / f"{name}__{expected}.classes.tsv")


@pytest.mark.parametrize("name", ["small400", "mid1500"])
@pytest.mark.parametrize(("order", "attributes"), [("ip", "ip"), ("iu", "ip,user"), ("ui", "user,ip")])
def test_mondrian(golden, name, order, attributes):
    release = mondrian.release(pairs(golden, name), k=10, attributes=attributes, rule="lhs", rng=RNG)
    assert ours(release) == theirs(golden / f"{name}__mondrian_{order}.classes.tsv")


@pytest.mark.parametrize(
    ("rule", "scope", "classes", "largest", "dm"),
    [
        ("lhs", "dimension", 1534, 263, 1_145_045),
        ("lhs_rhs", "dimension", 2148, 53, 547_907),
        ("lhs_rhs", "partition", 1984, 57, 616_835),
    ],
)
def test_mondrian_on_adult(adult, rule, scope, classes, largest, dm):
    outcome = mondrian.anonymize(adult, k=10, attributes=QUASI, rule=rule, scope=scope, rng=RNG)
    found = outcome.diagnostics
    assert (found["classes"], found["max_size"], found["discernibility"]) == (classes, largest, dm)


@pytest.mark.parametrize(
    ("suppression", "classes", "published", "levels"),
    [("50%", 644, 18_327, [1, 0, 0, 0, 0, 0]), ("1%", 156, 32_272, [3, 1, 1, 1, 0, 2])],
)
def test_datafly_on_adult(adult, suppression, classes, published, levels):
    """What anjana 1.2.3 gives with such groups."""
    parameters = {"k": 10, "attributes": QUASI, "suppression": suppression, "hierarchies": HIERARCHIES}
    outcome = datafly.anonymize(adult, **parameters, rng=RNG)
    assert outcome.diagnostics["classes"] == classes
    assert outcome.release.published_sizes.sum() == published
    assert list(outcome.diagnostics["levels"].values()) == levels


def test_incognito_on_adult(adult):
    outcome = incognito.anonymize(adult, k=10, attributes=QUASI, hierarchies=HIERARCHIES, keep="income", rng=RNG)
    assert outcome.diagnostics["nodes"] == 1512
    assert outcome.diagnostics["min_size"] >= 10
    assert outcome.release.suppressed == 0
    every = datafly.anonymize(adult, k=10, attributes=QUASI, hierarchies=HIERARCHIES, rng=RNG)
    assert outcome.diagnostics["classes"] >= every.diagnostics["classes"]
    income = adult["income"].values
    assert (outcome.release.kept["income"].values == income[outcome.origins]).all()


def test_every_value_of_adult_has_a_line_in_its_hierarchy(adult):
    for path in HIERARCHIES.glob("*.csv"):
        hierarchy = from_file(Attribute(path.stem, adult[path.stem]), path)
        assert hierarchy.tables[-1] == ["*"]
