"""What is audited of the directly-follows query."""

from __future__ import annotations

from baselines.dfg_query import PROFILES, anonymize
from mechanisms.audit import Audit
from mechanisms.neighbours import one_case_more

UNITS = {"published": "one pair of events", "accounted": "one case"}

# A case of four pairs, its start and its end counted, each of them its own.
PAIR = one_case_more("pairs", ["b"] * 20, "abc", "abc")

AUDITS = tuple(
    Audit(
        name=f"{profile}-pairs",
        settings={"profile": profile},
        parameters={"epsilon": 1.0, "profile": profile, "max_length": 3},
        pair=PAIR,
        anonymize=anonymize,
        unit=UNITS[profile],
    )
    for profile in PROFILES
)
