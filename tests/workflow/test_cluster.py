"""What a cluster is asked for, and how it finds the jobs that it is handed; tests/slurm runs them on a real one."""

from __future__ import annotations

import re

import pytest
from projects import configure, copy_project, snakemake

GRID = {"amun": {"delta": [0.3], "mode": ["sampling"], "profile": ["code"]}}
RUN = "results/runs/amun/delta=0.3,mode=sampling,profile=code/structured/{}/run.json"

SCORES = "results/scores/runs/amun/delta=0.3,mode=sampling,profile=code/structured.csv"


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
    limits = {"timeout": 3601, "memory_mb": 2000, "score_timeout": 61, "score_memory_mb": 1500}
    configure(project, repeats=1, **limits, experiment={"mechanisms": ["amun"], "grids": GRID})
    output = snakemake(project, "--dry-run", "-p", "--", SCORES)
    granted = granted_to("amun", output)
    assert int(granted["runtime"]) * 60 >= 3601 + 300
    assert int(granted["mem_mb"]) >= 2000 + 1000
    assert int(granted_to("score", output)["mem_mb"]) >= 1500 + 1000
    assert "--limit-s 61 --limit-mb 1500" in output


def granted_to(rule, output):
    resources = re.search(rf"rule {rule}:(?:\n .*)*\n +resources: (.*)", output)[1]
    return dict(re.findall(r"(\w+)=(\w+)", resources))
