"""What is audited of PRIPEL."""

from __future__ import annotations

from baselines.pripel import anonymize
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, one_case_more, one_time_changed

DATES = ("2018-12-31", "2019-01-31")
EXACT = "the times between the events of a case are copied"


def query() -> Pair:
    """As `composed`, with cases of two events, which PRIPEL needs."""
    return one_case_more("composed", ["bb"] * 20, "aa", "ab")


def gap() -> Pair:
    """One case that takes 21 instead of 20 minutes from its second to its third event, among others alike."""
    others = [("abc", (15, 25))] * 8
    return one_time_changed("gap", [*others, ("abc", (10, 20))], ("abc", (10, 21)), "abc")


def _audit(pair: Pair, levels: int, mode: str, structural: str = "") -> Audit:
    return Audit(
        name=f"{mode}-{pair.name}",
        settings={"time_mode": mode},
        parameters={
            "epsilon": 1.0,
            "max_length": levels,
            "pruning": 1,
            "time_mode": mode,
            "dates": DATES,
            "max_duration": 1.0,
        },
        pair=pair,
        anonymize=anonymize,
        unit="one count, one move",
        structural=structural,
    )


AUDITS = (
    _audit(query(), 3, "published"),
    _audit(gap(), 4, "published", EXACT),
    _audit(query(), 3, "local"),
    _audit(gap(), 4, "local"),
)
