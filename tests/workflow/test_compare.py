"""All mechanisms on a log of one's own, by one command."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import yaml
from projects import MECHANISMS, copy_project, jobs

from conftest import ROOT

CONFIG = ROOT / "config/compare.yaml"


def make_line(path) -> list[str]:
    """The command of the Makefile, for a log."""
    line = re.search(
        r"^\t\$\(RUN\) (snakemake .*config/compare.yaml .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE
    )
    command = line[1].replace("$(CORES)", "2").replace("$(abspath $(LOG))", str(path))
    return [sys.executable, "-m", *re.findall(r"'[^']*'|\S+", command)]


def run(project, *arguments) -> str:
    command = [part.strip("'") for part in make_line(ROOT / "data/embedded/structured.xes.gz")]
    done = subprocess.run([*command, *arguments], cwd=project, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_every_mechanism_is_compared(tmp_path):
    planned = jobs(run(copy_project(tmp_path / "project"), "--dry-run"))
    assert planned.keys() >= MECHANISMS
    assert planned["report"] == 1


def test_utility_stands_beside_privacy():
    metrics = yaml.safe_load(CONFIG.read_text())["experiments"]["compare"]["metrics"]
    assert {"emd_variants", "cycle_time_w1", "composed_epsilon", "prefix_k_min"} <= set(metrics)


def test_without_a_log_the_target_says_what_to_do():
    done = subprocess.run(
        ["make", "--no-print-directory", "-o", "requirements.lock", "-n", "compare"], cwd=ROOT, text=True,
        capture_output=True,
    )  # fmt: skip
    assert "Name your log: make compare LOG=my.xes.gz" in done.stdout


@pytest.mark.slow
def test_the_report_of_a_log(tmp_path):
    project = copy_project(tmp_path / "project")
    run(project)
    page = (project / "results/report.html").read_text()
    for mechanism in MECHANISMS:
        assert f'data-cell="{mechanism}/' in page
