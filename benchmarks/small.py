"""What the jobs of a study cost on small logs and tables: one repeat of each, kept in benchmarks/small.csv.

`python -m benchmarks.small [--logs FOLDER]` runs every mechanism at a few settings through the workflow, on embedded
logs, on stand-ins for access logs, and on the real logs that are in the folder. Then it runs the commands of the other
jobs again, to measure their CPU, and scores metric by metric. Together with benchmarks/growth.csv this is what
`snakemake plan` predicts from.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks.big import COLUMNS
from benchmarks.process import ONE_THREAD, ROOT, run

TABLE = ROOT / "benchmarks/small.csv"
IGNORED = shutil.ignore_patterns(".*", "__pycache__", "results", "raw")
EMBEDDED = ("structured", "unstructured")
REAL = {
    "receipt": "receipt.xes.gz",
    "sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "bpic2012": "BPI_Challenge_2012.xes.gz",
}
RELATIONS = ("access_small", "access", "access_144k")
JOBS = ("amun_epsilons", "pretsa_embedding", "generate", "profile_classes", "score")
QUERY = {"epsilon": ["amun-mean@0.3"], "pruning": ["0.5%", "1%", "5%"]}
GRIDS = {
    "amun": {"delta": [0.3]},
    "tvq": QUERY,
    "sacofa": QUERY,
    "pripel": QUERY,
    "dfg_query": {"epsilon": ["amun-mean@0.3"]},
    "pretsa": {"k": [8], "t": [0.25]},
}
METRIC_LIMIT_S = 60


def study(logs: Path) -> dict[str, object]:
    """The configuration."""
    common = {"metrics": ["cpu_s"], "title": "Small"}
    embeddings = {"embeddings": {"seed": [1]}, "epsilons": {"delta": [0.3], "profile": ["code"]}}
    found = [name for name, file in REAL.items() if (logs / file).is_file()]
    return {
        "repeats": 1, "timeout": 300, "raw_dirs": [str(logs)],
        "experiments": {
            "logs": common | embeddings | {"logs": [*EMBEDDED, *found], "grids": GRIDS},
            "tables": common | {"logs": [*RELATIONS], "class_figures": ["sizes"]},
        },
    }  # fmt: skip


def measured(logs: Path) -> Iterator[dict[str, object]]:
    """The lines of the table, one a job."""
    with tempfile.TemporaryDirectory(prefix="small_") as folder:
        project = shutil.copytree(ROOT, Path(folder, "project"), ignore=IGNORED)
        (project / "small.yaml").write_text(yaml.safe_dump(study(logs)))
        command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", "1", "--configfile", "small.yaml"]
        subprocess.run([*command, "--", "all"], cwd=project, check=True)
        sizes = {path.parent.name: _size(path) for path in project.glob("results/logs/*/statistics.json")}
        for path in sorted(project.glob("results/runs/*/*/*/0/run.json")):
            yield sizes[path.parent.parent.name] | _of_run(path)
        for rule, log, shell in _commands(project):
            cost = run(["bash", "-c", shell], {**ONE_THREAD, "PYTHONPATH": str(project)}, project)
            known = {"kind": "rule", "name": rule, "parameters": "", "status": "ok"}
            figures = {name: round(getattr(cost, name), 3) for name in ("cpu_s", "wall_s", "peak_mb")}
            yield sizes[log] | known | figures
        for log in sizes:
            for mechanism in ("amun", "shuffle"):
                for folder in sorted(project.glob(f"results/runs/{mechanism}/*/{log}/0"))[:1]:
                    yield from (sizes[log] | line for line in _metrics(project, log, folder))


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


def _commands(project: Path) -> Iterator[tuple[str, str, str]]:
    """Rule, log and command of the jobs to be measured, from what Snakemake keeps of them."""
    records = [json.loads(path.read_text()) for path in (project / ".snakemake/metadata").rglob("*") if path.is_file()]
    commands = {(record["rule"], record["shellcmd"]) for record in records if record["rule"] in JOBS}
    for rule, shell in sorted(commands):
        [log] = set(re.findall(r"results/logs/([^/]+)/", shell)) or {None}
        if log and (rule != "score" or log in RELATIONS):
            yield rule, log, shell


def _metrics(project: Path, log: str, folder: Path) -> Iterator[dict[str, object]]:
    arguments = [str(project / "results/logs" / log / "log.parquet"), str(folder), "--limit-s", str(METRIC_LIMIT_S)]
    cost = run([sys.executable, "-m", "benchmarks.metric_costs", *arguments])
    for line in cost.output.splitlines():
        yield {"kind": "metric", "parameters": f"release={folder.parents[2].name}", **json.loads(line)}


def main() -> None:
    """Measure, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("PPM_SHARED", ROOT.parent / "shared"))
    parser.add_argument("--logs", type=Path, default=Path(os.environ.get("PPM_LOGS", shared / "data" / "logs")))
    lines = list(measured(parser.parse_args().logs))
    temporary = TABLE.with_suffix(".part")
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    os.replace(temporary, TABLE)


if __name__ == "__main__":
    main()
