"""The tutorial: every command of it, run in a copy of the project."""

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


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project in which the tutorial has been followed."""
    copy = shutil.copytree(ROOT, tmp_path_factory.mktemp("tutorial") / "project", ignore=NOT_COPIED)
    commands = "\n".join(re.findall(r"^```sh\n(.*?)^```", (ROOT / "TUTORIAL.md").read_text(), re.DOTALL | re.MULTILINE))
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-e", "-c", commands], cwd=copy, text=True, capture_output=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (copy / "output.txt").write_text(done.stdout)
    return copy


def test_it_fits_on_a_page():
    assert len((ROOT / "TUTORIAL.md").read_text().splitlines()) < 130


def test_both_mechanisms_stand_in_every_table_the_figures_and_the_report(project):
    texts = [path.read_text() for path in project.glob("results/trial/tables/*.md") if path.stem != "logs"]
    assert len(texts) == 6
    page = (project / "results/report.html").read_text()
    for text in texts:
        for name in ("sample share=0.2", "sample share=0.8", "hours hours=1", "hours hours=24"):
            assert name in text
    for cell in ("sample/share=0.8/structured", "hours/hours=24/structured"):
        assert f'data-cell="{cell}"' in page
        assert list(project.glob(f"results/runs/{cell}/*/run.json"))
    assert "ERR" not in "".join(texts)


def test_nothing_but_new_files(project):
    """No file of the project was edited."""
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not any(p.startswith(".") or p in ("__pycache__", "results", "raw") for p in parts):
            assert (project / path.relative_to(ROOT)).read_bytes() == path.read_bytes(), path


def test_the_releases_are_what_they_should_be(project):
    log = read_log(project / "results/logs/structured/log.parquet")
    hours = read_log(project / "results/runs/hours/hours=24/structured/0/release.parquet")
    day = 24 * 3600 * 1_000_000
    assert hours.n_events == log.n_events
    assert (hours.timestamps % day == 0).all()
    assert sorted(hours.timestamps) == sorted(log.timestamps // day * day)
    few = read_log(project / "results/runs/sample/share=0.2/structured/0/release.parquet")
    assert 0 < few.n_cases < log.n_cases / 2
