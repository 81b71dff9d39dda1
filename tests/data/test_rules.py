"""The rules of the datasets, run by Snakemake on a small workflow of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from conftest import ROOT
from data.io import read_log, write_log
from data.log import EventLog

SNAKEFILE = """
from snakemake.exceptions import WorkflowError
configfile: "config.yaml"
include: "{root}/data/rules.smk"
"""


@pytest.fixture
def workflow(tmp_path):
    """Run Snakemake with a configuration; its output."""
    (tmp_path / "Snakefile").write_text(f'include: "{ROOT}/data/rules.smk"\n')
    write_log(EventLog.from_rows("12", "ab", np.array([0, 1])), tmp_path / "my log.xes")

    def workflow(logs: list[str], *arguments: str, code: int = 0, **config) -> str:
        config = {"raw_dirs": [], "datasets": {}, "experiments": {"e": {"logs": logs}}} | config
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "config.yaml", *arguments]
        environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        done = subprocess.run(
            [*command, "--", "datasets"], cwd=tmp_path, env=environment, text=True, capture_output=True
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return workflow
