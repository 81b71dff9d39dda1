"""Whether a release keeps what its run claims; parameters come from the run record, the release from its file.

A mechanism states what it claims under the names k, t and l in its diagnostics: k-anonymous prefixes, t-close and
l-diverse durations. What each means, and what it does not protect: `metrics.verdicts`, `metrics.anonymity`,
`metrics.duration_classes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from data.log import EventLog
from metrics.metric import EMPTY, Metric, Value, not_applicable
from metrics.verdicts import FAIL, UNKNOWN, k_of_prefixes, l_of_durations, t_of_durations


def _claim(name: str, title: str, blind_to: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        high=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        group="claim",
        blind_to=blind_to,
    )


METRICS = (
    _claim("claim_k", "k-anonymity of prefixes holds", "whoever knows an end, a length or an exact duration"),
    _claim("claim_t", "t-closeness of released durations holds", "what `t_max` is blind to"),
    _claim("claim_l", "l-diversity of released durations holds", "what `l_min` is blind to"),
)


# Each takes the original, the release and what is claimed.
CHECKS = {
    "k": lambda original, release, k: k_of_prefixes(release, k),
    "t": t_of_durations,
    "l": l_of_durations,
}


def score(original: EventLog, release: EventLog, record: Mapping[str, Any]) -> dict[str, Value]:
    """1 for a claim that holds, 0 for one that fails; what is not claimed is not applicable."""
    claimed = record["diagnostics"]
    return {f"claim_{name}": _value(name, claimed.get(name), original, release) for name in CHECKS}


def _value(name: str, limit: float | None, original: EventLog, release: EventLog) -> Value:
    if limit is None:
        return not_applicable("the run claims nothing of the kind")
    if not release.n_cases:
        return EMPTY
    verdict = CHECKS[name](original, release, limit).verdict
    return not_applicable("the release has no durations") if verdict == UNKNOWN else float(verdict != FAIL)
