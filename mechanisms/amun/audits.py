"""What is audited of Amun, delta 0.3 throughout."""

from __future__ import annotations

from mechanisms.amun import anonymize
from mechanisms.audit import Audit
from mechanisms.neighbours import Pair, one_case_more, one_time_changed

PUBLIC = {"dates": ("2018-12-31", "2019-01-31"), "max_length": 4, "max_duration": 1.0}
NO_NEW_VARIANT = "no variant is new, so one that only one case has gives it away"
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


def gap() -> Pair:
    """One duration among three changes by 10 minutes, within the range of the others."""
    cases = [("ab", (minutes,)) for minutes in (0, 100, 50)]
    return one_time_changed("gap", cases, ("ab", (60,)), "ab")


def constant() -> Pair:
    """Two durations that are equal, or differ by a minute."""
    return one_time_changed("constant", [("ab", (30,))] * 2, ("ab", (31,)), "ab")


def many_gaps() -> Pair:
    """One duration among many, which are released in the hardened profile."""
    return one_time_changed("gap", [("ab", (30,))] * 25, ("ab", (1000,)), "ab")


def _audit(mode: str, profile: str, pair: Pair, structural: str = "") -> Audit:
    return Audit(
        name=f"{profile}-{mode}-{pair.name}",
        settings={"mode": mode, "profile": profile},
        parameters={"delta": 0.3, "mode": mode, "profile": profile, **PUBLIC},
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
    _audit("filtering", "code", unique(), NO_NEW_VARIANT),
    _audit("sampling", "paper", unique(), NO_NEW_VARIANT),
    _audit("sampling", "hardened", unique()),
    _audit("sampling", "hardened", frequent()),
    _audit("sampling", "hardened", many_gaps()),
)
