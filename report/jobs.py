"""The jobs that a target needs, found from the rules alone.

Snakemake's own graph of jobs takes 3 ms a job, and minutes for all studies, as it also finds out what changed. Here a
job is done if its files are there. Nothing of Snakemake is imported: rules are what it hands over.
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
        Its files; none of a target.
    """

    rule: str
    values: dict[str, str]
    outputs: tuple[str, ...]

    @property
    def done(self) -> bool:
        """Whether all its files are there."""
        return all(map(os.path.exists, self.outputs))


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
    ahead, seen, found = [*_inputs(start, Values())], set(), {}
    while ahead:
        file = ahead.pop()
        if file in seen:
            continue
        seen.add(file)
        producer = _producer(file, patterns)
        if producer is None:  # a file of the project or the user
            continue
        rule, values = producer
        key = rule.name, *sorted(values.items())
        if key not in found:
            outputs = tuple(str(output.apply_wildcards(values)) for output in rule.output)
            found[key] = Job(rule.name, values, outputs)
            ahead += _inputs(rule, values)
    return list(found.values())


def _producer(file: str, patterns: list[tuple[str, Any, Any]]) -> tuple[Any, Values] | None:
    for start, output, rule in patterns:
        if file.startswith(start) and (match := output.match(file)):
            return rule, Values(match.groupdict())
    return None


def _inputs(rule: Any, values: Values) -> Iterator[str]:
    for item in rule.input:
        function = getattr(item, "callable", None) or (item if callable(item) else None)
        given = function(values) if function else item.apply_wildcards(values)
        yield from [given] if isinstance(given, str) else map(str, given)
