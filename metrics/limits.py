"""What a run claims that limits how far an attack on its release gets.

A mechanism states it in its diagnostics: `composed_additive`, the delta of (epsilon, delta)-differential privacy;
`guessing_advantage`, how much likelier the release makes a right guess at most (Amun's delta); `k`, how many cases
share each prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics.metric import Metric, Value, not_applicable

STATED = {
    "claimed_additive": ("composed_additive", "Claimed delta of differential privacy", 1.0),
    "claimed_advantage": ("guessing_advantage", "Claimed limit on the guessing advantage", 1.0),
    "claimed_k": ("k", "Claimed cases a prefix", float("inf")),
}

METRICS = tuple(
    Metric(name=name, title=title, high=high, direction="none", identity=None, doubled=None, group="run")
    for name, (_, title, high) in STATED.items()
)


def score(record: Mapping[str, Any]) -> dict[str, Value]:
    """What is claimed; what is not is not applicable."""
    stated = record["diagnostics"]
    missing = not_applicable("the run claims nothing of the kind")
    return {name: missing if stated.get(key) is None else float(stated[key]) for name, (key, _, _) in STATED.items()}
