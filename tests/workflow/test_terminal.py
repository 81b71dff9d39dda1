"""The line on the terminal of a running workflow, and none elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import pytest
from projects import add_mechanism, command, configure, copy_project

ENDS = {1: "cp {input.log} {output.release}", 2: "sleep 60", 3: "echo broken >&2; exit 1"}


def on_terminal(project, *arguments: str) -> str:
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    process = subprocess.Popen(
        command(*arguments),
        cwd=project, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    process.wait()
    os.close(ours)
    return shown.decode()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Mechanisms of which one copies, one never ends and one fails, and a rule that is broken."""
    project = copy_project(tmp_path_factory.mktemp("progress") / "project")
    for end, shell in ENDS.items():
        add_mechanism(project, f"end{end}", f"sh -c '{shell}'", "n=[1]")
    with open(project / "Snakefile", "a") as file:
        file.write("\n\nrule broken:\n    output: 'broken'\n    log: 'broken.log'\n")
        file.write("    shell: 'echo the cause > {log}; exit 1'\n")
    mechanisms = [f"end{end}" for end in ENDS]
    configure(project, timeout=1, experiment={"mechanisms": mechanisms, "metrics": ["cpu_s"]})
    return project


def test_a_terminal_shows_jobs_failures_and_the_logs_of_failed_jobs(project):
    targets = [f"results/runs/end{end}/n=1/structured/{repeat}/run.json" for end in ENDS for repeat in (0, 1)]
    shown = on_terminal(project, "--", "broken", *targets)
    assert re.search(r"\d of 8 jobs done, \d running, .*about .* left", shown)
    assert "4 runs failed (2 error, 2 timeout), 1 jobs failed" in shown
    assert "the cause" in shown  # the log of the job that failed
    assert "reason:" not in shown
    [log] = (project / ".snakemake/log").iterdir()
    assert log.read_text().count("reason:") == 8


def test_no_line_without_a_terminal(project):
    done = subprocess.run(command("--forceall", "results/logs/structured/log.parquet"), cwd=project, text=True,
                          capture_output=True, check=True)  # fmt: skip
    assert "rule convert" in done.stderr
    assert "jobs done" not in done.stderr + done.stdout
