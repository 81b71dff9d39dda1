"""Cells: how the parameters of a mechanism are spelled, expanded from a grid, and turned into seeds."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

NO_PARAMETERS = "default"
# Wildcards of the workflow, which a parameter cannot be named after.
RESERVED = {"experiment", "log", "mechanism", "metric", "parameters", "repeat", "table", "track"}
AT = "@"  # in a value that is taken from what Amun estimates at a delta, as `amun-mean@0.3`
VALUE = r"[\w.%@:+~-]+"  # safe in a path, in a shell, and between the commas of a cell

Grid = Mapping[str, Sequence[object]]


class GridError(ValueError):
    """A grid that cannot be expanded; the message names the mechanism, the parameter and the value."""


def spelled(grid: Grid, mechanism: str) -> dict[str, list[str]]:
    """The grid with every value as it stands in paths and command lines.

    Raises
    ------
    GridError
        If a value cannot stand in a path, or two values of a parameter are equal (as numbers, if they are).
    """
    result = {}
    for parameter, values in grid.items():
        if parameter in RESERVED:
            raise GridError(f"{mechanism}: a parameter cannot be named {parameter!r}, a wildcard of the workflow")
        texts = [str(value) for value in values]
        for text in texts:
            if not re.fullmatch(VALUE, text):
                raise GridError(f"{mechanism}: {parameter} {text!r} must be of letters, digits and _ . % @ : + ~ -")
        if len({_number(text) for text in texts}) < len(texts):
            raise GridError(f"{mechanism}: {parameter} has equal values: {', '.join(texts)}")
        result[parameter] = texts
    return result


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def choose(
    declared: Mapping[str, Grid], mechanisms: Iterable[str] | None, without: Iterable[str], grids: Mapping[str, Grid]
) -> dict[str, dict[str, list[str]]]:
    """The spelled grids of the wanted mechanisms, parameters in declared order.

    Parameters
    ----------
    declared : grids by mechanism
    mechanisms : the wanted mechanisms, or None for all
    without : mechanisms that are not wanted
    grids : values that replace declared ones, by mechanism and parameter

    Raises
    ------
    GridError
        If a mechanism or a parameter is not a declared one, or a value is not fit.
    """
    for mechanism in [*(mechanisms or ()), *without]:
        _known(mechanism, declared, "mechanism")
    wanted = [name for name in (declared if mechanisms is None else mechanisms) if name not in without]
    for mechanism, grid in grids.items():
        _known(mechanism, wanted, "wanted mechanism")
        for parameter in grid:
            _known(parameter, declared[mechanism], f"parameter of {mechanism}")
    return {name: spelled({**declared[name], **grids.get(name, {})}, name) for name in wanted}


def _known(name: str, names: Iterable[str], kind: str) -> None:
    if name not in names:
        raise GridError(f"{name!r} is no {kind}; known: {', '.join(names) or 'none'}")


def parameter_sets(grid: Mapping[str, Sequence[str]]) -> list[str]:
    """The parameters of every cell of a spelled grid, like ``delta=0.3,mode=sampling``, in grid order."""
    if not grid:
        return [NO_PARAMETERS]
    return [
        ",".join(f"{name}={value}" for name, value in zip(grid, values, strict=True))
        for values in itertools.product(*grid.values())
    ]


def parse(parameters: str) -> dict[str, str]:
    """The inverse of one element of `parameter_sets`: parameter values, as text, by name."""
    if parameters == NO_PARAMETERS:
        return {}
    return dict(pair.split("=", 1) for pair in parameters.split(","))


def rejoined(wildcards: Mapping[str, str]) -> dict[str, str]:
    """The wildcards of a job that was taken apart at commas: what is none of the workflow's belongs to `parameters`."""
    kept = {name: value for name, value in wildcards.items() if name in RESERVED}
    rest = [f"{name}={value}" for name, value in wildcards.items() if name not in RESERVED]
    return kept | {"parameters": ",".join([wildcards["parameters"], *rest])}


def settings(parameters: str) -> dict[str, str]:
    """The parameters of a cell as tables name them: an epsilon `amun-mean@0.3` is `amun-mean` at delta 0.3."""
    values = parse(parameters)
    for name, value in parse(parameters).items():
        value, at, delta = value.partition(AT)
        if at:
            values |= {name: value, "delta": delta}
    return values


def seed_of(seed: int, mechanism: str, parameters: str, log: str, repeat: str) -> int:
    """The seed of one run, in [0, 2**63), the same whatever else is run and in which order."""
    key = "/".join([str(seed), mechanism, parameters, log, repeat])
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1


def batch_of(repeat: int, minutes: int, longest: int) -> int:
    """The number of the cluster's job that a repeat of a cell belongs to.

    Parameters
    ----------
    minutes : most that one run takes
    longest : most that a job may take, if it is more than one run; the repeats of a job run one after the other
    """
    return repeat // max(1, longest // minutes)
