"""The table of the audit: what stands in it, how numbers are rounded, and what is said below."""

from __future__ import annotations

import pandas as pd
import pytest

from metrics.audit import Finding
from report.audit import TITLE, audit_table, notes, read_findings
from report.write import write_tables
from wording import forbidden


def finding(**changes) -> Finding:
    base = Finding(
        "tvq", "profile=published", "composed", "one case more", "one count", 100_000, "cases of <a> = 1", 25_885, 1149,
        1.0, 3.386, 0.0, 3.0389, 0.5559, 9.199, "violated", "consistent", "", 1e-30, 2e-30,
    )  # fmt: skip
    return base._replace(**changes)


HELD = finding(
    settings="profile=accounted", epsilon_low=0.9754, composed=1.0, verdict="consistent", p_value=0.6, p_holm=1.0
)
ZERO = finding(
    mechanism="amun", settings="mode=sampling,profile=code", pair="unique", hits=2500, hits_other=0, epsilon_low=6.2599,
    largest=6.2599, flags="ZC", structural="no variant is new", attempts=2, hits_again=0, draws_again=10_000, slope=1.0,
    composed=None, delta=1e-6, p_value=0.011, p_holm=0.0123,
)  # fmt: skip
NO_CLAIM = finding(
    mechanism="shuffle", settings="", pair="gap", adjacency="one time changed", claimed=None, composed=None,
    delta_low=None, verdict="no DP claim", event="", epsilon_low=0.0, p_value=None, p_holm=None,
)  # fmt: skip


@pytest.fixture
def findings(tmp_path):
    pd.DataFrame([finding(), HELD, ZERO, NO_CLAIM]).to_csv(tmp_path / "audit.csv", index=False)
    return read_findings(str(tmp_path / "audit.csv"))


def test_every_line_has_all_that_the_verdict_rests_on(findings):
    table = audit_table(findings)
    assert table.iloc[0].to_dict() == {
        "adjacency": "one case more",
        "draws": "100000",
        "told apart by": "cases of <a> = 1",
        "hits": "25885",
        "on the other": "1149",
        "again": "–",
        "claimed": "1 (one count)",
        "composed": "3.39",
        "epsilon": "≥ 3.03",  # down, as it is a lower bound
        "delta": "≥ 0.55",
        "cap": "9.19",
        "p (Holm)": "< 1e-16",
        "verdict": "violated (claim)",
    }
    wanted = ["again", "claimed", "composed", "epsilon", "p (Holm)", "verdict"]
    assert table.iloc[2][wanted].tolist() == [
        "0 of 10000, slope 1.00", "1, δ 1e-06 (one count)", "–", "≥ 6.25 [ZC]", "0.012",
        "violated (claim); no finite epsilon",
    ]  # fmt: skip
    assert table.iloc[3][["told apart by", *wanted]].tolist() == ["–", "–", "–", "–", "≥ 0.00", "–", "no DP claim"]
    assert table.iloc[3][["hits", "on the other", "delta"]].tolist() == ["–"] * 3, "no event, nothing to count"


@pytest.mark.parametrize(("claim", "composed", "printed"), [
    ("violated", "violated", "violated (claim, composed)"), ("violated", "no DP claim", "violated (claim)"),
    ("consistent", "consistent", "consistent"), ("not testable", "not testable", "not testable"),
])  # fmt: skip
def test_a_verdict_names_what_is_violated(claim, composed, printed):
    found = pd.DataFrame([finding(verdict=claim, composed_verdict=composed)])
    assert audit_table(found)["verdict"].tolist() == [printed]


def test_the_notes_tell_how_many_verdicts_are_wrong_by_chance_and_what_is_not_covered(findings):
    text = " ".join(notes(findings))
    assert "at most 0.15 of these 3 mechanisms" in text  # 0.05 each
    assert "2 of 3 lines have at most 0.05" in text
    assert "No finite epsilon: no variant is new." in text
    assert "floating-point" in text
    assert not forbidden(text)


def test_latex_gets_no_letters_that_it_does_not_know(findings, tmp_path):
    write_tables([tmp_path / "audit.tex"], findings, audit_table(findings), TITLE, notes(findings))
    assert (tmp_path / "audit.tex").read_text().isascii()
