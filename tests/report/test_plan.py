"""What a study amounts to, and what its jobs are predicted to cost."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.jobs import Job
from report.plan import Study, plan, predict
from report.prediction import START_S, Predictor, Size, fit

SIZES = [Size(100 * n, 1000 * n**1.5, 10 * n**0.5) for n in (1, 4, 16, 64)]
COLUMNS = ("kind", "name", "parameters", "log", "share", "cases", "events", "variants", "cpu_s", "status")


def table(path: Path, *rows: tuple) -> Predictor:
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return Predictor([path, path.with_name("missing.csv")])


@given(st.floats(1e-4, 10), st.floats(0.1, 2.4))
def test_a_power_law_is_found(factor, power):
    costs = [max(factor * size.cases**power, 1e-3) for size in SIZES]
    if min(costs) > 1e-3:
        fitted = fit(SIZES, costs)
        assert [fitted.seconds(size) for size in SIZES] == pytest.approx(costs)


def test_the_driver_that_explains_the_costs_is_chosen():
    rng = np.random.default_rng(1)
    sizes = [Size(*(10 ** rng.uniform(2, 5, 3))) for _ in range(12)]
    costs = [3e-5 * size.variants**2 for size in sizes]
    assert fit(sizes, costs).seconds(Size(1e3, 1e4, 500)) == pytest.approx(3e-5 * 500**2)


def test_a_start_that_every_log_costs_is_found():
    costs = [0.9 + 1e-4 * size.events for size in SIZES]  # from 1 to 52 s
    fitted = fit(SIZES, costs)
    assert fitted.start == pytest.approx(0.9)
    assert [fitted.seconds(size) for size in SIZES] == pytest.approx(costs)
    assert fitted.seconds(SIZES[0], times=3) == pytest.approx(0.9 + 3 * 0.1)


def test_logs_of_one_size_are_no_ground_for_a_power():
    sizes = [Size(100, 1000, 10), Size(110, 1100, 11)]
    assert fit(sizes, [1.0, 2.0]).power == 1


def test_the_nearest_setting_counts_and_what_failed_does_not(tmp_path):
    known = ("small", 1, 100, 1000, 10)
    predictor = table(
        tmp_path / "costs.csv",
        ("mechanism", "amun", "delta=0.2,mode=sampling", *known, START_S + 1, "ok"),
        ("mechanism", "amun", "delta=0.2,mode=filtering", *known, START_S + 5, "ok"),
        ("mechanism", "amun", "delta=0.2,mode=filtering", "other", *known[1:], 900, "timeout"),
        ("mechanism", "slow", "default", *known, 900, "error"),
    )
    size = Size(*known[2:])
    wanted = {"delta": "0.4", "mode": "filtering", "log": "x", "repeat": "3"}
    assert predictor.seconds("mechanism", "amun", wanted, size) == pytest.approx(START_S + 5)
    assert predictor.seconds("mechanism", "amun", {"mode": "sampling"}, size) == pytest.approx(START_S + 1)
    assert predictor.seconds("mechanism", "slow", {}, size) is None
    assert predictor.seconds("mechanism", "new", {}, size) is None
    assert predictor.seconds("mechanism", "amun", wanted, None) is None


def test_what_was_always_stopped_is_predicted_as_the_least_it_takes(tmp_path):
    known = ("small", 1, 100, 1000, 10)
    predictor = table(
        tmp_path / "costs.csv",
        ("metric", "endless", "release=amun", *known, 40, "timeout"),
        ("metric", "bounded", "release=amun", *known, 30, "bracket"),
    )
    assert predictor.seconds("metric", "endless", {}, Size(*known[2:])) == pytest.approx(40)
    assert predictor.seconds("metric", "bounded", {}, Size(*known[2:])) == pytest.approx(30)
    assert predictor.least == {("metric", "endless")}


def study(tmp_path, **changes) -> Study:
    """Two mechanisms on two logs; one run is done, and took twice what is predicted."""
    done = tmp_path / "0/run.json"
    done.parent.mkdir()
    done.write_text(json.dumps({"cpu_s": 2 * (START_S + 1)}))
    runs = [
        Job(rule, {"log": log, "repeat": str(repeat)}, (str(done) if (log, repeat) == ("a", 0) else "x/run.json",),
            (rule, log, repeat) == ("known", "a", 0))
        for rule, logs in (("known", "ab"), ("new", "a")) for log in logs for repeat in range(2)
    ]  # fmt: skip
    draw = Job("draw", {"experiment": "e", "log": "a"}, ("x.png",), False)
    given = {
        "jobs": [*runs, draw, Job("convert", {"log": "b"}, ("b.parquet",), False)],
        "mechanisms": {"known", "new"}, "sizes": {"a": Size(100, 1000, 10)}, "kinds": {"a": "log", "b": "log"},
        "costly": {}, "repeats": 2, "cores": 4, "limit_s": 100.0, "score_limit_s": 50.0, "took": lambda file: None,
    }  # fmt: skip
    return Study(**(given | changes))


def test_the_plan_counts_predicts_and_compares(tmp_path):
    predictor = table(tmp_path / "costs.csv", ("mechanism", "known", "", "small", 1, 100, 1000, 10, START_S + 1, "ok"))
    text = plan(study(tmp_path), predictor)
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert rows["a"] == ["a", "1,000", "1/2", "2", "1", "s", "+", "2", "unknown"]
    assert rows["b"] == ["b", "?", "2", "2", "unknown"]
    assert rows["known"] == ["known", "4", "1", "3", "1", "s", "+", "2", "unknown", "1", "s", "2", "s", "0.50"]
    assert rows["new"] == ["new", "2", "0", "2", "2", "unknown"]
    assert "To do: 7 of 8 jobs" in text
    assert "all jobs of the logs b (their sizes are known once they are imported)" in text
    assert "runs of new (never measured)" in text


def test_no_run_is_predicted_beyond_its_limit(tmp_path):
    predictor = table(tmp_path / "costs.csv", ("mechanism", "known", "", "small", 1, 100, 1000, 10, 500, "ok"))
    given = study(tmp_path)
    assert predict(given, predictor, given.jobs[1]) == 100


@pytest.mark.parametrize(("measured", "predicted"), [(40, 80), (60, 50)])
def test_a_late_metric_is_predicted_to_be_tried_once(tmp_path, measured, predicted):
    """Of two repeats, with a limit of 50 s."""
    line = ("metric", "volume", "release=known", "small", 1, 100, 1000, 10, measured, "ok")
    job = Job("score", {"mechanism": "known", "parameters": "", "log": "a"}, ("x.csv",), False)
    given = study(tmp_path)
    assert predict(given, table(tmp_path / "costs.csv", line), job) == pytest.approx(START_S + predicted, abs=1)


def test_every_log_adds_its_nearest_setting(tmp_path):
    predictor = table(
        tmp_path / "costs.csv",
        ("mechanism", "amun", "delta=0.2,mode=filtering", "large", 1, 10000, 100000, 1000, START_S + 10, "ok"),
        ("mechanism", "amun", "delta=0.2,mode=sampling", "large", 1, 10000, 100000, 1000, START_S + 99, "ok"),
        ("mechanism", "amun", "delta=0.3,mode=filtering", "small", 1, 100, 1000, 10, START_S + 0.1, "ok"),
    )
    wanted = {"delta": "0.3", "mode": "filtering"}
    middle = predictor.seconds("mechanism", "amun", wanted, Size(1000, 10000, 100))
    assert middle == pytest.approx(START_S + 1)
