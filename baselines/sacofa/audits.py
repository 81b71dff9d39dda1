"""What is audited of SaCoFa."""

from __future__ import annotations

from baselines.sacofa import anonymize
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, composed, one_case_more


def relations() -> Pair:
    """One case turns the relations of two activities around, which decide what gets noise."""
    return one_case_more("relations", ["aba"] * 7, "ba", "ab")


def _audit(pair: Pair, levels: int) -> Audit:
    return Audit(
        name=pair.name,
        settings={"mode": "ba_prune"},
        parameters={"epsilon": 1.0, "max_length": levels, "pruning": 1, "mode": "ba_prune"},
        pair=pair,
        anonymize=anonymize,
        unit="one count",
    )


AUDITS = (_audit(composed(), 2), _audit(relations(), 4))
