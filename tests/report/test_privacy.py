"""Privacy beside utility: columns, footnotes, the table of the audit, and the figure of both."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from matplotlib import pyplot

from metrics.audit import Finding
from metrics.registry import declarations
from report import audit as audit_report
from report.attack_records import attack_records
from report.comparison import compared
from report.figure import metric_figure
from report.grids import Axes
from report.guarantees import guarantee_table
from report.heatmap import heatmaps
from report.privacy import (
    NO_CLAIM,
    NOT_AUDITED,
    privacy_cells,
    privacy_columns,
    privacy_lines,
    privacy_marks,
    privacy_notes,
    read_audit,
)
from report.rank_figure import rank_figure
from report.table import notes
from report.tradeoff import tradeoff_cells, tradeoff_figure
from report.utility import utility_table
from report.write import write_tables

PUBLISHED, ACCOUNTED = "epsilon=1,profile=published", "epsilon=1,profile=accounted"
EMD = declarations()["emd_variants"]


def rows(mechanism: str, parameters: str, **values: float | tuple) -> list[tuple]:
    """Scores of two repeats."""
    pairs = {name: value if isinstance(value, tuple) else (value, value) for name, value in values.items()}
    return [
        ("a", mechanism, parameters, str(repeat), name, value, "ok" if not math.isnan(value) else "n/a")
        for name, both in pairs.items()
        for repeat, value in enumerate(both)
    ]


NAN = float("nan")
SCORES = pd.DataFrame(
    [
        *rows("identity", "default", emd_variants=0.0, nominal_epsilon=NAN, presence_advantage=1.0),
        *rows(
            "tvq", PUBLISHED, emd_variants=0.2, nominal_epsilon=1.0, composed_epsilon=3.4,
            flag_parameters_from_data=1.0, presence_advantage=(0.5, 0.7), gaps_advantage=NAN,
        ),
        *rows(
            "tvq", ACCOUNTED, emd_variants=0.4, nominal_epsilon=1.0, composed_epsilon=1.0, flag_exact_values=0.0,
            presence_advantage=(0.2, 0.2), gaps_advantage=(0.3, 0.3),
        ),
        *rows("pretsa", "k=8", emd_variants=0.3, nominal_epsilon=NAN, flag_exact_values=1.0, presence_advantage=0.0),
    ],
    columns=["log", "mechanism", "parameters", "repeat", "metric", "value", "status"],
)  # fmt: skip


def finding(**changes) -> Finding:
    base = Finding(
        "tvq", "profile=published", "composed", "one case more", "one count", 100_000, "cases of <a> = 1", 25_885, 1149,
        1.0, 3.386, 0.0, 3.0314, 0.555, 9.195, "violated", "consistent", "",
    )  # fmt: skip
    return base._replace(**changes)


HELD = finding(settings="profile=accounted", epsilon_low=0.9754, composed=1.0, verdict="consistent")


@pytest.fixture
def findings(tmp_path):
    def write(*found: Finding) -> pd.DataFrame:
        pd.DataFrame(found).to_csv(tmp_path / "audit.csv", index=False)
        return read_audit(str(tmp_path / "audit.csv"))

    return write


def test_a_cell_has_the_verdict_of_the_audit_of_its_settings(findings):
    found = findings(finding(pair="isolated", epsilon_low=1.649), finding(), HELD)
    cells = privacy_cells(SCORES, found).reset_index().set_index("parameters")
    assert cells["bound"].to_dict() == {
        "default": "–", PUBLISHED: "≥ 3.03 at claim 1", ACCOUNTED: "≥ 0.97 at claim 1", "k=8": "–",
    }  # fmt: skip
    assert cells["verdict"].to_dict() == {
        "default": NO_CLAIM, PUBLISHED: "violated (claim)", ACCOUNTED: "consistent", "k=8": NO_CLAIM,
    }  # fmt: skip
    assert cells["violated"].tolist() == [False, True, False, False]
    assert cells["flags"].to_dict() == {"default": "", PUBLISHED: "A", ACCOUNTED: "", "k=8": "V"}


def test_what_is_no_finite_epsilon_has_a_reason_of_structure(findings):
    r1 = finding(structural="no variant is new, so one is telling", epsilon_low=9.194, hits_other=0, flags="Z")
    cells = privacy_cells(SCORES, findings(r1, finding(pair="deep", epsilon_low=2.0)))
    assert cells["bound"].iloc[1] == "≥ 9.19 [Z] at claim 1", "its releases were not found to have no new variant"
    without_new = pd.DataFrame(rows("tvq", PUBLISHED, novel_variants=0.0), columns=SCORES.columns)
    cells = privacy_cells(pd.concat([SCORES, without_new]), findings(r1))
    assert cells["bound"].iloc[1] == "≥ 9.19 [Z] at claim 1; no finite ε (R1)"
    with_new = without_new.assign(value=(0.0, 0.1))
    assert "finite" not in privacy_cells(pd.concat([SCORES, with_new]), findings(r1))["bound"].iloc[1]
    other = privacy_cells(SCORES, findings(r1._replace(structural="equal durations get no noise")))
    assert other["bound"].iloc[1] == "≥ 9.19 [Z] at claim 1; no finite ε"


def test_flags_of_the_audit_and_the_verdict_on_the_composed_epsilon(findings):
    capped = finding(epsilon_low=9.195, hits=50_000, hits_other=0, composed_verdict="violated", flags="ZC")
    cell = privacy_cells(SCORES, findings(capped)).iloc[1]
    assert (cell["flags"], cell["bound"]) == ("AZC", "≥ 9.19 [ZC] at claim 1")
    assert cell["verdict"] == "violated (claim), (composed)"
    assert "Z: zero count" in " ".join(privacy_notes(SCORES, findings(capped)))


def test_columns_are_indexed_like_tables_and_their_notes_explain_raised_flags():
    columns = privacy_columns(SCORES, None, [])
    assert columns.loc[("a", "tvq published")].tolist() == ["1", "3.4", NOT_AUDITED, "A"]
    text = " ".join(privacy_notes(SCORES))
    assert "A: alphabet" in text
    assert "V: exact values" in text
    assert "O: noise" not in text


def test_tables_of_one_metric_say_it_below(findings):
    found = findings(finding(), HELD)
    assert privacy_lines(SCORES, found)[0] == (
        "Privacy of tvq published: claimed ε 1, composed 3.4, audit: violated (claim), flags A."
    )
    assert privacy_lines(SCORES, found)[1] == ("Privacy of tvq accounted: claimed ε 1, composed 1, audit: consistent.")
    assert any("Privacy of tvq" in line for line in notes(SCORES, EMD, {"a": "a"}, found))
    assert not any("Privacy of" in line for line in notes(SCORES, declarations()["nominal_epsilon"], {"a": "a"}, found))


def headings(findings: pd.DataFrame | None) -> dict[str, str]:
    """What stands below the figures of utility."""
    rows = [(log, *line[1:]) for line in SCORES.itertuples(index=False, name=None) for log in ("a", "b")]
    scores = pd.DataFrame(rows, columns=SCORES.columns)
    found = compared(scores, [EMD], [])
    figures = {
        "metric": metric_figure(scores, EMD, {"a": "a", "b": "b"}, [], "Study", findings),
        "heat map": heatmaps(GRID, EMD, {"a": "a"}, Axes("k", "t", "distance"), "Study", findings),
        "ranks": rank_figure(found, {"a": "a", "b": "b"}, "Study", privacy_marks(scores, findings)),
    }
    for figure in figures.values():
        pyplot.close(figure)
    told = {name: figure.get_supxlabel() for name, figure in figures.items()}
    told["metric"] = figures["metric"].legends[0].get_title().get_text()
    return {name: " ".join(text.split()) for name, text in told.items()}


GRID = pd.DataFrame(
    [
        line
        for k in (2, 4)
        for t in (0.5, 1)
        for distance in ("near", "far")
        for line in rows(
            "tvq", f"k={k},t={t},distance={distance},profile=published", emd_variants=k * t, nominal_epsilon=1.0,
            composed_epsilon=3.4,
        )
    ],
    columns=SCORES.columns,
)  # fmt: skip


def test_figures_of_utility_say_it(findings):
    told = headings(findings(finding(), HELD))
    for name, text in told.items():
        assert "ε claimed → composed [audit, flags]: tvq" in text, name
        assert "1 → 3.4 [violated (claim)" in text, name
    for text in headings(None).values():
        assert f"[{NOT_AUDITED}" in text
    figure = metric_figure(SCORES, declarations()["nominal_epsilon"], {"a": "a"}, [], "Study")
    assert "claimed" not in figure.legends[0].get_title().get_text(), "it is no utility"
    pyplot.close(figure)


def test_a_study_without_any_release_has_a_figure_and_a_table():
    failed = SCORES.assign(value=NAN, status="TO")
    cells = tradeoff_cells(failed, None, EMD)
    assert not len(cells)
    pyplot.close(tradeoff_figure(cells, EMD, {"a": "a"}, "Study", 2, ["tvq"]))
    wide = guarantee_table(failed, None, {"a": "a"}, attack_records(failed, None))[1]
    assert set(wide[EMD.title + " ↓"]) == set(wide["A1 presence"]) == {"TO"}


def test_latex_gets_no_letters_that_it_does_not_know(findings, tmp_path):
    found = findings(finding(delta=1e-6, event="cases ≥ 3 and cases ≤ 4"), HELD)
    text = audit_report.audit_table(found)
    write_tables([tmp_path / "audit.tex"], found, text, audit_report.TITLE, audit_report.notes(found))
    data, wide, best = utility_table(SCORES, [EMD], {"a": "a†"}, [], found)
    write_tables([tmp_path / "utility.tex"], data, wide, "T", privacy_notes(SCORES), best)
    for name in ("audit", "utility"):
        assert (tmp_path / f"{name}.tex").read_text().isascii(), name
