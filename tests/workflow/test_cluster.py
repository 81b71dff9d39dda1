"""What a cluster is asked for, and how it finds the jobs that it is handed; tests/slurm runs them on a real one."""

from __future__ import annotations

import re

import pytest
from test_workflow import configure, copy_project, snakemake

GRID = {"amun": {"delta": [0.3], "mode": ["sampling"], "profile": ["code"]}}
RUN = "results/runs/amun/delta=0.3,mode=sampling,profile=code/structured/{}/run.json"


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "project")


def test_a_job_is_found_by_wildcards_that_hold_commas(project):
    """As executors hand it over; Snakemake takes the value of `parameters` apart at its commas."""
    configure(project, experiment={"mechanisms": ["amun"], "grids": GRID})
    job = 'score:track=runs,mechanism=amun,parameters="delta=0.3,mode=sampling,profile=code",log=structured'
    output = snakemake(project, "--dry-run", "--target-jobs", job)
    assert "output: results/scores/runs/amun/delta=0.3,mode=sampling,profile=code/structured.csv" in output


def test_a_cluster_grants_more_than_the_limits(project):
    configure(project, repeats=1, timeout=3601, memory_mb=2000, experiment={"mechanisms": ["amun"], "grids": GRID})
    output = snakemake(project, "--dry-run", "--", RUN.format(0))
    granted = dict(re.findall(r"(\w+)=(\w+)", re.search(r"rule amun:(?:\n .*)*\n +resources: (.*)", output)[1]))
    assert int(granted["runtime"]) * 60 >= 3601 + 300
    assert int(granted["mem_mb"]) >= 2000 + 1000
