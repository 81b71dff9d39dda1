"""The scoring job."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time

import numpy as np
import ot  # noqa: F401 - here, so that not every worker that is forked has to import it
import pytest
from forked import forked_mb
from small_logs import RX_ORIGINAL, RX_RELEASE

from data.graph import directly_follows, write_graph
from data.io import read_log, write_log
from data.log import empty_log
from data.origins import write_origins
from metrics import local_order, model_imf, run_record, score, variant_shares, volume
from metrics.registry import declarations
from metrics.table import Row, read_scores
from metrics.worker import Worker

RECORD = {
    "log": "rx",
    "mechanism": "laplace",
    "parameters_id": "epsilon=0.1,k=5",
    "repeat": 3,
    "status": "ok",
    "reason": None,
    "wall_s": 1.5,
    "cpu_s": 0.1 + 0.2,
    "peak_rss_mb": 80,
    "phases": {"read_s": 0.1, "mechanism_s": 0.25, "write_s": 0.1},
    "diagnostics": {"nominal_epsilon": 0.1, "wall_s": 9},
    "core": {"leased": False, "numbers": []},
    "load": 1.0,
    "host": {"cpu": "X", "cores": 2, "memory_mb": 8000, "id": "00000000000a"},
}


UNASKED = {name for name, metric in declarations().items() if metric.applies("log") and not metric.costly}


@pytest.fixture
def original(tmp_path):
    write_log(RX_ORIGINAL, tmp_path / "log.parquet")
    return tmp_path / "log.parquet"


@pytest.fixture
def run(tmp_path):
    """Write the folder of a run and return it."""

    def write(name="run", release=RX_RELEASE, **record):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "run.json").write_text(json.dumps(RECORD | record))
        if release is None:
            (folder / "release.parquet").touch()
        else:
            write_log(release, folder / "release.parquet")
        return folder

    return write


@pytest.fixture
def scored(original, tmp_path):
    """Score folders; returns rows by metric, for each folder."""

    def call(*folders):
        out = tmp_path / "scores.csv"
        score.main(["--log", str(original), "--out", str(out), *map(str, folders)])
        rows = read_scores(out)
        size = len(UNASKED)
        return [{row.metric: row for row in rows[start : start + size]} for start in range(0, len(rows), size)]

    return call


def test_a_run_gets_every_metric_with_all_digits(run, scored):
    [rows] = scored(run())
    assert set(rows) == UNASKED
    assert rows["edge_time_w1"] == Row("rx", "laplace", "epsilon=0.1,k=5", "3", "edge_time_w1", 1.25, "ok")
    assert rows["cpu_s"].value == 0.1 + 0.2
    assert (rows["wall_s"].value, rows["peak_rss_mb"].value, rows["mechanism_s"].value) == (1.5, 80, 0.25)
    assert (rows["shared_core"].value, rows["machine"].value) == (1, 10)
    assert (rows["nominal_epsilon"].value, rows["composed_epsilon"].status) == (0.1, "n/a")


def test_a_metric_takes_origins_and_record_by_name(run, scored, monkeypatch):
    def told(release, record, origins):
        last = -1 if origins is None else origins[-1]
        return {"cases_ratio": release.n_cases, "events_ratio": record["repeat"], "variants": last}

    monkeypatch.setattr(volume, "score", told)
    folder = run()
    names = "cases_ratio", "events_ratio", "variants"
    [rows] = scored(folder)
    assert [rows[name].value for name in names] == [RX_RELEASE.n_cases, 3, -1]
    write_origins(np.arange(4), folder / "origins.parquet")
    [rows] = scored(folder)
    assert [rows[name].value for name in names] == [RX_RELEASE.n_cases, 3, 3]


def test_origins_that_do_not_fit_the_release_are_an_error(run, scored, caplog):
    folder = run()
    write_origins(np.arange(3), folder / "origins.parquet")
    [rows] = scored(folder)
    assert {row.status for row in rows.values()} == {"ERR"}
    assert "3 origins of 4 released cases" in caplog.text


@pytest.mark.parametrize(("leased", "load", "shared"), [(True, 2.0, 0), (True, 2.1, 1), (False, 0.0, 1)])
def test_a_core_is_shared_without_a_lease_or_on_a_busy_machine(run, scored, leased, load, shared):
    [rows] = scored(run(core={"leased": leased, "numbers": []}, load=load))
    assert rows["shared_core"].value == shared


def test_costs_alone(original, run, tmp_path):
    """As for runs that are made for their times alone: their release is not compared with the log."""
    out = tmp_path / "scores.csv"
    score.main(["--log", str(original), "--out", str(out), "--costs-only", str(run())])
    assert {row.metric for row in read_scores(out)} == {n for n, m in declarations().items() if m.group == "run"}


def test_what_takes_long_is_computed_where_it_is_asked_for(original, run, tmp_path):
    out = tmp_path / "scores.csv"
    score.main(["--log", str(original), "--out", str(out), "--costly", "imf_fitness_dev", str(run())])
    rows = {row.metric: row for row in read_scores(out)}
    assert rows.keys() - UNASKED == {metric.name for metric in model_imf.METRICS}
    assert rows["imf_fitness_dev"].status == "ok"


def test_claims_are_read_from_the_record_and_checked_on_the_release(run, scored):
    stated = {"k": 2, "t": 0.5, "l": None}
    first, second = scored(run("0", diagnostics=stated), run("1", diagnostics=stated | {"k": 3}, repeat=4))
    assert [first[f"claim_{name}"].value for name in "ktl"] == [1, 0, None]
    assert first["claim_l"].status == "n/a"
    assert second["claim_k"].value == 0


@pytest.mark.parametrize(
    ("status", "short"), [("timeout", "TO"), ("memory", "OOM"), ("infeasible", "INF"), ("error", "ERR")]
)
def test_a_run_that_failed_has_its_status_in_every_row_and_no_value(run, scored, status, short):
    [rows] = scored(run(release=None, status=status, wall_s=None))
    assert set(rows) == UNASKED
    assert {(row.value, row.status) for row in rows.values()} == {(None, short)}


def test_repeats_are_scored_in_one_file_one_failing(run, scored):
    first, second = scored(run("0", repeat=0), run("1", release=None, repeat=1, status="timeout"))
    assert first["cases_ratio"].status == "ok"
    assert second["cases_ratio"].status == "TO"


def test_an_unreadable_release_of_a_run_recorded_as_ok_is_an_error(run, scored, caplog):
    [rows] = scored(run(release=None))
    assert {row.status for row in rows.values()} == {"ERR"}
    assert "release.parquet" in caplog.text


def test_an_empty_release_is_marked(run, scored):
    [rows] = scored(run(release=empty_log()))
    assert (rows["emd_variants"].value, rows["emd_variants"].status) == (None, "EMPTY")
    assert (rows["variants_kept"].value, rows["variants_kept"].status) == (0, "ok")
    assert rows["wall_s"].status == "ok"


def test_a_graph_gets_the_metrics_of_graphs_and_the_costs(run, scored):
    folder = run()
    write_graph(directly_follows(RX_RELEASE), folder / "release.parquet")
    [rows] = scored(folder)
    assert set(rows) == UNASKED
    assert {name for name, row in rows.items() if row.status == "ok" and declarations()[name].group != "run"} == {
        "dfg_rel_l1",
        "dfg_tv",
        "emd_freq_published",
    }
    assert (rows["emd_variants"].value, rows["emd_variants"].status) == (None, "n/a")
    assert rows["cpu_s"].status == "ok"


def test_a_graph_without_edges_is_marked(run, scored):
    folder = run()
    write_graph(directly_follows(empty_log()), folder / "release.parquet")
    [rows] = scored(folder)
    assert {rows[name].status for name in ("dfg_tv", "emd_variants")} == {"EMPTY"}
    assert rows["cpu_s"].status == "ok"


def test_a_program_without_phases_has_no_mechanism_time(run, scored):
    [rows] = scored(run(phases={}))
    assert (rows["mechanism_s"].value, rows["mechanism_s"].status) == (None, "n/a")


@pytest.mark.parametrize(
    "broken",
    [
        lambda original, release: 1 / 0,
        lambda original, release: {"cases_ratio": float("nan"), "events_ratio": 1.0},
        lambda original, release: {"cases_ratio": 1.0},
    ],
)
def test_a_broken_metric_does_not_take_the_others_along(run, scored, monkeypatch, caplog, broken):
    monkeypatch.setattr(volume, "score", broken)
    [rows] = scored(run())
    assert {rows[name].status for name in ("cases_ratio", "events_ratio")} == {"ERR"}
    assert rows["cases_ratio"].value is None
    assert rows["emd_variants"].status == "ok"
    assert "cases_ratio is ERR: " in caplog.text


@pytest.mark.parametrize(
    ("greedy", "mark", "reason"),
    [
        (lambda: time.sleep(60), "TO", "stopped at the limit of 3 s"),
        (lambda: [bytearray(b"x") * 300_000_000, time.sleep(60)], "OOM", "beyond the limit of "),
        (lambda: np.empty(2**50, np.uint8), "OOM", "Unable to allocate"),
        (lambda: os._exit(7), "ERR", "exit code 7"),
    ],
    ids=["time", "memory", "allocation", "crash"],
)
def test_a_metric_that_explodes_is_marked_with_its_reason_alone(
    original, run, monkeypatch, caplog, greedy, mark, reason
):
    monkeypatch.setattr(volume, "score", lambda release: greedy())
    worker = Worker(score.Scorer(read_log(original)), limit_s=3, limit_mb=forked_mb() + 200)
    found, _ = score.score_run(worker, run(), [variant_shares, volume, run_record, local_order], set())
    rows = {row.metric: row for row in found}
    assert {(rows[metric.name].value, rows[metric.name].status) for metric in volume.METRICS} == {(None, mark)}
    others = [metric.name for module in (variant_shares, local_order) for metric in module.METRICS]
    assert {rows[name].status for name in (*others, "cpu_s")} == {"ok"}
    assert f"cases_ratio is {mark}: " in caplog.text
    assert reason in caplog.text


def test_what_takes_too_long_is_not_tried_on_the_other_runs(original, run, monkeypatch, caplog):
    monkeypatch.setattr(volume, "score", lambda release: time.sleep(60))
    worker, late = Worker(score.Scorer(read_log(original)), limit_s=1, limit_mb=forked_mb() + 400), set()
    score.score_run(worker, run("0"), [volume], late)
    monkeypatch.setattr(volume, "score", lambda release: pytest.fail("it is tried"))
    found, _ = score.score_run(worker, run("1"), [volume], late)
    assert {row.status for row in found} == {"TO"}
    assert "skipped after a timeout on another run of the cell" in caplog.text


def test_a_release_that_explodes_leaves_the_costs_of_its_run(original, run, monkeypatch, caplog):
    monkeypatch.setattr(score, "read_release", lambda path: time.sleep(60))
    worker = Worker(score.Scorer(read_log(original)), limit_s=1, limit_mb=forked_mb() + 400)
    found, verdicts = score.score_run(worker, run(), [volume, run_record], set(), verify=True)
    rows = {row.metric: row for row in found}
    assert {rows[metric.name].status for metric in volume.METRICS} == {"TO"}
    assert (rows["cpu_s"].value, rows["cpu_s"].status) == (RECORD["cpu_s"], "ok")
    assert [(line.verdict, line.witness) for line in verdicts] == [("UNKNOWN", "stopped at the limit of 1 s")]


def test_command_line(original, run, tmp_path):
    command = [sys.executable, "-m", "metrics.score", "--log", original, "--out", tmp_path / "out.csv", run()]
    subprocess.run(command, check=True)
    with (tmp_path / "out.csv").open() as file:
        assert next(csv.reader(file)) == ["log", "mechanism", "parameters", "repeat", "metric", "value", "status"]
    assert [path.name for path in tmp_path.iterdir() if ".part." in path.name] == []
