"""What is audited of Amun, delta 0.3 throughout."""

from __future__ import annotations

from mechanisms.amun import anonymize
from mechanisms.audit import NO_NEW_VARIANT, Audit
from mechanisms.neighbours import Pair, empty, one_case_more, one_case_replaced, one_time_changed

PUBLIC = {"dates": ("2018-12-31", "2019-01-31"), "max_length": 4, "max_duration": 1.0}
MANY = 25  # cases that make a variant frequent enough for the hardened profile
LONG = 20  # events of the longest case
ONE_SIDED = "noise that only adds cases betrays which counts cannot be"
WITHOUT_NOISE = "durations that are all equal get no noise"
BASE = ["ab"] * 5 + ["ac"] * 5


def unique() -> Pair:
    """A case with a variant of its own."""
    return one_case_more("unique", BASE, "ad", "abcd")


def shared() -> Pair:
    """A case whose variant three others have."""
    return one_case_more("shared", [*BASE, "a", "a", "a"], "a", "abc")


def frequent() -> Pair:
    """A case whose variant is frequent enough to be released."""
    return one_case_more("frequent", ["ab"] * 16, "ab", "ab")


def tail() -> Pair:
    """A long case of known activities: it changes as many counts as it has events."""
    return one_case_more("tail", ["ab"] * 10 + ["ac"] * 10, "abc" * (LONG // 3) + "ab", "abc")


def replaced() -> Pair:
    """One case of a frequent variant, or of another one."""
    return one_case_replaced("replaced", ["ab"] * 16 + ["ac"] * 16, "ac", "ab", "abc")


def _gaps(name: str, before: tuple[float, ...], after: float, cases: int = 1) -> Pair:
    """The last of some durations changes; many cases have the others."""
    fixed = [("ab", (minutes,)) for minutes in before[:-1]] * cases
    return one_time_changed(name, [*fixed, ("ab", before[-1:])], ("ab", (after,)), "ab")


def gap(cases: int = 1) -> Pair:
    """One duration changes by 10 minutes, within the range of the others."""
    return _gaps("gap", (0, 100, 50), 60, cases)


def extreme(cases: int = 1) -> Pair:
    """The largest duration doubles, and the range of the noise with it, if the log sets it."""
    return _gaps("extreme", (0, 50, 100), 200, cases)


def constant(cases: int = 1) -> Pair:
    """Durations that are equal, or one of them a minute longer."""
    return _gaps("constant", (30, 30), 31, cases)


def far() -> Pair:
    """One duration of many moves from one end of the public range to the other."""
    return _gaps("far", (0, 0), 1440, MANY)


def _audit(mode: str, profile: str, pair: Pair, structural: str = "", **more) -> Audit:
    return Audit(
        name=f"{profile}-{mode}-{pair.name}",
        settings={"mode": mode, "profile": profile},
        parameters={"delta": 0.3, "mode": mode, "profile": profile, **PUBLIC, **more},
        pair=pair,
        anonymize=anonymize,
        unit="one count" if profile != "hardened" else "variant or times of a case",
        structural=structural,
    )


AUDITS = (
    _audit("oversampling", "code", unique(), NO_NEW_VARIANT),
    _audit("oversampling", "code", shared(), ONE_SIDED),
    _audit("oversampling", "code", constant(), WITHOUT_NOISE),
    _audit("sampling", "code", unique(), NO_NEW_VARIANT),
    _audit("sampling", "code", gap()),
    _audit("sampling", "code", extreme()),
    _audit("filtering", "code", unique(), NO_NEW_VARIANT),
    _audit("sampling", "paper", unique(), NO_NEW_VARIANT),
    _audit("sampling", "paper", tail(), NO_NEW_VARIANT),
    _audit("sampling", "hardened", unique()),
    _audit("sampling", "hardened", frequent()),
    _audit("sampling", "hardened", tail(), max_length=LONG),
    _audit("sampling", "hardened", empty()),
    _audit("sampling", "hardened", replaced()),
    _audit("sampling", "hardened", gap(MANY)),
    _audit("sampling", "hardened", extreme(MANY)),
    _audit("sampling", "hardened", constant(MANY)),
    _audit("sampling", "hardened", far()),
)
