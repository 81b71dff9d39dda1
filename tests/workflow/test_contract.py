"""What every mechanism must do, whatever it is and in whatever language: all that have a rule are found and checked.

The commands are those of the rules, as Snakemake fills them in; a mechanism that fails here is named in the test's id.
To check one: `python -m pytest tests/workflow/test_contract.py -k NAME`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml

from conftest import ROOT
from data.graph import DirectlyFollowsGraph
from data.io import write_log
from data.log import EventLog
from data.relation_release import RelationRelease
from data.release import read_release
from mechanisms.cells import parse

MECHANISMS = sorted(path.parent.name for path in ROOT.glob("*/*/rule.smk"))
LOGS = ("structured", "access_small")  # an event log and a table of rows: a mechanism is checked on what it reads first
JOB = re.compile(
    r"^ +input: (?P<inputs>.*)(?:\n .*)*\nShell command: exec python -S .*"
    r"/runs/(?P<mechanism>\w+)/(?P<parameters>[^/]+)/(?P<log>\w+)/0/run.json --release (?P<release>\S+).*"
    r" --seed (?P<seed>\d+) .* 2>&1 -- (?P<program>.*)$",
    re.MULTILINE,
)
WRONG = "nonsense"
SECOND = 1_000_000  # microseconds


@dataclass(frozen=True)
class Program:
    """One run of a mechanism as its rule makes it; `inputs` are further files that it reads."""

    parameters: str
    log: str
    inputs: list[str]
    release: str
    seed: str
    program: str


def log_of(*cases: list[str]) -> EventLog:
    """A log with an event an hour; the ids of its cases are easily found."""
    rows = [(f"original-{case}", label) for case, labels in enumerate(cases) for label in labels]
    times = np.arange(len(rows), dtype=np.int64) * 3600 * SECOND + 1_700_000_000 * SECOND
    return EventLog.from_rows([case for case, _ in rows], [label for _, label in rows], times)


WHOLE = log_of(*[["register", "check", "decide"], ["register", "check", "check", "decide"], ["register", "pay"]] * 20)
ODD = {
    "empty": WHOLE.take(np.array([], dtype=np.int64), []),
    "one case": log_of(["register", "check", "decide"]),
    "one event": log_of(["register"]),
    "one variant": log_of(*[["register", "check"]] * 30),
}


def programs(folder: Path, grids: list[dict]) -> dict[str, list[Program]]:
    """The planned runs of all mechanisms, by mechanism, with each of some grids."""
    experiments = {
        f"{log}{place}": {"title": "T", "logs": [log], "metrics": ["cpu_s"], "grids": grid[log]}
        for place, grid in enumerate(grids)
        for log in LOGS
    }
    (folder / "plan.yaml").write_text(yaml.safe_dump({"repeats": 1, "experiments": experiments}))
    targets = [f"results/{name}/scores.csv" for name in experiments]
    output = snakemake(folder, "--dry-run", "--printshellcmds", "--", *targets)
    found: dict[str, list[Program]] = {}
    for job in JOB.finditer(output):
        log = f"results/logs/{job['log']}/log.parquet"
        inputs = [path for path in job["inputs"].split(", ") if path.startswith("results/") and path != log]
        program = Program(job["parameters"], log, inputs, job["release"], job["seed"], job["program"])
        found.setdefault(job["mechanism"], []).append(program)
    return found


def snakemake(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--cores", "1"]
    done = subprocess.run(
        [*command, "--configfile", "plan.yaml", *arguments], cwd=folder, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("contract")


@pytest.fixture(scope="module")
def planned(folder) -> dict[str, Program]:
    """One run of each mechanism, the first of its declared grid; what it reads is made."""
    first = {name: runs[0] for name, runs in programs(folder, [{log: {} for log in LOGS}]).items()}
    assert sorted(first) == MECHANISMS
    wanted = dict.fromkeys(path for program in first.values() for path in [program.log, *program.inputs])
    snakemake(folder, "--", *wanted)
    return first


@pytest.fixture(scope="module")
def wrong(folder, planned) -> dict[str, list[Program]]:
    """For each mechanism, a run for every parameter with a value that it cannot have."""
    most = max(len(parse(program.parameters)) for program in planned.values())
    grids = []
    for place in range(most):
        grid: dict[str, dict] = {log: {} for log in LOGS}
        for name, program in planned.items():
            values = parse(program.parameters)
            if place < len(values):
                spoiled = values | {list(values)[place]: WRONG}
                grid[Path(program.log).parts[-2]][name] = {key: [value] for key, value in spoiled.items()}
        grids.append(grid)
    return {
        name: [run for run in runs if WRONG in parse(run.parameters).values()]
        for name, runs in programs(folder, grids).items()
    }


def write_logs(folder: Path, program: Program, target: Path) -> dict[str, Path]:
    """A usual log of the kind that a mechanism reads, and odd ones, as files by name."""
    if program.log.split("/")[2] == "structured":
        logs = {"usual": WHOLE} | ODD
        for name, log in logs.items():
            write_log(log, target / f"{name}.parquet")
        return {name: target / f"{name}.parquet" for name in logs}
    table = pq.read_table(folder / program.log)
    rows = {"usual": table.num_rows, "empty": 0, "one row": 1, "a few rows": 3}
    for name, count in rows.items():
        pq.write_table(table.slice(0, count), target / f"{name}.parquet")
    return {name: target / f"{name}.parquet" for name in rows}


def call(folder: Path, program: Program, log: Path, release: Path, seed: int = 1) -> subprocess.CompletedProcess:
    """Run a mechanism on a log of ours, with a seed of ours."""
    command = program.program.replace(program.log, shlex.quote(str(log))).replace(
        program.release, shlex.quote(str(release))
    )
    command = command.replace(program.seed, str(seed))
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONHASHSEED": "0",
    }  # fmt: skip
    return subprocess.run(["bash", "-c", command], cwd=folder, text=True, capture_output=True, env=environment)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_release_is_a_function_of_log_parameters_and_seed(folder, planned, tmp_path, mechanism):
    program = planned[mechanism]
    log = write_logs(folder, program, tmp_path)["usual"]
    before = digest(log)
    releases = [tmp_path / name for name in ("one.parquet", "same.parquet", "other.parquet")]
    for release, seed in zip(releases, (1, 1, 2), strict=True):
        done = call(folder, program, log, release, seed)
        assert done.returncode == 0, done.stderr
    assert digest(log) == before, "the input was changed"
    one, same, other = map(digest, releases)
    assert one == same, "the same seed gave another release"
    released = read_release(releases[0])
    if program.seed not in program.program:
        assert one == other, "without a seed nothing can differ"
    elif not isinstance(released, RelationRelease):  # the recoding of a table may have nothing random
        assert one != other, "another seed gave the same release"
    if isinstance(released, EventLog):
        assert set(released.case_ids).isdisjoint(WHOLE.case_ids)
    if isinstance(released, EventLog | DirectlyFollowsGraph):
        assert set(released.labels) <= set(WHOLE.labels)
    assert b"original-" not in releases[0].read_bytes()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_wrong_parameter_is_refused(folder, planned, wrong, tmp_path, mechanism):
    log, release = write_logs(folder, planned[mechanism], tmp_path)["usual"], tmp_path / "release.parquet"
    for program in wrong.get(mechanism, []):
        done = call(folder, program, log, release)
        assert done.returncode != 0, f"{program.parameters} was accepted"
        assert done.stderr.strip(), f"{program.parameters} was refused without a word"
        assert "Traceback" not in done.stderr, done.stderr
        assert not release.exists()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_missing_parameter_or_file_is_refused(folder, planned, tmp_path, mechanism):
    release = tmp_path / "release.parquet"
    done = call(folder, planned[mechanism], tmp_path / "none.parquet", release)
    assert done.returncode not in (0, 3)
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr, done.stderr
    assert not release.exists()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_odd_logs_are_released_or_refused_with_a_reason(folder, planned, tmp_path, mechanism):
    release = tmp_path / "release.parquet"
    logs = write_logs(folder, planned[mechanism], tmp_path)
    del logs["usual"]
    for name, log in logs.items():
        release.unlink(missing_ok=True)
        done = call(folder, planned[mechanism], log, release)
        assert "Traceback" not in done.stderr, f"{name}: {done.stderr}"
        if done.returncode:
            assert len(done.stderr.strip().splitlines()) >= 1, f"{name}: refused without a word"
            assert not release.exists(), name
        else:
            read_release(release)
