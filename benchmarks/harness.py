"""What the harness costs beside its runs: workflows whose runs copy their log, against bare Snakemake rules.

Both make as many files with the same scheduler, by the shell command `cp`. Ours also orders the repeats of a cell,
limits and measures each run, and writes its record. Both include the start of Snakemake, which in ours reads all
rules. `plan` is a dry run: all that happens before the first job.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import yaml

from benchmarks.process import project_copy, run
from benchmarks.task import Inputs, Measured, Task

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
BARE = """rule all:
    input:
        expand("results/runs/{setting}/{repeat}", setting=range(config["settings"]), repeat=range(10)),


rule copy:
    input:
        "Snakefile",
    output:
        "results/runs/{setting}/{repeat}",
    shell:
        "cp {input} {output}"
"""
REPEATS = 10
PLANNED, MADE = 2_000, 100
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", "2"]
SCHEDULER = ["--scheduler", "greedy", "--scheduler-subsample", "200"]


def tasks(inputs: Inputs) -> Iterator[Task]:
    """Making some runs, and planning many."""
    project = project_copy(inputs.folder)
    (project / "mechanisms/copy").mkdir()
    (project / "mechanisms/copy/rule.smk").write_text(RULE)
    bare = inputs.folder / "bare"
    bare.mkdir()
    (bare / "Snakefile").write_text(BARE)
    run([*SNAKEMAKE, *_targets(project, REPEATS)], _local(project), project)  # the log is converted but once
    for task, runs, options in (("run", MADE, []), ("plan", PLANNED, ["--dry-run"])):
        ours = [*SNAKEMAKE, *options], project, runs
        theirs = [*SNAKEMAKE, *options, *SCHEDULER, "--config", f"settings={runs // REPEATS}"], bare, runs
        yield Task(task, f"{runs:,} runs", partial(_ours, *ours), "snakemake", partial(_measured, *theirs))


def _ours(command: list[str], project: Path, runs: int, number: int) -> Measured:
    return _measured([*command, *_targets(project, runs)], project, runs, number)


def _measured(command: list[str], folder: Path, runs: int, _round: int) -> Measured:
    shutil.rmtree(folder / "results/runs", ignore_errors=True)
    cost = run(command, _local(folder), folder)
    return Measured(cost.cpu_s, cost.cpu_s, cost.peak_mb, runs)


def _local(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(folder)}


def _targets(project: Path, runs: int) -> list[str]:
    """The configuration of some runs, and the last repeat of every cell, on which all others depend."""
    settings = range(runs // REPEATS)
    experiment = {
        "title": "T", "logs": ["structured"], "mechanisms": ["copy"], "metrics": ["cpu_s"],
        "grids": {"copy": {"setting": [*settings]}},
    }  # fmt: skip
    (project / "copy.yaml").write_text(yaml.safe_dump({"repeats": REPEATS, "experiments": {"t": experiment}}))
    last = [f"results/runs/copy/setting={setting}/structured/{REPEATS - 1}/run.json" for setting in settings]
    return ["--configfile", "copy.yaml", "--", *last]
