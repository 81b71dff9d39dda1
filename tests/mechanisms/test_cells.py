"""Cells: spelling, expansion and seeds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.cells import GridError, batch_of, choose, parameter_sets, rejoined

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


NAMES = st.from_regex(r"[a-z]{1,3}_?", fullmatch=True)


@given(st.dictionaries(NAMES, st.sampled_from(["1", "amun-mean@0.3", "ip+user"]), min_size=1))
def test_parameters_that_were_taken_apart_at_commas_are_joined_in_order(values):
    parameters = ",".join(f"{name}={value}" for name, value in values.items())
    whole = {"track": "runs", "parameters": parameters, "log": "l"}
    apart = dict(pair.split("=", 1) for pair in f"track=runs,parameters={parameters},log=l".split(","))
    assert rejoined(apart) == whole


@pytest.mark.parametrize(
    ("minutes", "batches"), [(6, [0, 0, 0, 0]), (35, [0, 0, 0, 1]), (120, [0, 1, 2, 3]), (1445, [0, 1, 2, 3])]
)
def test_repeats_make_one_job_as_long_as_all_of_them_surely_end_in_time(minutes, batches):
    assert [batch_of(repeat, minutes, longest=120) for repeat in range(4)] == batches
