"""Tables: what stands in a cell, which cell is best, and the three formats."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from metrics.metric import Metric
from report.figure import metric_figure, write_figure
from report.summary import cell_text, method_labels, number_text, read_scores, summarise
from report.table import metric_table, notes
from report.write import write_tables

DISTANCE = Metric(name="distance", title="Distance", unit="h", blind_to="volume")
RATIO = Metric(name="distance", title="Ratio", direction="one")


def scores(*cells: tuple) -> pd.DataFrame:
    """Score rows of (log, mechanism, parameters, values); a text stands for a status."""
    lines = [
        {
            "log": log, "mechanism": mechanism, "parameters": parameters, "repeat": repeat, "metric": "distance",
            "value": np.nan if isinstance(value, str) else value,
            "status": value if isinstance(value, str) else "ok",
        }
        for log, mechanism, parameters, values in cells
        for repeat, value in enumerate(values)
    ]  # fmt: skip
    return pd.DataFrame(lines)


STUDY = scores(
    ("NA", "identity", "default", [0.0, 0.0]),
    ("NA", "amun", "delta=0.2,mode=sampling,profile=code", [1.0, 3.0]),
    ("NA", "amun", "delta=0.2,mode=filtering,profile=code", [0.5, "TO"]),
    ("NA", "amun", "delta=0.3,mode=sampling,profile=code", ["OOM", "OOM"]),
    ("NA", "amun", "delta=0.3,mode=filtering,profile=code", [4.0, 4.0]),
)


def test_a_cell_shows_mean_deviation_and_failures():
    assert cell_text(pd.Series([0.40, 0.42]), Counter()) == "0.410 ± 0.014"
    assert cell_text(pd.Series([0.4]), Counter(TO=2, ERR=1)) == "0.400 (1), 2 TO, 1 ERR"
    assert cell_text(pd.Series([], dtype=float), Counter(TO=3)) == "TO"
    assert cell_text(pd.Series([0.4]), Counter(), mark="~") == "0.400~"


@pytest.mark.parametrize(
    ("mean", "sd", "text"),
    [
        (49109.04, 2287.3, "49109 ± 2287"),
        (0.0, 0.0, "0 ± 0"),
        (3.32342, 4.4e-16, "3.32 ± 0.00"),
        (0.00123456, np.nan, "0.00123"),
        (12.345, 0.1, "12.35 ± 0.10"),
        (153.0, 0.12, "153.00 ± 0.12"),
        (4.66e-7, 1.2e-8, "4.66e-07 ± 1.20e-08"),
    ],
)
def test_three_significant_digits(mean, sd, text):
    assert number_text(mean, sd) == text


def test_a_cell_with_failures_is_never_best_nor_is_a_control():
    summary = summarise(STUDY, DISTANCE, ["delta"]).set_index(["mechanism", "parameters"])
    assert summary["best"].to_dict() == {
        ("identity", "default"): False,
        ("amun", "delta=0.2,mode=sampling,profile=code"): True,
        ("amun", "delta=0.2,mode=filtering,profile=code"): False,
        ("amun", "delta=0.3,mode=sampling,profile=code"): False,
        ("amun", "delta=0.3,mode=filtering,profile=code"): True,
    }
    mixed = summary.loc[("amun", "delta=0.2,mode=filtering,profile=code")]
    assert (mixed["n"], mixed["statuses"]) == (1, "TO:1")


def test_a_bracket_shows_its_half_width():
    study = scores(("a", "x", "default", [0.5, 0.5])).assign(status=["bracket", "ok"])
    widths = scores(("a", "x", "default", [0.012, 0.0])).assign(metric="distance_gap")
    assert summarise(pd.concat([study, widths]), DISTANCE, [])["text"].tolist() == ["0.500 ± 0.000 ~0.012"]


def test_a_sampled_value_is_marked():
    study = scores(("a", "x", "default", [0.5, 0.5])).assign(status=["sampled", "sampled"])
    assert summarise(study, DISTANCE, [])["text"].tolist() == ["0.500 ± 0.000 ~"]
    assert "~: of a random sample of the cases, as the log is large." in notes(study, DISTANCE, {"a": "a"})


def test_a_ratio_is_best_near_one():
    study = scores(("a", "x", "k=1", [0.5]), ("a", "x", "k=2", [1.8]))
    assert summarise(study, RATIO, [])["best"].tolist() == [False, True]


def test_equal_but_for_rounding_is_equally_good():
    study = scores(("a", "x", "k=1", [0.1 + 0.2]), ("a", "x", "k=2", [0.3]))
    assert summarise(study, DISTANCE, [])["best"].tolist() == [True, True]


def test_methods_are_named_by_what_varies():
    labels = method_labels(STUDY, ["delta"])
    assert set(labels.values()) == {"identity", "amun sampling", "amun filtering"}
    assert set(method_labels(scores(("a", "x", "k=1", [1]), ("a", "x", "k=2", [1])), []).values()) == {"x k=1", "x k=2"}


def test_the_printed_table(tmp_path):
    data, wide, best = metric_table(STUDY, DISTANCE, {"NA": "NA†"}, ["delta"])
    lines = notes(STUDY, DISTANCE, {"NA": "NA†"})
    paths = [tmp_path / f"t.{kind}" for kind in ("csv", "md", "tex")]
    write_tables(paths, data, wide, "50 % of_them", lines, best)
    markdown, latex = paths[1].read_text(), paths[2].read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown.splitlines() if line[:1] == "|"]
    assert rows[0] == ["log", "delta", "identity", "amun sampling", "amun filtering"]
    assert rows[2:] == [
        ["NA†", "–", "0 ± 0", "", ""],
        ["NA†", "0.2", "", "**2.0 ± 1.4**", "0.500 (1), 1 TO"],
        ["NA†", "0.3", "", "OOM", "**4.00 ± 0.00**"],
    ]
    for part in ("synthetic", "Blind to volume", "amun: profile=code", "TO: stopped at the time limit", "In h; lower"):
        assert part in markdown
    for part in (r"\textbf{2.0 $\pm$ 1.4}", r"50 \% of\_them", r"NA\textdagger{}", r"\toprule"):
        assert part in latex
    frame = pd.read_csv(paths[0], dtype={"log": str}, keep_default_na=False, na_values={"mean": [""], "sd": [""]})
    assert frame["log"].unique().tolist() == ["NA"]
    assert frame["mean"].isna().sum() == 1


def test_scores_keep_the_name_na(tmp_path):
    STUDY.to_csv(tmp_path / "scores.csv", index=False)
    found = read_scores(tmp_path / "scores.csv")
    pd.testing.assert_frame_equal(found, STUDY.astype({"repeat": str}), check_dtype=False)


def test_the_figure_draws_whole_cells_and_names_the_others(tmp_path):
    figure = metric_figure(STUDY, DISTANCE, {"NA": "NA†"}, ["delta"], "Title")
    (axis,) = [axis for axis in figure.axes if axis.axison]
    assert axis.get_title() == "NA†"
    assert {text.get_text() for text in axis.texts} >= {"0.500 (1), 1 TO", "OOM"}
    assert "synthetic" in figure.get_suptitle()
    first, second = tmp_path / "a.pdf", tmp_path / "b.pdf"
    write_figure(figure, [first])
    pyplot.close(figure)
    figure = metric_figure(STUDY, DISTANCE, {"NA": "NA†"}, ["delta"], "Title")
    write_figure(figure, [second])
    pyplot.close(figure)
    assert first.read_bytes() == second.read_bytes()


def test_times_of_shared_cores_and_several_machines_are_marked():
    study = pd.concat(
        [
            scores(("a", "x", "default", [1.0, 1.0]), ("a", "y", "default", [2.0, 2.0])),
            scores(("a", "x", "default", [0.0, 1.0]), ("a", "y", "default", [0.0, 0.0])).assign(metric="shared_core"),
            scores(("a", "x", "default", [5.0, 5.0]), ("a", "y", "default", [6.0, 6.0])).assign(metric="machine"),
        ]
    )
    time = Metric(name="distance", title="Time", unit="s")
    assert summarise(study, time, [])["text"].tolist() == ["1.00 ± 0.00*", "2.00 ± 0.00"]
    assert summarise(study, DISTANCE, [])["text"].tolist() == ["1.00 ± 0.00", "2.00 ± 0.00"]
    lines = " ".join(notes(study, time, {"a": "a"}))
    assert "shared its core" in lines
    assert "2 different machines" in lines


@pytest.mark.parametrize("rows", [[], ["delta"], ["delta", "mode"]])
def test_a_figure_of_failures_alone_is_drawn(rows):
    """A study in which everything timed out is a result too."""
    study = scores(("a", "identity", "default", ["TO", "TO"]), ("a", "x", "delta=1,mode=m", ["OOM", "TO"]))
    figure = metric_figure(study, DISTANCE, {"a": "a"}, rows, "Title")
    (axis,) = [axis for axis in figure.axes if axis.axison]
    assert {text.get_text() for text in axis.texts} >= {"TO", "OOM, TO"}
    pyplot.close(figure)


def test_controls_are_lines_whatever_the_number_of_row_parameters():
    study = scores(("a", "identity", "default", [0.0]), ("a", "x", "delta=1,mode=m", [1.0]))
    figure = metric_figure(study, DISTANCE, {"a": "a"}, ["delta", "mode"], "Title")
    (axis,) = [axis for axis in figure.axes if axis.axison]
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["1 m"]
    pyplot.close(figure)


MANY = scores(
    *[
        ("a", mechanism, f"delta={delta},epsilon=amun-{statistic}@0.2,style=a-style-with-a-name", [1.0 + delta])
        for mechanism in ("tvq", "sacofa", "pripel", "others")
        for statistic in ("mean", "min", "max", "median")
        for delta in (1, 2)
    ]
)


def test_title_and_legend_stay_off_the_only_panel():
    title = "The title of a study that takes more than one line of a figure: the title of its metric"
    figure = metric_figure(MANY, DISTANCE, {"a": "a"}, ["delta"], title)
    figure.canvas.draw()
    [axis] = figure.axes
    panel, [legend] = axis.get_tightbbox(), figure.legends
    heading, names = figure._suptitle.get_window_extent(), legend.get_window_extent()
    assert panel.height > 300 * figure.dpi / 200
    assert (heading.x0, names.x0, names.y0) > (0, 0, -1)
    assert max(heading.x1, names.x1) < figure.bbox.x1
    assert names.y1 <= panel.y0 + 1
    assert panel.y1 <= heading.y0 + 1
    pyplot.close(figure)


def test_many_methods_have_the_colour_of_their_mechanism_and_look_different():
    figure = metric_figure(MANY, DISTANCE, {"a": "a"}, ["delta"], "Title")
    looks = {}
    for container in figure.axes[0].containers:
        line = container.lines[0]
        looks[container.get_label()] = line.get_color(), line.get_marker()
    assert len(looks) == len(set(looks.values())) == 16
    assert len({colour for colour, _ in looks.values()}) == 4
    assert len({looks[f"tvq amun-{statistic}"][0] for statistic in ("mean", "min", "max")}) == 1
    pyplot.close(figure)


def test_a_mechanism_without_a_value_anywhere_is_named_once():
    study = scores(
        *[("a", "timed", f"delta={delta}", [1.0, 2.0]) for delta in (1, 2)],
        *[("a", "untimed", f"delta={delta}", ["n/a", "n/a"]) for delta in (1, 2)],
        *[("a", "partly", f"delta={delta}", [1.0, "n/a"]) for delta in (1, 2)],
        *[("a", "empty", f"delta={delta}", ["EMPTY", "EMPTY"]) for delta in (1, 2)],
    )
    figure = metric_figure(study, DISTANCE, {"a": "a"}, ["delta"], "Title")
    assert "not defined for untimed" in figure.get_suptitle()
    assert [text.get_text() for text in figure.axes[0].texts].count("EMPTY") == 2
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["timed", "partly", "empty"]
    pyplot.close(figure)


def test_a_ratio_of_an_empty_release_is_never_best():
    study = scores(("a", "x", "default", [0.0, 0.0]), ("a", "y", "default", [0.0, 0.0]))
    assert not summarise(study, RATIO, [])["best"].any()
    study = scores(("a", "x", "default", [0.0, 0.0]), ("a", "y", "default", [0.1, 0.1]))
    assert summarise(study, RATIO, [])["best"].tolist() == [False, True]


def test_a_metric_that_ranks_nothing_has_no_best_value():
    given = Metric(name="distance", title="Given", direction="none")
    assert notes(STUDY, given, {"NA": "NA"})[0] == (
        "Without unit; no value is better by itself. Mean ± standard deviation over 2 repeats."
    )
    assert not metric_table(STUDY, given, {"NA": "NA"}, ["delta"])[2].any(axis=None)
