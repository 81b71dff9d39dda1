"""Cells: spelling, expansion and seeds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.cells import GridError, choose, parameter_sets, parse, seed_of, settings, spelled

DECLARED = {"amun": {"delta": [0.2, 0.3], "mode": ["sampling"]}, "identity": {}}


def test_cells_are_spelled_in_declared_order():
    grids = choose(DECLARED, None, [], {"amun": {"mode": ["filtering", "sampling"]}})
    assert parameter_sets(grids["amun"]) == [
        "delta=0.2,mode=filtering",
        "delta=0.2,mode=sampling",
        "delta=0.3,mode=filtering",
        "delta=0.3,mode=sampling",
    ]
    assert parameter_sets(grids["identity"]) == ["default"]


def test_only_the_wanted_mechanisms():
    assert list(choose(DECLARED, ["identity"], [], {})) == ["identity"]


@pytest.mark.parametrize(
    ("mechanisms", "grids", "named"),
    [
        (["amnu"], {}, "'amnu' is no mechanism"),
        (None, {"amun": {"epsilon": [1]}}, "'epsilon' is no parameter of amun"),
        (["identity"], {"amun": {"delta": [1]}}, "'amun' is no wanted mechanism"),
        (None, {"amun": {"delta": [1, 1.0]}}, "delta has equal values: 1, 1.0"),
        *(
            (None, {"amun": {"delta": [value]}}, "must be of letters")
            for value in ("a,b", "", "a/b", "a b", "$(x)", "{x}")
        ),
    ],
)
def test_a_mistake_is_named(mechanisms, grids, named):
    with pytest.raises(GridError, match=named):
        choose(DECLARED, mechanisms, [], grids)


values = st.lists(st.from_regex(r"[A-Za-z][\w.%@:+~-]{0,5}", fullmatch=True), min_size=1, max_size=3, unique=True)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), values, max_size=3))
def test_parse_undoes_expand(grid):
    cells = parameter_sets(spelled(grid, "m"))
    assert len(set(cells)) == len(cells)
    for cell in cells:
        assert all(value in grid[name] for name, value in parse(cell).items())
        assert list(parse(cell)) == list(grid)


def test_every_axis_changes_the_seed():
    base = (1, "amun", "delta=0.3", "sepsis", "0")
    other = [(2, *base[1:]), (1, "a", *base[2:]), (1, "amun", "delta=0.2", "sepsis", "0"), (*base[:4], "1")]
    assert len({seed_of(*cell) for cell in [base, *other]}) == 5
    assert seed_of(*base) == 3284501045459541816


@pytest.mark.parametrize("name", ["log", "metric", "repeat"])
def test_a_parameter_named_like_a_wildcard_is_refused(name):
    with pytest.raises(GridError, match=f"cannot be named '{name}'"):
        spelled({name: [1]}, "m")


def test_a_symbolic_epsilon_stands_at_its_delta():
    assert settings("epsilon=amun-mean@0.3,pruning=1%") == {"epsilon": "amun-mean", "delta": "0.3", "pruning": "1%"}
    assert settings("epsilon=1.5") == {"epsilon": "1.5"}


def test_mechanisms_can_be_left_out():
    assert list(choose(DECLARED, None, ["identity"], {})) == [name for name in DECLARED if name != "identity"]
    with pytest.raises(GridError, match="'unknown' is no mechanism"):
        choose(DECLARED, None, ["unknown"], {})
