"""The jobs that a target needs, found from the rules alone.

Snakemake's own graph of jobs takes 3 ms a job, and minutes for all studies, as it also finds out what changed. Here a
job is done if its files are there and all that it needs is done. Nothing of Snakemake is imported: rules are what it
hands over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Job:
    """A rule with the values of its wildcards.

    Attributes
    ----------
    rule : str
    values : dict of str to str
        Of the wildcards.
    outputs : tuple of str
        Its files.
    done : bool
    """

    rule: str
    values: dict[str, str]
    outputs: tuple[str, ...]
    done: bool


class Values(dict):
    """Values of wildcards, as attributes too, as the functions of rules expect them."""

    __getattr__ = dict.__getitem__


def jobs(rules: Iterable[Any], target: str) -> list[Job]:
    """The jobs behind a rule, itself left out.

    Parameters
    ----------
    rules : iterable of rules of Snakemake
    target : str
        A rule without wildcards.
    """
    rules = list(rules)
    # A file is first compared with what stands before the wildcards of a pattern, which is fast.
    patterns = [(str(output).partition("{")[0], output, rule) for rule in rules for output in rule.output]
    [start] = [rule for rule in rules if rule.name == target]
    ahead = [(file, None) for file in _inputs(start, Values())]
    makers: dict[str, tuple | None] = {}  # the job that makes a file, None for one of the project or the user
    found: dict[tuple, tuple[Any, Values, tuple[str, ...]]] = {}
    users: dict[tuple, list[tuple | None]] = {}  # the jobs that need what a job makes
    while ahead:
        file, user = ahead.pop()
        if file not in makers:
            rule, values = _producer(file, patterns) or (None, Values())
            makers[file] = (rule.name, *sorted(values.items())) if rule else None
            if rule and makers[file] not in found:
                outputs = tuple(output.apply_wildcards(values) for output in rule.output)
                found[makers[file]] = rule, values, outputs
                ahead += [(needed, makers[file]) for needed in _inputs(rule, values)]
        if makers[file]:
            users.setdefault(makers[file], []).append(user)
    to_do = _reached((key for key, (*_, files) in found.items() if not all(map(os.path.exists, files))), users)
    return [Job(rule.name, values, files, key not in to_do) for key, (rule, values, files) in found.items()]


def _reached(starts: Iterable[tuple], edges: dict[tuple, list[tuple | None]]) -> set[tuple | None]:
    """Where one gets from some places."""
    ahead, reached = [*starts], set()
    while ahead:
        place = ahead.pop()
        if place not in reached:
            reached.add(place)
            ahead += edges.get(place, ())
    return reached


def _producer(file: str, patterns: list[tuple[str, Any, Any]]) -> tuple[Any, Values] | None:
    for start, output, rule in patterns:
        if file.startswith(start) and (match := output.match(file)):
            return rule, Values(match.groupdict())
    return None


def _inputs(rule: Any, values: Values) -> Iterator[str]:
    for item in rule.input:
        function = getattr(item, "callable", None) or (item if callable(item) else None)
        if function:
            given = function(values)
            yield from [given] if isinstance(given, str) else map(str, given)
        else:
            yield str(item.apply_wildcards(values)) if "{" in item else str(item)
