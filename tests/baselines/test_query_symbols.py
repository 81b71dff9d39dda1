"""Parameters that the log gives their values."""

from __future__ import annotations

import json
import math

import pytest
from query_logs import log_of

from baselines.prefix_query.symbols import resolve, resolve_epsilon, resolve_length, resolve_pruning
from data.log import empty_log
from mechanisms import ParameterError

LOG = log_of({"a": 3, "ab": 3, "abcd": 3, "abcdefghij": 1})  # lengths 1, 1, 1, 2, 2, 2, 4, 4, 4, 10; mean 3.1


@pytest.fixture
def epsilons(tmp_path):
    """A file as that of Amun's epsilons."""
    rows = [
        {"delta": 0.2, "filtered": False, "minimum": 0.5, "median": 0.8, "mean": 0.75, "maximum": 1.5},
        {"delta": 0.2, "filtered": True, "minimum": 9.0, "median": 9.0, "mean": 9.0, "maximum": 9.0},
        {"delta": 0.3, "filtered": False, "minimum": None, "median": None, "mean": None, "maximum": None},
    ]
    path = tmp_path / "epsilons.json"
    path.write_text(json.dumps({"profile": "code", "precision": 10.0, "epsilons": rows}))
    return path


@pytest.mark.parametrize(
    ("written", "value"),
    [("1", 1), (0.25, 0.25), ("inf", math.inf), ("amun-mean@0.2", 0.75), ("amun-min@.2", 0.5), ("amun-max@0.20", 1.5)],
)
def test_epsilons(epsilons, written, value):
    assert resolve_epsilon(written, epsilons) == value


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("0", "must be positive"),
        ("-1", "must be positive"),
        ("nan", "must be positive"),
        ("much", "like amun-mean@0.3; it is 'much'"),
        ("amun-mean@", "like amun-mean@0.3"),
        ("amun-median@0.2", "like amun-mean@0.3"),
        ("amun-mean@0.4", "has no mean of Amun's epsilons at delta 0.4; write it with: python -m mechanisms.amun"),
        ("amun-mean@0.3", "Amun has no mean epsilon at delta 0.3, its filter leaves no case"),
    ],
)
def test_epsilons_that_have_no_value(epsilons, written, message):
    with pytest.raises(ParameterError, match=message):
        resolve_epsilon(written, epsilons)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"epsilons": [{}]}'])
def test_a_file_without_epsilons_is_named(tmp_path, content):
    path = tmp_path / "file.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ParameterError, match=r"file\.json: has no mean"):
        resolve_epsilon("amun-mean@0.2", path)


@pytest.mark.parametrize("path", [None, ""])
def test_a_symbolic_epsilon_needs_a_file(path):
    with pytest.raises(ParameterError, match="needs their file"):
        resolve_epsilon("amun-mean@0.2", path)


@pytest.mark.parametrize(("written", "value"), [(7, 7), ("7", 7), ("mean", 3), ("mean+1", 4), ("p80", 4)])
def test_lengths(written, value):
    assert resolve_length(written, LOG) == value


def test_the_80th_percentile_is_the_least_length_that_80_percent_do_not_exceed():
    assert resolve_length("p80", log_of({"a": 4, "abcde": 1})) == 1
    assert resolve_length("p80", log_of({"a": 3, "abcde": 1})) == 5


@pytest.mark.parametrize("written", ["0", 0, -1, "1.5", "median", ""])
def test_lengths_that_are_none(written):
    with pytest.raises(ParameterError, match="max_length must be a whole number of at least 1, or mean"):
        resolve_length(written, LOG)


@pytest.mark.parametrize(
    ("written", "value"),
    [(7, 7), ("7", 7), ("50%", 5), ("0.5%", 1), ("25%", 2), ("35%", 4), ("100%", 10), (".5%", 1)],
)
def test_prunings_are_rounded_to_at_least_one_case(written, value):
    assert resolve_pruning(written, LOG) == value


@pytest.mark.parametrize("written", ["0", 0, -2, "1.5", "%", "-1%", "half"])
def test_prunings_that_are_none(written):
    with pytest.raises(ParameterError, match="pruning must be a whole number of at least 1, or a share"):
        resolve_pruning(written, LOG)


@pytest.mark.parametrize("resolved", [resolve_length, resolve_pruning])
def test_numbers_that_are_too_large(resolved):
    with pytest.raises(ParameterError, match="must be at most 1000000000; it is 99999999999999999999"):
        resolved("99999999999999999999", LOG)


def test_of_all_the_log_gives_some(epsilons):
    given = resolve(LOG, epsilon="amun-max@0.2", max_length="mean", pruning=3, epsilons=epsilons)
    assert given.record() == {"epsilon": 1.5, "max_length": 3, "pruning": 3}
    assert given.private == ("epsilon", "max_length")
    assert resolve(LOG, epsilon="inf", max_length=2, pruning="1%").record()["epsilon"] == "inf"


def test_a_log_without_cases_has_values():
    given = resolve(empty_log(), epsilon=1, max_length="mean+1", pruning="5%")
    assert (given.max_length, given.pruning) == (2, 1)
    assert resolve_length("p80", empty_log()) == 1


@pytest.mark.parametrize(
    ("file", "mean", "p80", "half_percent"),
    [("Sepsis_Cases_-_Event_Log.xes.gz", 14, 18, 5), ("receipt.xes.gz", 6, 6, 7), ("CCC19.xes.gz", 35, 38, 1)],
)
def test_real_logs(real_log, file, mean, p80, half_percent):
    from data.io import read_log

    log = read_log(real_log(file))
    assert [resolve_length("mean", log), resolve_length("p80", log)] == [mean, p80]
    assert resolve_pruning("0.5%", log) == half_percent
