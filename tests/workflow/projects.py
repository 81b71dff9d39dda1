"""Copies of the project in which Snakemake runs, and what it said and made there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

from conftest import ROOT

NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "results", "tests", "raw")
LOG = "results/logs/structured/log.parquet"
COMMENT = "\n# edited\n"
# Of event logs first of all; those of tables: test_relations.py.
MECHANISMS = {path.parent.name for path in ROOT.glob("*/*/rule.smk") if 'reads="relation' not in path.read_text()}
QUERY = {"epsilon": ["amun-mean@0.3"], "pruning": ["1%"], "max_length": [12]}
GRIDS = {
    "amun": {"delta": [0.3], "mode": ["sampling"]},
    "dfg_query": {"epsilon": [1], "profile": ["accounted"]},
    "pretsa": {"k": [2], "t": [1], "distance": ["embedding"]},
    "pripel": QUERY,
    "sacofa": QUERY,
    "tvq": QUERY,
}
MAPS = {"rows": "delta", "columns": "mode", "panels": "profile", "metrics": ["emd_variants"]}


def copy_project(target: Path) -> Path:
    """The project without results, its dates those of now, like a fresh clone."""
    shutil.copytree(ROOT, target, ignore=NOT_COPIED, copy_function=shutil.copyfile)
    return target


def configure(project: Path, **changes: object) -> None:
    """A small configuration: one synthetic log, two repeats, one cell a mechanism."""
    experiment = {
        "title": "Test",
        "logs": ["structured"],
        "rows": ["delta"],
        "metrics": ["emd_variants", "cpu_s"],
    }
    experiment |= changes.pop("experiment", {})
    wanted = experiment.get("mechanisms", GRIDS)
    experiment["grids"] = {name: grid for name, grid in GRIDS.items() if name in wanted} | experiment.get("grids", {})
    if "amun" not in wanted:
        del experiment["rows"]
    config = {"repeats": 2, "timeout": 60, "experiments": {"test": experiment}, **changes}
    (project / "test.yaml").write_text(yaml.safe_dump(config))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "test.yaml", *arguments]


def snakemake(project: Path, *arguments: str, code: int = 0) -> str:
    """Run Snakemake to its end; its output."""
    done = subprocess.run(command(*arguments), cwd=project, text=True, capture_output=True)
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    return output


def jobs(output: str) -> dict[str, int]:
    """Number of planned jobs by rule, from Snakemake's job table (empty if there is nothing to do)."""
    table = re.search(r"^job +count\n[- ]+\n(.*?)\ntotal", output, re.MULTILINE | re.DOTALL)
    return {} if table is None else {row.split()[0]: int(row.split()[1]) for row in table[1].splitlines()}


def planned(project: Path, *arguments: str) -> dict[str, int]:
    return jobs(snakemake(project, "--dry-run", *arguments))


def record(project: Path, mechanism: str, repeat: int = 0) -> dict:
    (path,) = project.glob(f"results/runs/{mechanism}/*/*/{repeat}/run.json")
    return json.loads(path.read_text())


def edit(project: Path, file: str) -> None:
    with open(project / file, "a") as source:
        source.write(COMMENT)


def add_mechanism(project: Path, name: str, shell: str, grid: str = "") -> None:
    """A mechanism as its author would add it, in the words of the README."""
    readme = (ROOT / "README.md").read_text()
    rule = re.search(r"```python\n(rule laplace:.*?)```", readme, re.DOTALL)[1]
    rule = rule.replace("epsilon=[0.1, 1.0]", grid).replace("laplace", name)
    rule = re.sub(r'"my-program .*"', lambda _: repr(shell), rule)
    folder = project / "mechanisms" / name
    folder.mkdir()
    (folder / "rule.smk").write_text(rule)


def wait_for(condition, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def running(word: str) -> bool:
    """Whether a process with that word in its command line is alive."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                return True
        except OSError:  # it ended meanwhile
            pass
    return False
