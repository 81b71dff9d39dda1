"""The workflow on a SLURM of one node: the same results, whatever befalls it."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import cluster
import pytest

from workflow.projects import add_mechanism, configure, copy_project, record, running, snakemake, wait_for

pytestmark = [pytest.mark.slurm, pytest.mark.skipif(bool(cluster.missing()), reason=cluster.missing())]
PROFILE = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
MECHANISMS = ["identity", "shuffle", "amun", "pretsa", "tvq"]
PATIENCE_S = 300
SCORES = "results/test/scores.csv"
TABLES = [f"results/test/tables/{name}.md" for name in ("emd_variants", "utility", "comparison")]
RESULTS = ("logs/*/*.parquet", "e[mp]*/**/*.json", "runs/**/*.parquet", "*/**/*.csv", "test/tables/*.[mt]*")
COSTS = {"wall_s", "cpu_s", "peak_rss_mb", "mechanism_s", "shared_core"}
# Programs of mechanisms: one tells how often and which of its runs were started; others do more the first time.
TOLD = "sh -c 'echo {wildcards.repeat} >> told-{wildcards.part}; sleep 1; cp {input.log} {output.release}'"
FIRST_TIME = (
    "sh -c 'test -e {output.record}.2 || {{ touch {output.record}.2; WORK; }}; cp {input.log} {output.release}'"
)
BIG = 'python -c "b = bytearray(2 * 10**9); import time; time.sleep(99)"'


@pytest.fixture(scope="module", autouse=True)
def node():
    """The cluster, started for these tests; of what it was nothing may be left."""
    cluster.up()
    yield
    cluster.down()
    assert not [name for name in cluster.PROGRAMS if running(f"/{name}\0") or running(f"{name}\0")]
    assert not cluster.FOLDER.exists()


@pytest.fixture
def project(tmp_path) -> Path:
    return copy_project(tmp_path / "project")


def on_slurm(project: Path, *arguments: str, code: int = 0) -> str:
    """Run the workflow on SLURM to its end; its output."""
    done = subprocess.run(command(*arguments), cwd=project, text=True, capture_output=True, timeout=2 * PATIENCE_S)
    output = done.stdout + done.stderr
    assert done.returncode == code, output[-5000:]
    return output


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", *PROFILE, "--configfile", "test.yaml", *arguments]


def started(project: Path) -> subprocess.Popen:
    """The workflow on SLURM, in the background, with its output in a file."""
    with open(project / "output.txt", "a") as file:
        heeding = ["env", "--default-signal=INT", *command("--", SCORES)]  # even if the tests run in the background
        return subprocess.Popen(heeding, cwd=project, stdout=file, stderr=file, start_new_session=True)


def listed(states: str) -> list[str]:
    """The numbers of the jobs in some states."""
    done = subprocess.run(["squeue", "--noheader", f"--states={states}", "--format=%i"], capture_output=True, text=True)
    return done.stdout.split()


def comments(project: Path) -> list[str]:
    """What the jobs of a workflow are: rule or group, and wildcards."""
    command = ["squeue", "--noheader", "--states=all", "--format=%Z %k"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[1] for line in lines if line.split()[0] == str(project)]


def node_is(state: str) -> None:
    name = subprocess.run(["sinfo", "--noheader", "--format=%n"], capture_output=True, text=True).stdout.strip()
    subprocess.run(["scontrol", "update", f"nodename={name}", f"state={state}", "reason=test"], check=True)


def told(project: Path) -> list[tuple[str, str]]:
    """Which runs of the mechanism `told` were started, in order of their names."""
    return sorted(
        (file.name, line.split()[-1]) for file in project.glob("told-*") for line in file.read_text().splitlines()
    )


def many_short_runs(project: Path) -> list[tuple[str, str]]:
    """Configure four cells of three repeats, two of which find room at a time; what `told` is to say at the end."""
    add_mechanism(project, "told", TOLD, "part=[1, 2, 3, 4]")
    configure(project, repeats=3, memory_mb=30_000, experiment={"mechanisms": ["told"]})
    return [(f"told-{part}", str(repeat)) for part in (1, 2, 3, 4) for repeat in range(3)]


def results(project: Path) -> dict[str, object]:
    """Logs, estimates, releases, origins, scores and tables, without what shows costs of runs."""
    folder, found = project / "results", {}
    for path in (path for pattern in RESULTS for path in folder.glob(pattern)):
        if path.suffix == ".csv":
            rows = csv.reader(path.read_text().splitlines())
            found[str(path.relative_to(folder))] = [row for row in rows if COSTS.isdisjoint(row)]
        elif path.stem != "comparison":
            found[str(path.relative_to(folder))] = path.read_bytes()
    return {name: content for name, content in found.items() if Path(name).stem != "cpu_s"}


def test_results_are_those_of_a_local_run_byte_for_byte(project, tmp_path):
    configure(project, experiment={"mechanisms": MECHANISMS})
    local = copy_project(tmp_path / "local")
    configure(local, experiment={"mechanisms": MECHANISMS})
    snakemake(local, "--", *TABLES)
    on_slurm(project, "--", *TABLES)
    expected, found = results(local), results(project)
    assert found.keys() == expected.keys()
    assert sum("release" in name for name in found) == 10
    assert [name for name in found if found[name] != expected[name]] == []
    batches = [comment for comment in comments(project) if comment.startswith("rule_repeats_")]
    assert len(batches) == len(MECHANISMS), "both repeats of a cell make one job"
    assert "Nothing to be done" in on_slurm(project, "--", *TABLES)


def test_limits_are_enforced_and_recorded_by_the_harness(project):
    """SLURM would grant more, so no job of it fails."""
    add_mechanism(project, "sleeper", "sleep 61", "")
    add_mechanism(project, "eater", "python -c 'b = [bytearray(10**7) for _ in iter(int, 1)]'", "")
    names = ["sleeper", "eater"]
    configure(project, timeout=2, memory_mb=300, experiment={"mechanisms": names})
    on_slurm(project, "--", "results/test/tables/emd_variants.csv")
    assert [record(project, name)["status"] for name in names] == ["timeout", "memory"]
    assert record(project, "sleeper", 1)["reason"] == "skipped after 1 timeout"
    with open(project / "results/test/tables/emd_variants.csv") as file:
        cells = {row["mechanism"]: row["statuses"] for row in csv.DictReader(file)}
    assert cells == {"sleeper": "TO:2", "eater": "OOM:2"}
    assert listed("FAILED,TIMEOUT,OUT_OF_MEMORY,CANCELLED") == []


def test_what_slurm_ends_is_no_result_and_is_made_again(project):
    """Each first attempt is granted less than it takes: a minute, and less memory than it touches."""
    add_mechanism(project, "slow", FIRST_TIME.replace("WORK", "sleep 200"), "")
    add_mechanism(project, "big", FIRST_TIME.replace("WORK", BIG), "")
    configure(project, repeats=1, timeout=300, experiment={"mechanisms": ["slow", "big"]})
    output = on_slurm(project, "--set-resources", "slow:runtime=1", "big:mem_mb=900", "--", SCORES)
    assert re.search("CANCELLED AT .* DUE TO TIME LIMIT", output), "the log of the job is shown"
    assert "exceeded memory limit" in output
    assert output.count("Trying to restart job") == 2
    assert [record(project, name)["status"] for name in ("slow", "big")] == ["ok", "ok"]


def test_a_drained_node_and_a_restarted_controller_delay_a_study_only(project):
    expected = many_short_runs(project)
    workflow = started(project)
    wait_for(lambda: told(project), PATIENCE_S)
    node_is("drain")
    cluster.stop("slurmctld")
    cluster.start("slurmctld")
    cluster.wait_for(lambda: "drain" in cluster.node_state(), "the node is not drained")
    wait_for(lambda: not listed("RUNNING") and listed("PENDING"), PATIENCE_S)
    node_is("resume")
    assert workflow.wait(PATIENCE_S) == 0, (project / "output.txt").read_text()[-5000:]
    assert told(project) == expected, "no run is lost or made twice"


def test_an_interrupted_workflow_leaves_no_job_and_resumes(project):
    expected = many_short_runs(project)
    workflow = started(project)
    wait_for(lambda: told(project), PATIENCE_S)
    os.killpg(workflow.pid, signal.SIGINT)
    assert workflow.wait(PATIENCE_S) != 0
    wait_for(lambda: not listed("PENDING,RUNNING,COMPLETING"), PATIENCE_S)
    finished = {path: path.stat().st_mtime_ns for path in project.glob("results/runs/**/run.json")}
    begun = told(project)
    on_slurm(project, "--", SCORES)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished, "what was finished is kept"
    assert set(told(project)) == set(expected)
    assert len(told(project)) == len(expected) + len(begun) - len(finished), "and only what was not is made again"
    assert {json.loads(path.read_text())["status"] for path in project.glob("results/runs/**/run.json")} == {"ok"}
