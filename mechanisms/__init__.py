"""Mechanisms: what enters is a log or a relation, parameters and a random generator; what leaves is a release of it.

A mechanism is a package with two functions of the same signature, ``(log, *, <parameters>, rng)``:
`release` returns what is released, `anonymize` an `Outcome` that holds it together with what only the data
owner may see. Both are pure. Its ``__main__.py`` declares the parameters and hands `anonymize` to
`mechanisms.cli.run`. What it claims under an epsilon is put to the test by its ``audits.py``, see `mechanisms.audit`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data.release import Release


class Infeasible(Exception):  # noqa: N818 - a refusal is a result, not an error
    """A mechanism refuses the log or the parameters; the message is the reason and the remedy."""


class ParameterError(ValueError):
    """A parameter has a value that the mechanism does not know; the message names it."""


@dataclass(frozen=True)
class Outcome:
    """A release and what stays with the data owner.

    Attributes
    ----------
    release : EventLog, DirectlyFollowsGraph or RelationRelease
    diagnostics : mapping of str to JSON values
        Private facts about the run: epsilons estimated from the data, cases filtered, flags, ...
        `nominal_epsilon` and `composed_epsilon` are also printed on the command line.
    resolved : mapping of str to JSON values
        Parameters whose value was derived from the log.
    notes : sequence of str
        Sentences that the data owner should read.
    origins : int array (released cases,), optional
        Private: the case of the log (row of the relation) that each released one stems from, -1 for none; copies of
        a case share it.
    """

    release: Release
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    resolved: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    origins: np.ndarray | None = None
