"""Heat maps, the differences between their panels, and the table of these."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgba

from metrics.metric import Metric
from report.differences import difference_table, notes
from report.grids import Axes, differences, grid_runs
from report.heatmap import heatmaps

AXES = Axes("k", "t", "distance")
SCORE = Metric(name="score", title="Score", unit="%", direction="higher")


def rows(log, parameters, values, metric="score", mechanism="pretsa"):
    """Score rows of the repeats of a cell; a text stands for a status."""
    return [
        (log, mechanism, parameters, str(repeat), metric, *((np.nan, v) if isinstance(v, str) else (v, "ok")))
        for repeat, v in enumerate(values)
    ]


STUDY = pd.DataFrame(
    [
        *rows("a", "default", [1.0, 1.0], mechanism="identity"),
        *rows("a", "k=2,t=0.5,distance=near", [0.5, 0.7]),
        *rows("a", "k=2,t=1,distance=near", ["INF", "INF"]),
        *rows("a", "k=8,t=0.5,distance=near", [0.2, "TO"]),
        *rows("a", "k=8,t=1,distance=near", [0.3, 0.3]),
        *rows("a", "k=2,t=0.5,distance=far", [0.6, 1.0]),
        *rows("a", "k=2,t=1,distance=far", [0.4, 0.4]),
        *rows("a", "k=8,t=0.5,distance=far", [0.2, 0.2]),
        *rows("a", "k=8,t=1,distance=far", [0.1, 0.1]),
        *rows("a", "k=8,t=1,distance=far", [1.0, 0.0], metric="claim_k"),
        *rows("a", "k=8,t=1,distance=near", [1.0, 1.0], metric="claim_k"),
    ],
    columns=["log", "mechanism", "parameters", "repeat", "metric", "value", "status"],
)


@pytest.fixture
def figure():
    drawn = heatmaps(STUDY, SCORE, {"a": "a†"}, AXES, "Title")
    yield drawn
    pyplot.close(drawn)


def panels(figure):
    return {axis.get_title(): axis for axis in figure.axes if axis.get_title()}


def texts(axis):
    """What stands in each cell, by its place."""
    return {(int(t.xy[0]), int(t.xy[1])): t.get_text() for t in axis.texts if t.get_bbox_patch() is None}


def test_panels_show_means_and_failures_in_their_cells(figure):
    shown = panels(figure)
    assert list(shown) == ["a†\nnear", "a†\nfar", "a†\nfar − near"]
    assert texts(shown["a†\nnear"]) == {(0, 0): "0.600", (1, 0): "INF", (0, 1): "0.200\n1 TO", (1, 1): "0.300"}


def test_differences_are_paired_by_repeat_and_have_a_spread(figure):
    assert texts(panels(figure)["a†\nfar − near"]) == {
        (0, 0): "+0.200\n±0.141",  # 0.1 and 0.3
        (1, 0): "INF",
        (0, 1): "+0\n1 TO",
        (1, 1): "-0.200\n±0",
    }


def test_cells_that_break_a_claim_have_a_red_frame_with_its_name(figure):
    red = {
        title: [patch.get_xy() for patch in axis.patches if patch.get_edgecolor() == to_rgba("red")]
        for title, axis in panels(figure).items()
    }
    assert {title: [tuple(map(int, place)) for place in places] for title, places in red.items()} == {
        "a†\nnear": [],
        "a†\nfar": [(1, 1)],
        "a†\nfar − near": [(1, 1)],
    }
    assert [t.get_text() for t in panels(figure)["a†\nfar"].texts if t.get_bbox_patch()] == ["k"]
    assert "red frame" in figure.get_suptitle()


def test_a_cell_without_value_is_hatched_and_the_marks_are_explained(figure):
    hatched = [patch for patch in panels(figure)["a†\nnear"].patches if patch.get_hatch()]
    assert [patch.get_xy() for patch in hatched] == [(1, 0)]
    for part in ("INF: refused", "TO: stopped", "higher is better", "synthetic", "2 repeats"):
        assert part in figure.get_suptitle().replace("\n", " ")
    assert "identity 1.00" in panels(figure)["a†\nnear"].get_xlabel()


def test_a_grid_of_failures_alone_is_drawn():
    study = STUDY.assign(value=np.nan, status="OOM")
    figure = heatmaps(study, SCORE, {"a": "a"}, AXES, "Title")
    assert set(texts(panels(figure)["a\nfar"]).values()) == {"OOM"}
    pyplot.close(figure)


def test_any_parameter_may_make_the_panels():
    figure = heatmaps(STUDY, SCORE, {"a": "a"}, Axes("distance", "k", "t"), "Title")
    assert list(panels(figure)) == ["a\nt=0.5", "a\nt=1", "a\nt=1 − t=0.5"]
    pyplot.close(figure)


def test_other_parameters_that_vary_make_lines_of_their_own():
    pretsa = STUDY[STUDY["mechanism"] == "pretsa"]
    study = pd.concat([pretsa.assign(parameters=pretsa["parameters"] + f",profile={name}") for name in ("x", "y")])
    runs = grid_runs(study, SCORE, AXES)
    assert set(runs["method"]) == {"pretsa x", "pretsa y"}
    assert len(differences(runs)) == 2 * 4 * 2


def test_the_table_averages_over_the_points_that_are_whole_and_at_which_k_holds():
    data, printed = difference_table(STUDY, [SCORE], {"a": "a†"}, AXES)
    [line] = data.to_dict("records")
    # Whole are (2, 0.5) with 0.1 and 0.3, and (8, 1) with -0.2 and -0.2, which breaks a claim.
    assert (line["points"], line["points_kept"]) == (2, 1)
    assert (line["mean"], line["mean_kept"]) == (pytest.approx(0), pytest.approx(0.2))
    assert line["sd"] == pytest.approx(np.std([-0.05, 0.05], ddof=1))
    assert (line["better"], line["better_kept"]) == (1, 1)
    assert printed.index.tolist() == [("a†", "pretsa", "score", "far − near")]
    assert printed["better at"].tolist() == ["1 of 2"]
    assert "score: higher is better" in " ".join(notes([SCORE], AXES, {"a": "a†"}))


def test_nothing_to_average_is_said():
    study = STUDY.assign(value=STUDY["value"].where(STUDY["parameters"] != "k=2,t=0.5,distance=far"))
    _, printed = difference_table(study, [SCORE], {"a": "a"}, AXES)
    assert printed["difference, where k holds"].tolist() == ["–"]
    assert printed["better at, where k holds"].tolist() == ["0 of 0"]
