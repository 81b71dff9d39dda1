"""The records of attacks, the main table, and the figure of utility against attacks."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from attack_scores import ACCOUNTED, CODE, CODE_4, FOUND, HARDENED, KEPT, PUBLISHED, SCORES, rows
from matplotlib import pyplot

from metrics.intervals import newcombe
from metrics.registry import declarations
from report.attack_records import attack_records, presence_limit
from report.attacks import attack_table, notes, outward, upward
from report.guarantees import guarantee_table, ordered
from report.guarantees import notes as guarantee_notes
from report.intervals import OVER_SEEDS, OVER_TARGETS
from report.privacy import read_audit
from report.tradeoff import STRONGEST, tradeoff_cells, tradeoff_figure
from wording import forbidden

EMD = declarations()["emd_variants"]
NAMES = {"a": "a†", "b": "b"}


@pytest.fixture
def findings(tmp_path) -> pd.DataFrame:
    pd.DataFrame(FOUND).to_csv(tmp_path / "audit.csv", index=False)
    return read_audit(str(tmp_path / "audit.csv"))


def record(attack: str, parameters: str, scores: pd.DataFrame = SCORES, games: pd.DataFrame | None = None) -> dict:
    records = attack_records(scores, None, games)
    own = (records["attack"] == attack) & (records["parameters"] == parameters) & (records["log"] == "a")
    [line] = records[own].to_dict("records")
    return line


# The common record


def test_a_record_has_all_that_is_asked_of_it():
    found = record("presence", CODE)
    assert (found["targets"], found["seeds"], found["coverage"], found["prior"]) == (784, 5, 1, 0.5)
    assert (found["success"], found["advantage"]) == pytest.approx((0.95, 0.9))
    # 0.9 ± 2.776 · 0.01414 / sqrt 5
    assert (found["low"], found["high"], found["interval"]) == (
        pytest.approx(0.8824, abs=1e-4), pytest.approx(0.9176, abs=1e-4), OVER_SEEDS,
    )  # fmt: skip
    assert (found["identity"], found["shuffle"]) == (1, 0)
    assert found["adversary"].startswith("knows all other cases")


def test_with_few_seeds_targets_are_taken_as_independent():
    few = SCORES[SCORES["repeat"] < "2"]
    found = record("presence", CODE, few)
    assert found["interval"] == OVER_TARGETS
    assert (found["low"], found["high"]) == newcombe((found["advantage"], 784), (0.0, 784))
    assert attack_table(few, attack_records(few), NAMES).loc[("b", "amun delta=0.2 code", "Presence"), "advantage"] == (
        "0.890 [0.86, 0.92]*"
    )


def test_an_attack_without_targets_is_not_applicable():
    found = record("gaps", PUBLISHED)
    assert (found["seeds"], found["statuses"]) == (0, "n/a")
    assert math.isnan(found["low"])
    table = attack_table(SCORES, attack_records(SCORES), NAMES)
    assert set(table.loc[("a†", "tvq published", "Exact times"), ["targets", "prior", "advantage"]]) == {"N.A."}


@pytest.mark.parametrize(
    ("epsilon", "allowed"),
    [(0.4013, 0.198), (0.8109, 0.385), (1, 0.462), (1.2381, 0.550), (1.6946, 0.690), (2.1972, 0.800)],
)
def test_what_an_epsilon_allows(epsilon, allowed):
    assert presence_limit(epsilon) == pytest.approx(allowed, abs=5e-4)
    assert presence_limit(epsilon, 0.01) == pytest.approx(allowed + 0.01, abs=5e-4)


def test_every_attack_stands_beside_the_claim_that_limits_it():
    found = record("presence", CODE)
    assert (found["claim"], found["limit"], found["exceeded"]) == ("ε 0.811", pytest.approx(0.385, abs=1e-3), True)
    assert found["composed_limit"] == pytest.approx(1)
    assert not record("presence", HARDENED)["exceeded"]
    assert record("presence", HARDENED)["composed_limit"] == pytest.approx(math.tanh(0.81) + 1e-6)
    of_delta = record("duration_10min", CODE)
    assert (of_delta["claim"], of_delta["limit"], of_delta["exceeded"]) == ("δ 0.2", 0.2, False)
    assert (record("presence", KEPT)["claim"], record("gaps", CODE)["claim"]) == ("", "")
    assert math.isnan(record("gaps", CODE)["limit"])


def test_the_game_stands_for_decoys_where_it_was_played():
    parts = {"targets": 50, "coverage": 1.0, "prior": 0.5, "success": 0.7, "advantage": 0.4}
    values = {f"presence_game_{part}": value for part, value in parts.items()}
    games = pd.DataFrame(
        [*rows("a", "tvq", PUBLISHED, **values), *rows("a", "gone", "x=1", **values)], columns=SCORES.columns
    )
    games["value"] = games["value"].astype(float)
    found = record("presence_game", PUBLISHED, games=games)
    assert (found["advantage"], found["claim"], found["exceeded"]) == (0.4, "ε 1", False)
    _, wide = guarantee_table(SCORES, None, NAMES, attack_records(SCORES, None, games))
    [column] = [name for name in wide if name.startswith("A1")]
    assert "784" in column
    assert wide.loc[("a†", "tvq published"), column].startswith("0.400 [0.40, 0.40]")
    cells = tradeoff_cells(SCORES, None, EMD, games).set_index(["log", "parameters", "panel"])
    assert cells.loc[("a", PUBLISHED, "presence"), "advantage"] == cells.loc[("a", PUBLISHED, STRONGEST), "advantage"]


def test_numbers_are_rounded_away_from_what_is_claimed_of_them():
    assert outward(0.8824, 0.9176) == " [0.88, 0.92]"
    assert outward(-0.001, 0.5) == " [-0.01, 0.50]"
    assert outward(0.88, 0.92) == " [0.88, 0.92]"
    assert upward(0.38462) == "0.385"
    assert outward(math.nan, math.nan) == ""


# The main table


def test_the_main_table_has_utility_beside_privacy_and_attacks(findings):
    _, wide = guarantee_table(SCORES, findings, NAMES, attack_records(SCORES, findings))
    assert [name.partition(" (")[0] for name in wide] == [
        "Variants, earth mover's distance ↓", "claimed ε", "composed ε", "audited ε", "verdict", "A1 presence",
        "A2 duration, less δ", "A3 exact times / A4 decoding, rate", "A6 background", "k prefix / variant", "flags",
    ]  # fmt: skip
    assert [name for name in wide if name.startswith("A1")] == ["A1 presence (5 seeds; targets: a† 784, b 784)"]
    line = wide.loc[("a†", "amun delta=0.2 code")].tolist()
    assert line == [
        "0.100 ± 0.000", "0.811", "976", "≥ 9.51 [ZC] at claim 1.24; no finite ε (R1)", "violated (claim)",
        "0.900 [0.88, 0.92]", "-0.150 (0.050 [0.05, 0.05] − 0.2)", "0.000", "–", "– / –", "VSZC",
    ]  # fmt: skip
    kept = wide.loc[("a†", "pretsa")]
    assert kept[["claimed ε", "composed ε", "audited ε", "verdict"]].tolist() == ["–", "–", "–", "no DP claim"]
    assert kept["k prefix / variant"] == "8 / 1"
    assert wide.loc[("b", "tvq published")].iloc[7] == "N.A."


def test_rows_are_sorted_by_composed_or_audited_epsilon_never_by_the_claim(findings):
    cells = ordered(SCORES, findings)
    first = cells[cells["log"] == "a"]["parameters"].tolist()
    assert first == [ACCOUNTED, HARDENED, PUBLISHED, CODE, CODE_4, "default", "default", KEPT]
    assert cells["log"].tolist() == ["a"] * 8 + ["b"] * 8
    assert (cells["audited"][cells["parameters"] == CODE] == math.inf).all(), "no finite epsilon"


def test_defensible_variants_pass_at_their_stated_level_and_stand_in_the_same_table(findings):
    data, wide = guarantee_table(SCORES, findings, NAMES, attack_records(SCORES, findings))
    for name in ("amun delta=0.2 hardened", "tvq accounted"):
        assert wide.loc[("a†", name), "verdict"] == "consistent"
    defensible = data[data["parameters"].isin([HARDENED, ACCOUNTED])]
    assert not defensible["presence_exceeded"].any()
    assert defensible["emd_variants"].notna().all()
    assert data[data["parameters"] == CODE]["presence_exceeded"].all()


def test_the_notes_say_what_must_be_said_and_nothing_else(findings):
    records = attack_records(SCORES, findings)
    for lines in (notes(SCORES, records, NAMES, findings), guarantee_notes(SCORES, records, NAMES, findings)):
        text = " ".join(lines)
        for phrase in (
            "this adversary", "we measured", "At least", "no person is harmed", "Few targets say little",
            "no violation found with these draws and events", "Seeds fix the releases", "one case more or less",
            "different numbers of draws are not comparable", "S: seeded output, not a private release", "Z: zero count",
        ):  # fmt: skip
            assert phrase in text, phrase
        assert not forbidden(text)
    assert "as published in the code" in text
    assert "we test the release" in text


def test_a_study_without_scores_of_attacks_has_tables():
    none = SCORES[SCORES["metric"] == "emd_variants"]
    assert not len(attack_table(none, attack_records(none), NAMES))
    assert len(guarantee_table(none, None, NAMES, attack_records(none, None))[1]) == 16


# The figure


def test_the_strongest_attack_stands_against_utility(findings):
    cells = tradeoff_cells(SCORES, findings, EMD)
    own = cells[(cells["log"] == "a") & (cells["panel"] == STRONGEST)].set_index("parameters")
    assert own.loc[KEPT, "attack"] == "gaps"
    assert own.loc[CODE, ["attack", "violated"]].tolist() == ["presence", True]
    assert own.loc[CODE, ["utility", "claimed"]].tolist() == pytest.approx([0.1, 0.811])
    assert own.loc[CODE, "limit"] == pytest.approx(0.385, abs=1e-3)
    assert own.loc[CODE, "low"] > own.loc[CODE, "limit"], "a violation that is seen"
    assert math.isnan(own.loc[KEPT, "limit"])


def test_a_sweep_is_joined_and_nothing_else(findings):
    cells = tradeoff_cells(SCORES, findings, EMD).drop_duplicates(["mechanism", "parameters"])
    assert dict(zip(cells["parameters"], cells["series"], strict=True)) == {
        "default": "shuffle", CODE: "amun code", CODE_4: "amun code", HARDENED: "amun hardened",
        PUBLISHED: "tvq published", ACCOUNTED: "tvq accounted", KEPT: "pretsa",
    }  # fmt: skip
    assert cells.set_index("parameters")["step"][[CODE, CODE_4]].tolist() == [0.2, 0.4]


def test_the_front_is_of_one_attack_and_one_log(findings):
    cells = tradeoff_cells(SCORES, findings, EMD)
    assert not cells.loc[cells["panel"] == STRONGEST, "front"].any(), "their attacks differ"
    own = cells[(cells["log"] == "a") & (cells["panel"] == "presence")].set_index("parameters")
    assert set(own.index[own["front"]]) == {CODE_4, CODE, KEPT, HARDENED}
    assert not own.loc["default", "front"].any(), "controls do not compete"


def test_the_figure_has_a_line_a_log_and_a_panel_an_attack(findings):
    figure = tradeoff_figure(tradeoff_cells(SCORES, findings, EMD), EMD, NAMES, "Study", 5, ["dfg_query"])
    titles = [axis.get_title() for axis in figure.axes]
    assert titles == [
        f"{log}: {attack}"
        for log in ("a†", "b")
        for attack in ("strongest attack on each", "Presence", "Durations within 10min", "Exact times")
    ]
    texts = {text.get_text() for text in figure.axes[0].texts} - {""}
    assert texts == {"identity", "shuffle", "0.81→≥ 9.51", "1.7→≥ 9.51", "0.81→≥ 0.80", "1→≥ 3.03", "1→≥ 0.97"}
    low, high = figure.axes[0].get_ylim()
    assert low > high, "better upwards"
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"amun code", "no epsilon claimed", "claim violated in the audit", "on the Pareto front"} <= set(legend)
    assert "dfg_query" in figure.get_suptitle()
    joined = [line for line in figure.axes[1].lines if len(line.get_xdata()) == 2 and line.get_linestyle() == "-"]
    assert [sorted(line.get_xdata()) for line in joined] == [[pytest.approx(0.9), pytest.approx(0.97)]]
    pyplot.close(figure)


def test_labels_do_not_cover_each_other(findings):
    figure = tradeoff_figure(tradeoff_cells(SCORES, findings, EMD), EMD, NAMES, "Study", 5)
    figure.canvas.draw()
    labels = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text()]
    assert len(labels) == 7
    assert not [1 for place, box in enumerate(labels) for other in labels[:place] if box.overlaps(other)]
    pyplot.close(figure)
