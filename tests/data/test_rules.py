"""The rules of the datasets, run by Snakemake on a workflow that holds nothing else."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import yaml

from conftest import ROOT
from data.io import read_log, write_log
from data.log import EventLog

SNAKEFILE = """
configfile: workflow.source_path("config.yaml")
include: "config/common.smk"
include: "data/common.smk"
include: "data/rules.smk"
"""


@pytest.fixture
def project(tmp_path):
    """A project of datasets alone, and a raw log of one's own."""
    for folder in ("config", "data"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "raw"))
    shutil.copy(ROOT / "environment.yml", tmp_path)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    write_log(EventLog.from_rows("12", "ab", np.array([0, 1])), tmp_path / "my log.xes")
    return tmp_path


@pytest.fixture
def snakemake(project):
    """Run Snakemake for some logs; its output."""

    def snakemake(logs: list[str], *arguments: str, code: int = 0, **config) -> str:
        experiment = {"title": "Test", "logs": logs, "metrics": ["none"]}
        (project / "config.yaml").write_text(yaml.safe_dump({"experiments": {"test": experiment}, **config}))
        command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments, "--", "datasets"]
        done = subprocess.run(command, cwd=project, text=True, capture_output=True)
        output = done.stdout + done.stderr
        assert done.returncode == code, output
        return output

    return snakemake


MINE = {"mine": {"path": "my log.xes", "title": "My 'own' log", "lifecycle": "complete"}}


def test_logs_of_all_kinds(project, snakemake):
    snakemake(["structured", "mine"], datasets=MINE)
    for log, cases in (("structured", 1000), ("mine", 2)):
        assert read_log(project / f"results/logs/{log}/log.parquet").n_cases == cases
    statistics = json.loads((project / "results/logs/mine/statistics.json").read_text())
    assert (statistics["title"], statistics["lifecycle"]) == ("My 'own' log", "complete")
    with (project / "results/logs/datasets.csv").open() as table:
        assert [row["synthetic"] for row in csv.DictReader(table)] == ["True", "False"]

    # An edit of the importer converts again, but as the bytes stay the same nothing else would follow.
    assert "Nothing to be done" in snakemake(["structured", "mine"], datasets=MINE)
    with (project / "data" / "xes.py").open("a") as source:
        source.write("\n# edited\n")
    before = (project / "results/logs/mine/log.parquet").read_bytes()
    assert "convert" in snakemake(["mine"], datasets=MINE)
    assert (project / "results/logs/mine/log.parquet").read_bytes() == before


def test_other_directory(project, snakemake, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    snakemake(["structured"], "--directory", str(elsewhere))
    assert read_log(elsewhere / "results/logs/structured/log.parquet").n_cases == 1000


def test_file_in_raw_dirs(project, snakemake, real_log):
    folder = real_log("Sepsis_Cases_-_Event_Log.xes.gz").parent
    snakemake(["sepsis"], raw_dirs=[str(folder)])
    assert read_log(project / "results/logs/sepsis/log.parquet").n_cases == 1050
    assert not (project / "data" / "raw").exists()


def test_unknown_log(snakemake):
    assert "did you mean sepsis?" in snakemake(["sepsi"], "--dry-run", code=1)


def test_failed_fetch_says_what_to_do(project, snakemake):
    table = project / "config" / "datasets.csv"
    table.write_text(table.read_text().replace("https://data.4tu.nl/file/", "unreachable://"))
    output = snakemake(["bpic2013_open"], "--show-failed-logs", code=1)
    assert "or into data/raw/bpic2013_open/, and run the command again" in output


def test_lint(snakemake):
    assert "good condition" in snakemake(["structured"], "--lint")
