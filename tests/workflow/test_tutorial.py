"""The tutorial: every command of it, run in a copy of the project; those that take long by `make test-slow`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from data.io import read_log

NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "results", "raw")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "TUTORIAL.md").read_text(), re.DOTALL | re.MULTILINE)
LOG = ROOT / "data/embedded/structured.xes.gz"
DAY = 24 * 3600 * 1_000_000  # microseconds


def bash(project: Path, commands: str) -> subprocess.CompletedProcess:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(project),
    }
    return subprocess.run(["bash", "-e", "-c", commands], cwd=project, text=True, capture_output=True, env=environment)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project with both mechanisms."""
    copy = shutil.copytree(ROOT, tmp_path_factory.mktemp("tutorial") / "project", ignore=NOT_COPIED)
    done = bash(copy, "\n".join(BLOCKS[:-1]))
    assert done.returncode == 0, done.stdout + done.stderr
    return copy


def test_it_fits_on_a_page():
    assert len((ROOT / "TUTORIAL.md").read_text().splitlines()) < 130


def test_the_programs_do_what_they_should(project):
    commands = f"""
        python -m mechanisms.sample {LOG} few.parquet --share 0.2 --seed 7
        python -m data.convert {LOG} log.parquet
        sh mechanisms/hours/hours.sh log.parquet hours.parquet 24
    """
    done = bash(project, commands)
    assert done.returncode == 0, done.stderr
    log = read_log(project / "log.parquet")
    hours = read_log(project / "hours.parquet")
    assert sorted(hours.timestamps) == sorted(log.timestamps // DAY * DAY)
    assert set(hours.case_ids).isdisjoint(log.case_ids)
    assert 0 < read_log(project / "few.parquet").n_cases < log.n_cases / 2
    refused = bash(project, "sh mechanisms/hours/hours.sh log.parquet no.parquet 7")
    assert (refused.returncode, refused.stderr.strip()) == (2, "hours must divide a day, not 7")


def test_the_workflow_finds_both(project):
    """The configuration of the last part, without the runs."""
    done = bash(project, BLOCKS[-1].partition("\n")[2].partition("\ncat results")[0] + " --dry-run")
    assert done.returncode == 0, done.stderr
    for line in (r"^sample +6$", r"^hours +6$"):
        assert re.search(line, done.stdout + done.stderr, re.MULTILINE), line


@pytest.mark.slow
def test_both_stand_in_every_table_the_figures_and_the_report(project):
    done = bash(project, BLOCKS[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    texts = [path.read_text() for path in project.glob("results/trial/tables/*.md") if path.stem != "logs"]
    assert len(texts) >= 6
    page = (project / "results/report.html").read_text()
    for text in texts:
        for name in ("sample share=0.2", "sample share=0.8", "hours hours=1", "hours hours=24"):
            assert name in text
    for cell in ("sample/share=0.8/structured", "hours/hours=24/structured"):
        assert f'data-cell="{cell}"' in page
        assert list(project.glob(f"results/runs/{cell}/*/run.json"))
    assert "ERR" not in "".join(texts)


@pytest.mark.slow
def test_no_file_of_the_project_was_edited(project):
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not any(p.startswith(".") or p in ("__pycache__", "results", "raw") for p in parts):
            assert (project / path.relative_to(ROOT)).read_bytes() == path.read_bytes(), path
