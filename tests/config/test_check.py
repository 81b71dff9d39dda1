"""The configuration: shipped files are valid, defaults are filled in, mistakes are named."""

from __future__ import annotations

import pytest
import yaml

from config.check import ConfigError, checked
from conftest import ROOT

MINIMAL = {"experiments": {"mine": {"title": "T", "logs": ["a"], "metrics": ["m"]}}}


@pytest.mark.parametrize("path", sorted(ROOT.glob("config/*.yaml")), ids=lambda path: path.name)
def test_shipped_configurations_are_valid(path):
    if path.name != "schema.yaml":
        checked(yaml.safe_load(path.read_text()))


def test_defaults_are_those_of_the_papers():
    config = checked(MINIMAL)
    assert (config["repeats"], config["timeout"], config["stop_after"]) == (10, 86400, 1)
    assert config["experiments"]["mine"]["grids"] == {}


def test_the_given_configuration_is_not_changed():
    given = {"experiments": {"mine": {"title": "T", "logs": ["a"], "metrics": ["m"], "epsilons": {"delta": [0.2]}}}}
    assert checked(given)["experiments"]["mine"]["epsilons"]["profile"] == ["code"]
    assert given["experiments"]["mine"]["epsilons"] == {"delta": [0.2]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"repeat": 3}, "'repeat' was unexpected"),
        ({"repeats": 0}, "repeats: 0 is less than the minimum"),
        ({"timeout": "1h"}, "timeout: '1h' is not of type 'integer'"),
        ({"timeout": 0.4}, "timeout: 0.4 is not of type 'integer'"),
        ({"experiments": {}}, "experiments"),
        ({"experiments": {"runs": MINIMAL["experiments"]["mine"]}}, "runs"),
        ({"experiments": {"mine": {"title": "T", "logs": "sepsis", "metrics": ["m"]}}}, "experiments.mine.logs"),
        ({"experiments": {"a/b": MINIMAL["experiments"]["mine"]}}, "a/b"),
        ({"datasets": {"x": {"file": "log.xes"}}}, "datasets.x"),
    ],
)
def test_a_mistake_is_named(change, named):
    with pytest.raises(ConfigError, match="not valid") as caught:
        checked({**MINIMAL, **change})
    assert named in str(caught.value)
