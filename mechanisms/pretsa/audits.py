"""What is audited of PRETSA: the noise on durations alone, as k-anonymity claims no epsilon."""

from __future__ import annotations

from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, one_time_changed
from mechanisms.pretsa import anonymize


def gap() -> Pair:
    """One duration among several changes from one end of their range to the other."""
    cases = [("ab", (minutes,)) for minutes in (0, 0, 100, 100, 0)]
    return one_time_changed("gap", cases, ("ab", (100,)), "ab")


def extreme() -> Pair:
    """The largest duration doubles, and the range of the noise with it, as the log sets it."""
    cases = [("ab", (minutes,)) for minutes in (0, 50, 100)]
    return one_time_changed("extreme", cases, ("ab", (200,)), "ab")


# Bounds that the log sets are a reservation of their own (flag `bounds_from_data`), not that of every noisy run.
AUDITS = tuple(
    Audit(
        name=f"durations-{pair.name}",
        settings=settings,
        parameters={"k": 2, "t": 1.0, "duration_epsilon": 1.0},
        pair=pair,
        anonymize=anonymize,
        unit="one duration",
    )
    for pair, settings in ((gap(), {}), (extreme(), {"bounds": "those of the log"}))
)
