"""What the jobs of a study cost on small logs and tables: one repeat of each, kept in benchmarks/small.csv.

`python -m benchmarks.small [--logs FOLDER]` runs every mechanism at a few settings through the workflow, on embedded
logs, on stand-ins for access logs, and on the real logs that are in the folder; of some it holds out cases, or plays
the game of presence. Then it runs the commands of the other jobs again, to measure their CPU, and scores metric by
metric. Together with benchmarks/growth.csv this is what `snakemake plan` predicts from.
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

from benchmarks.big import COLUMNS, here, members, scored
from benchmarks.process import LOGS, ROOT, project_copy, run
from metrics.table import write_csv

TABLE = ROOT / "benchmarks/small.csv"
EVENT_LOGS = {  # embedded, and real if there
    "structured": None,
    "sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "bpic2020_rfp": "RequestForPayment.xes.gz",
    "bpic2012": "BPI_Challenge_2012.xes.gz",
    "road_traffic": "RTFMP_reexport.xes.gz",
}
RELATIONS = ("access_small", "access_144k")
QUERY = {"epsilon": ["amun-mean@0.3"], "pruning": ["0.5%", "1%", "5%"]}
RELEASE = {"delta": [0.3], "mode": ["sampling"]}  # of Amun, of which metrics are scored
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
PLAYED = ("structured", "sepsis", "bpic2020_rfp")  # with presence, which takes a thousand releases a mechanism
PLAYERS = ["identity", "shuffle", "tvq", "sacofa", "pripel"]
JOBS = (
    "convert", "amun_epsilons", "pretsa_embedding", "generate", "profile_classes", "hold_out", "draw_presence",
    "rate_presence",
)  # fmt: skip
REPORT = ("score", "describe_logs", "draw_classes")  # where the report starts, which is not made


def study(logs: Path) -> dict[str, object]:
    """The configuration: all mechanisms at a few settings, once."""
    files = {name: logs.resolve() / file for name, file in EVENT_LOGS.items() if file}
    found = [name for name in EVENT_LOGS if name not in files or files[name].is_file()]
    of = {"small_logs": found, "small_tables": list(RELATIONS)}
    experiments = {
        name: {"title": name, "metrics": ["cpu_s"], "logs": of[name], "grids": grids} for name, grids in GRIDS.items()
    }
    experiments["small_tables"]["class_figures"] = ["sizes"]
    experiments["small_game"] = {
        "title": "small_game", "metrics": ["cpu_s"], "logs": [name for name in found if name in PLAYED],
        "mechanisms": PLAYERS, "presence": PLAYERS,
        "grids": {name: QUERY | {"pruning": ["1%"]} for name in PLAYERS if name in GRIDS["small_logs"]},
    }  # fmt: skip
    experiments["small_members"] = members(found, "amun", RELEASE)
    datasets = {name: {"path": str(files[name])} for name in found if name in files}
    return {"repeats": 1, "timeout": 300, "datasets": datasets, "experiments": experiments}


def measured(logs: Path) -> Iterator[dict[str, object]]:
    """The lines of the table, one a job."""
    with tempfile.TemporaryDirectory(prefix="small_") as folder:
        project = project_copy(folder)
        (project / "small.yaml").write_text(yaml.safe_dump(study(logs)))
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "small.yaml"]
        subprocess.run([*command, "--omit-from", *REPORT], cwd=project, check=True)
        sizes = {path.parent.name: _size(path) for path in project.glob("results/logs/*/statistics.json")}
        for path in sorted(project.glob("results/runs/*/*/*/0/run.json")):
            if path.parent.parent.name in sizes:
                yield sizes[path.parent.parent.name] | _of_run(path)
        for (rule, log, parameters), command in _commands(project, sizes).items():
            cost = run(["bash", "-c", command], {"PYTHONPATH": str(project)}, project)
            kind, name = ("import", "import") if rule == "convert" and log in EVENT_LOGS else ("rule", rule)
            known = {"kind": kind, "name": name, "parameters": parameters, "status": "ok"}
            figures = {name: round(getattr(cost, name), 3) for name in ("cpu_s", "wall_s", "peak_mb")}
            yield sizes[log] | known | figures
        for path in sorted(project.glob("results/runs/amun/*mode=sampling*/*/0")):
            size = sizes[path.parent.name.partition("@")[0]]
            yield from (size | line for line in scored(project, path))


def _size(path: Path) -> dict[str, object]:
    found = json.loads(path.read_text())
    names = ("cases", "events", "variants") if found["kind"] == "log" else ("rows",) * 3
    return {"log": path.parent.name, "share": 1.0, **here()} | dict(
        zip(("cases", "events", "variants"), (found[name] for name in names), strict=True)
    )


def _of_run(path: Path) -> dict[str, object]:
    record = json.loads(path.read_text())
    kept = {name: record[name] for name in ("cpu_s", "wall_s", "status")}
    known = {"kind": "mechanism", "name": record["mechanism"], "parameters": record["parameters_id"]}
    return known | kept | {"peak_mb": record["peak_rss_mb"], "reason": record["reason"] or ""}


def _commands(project: Path, logs: Iterable[str]) -> dict[tuple[str, str, str], str]:
    """Commands of jobs that are no runs, by rule, log and the mechanism of which they are, if of any.

    They are as Snakemake keeps them, one of each kind, and one score of each table.
    """
    records = [json.loads(path.read_text()) for path in (project / ".snakemake/metadata").rglob("*") if path.is_file()]
    found = {}
    for rule, command in sorted({(known["rule"], known["shellcmd"]) for known in records if known["rule"] in JOBS}):
        of = re.search(r"results/(?:runs|presence)/(\w+)/", command)
        for log in {*re.split(r"[/.\s']+", command)} & {*logs}:
            found.setdefault((rule, log, f"mechanism={of[1]}" if of else ""), command)
    for log in RELATIONS:
        for path in sorted(project.glob(f"results/runs/mondrian/*/{log}/0"))[:1]:
            score = f"python -m metrics.score --log results/logs/{log}/log.parquet --out score.csv '{path}'"
            found["score", log, "mechanism=mondrian"] = score
    return found


def main() -> None:
    """Measure, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=Path, default=LOGS)
    lines = [*measured(parser.parse_args().logs)]
    write_csv(COLUMNS, ([line.get(name, "") for name in COLUMNS] for line in lines), TABLE)


if __name__ == "__main__":
    main()
