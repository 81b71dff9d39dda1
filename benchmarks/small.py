"""What the jobs of a study cost on small logs and tables: one repeat of each, kept in benchmarks/small.csv.

`python -m benchmarks.small [--logs FOLDER]` runs every mechanism at a few settings through the workflow, on embedded
logs, on stand-ins for access logs, and on the real logs that are in the folder. Then it runs the commands of the other
jobs again, to measure their CPU, and scores metric by metric. Together with benchmarks/growth.csv this is what
`snakemake plan` predicts from.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from benchmarks.big import COLUMNS
from benchmarks.process import LOGS, ROOT, project_copy, run
from metrics.table import write_csv

TABLE = ROOT / "benchmarks/small.csv"
EVENT_LOGS = {  # embedded, and real if there
    "structured": None,
    "sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "bpic2012": "BPI_Challenge_2012.xes.gz",
    "road_traffic": "RTFMP_reexport.xes.gz",
}
RELATIONS = ("access_small", "access_144k")
QUERY = {"epsilon": ["amun-mean@0.3"], "pruning": ["0.5%", "1%", "5%"]}
TABLE_GRID = {"k": [10], "suppression": [0]}
GRIDS = {
    "small_logs": {
        "amun": {"delta": [0.3]},
        "tvq": QUERY,
        "sacofa": QUERY,
        "pripel": QUERY,
        "dfg_query": {"epsilon": ["amun-mean@0.3"], "profile": ["accounted"]},
        "pretsa": {"k": [8], "t": [0.25]},
    },
    "small_tables": {
        "datafly": TABLE_GRID,
        "incognito": TABLE_GRID,
        "mondrian": {"k": [10], "rule": ["lhs_rhs"]},
        "truncation": {"prefix": [16]},
    },
}
JOBS = ("convert", "amun_epsilons", "pretsa_embedding", "generate", "profile_classes")
METRIC_LIMIT_S = 40


def study(logs: Path) -> dict[str, object]:
    """The configuration: all mechanisms at a few settings, once."""
    found = [name for name, file in EVENT_LOGS.items() if not file or (logs / file).is_file()]
    of = {"small_logs": found, "small_tables": list(RELATIONS)}
    experiments = {
        name: {"title": name, "metrics": ["cpu_s"], "logs": of[name], "grids": grids} for name, grids in GRIDS.items()
    }
    experiments["small_tables"]["class_figures"] = ["sizes"]
    return {"repeats": 1, "timeout": 300, "raw_dirs": [str(logs)], "experiments": experiments}


def measured(logs: Path) -> Iterator[dict[str, object]]:
    """The lines of the table, one a job."""
    with tempfile.TemporaryDirectory(prefix="small_") as folder:
        project = project_copy(folder)
        (project / "small.yaml").write_text(yaml.safe_dump(study(logs)))
        names = [path.parent.name for path in project.glob("*/*/rule.smk")]
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "small.yaml"]
        subprocess.run([*command, "--until", *names, "profile_classes", "--", "all"], cwd=project, check=True)
        sizes = {path.parent.name: _size(path) for path in project.glob("results/logs/*/statistics.json")}
        for path in sorted(project.glob("results/runs/*/*/*/0/run.json")):
            yield sizes[path.parent.parent.name] | _of_run(path)
        for rule, log, command in _commands(project, sizes):
            cost = run(["bash", "-c", command], {"PYTHONPATH": str(project)}, project)
            kind, name = ("import", "import") if rule == "convert" else ("rule", rule)
            known = {"kind": kind, "name": name, "parameters": "", "status": "ok"}
            figures = {name: round(getattr(cost, name), 3) for name in ("cpu_s", "wall_s", "peak_mb")}
            yield sizes[log] | known | figures
        for path in sorted(project.glob("results/runs/amun/*mode=sampling*/*/0")):
            yield from (sizes[path.parent.name] | line for line in _metrics(project, path.parent.name, path))


def _size(path: Path) -> dict[str, object]:
    found = json.loads(path.read_text())
    names = ("cases", "events", "variants") if found["kind"] == "log" else ("rows",) * 3
    return {"log": path.parent.name, "share": 1.0} | dict(
        zip(("cases", "events", "variants"), (found[name] for name in names), strict=True)
    )


def _of_run(path: Path) -> dict[str, object]:
    record = json.loads(path.read_text())
    kept = {name: record[name] for name in ("cpu_s", "wall_s", "status")}
    known = {"kind": "mechanism", "name": record["mechanism"], "parameters": record["parameters_id"]}
    return known | kept | {"peak_mb": record["peak_rss_mb"], "reason": record["reason"] or ""}


def _commands(project: Path, logs: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Rule, log and command of jobs that are no runs: as Snakemake keeps them, and one score of each table."""
    records = [json.loads(path.read_text()) for path in (project / ".snakemake/metadata").rglob("*") if path.is_file()]
    for rule, command in sorted({(known["rule"], known["shellcmd"]) for known in records if known["rule"] in JOBS}):
        for log in set(re.findall(r"results/logs/([^/]+)/", command)) & {*logs}:
            yield rule, log, command
    for log in RELATIONS:
        for path in sorted(project.glob(f"results/runs/mondrian/*/{log}/0"))[:1]:
            yield "score", log, f"python -m metrics.score --log results/logs/{log}/log.parquet --out score.csv '{path}'"


def _metrics(project: Path, log: str, folder: Path) -> Iterator[dict[str, object]]:
    arguments = [
        str(project / "results/logs" / log / "log.parquet"),
        str(folder),
        "--limit-s",
        str(METRIC_LIMIT_S),
        "--without-costly",
    ]
    cost = run([sys.executable, "-m", "benchmarks.metric_costs", *arguments])
    for line in cost.output.splitlines():
        yield {"kind": "metric", "parameters": f"release={folder.parents[2].name}", **json.loads(line)}


def main() -> None:
    """Measure, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=LOGS)
    lines = measured(parser.parse_args().logs)
    write_csv(COLUMNS, ([line.get(name, "") for name in COLUMNS] for line in lines), TABLE)


if __name__ == "__main__":
    main()
