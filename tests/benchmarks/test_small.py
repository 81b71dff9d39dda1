"""What the jobs of a study cost: what is measured, and that all that a study needs can be predicted from it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest
import yaml

from benchmarks import big, small
from metrics.registry import metric_modules
from report.prediction import Predictor, Size


def test_real_logs_are_measured_where_they_are_there(tmp_path):
    (tmp_path / small.EVENT_LOGS["sepsis"]).touch()
    wanted = small.study(tmp_path)
    assert wanted["datasets"] == {"sepsis": {"path": str(tmp_path / small.EVENT_LOGS["sepsis"])}}
    assert wanted["experiments"]["small_logs"]["logs"] == ["structured", "sepsis"]
    assert wanted["experiments"]["small_members"]["logs"] == ["structured", "sepsis"]


def test_the_study_has_every_job_that_is_measured_and_no_report(tmp_path):
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(small.study(tmp_path)))
    command = [sys.executable, "-m", "snakemake", "-s", str(big.ROOT / "Snakefile"), "--cores", "1", "--dry-run"]
    command += ["--quiet", "rules", "--configfile", "small.yaml", "--omit-from", *small.REPORT]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, check=True)
    counted = {line.split()[0] for line in done.stdout.splitlines() if line and line.split()[-1].isdigit()}
    assert {*small.JOBS, *big.grids(big.ROOT)} == counted - {"total"}


def test_commands_are_told_apart_by_log_and_mechanism(tmp_path):
    played = "python -m metrics.presence_game results/presence/tvq/epsilon=1/a.npz --out x.csv > x.txt 2>&1"
    held = "python -m data.held_out results/logs/a/log.parquet results/logs/a@members/log.parquet --seed 1"
    jobs = ("rate_presence", played), ("hold_out", held), ("tabulate", "python -m report.table results/logs/a/x")
    (tmp_path / ".snakemake/metadata").mkdir(parents=True)
    for number, (rule, command) in enumerate(jobs):
        path = tmp_path / ".snakemake/metadata" / str(number)
        path.write_text(json.dumps({"rule": rule, "shellcmd": command}))
    found = {("hold_out", "a", ""): held, ("rate_presence", "a", "mechanism=tvq"): played}
    assert small._commands(tmp_path, ["a", "b"]) == found


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    """That of the committed measurements."""
    return Predictor([big.GROWTH, small.TABLE])


def test_all_that_a_study_needs_is_predicted(predictor):
    rules = ("rule", {"score", *small.JOBS}), ("mechanism", {*big.grids(big.ROOT)})
    files = "metric", {module.__name__.removeprefix("metrics.") for module in metric_modules() if _of_logs(module)}
    size = Size(1000, 10000, 100)
    unknown = {name for kind, names in (*rules, files) for name in names if not predictor.seconds(kind, name, {}, size)}
    assert unknown == set()
    assert predictor.seconds("import", "import", {}, size) > 0


def _of_logs(module) -> bool:
    return module.METRICS[0].of == "log"


def test_the_committed_measurements_have_known_columns_and_are_of_one_machine():
    with open(small.TABLE, newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == big.COLUMNS
    assert len({row["machine"] for row in rows}) == 1
