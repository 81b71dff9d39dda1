"""What 10,000 runs of a trivial mechanism cost: the graph of jobs, scheduling, and the harness of each run.

The mechanism copies its log. `planned` is a dry run: all that happens before the first job. `a run` is the CPU of a
whole workflow of fewer runs, everything included: Snakemake's scheduling and a shell, the measuring wrapper and the
copy; not the scores, of which there is one job for ten runs. `make benchmark-dag` measures it alone.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.process import ROOT, run

IGNORED = shutil.ignore_patterns(".*", "__pycache__", "results", "raw")
RULE = """rule copy:
    input:
        **source("copy"),
    output:
        **run("copy", setting=[1]),
    log:
        messages("copy"),
    params:
        seed=seed("copy"),
    resources:
        **LIMITS,
    shell:
        MEASURE + "cp {input.log} {output.release}"
"""
REPEATS = 10
PLANNED, DONE = 10_000, 1_000


def table(_rounds: int) -> list[dict[str, str]]:
    """One line: seconds and memory to plan 10,000 runs, and CPU seconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        project = shutil.copytree(ROOT, Path(folder, "project"), ignore=IGNORED)
        (project / "mechanisms/copy").mkdir()
        (project / "mechanisms/copy/rule.smk").write_text(RULE)
        local = {"PYTHONPATH": str(project)}
        planned = run([*_snakemake(project, PLANNED, "--dry-run"), *_targets(PLANNED)], local, project)
        small = run([*_snakemake(project, DONE, "--dry-run"), *_targets(DONE)], local, project)
        done = run([*_snakemake(project, DONE), *_targets(DONE)], local, project)
        made = len(list(project.glob("results/runs/copy/*/*/*/run.json")))
    return [
        {
            "runs": f"{PLANNED:,}",
            "planned CPU s": f"{planned.cpu_s:.1f}",
            "planned wall s": f"{planned.wall_s:.1f}",
            "planned MB": f"{planned.peak_mb:.0f}",
            "runs made": f"{made:,}",
            "CPU s a run": f"{(done.cpu_s - small.cpu_s) / made:.3f}",
            "of it the plan, at 10,000": f"{planned.cpu_s / PLANNED:.4f}",
        }
    ]


def _snakemake(project: Path, runs: int, *options: str) -> list[str]:
    experiment = {
        "title": "T", "logs": ["structured"], "mechanisms": ["copy"], "metrics": ["cpu_s"],
        "grids": {"copy": {"setting": list(range(runs // REPEATS))}},
    }  # fmt: skip
    (project / "dag.yaml").write_text(yaml.safe_dump({"repeats": REPEATS, "experiments": {"t": experiment}}))
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--quiet",
        "all",
        "--cores",
        "2",
        *options,
        "--configfile",
        "dag.yaml",
        "--",
    ]


def _targets(runs: int) -> list[str]:
    """The last repeat of every cell, on which all others depend."""
    return [
        f"results/runs/copy/setting={setting}/structured/{REPEATS - 1}/run.json" for setting in range(runs // REPEATS)
    ]
