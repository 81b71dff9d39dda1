"""Claims: a number or an ordering that a source reports of runs of this harness, as a line of a CSV file.

The columns, of which those that do not apply are empty:

========== ==============================================================================================
id         a name of its own
source     who reports it, and where
log        key of a dataset
mechanism  a mechanism; empty if the metric is a fact of the log
parameters all parameters of the mechanism (of a fact: those in the file's name), like ``k=2|8,t=1``; of several
           values, the mean over all settings is meant
metric     a metric, or a fact of a file of `FACTS`, like ``statistics.cases`` or ``run.cases_filtered``
kind       ``value``, ``order`` or ``status``
reported   the number as printed; one of `ORDERS`; or a status of `STATUSES`
tolerance  by default half a unit of the last printed digit; the difference up to which sides are ``similar`` or
           ``not worse``
runs       number of random runs behind a reported mean; empty if the number is exact
than       of an order: what the other side has different, like ``mode=sampling`` or ``log=sepsis``
unlike     what the source did that this harness cannot do, so that nothing can be compared
note       anything else
========== ==============================================================================================
"""

from __future__ import annotations

import csv
import difflib
import itertools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from mechanisms.cells import NO_PARAMETERS, VALUE, parse
from metrics.registry import declarations

KINDS = ("value", "order", "status")
ORDERS = ("better", "worse", "not worse", "similar", "lower", "higher")
STATUSES = ("TO", "OOM", "INF", "ERR", "EMPTY")
SEVERAL = "|"
ID = r"[A-Za-z0-9_.-]+"

# Files of facts that are no scores, each with where the facts stand in it.
FACTS = {
    "statistics": ("results/logs/{log}/statistics.json", ()),
    "epsilons": ("results/epsilons/{log}/{parameters}.json", ("epsilons",)),
    "embeddings": ("results/embeddings/{log}/{parameters}_measures.json", ()),
    "run": ("results/runs/{mechanism}/{parameters}/{log}/{repeat}/run.json", ("diagnostics",)),
}
SCORES = "results/scores/runs/{mechanism}/{parameters}/{log}.csv"


class ClaimError(ValueError):
    """Claims that cannot be checked; the message names the file, the line and the field of each."""


@dataclass(frozen=True)
class Claim:
    """One line of a claims file, as text; see the columns above.

    Attributes
    ----------
    place : str
        ``file:line``.
    """

    id: str
    source: str
    log: str
    mechanism: str
    parameters: str
    metric: str
    kind: str
    reported: str
    tolerance: str
    runs: str
    than: str
    unlike: str
    note: str
    place: str = ""

    @property
    def fact(self) -> tuple[str, list[str]]:
        """The kind of the file of facts and the keys to the fact; an empty kind if the metric is one of scores."""
        kind, *keys = self.metric.split(".")
        return (kind, [*FACTS[kind][1], *keys]) if keys and kind in FACTS else ("", [])

    @property
    def files(self) -> list[str]:
        """The files, one a setting, that hold the values; those of runs have ``{repeat}`` in their path."""
        return self._files(self.log, *self.sides[0])

    @property
    def other_files(self) -> list[str]:
        """Those of the other side of an order, setting by setting; empty for other kinds."""
        return self._files(self.logs[-1], *self.sides[1]) if self.than else []

    @property
    def logs(self) -> list[str]:
        """The logs of both sides."""
        return list(dict.fromkeys([self.log, parse(self.than).get("log", self.log) if self.than else self.log]))

    @property
    def sides(self) -> list[tuple[str, dict[str, str]]]:
        """Mechanism and parameters of the claimed side and, of an order, of the other one."""
        own = parse(self.parameters or NO_PARAMETERS)
        if not self.than:
            return [(self.mechanism, own)]
        changes = {name: value for name, value in parse(self.than).items() if name != "log"}
        mechanism = changes.pop("mechanism", "")
        return [(self.mechanism, own), (mechanism or self.mechanism, changes if mechanism else own | changes)]

    @property
    def cells(self) -> list[tuple[str, str, str]]:
        """Mechanism, parameters and log of every setting of both sides, if the metric is one of scores."""
        return [cell for file in self.files + self.other_files if (cell := cell_of(file))]

    def _files(self, log: str, mechanism: str, parameters: Mapping[str, str]) -> list[str]:
        template = FACTS[self.fact[0]][0] if self.fact[0] else SCORES
        settings = itertools.product(*(value.split(SEVERAL) for value in parameters.values()))
        texts = [
            ",".join(f"{name}={value}" for name, value in zip(parameters, setting, strict=True)) for setting in settings
        ]
        return [
            template.format(log=log, mechanism=mechanism, parameters=text or NO_PARAMETERS, repeat="{repeat}")
            for text in texts
        ]


COLUMNS = [field.name for field in fields(Claim) if field.name != "place"]


def cell_of(file: str) -> tuple[str, ...] | None:
    """Mechanism, parameters and log of a file of scores; None for another file."""
    match = re.fullmatch(r"results/scores/runs/([^/]+)/([^/]+)/([^/]+)\.csv", file)
    return match.groups() if match else None


def read_claims(paths: Iterable[str | Path], logs: Iterable[str] | None = None) -> list[Claim]:
    """The claims of some files.

    Parameters
    ----------
    paths : CSV files
    logs : keys of all datasets, unless the claims have been checked before

    Raises
    ------
    ClaimError
        If a file is not as described above; every wrong line is named.
    """
    claims: list[Claim] = []
    wrong: list[str] = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            if lines.fieldnames != COLUMNS:
                raise ClaimError(f"{path}:1: the columns must be {','.join(COLUMNS)}")
            for line in lines:
                place = f"{path}:{lines.line_num}"
                if None in line or None in line.values():
                    wrong.append(f"{place}: {len(COLUMNS)} fields are needed; quote a text that has a comma")
                    continue
                claims.append(Claim(**line, place=place))
    seen: dict[str, str] = {}
    for claim in claims:
        wrong += [f"{claim.place}: {fault}" for fault in _faults(claim)]
        unknown = [] if logs is None else [log for log in claim.logs if log not in logs]
        wrong += [f"{claim.place}: log {_unknown(log, logs)}" for log in unknown]
        if claim.id in seen:
            wrong.append(f"{claim.place}: id {claim.id!r} stands in {seen[claim.id]} too")
        seen.setdefault(claim.id, claim.place)
    _refuse(wrong)
    return claims


def check_cells(claims: Iterable[Claim], grids: Mapping[str, Iterable[str]]) -> None:
    """Refuse claims of mechanisms or parameters that there are not.

    Parameters
    ----------
    claims : claims
    grids : names of the parameters of every mechanism, in declared order

    Raises
    ------
    ClaimError
        Every wrong line is named.
    """
    wrong = []
    for claim in claims:
        for mechanism, parameters in claim.sides if claim.fact[0] in ("", "run") else ():
            if mechanism not in grids:
                wrong.append(f"{claim.place}: mechanism {_unknown(mechanism, grids)}")
            elif list(parameters) != list(grids[mechanism]):
                needed = ", ".join(grids[mechanism]) or "none"
                wrong.append(f"{claim.place}: parameters: {mechanism} needs, in this order: {needed}")
    _refuse(wrong)


def _faults(claim: Claim) -> Iterable[str]:
    """What is wrong with a claim by itself."""
    if not re.fullmatch(ID, claim.id):
        yield f"id {claim.id!r} must be of letters, digits and _ . -"
    for name in ("source", "log", "metric"):
        if not getattr(claim, name):
            yield f"{name} is missing"
    if not claim.fact[0] and claim.metric not in declarations():
        yield f"metric {_unknown(claim.metric, [*declarations(), *(f'{kind}.' for kind in FACTS)])}"
    if claim.kind not in KINDS:
        yield f"kind {_unknown(claim.kind, KINDS)}"
        return
    known = {"order": ORDERS, "status": STATUSES}.get(claim.kind)
    if known and claim.reported not in known:
        yield f"reported {_unknown(claim.reported, known)}"
    if claim.kind == "value" and not _is_number(claim.reported):
        yield f"reported {claim.reported!r} is no number"
    if claim.kind == "order" and claim.reported in ("better", "worse", "not worse"):
        metric = declarations().get(claim.metric)
        if metric is None or metric.direction == "none":
            yield f"reported {claim.reported!r}: {claim.metric} has no better value; say lower or higher"
    if claim.reported == "similar" and not claim.tolerance:
        yield "tolerance is missing: up to which difference are two values similar?"
    if claim.tolerance and not (_is_number(claim.tolerance) and float(claim.tolerance) >= 0):
        yield f"tolerance {claim.tolerance!r} is no number of at least 0"
    if claim.runs and not (claim.runs.isdecimal() and int(claim.runs)):
        yield f"runs {claim.runs!r} is no whole number of at least 1"
    if (claim.kind == "order") != bool(claim.than):
        yield "than says what the other side of an order has different; it belongs to orders alone"
    for name in ("parameters", "than"):
        for pair in getattr(claim, name).split(",") if getattr(claim, name) else ():
            if not re.fullmatch(rf"\w+={VALUE}(\|{VALUE})*", pair):
                yield f"{name} {pair!r} is not of the form name=value or name=value|value"
                return
    if len(claim.other_files) not in (0, len(claim.files)):
        yield f"than has {len(claim.other_files)} settings, and the claimed side has {len(claim.files)}"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _unknown(name: str, known: Iterable[str]) -> str:
    known = list(known)
    close = difflib.get_close_matches(name, known, n=3) or known
    return f"{name!r} is unknown; known: {', '.join(close)}"


def _refuse(wrong: list[str]) -> None:
    if wrong:
        raise ClaimError("\n".join(wrong))
