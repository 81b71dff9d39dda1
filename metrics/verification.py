"""Verdicts on what a run claims, and the same figures of runs that claim nothing.

A mechanism states its claims in its diagnostics: `k`, `t` and `l`; `no_new_variants`, there or among its flags;
`nominal_epsilon`, of one `epsilon_unit`, which no single release can confirm or contradict, so that it is left to the
audit; of tables, the `unit` of k. That no original id is released is claimed by all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from data.graph import DirectlyFollowsGraph
from data.log import EventLog
from data.relation import Relation
from data.relation_release import RelationRelease
from metrics import relation_verdicts, verdicts
from metrics.alike import KNOWN
from metrics.verdicts import UNKNOWN, Verdict

NOT_CLAIMED = "N.A."
NEW = "no_new_variants"


class Claim(NamedTuple):
    """One line of the table of verdicts.

    Attributes
    ----------
    log, mechanism, parameters, repeat : str
    claim : str
    claimed : float or str
        Empty if nothing is claimed.
    verdict : {'PASS', 'FAIL', 'BORDERLINE', 'UNKNOWN', 'N.A.'}
        'N.A.' if it is not claimed, or cannot be told of a release.
    worst, breaking, exempt, witness
        As in `metrics.verdicts.Verdict`; what breaks is counted where something is claimed.
    """

    log: str
    mechanism: str
    parameters: str
    repeat: str
    claim: str
    claimed: float | str
    verdict: str
    worst: float | None
    breaking: int | None
    exempt: int
    witness: str


def claims(
    original: EventLog | Relation,
    release: EventLog | RelationRelease | DirectlyFollowsGraph,
    origins: np.ndarray | None,
    record: Mapping[str, Any],
    run: tuple[str, str, str, str],
) -> Iterator[Claim]:
    """One line a claim, whether it is made or not.

    Parameters
    ----------
    original, release, origins, record : as for metrics
    run : (log, mechanism, parameters, repeat)
    """
    stated = record["diagnostics"]
    if isinstance(release, EventLog):
        found = _of_log(original, release, origins, record)
    elif isinstance(release, RelationRelease):
        found = _of_table(original, release, origins, stated)
    else:
        found = iter(())
    for name, claimed, verdict in (*found, _epsilon(stated)):
        outcome = NOT_CLAIMED if claimed == "" and verdict.verdict != UNKNOWN else verdict.verdict
        breaking = None if outcome == NOT_CLAIMED else verdict.breaking
        witness = " > ".join(verdict.witness)
        yield Claim(*run, name, claimed, outcome, verdict.worst, breaking, verdict.exempt, witness)


def undecided(run: tuple[str, str, str, str], reason: str) -> Claim:
    """The one line of a run whose claims could not be checked."""
    return Claim(*run, "all", "", UNKNOWN, None, None, 0, reason)


def _of_log(
    original: EventLog, release: EventLog, origins: np.ndarray | None, record: Mapping[str, Any]
) -> Iterator[tuple[str, float | str, Verdict]]:
    stated = record["diagnostics"]
    k, t, l = (stated.get(name) for name in ("k", "t", "l"))  # noqa: E741 - the name it has
    of_variants = k if record["parameters"].get("variant_k") is True else None
    yield "k on prefixes", _said(k), verdicts.k_of_prefixes(release, k or 1)
    yield "k on variants", _said(of_variants), verdicts.k_of_variants(release, of_variants or 1)
    if origins is not None:
        yield "k on prefixes, of persons", "", verdicts.k_of_persons(original, release, origins, 1)
    for known, title in KNOWN.items():
        yield f"k on the {title}", "", verdicts.k_of_alike(release, known, 1)
    limit = np.inf if t is None else t
    yield "t by value", _said(t), verdicts.t_of_durations(original, release, limit)
    yield "t by rank", "", verdicts.t_of_durations(original, release, np.inf, by_rank=True)
    yield "t to the released law", "", verdicts.t_of_released_law(release, np.inf)
    if origins is not None:
        yield "t of surviving durations", "", verdicts.t_of_survivors(original, release, origins, np.inf)
    yield "l", _said(l), verdicts.l_of_durations(original, release, l or 0)
    yield "l by entropy", "", verdicts.l_of_durations(original, release, 0, by_entropy=True)
    new = "yes" if stated.get(NEW) or NEW in stated.get("flags", ()) else ""
    yield "no novel variant", new, verdicts.no_novel_variant(original, release)
    yield "no novel directly-follows pair", new, verdicts.no_novel_edge(original, release)
    yield "no variant that was cut off", "", verdicts.no_truncated_variant(original, release)
    yield "no original case id", "yes", verdicts.no_original_id(original, release)
    yield "no original attribute", "", verdicts.no_further_attribute(original, release)
    yield "no original timestamps", "", verdicts.no_original_times(original, release)
    yield "no shifted timestamps", "", verdicts.no_shifted_times(original, release)


def _of_table(
    original: Relation, release: RelationRelease, origins: np.ndarray | None, stated: Mapping[str, Any]
) -> Iterator[tuple[str, float | str, Verdict]]:
    k, unit = stated.get("k"), stated.get("unit")
    yield "k on rows", _said(k), relation_verdicts.k_of_rows(release, k or 1)
    for column in relation_verdicts.units(original, unit) if origins is not None else ():
        of_unit = k if column == unit else None
        verdict = relation_verdicts.k_of_values(original, release, origins, column, of_unit or 1)
        yield f"k on values of {column}", _said(of_unit), verdict
    yield "no class of one address", "", relation_verdicts.no_single_address(original, release, origins)


def _epsilon(stated: Mapping[str, Any]) -> tuple[str, float | str, Verdict]:
    """The epsilon that is claimed; `worst` is the composed one, the witnesses are what it does not account for."""
    unpaid = [name for name in ("bounds_from_data", "not_covered") if stated.get(name)]
    verdict = Verdict("epsilon", NOT_CLAIMED, stated.get("composed_epsilon"), witness=tuple(unpaid))
    unit = f" of {stated['epsilon_unit']}" if "epsilon_unit" in stated else ""
    return f"epsilon{unit}", _said(stated.get("nominal_epsilon")), verdict


def _said(value: float | None) -> float | str:
    return "" if value is None else value
