"""Every mechanism and every metric on synthetic logs in the shapes of the largest public ones, and how costs grow.

`python -m benchmarks.big` measures and keeps one line a run in benchmarks/growth.csv, those already there replaced;
`--logs`, `--shares` and `--only` choose. The logs are of `benchmarks.shapes`, at 1/16 to all of their cases. Mechanisms
run through the workflow's own rules at the first value of every parameter that their rule declares (those in `VARIED`
at all), those of relations on a log with an address a case; metric files score one by one
(`benchmarks.metric_costs`), those that compare with cases held out on one more run of Amun. Limits are those of a run:
4 GB of memory, and CPU or wall time as below.
"""

from __future__ import annotations

import argparse
import ast
import csv
import datetime
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from benchmarks.process import ONE_THREAD, ROOT, Cost, machine, project_copy, python, run
from metrics.table import write_csv

GROWTH = ROOT / "benchmarks/growth.csv"
COLUMNS = (
    "kind", "name", "parameters", "log", "share", "cases", "events", "variants", "cpu_s", "wall_s", "peak_mb",
    "status", "reason", "date", "machine",
)  # fmt: skip
KEY = COLUMNS[:5]
LOGS = ("bpic2017", "bpic2018", "bpic2019")
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
ADDRESSED = "_addresses"  # behind the name of a log with an address a case
LIMIT_S, LIMIT_MB = 900, 4000
VARIED = {"amun": ("mode",), "pretsa": ("distance",)}
ADDRESS = {"attributes": ["org:resource"]}
MEMBERS = "@members"  # that of data.held_out, which would bring numpy into the process that measures
# What the metrics are measured on, by mechanism and end of the log's name: a real release; one of a log that lacks some
# cases, one without any utility and one with addresses, where those matter.
SCORED = {
    ("amun", ""): (),
    ("amun", MEMBERS): ("membership",),
    ("shuffle", ""): ("emd_variants", "emsc"),
    ("mondrian", ADDRESSED): ("isolation",),
}
ENVIRONMENT = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
SIZE = """
import sys
from data.io import read_log
log = read_log(sys.argv[1])
print(log.n_cases, log.n_events, len(log.variants))
"""


def measured(log: str, share: float, only: Iterable[str] = ()) -> Iterator[dict[str, object]]:
    """The lines of one log at one share; of all, or of some jobs, mechanisms and metric files by name."""
    wanted = set(only)
    with tempfile.TemporaryDirectory(prefix="big_") as folder:
        project = project_copy(folder)
        paths = {name: Path(folder, f"{name}.parquet") for name in (log, log + ADDRESSED)}
        for name, path in paths.items():
            given = [sys.executable, "-m", "benchmarks.shapes", log, str(path), "--share", str(share)]
            run(given + ["--addresses"] * (name != log))
        size = dict(zip(("cases", "events", "variants"), run(python(SIZE, paths[log])).output.split(), strict=True))
        known = {"log": log, "share": share, **size, **here()}
        for name, measure in JOBS.items():
            if not wanted or name in wanted:
                yield known | measure(paths[log])
        metrics = wanted - {*grids(project), *JOBS}
        if not wanted or metrics or wanted & {*grids(project)}:
            needed = {mechanism for mechanism, _ in SCORED} if metrics else set()
            yield from (known | line for line in _runs(project, paths, wanted | needed))
        if not wanted or metrics:
            yield from (known | line for line in _scores(project, log, metrics))


def here() -> dict[str, str]:
    """When and where something is measured."""
    return {"date": str(datetime.date.today()), "machine": machine()}


def keep(rows: Iterable[dict[str, object]], path: Path = GROWTH) -> None:
    """Enter lines into the table of measurements, each as soon as it is there, in place of the one of the same run."""
    for row in rows:
        lines = {_key(line): line for line in read(path)} | {_key(row): row}
        write_csv(COLUMNS, ([lines[key][name] for name in COLUMNS] for key in sorted(lines)), path)


def read(path: Path = GROWTH) -> list[dict[str, str]]:
    """The table of measurements; empty if there is none yet."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _key(row: dict[str, object]) -> tuple[str, ...]:
    return tuple(f"{float(row[name]):g}" if name == "share" else str(row[name]) for name in KEY)


def _import(path: Path) -> dict[str, object]:
    """The conversion of the log from XES."""
    source = path.with_suffix(".xes.gz")
    run(python("import sys; from data.io import read_log, write_log; write_log(read_log(sys.argv[1]), sys.argv[2])",
               path, source))  # fmt: skip
    target = path.with_suffix(".converted.parquet")
    cost = run([sys.executable, "-m", "data.convert", str(source), str(target)])
    return {"kind": "import", "name": "import", "parameters": "xes.gz", **_figures(cost)}


def _training(path: Path) -> dict[str, object]:
    """The training of an embedding, which all runs of PRETSA on a log share."""
    cost = run([sys.executable, "-m", "mechanisms.pretsa.embedding", str(path), str(path.with_suffix(".json"))])
    return {"kind": "rule", "name": "pretsa_embedding", "parameters": "", **_figures(cost)}


JOBS = {"import": _import, "pretsa_embedding": _training}  # beside runs and scores


def _figures(cost: Cost) -> dict[str, object]:
    figures = {"cpu_s": round(cost.cpu_s, 3), "wall_s": round(cost.wall_s, 3), "peak_mb": round(cost.peak_mb, 1)}
    return {**figures, "status": "ok", "reason": ""}


def grids(project: Path) -> dict[str, tuple[list[str], dict[str, list]]]:
    """What each mechanism reads, and its grid, as its rule declares them."""
    found = {}
    for path in sorted(project.glob("*/*/rule.smk")):
        for call in _calls(path.read_text()):
            given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            found[ast.literal_eval(call.args[0])] = (given.pop("reads", "log").split(), given)
    return found


def _calls(rule: str) -> Iterator[ast.Call]:
    """The calls of `run` in the text of a rule."""
    for start in range(len(rule)):
        if rule.startswith("**run(", start):
            ends = (end for end, sign in enumerate(rule[start:], start + 1) if sign == ")")
            for end in ends:
                try:
                    yield ast.parse(rule[start + 2 : end], mode="eval").body
                    break
                except SyntaxError:
                    continue


def _runs(project: Path, paths: dict[str, Path], wanted: set[str]) -> Iterator[dict[str, object]]:
    """Run the mechanisms on the log by the workflow; their lines, from the records of the runs."""
    log, addressed = paths
    experiments: dict[str, dict] = {}
    for name, (reads, grid) in grids(project).items():
        if "log" not in reads or (wanted and name not in wanted):
            continue
        of = log if reads[0] == "log" else addressed
        chosen = {key: values if key in VARIED.get(name, ()) else values[:1] for key, values in grid.items()}
        chosen |= ADDRESS if of == addressed else {}
        experiment = experiments.setdefault(
            of, {"title": of, "logs": [of], "mechanisms": [], "metrics": ["cpu_s"], "grids": {}}
        )
        experiment["mechanisms"].append(name)
        experiment["grids"] |= {name: chosen} if chosen else {}
        if (name, MEMBERS) in SCORED:
            once = {key: values[:1] for key, values in grid.items()}
            experiments[f"members_{name}"] = members([log], name, once)
    names = [name for experiment in experiments.values() for name in experiment["mechanisms"]]
    settings = {
        "repeats": 1,
        "timeout": LIMIT_S,
        "memory_mb": LIMIT_MB,
        "datasets": {name: {"path": str(path), "options": {"attributes": True}} for name, path in paths.items()},
        "experiments": experiments,
    }
    (project / "big.yaml").write_text(yaml.safe_dump(settings))
    command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", "1", "--keep-going"]
    subprocess.run(
        [*command, "--configfile", "big.yaml", "--until", *names],
        cwd=project, env={**os.environ, "PYTHONPATH": str(project)}, check=False, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    for path in sorted(project.glob("results/runs/*/*/*/0/run.json")):
        if path.parent.parent.name not in paths:
            continue
        record = json.loads(path.read_text())
        yield {
            "kind": "mechanism",
            "name": record["mechanism"],
            "parameters": record["parameters_id"],
            **{key: record[key] for key in ("cpu_s", "wall_s")},
            "peak_mb": record["peak_rss_mb"],
            "status": record["status"],
            "reason": record["reason"] or "",
        }


def members(logs: list[str], mechanism: str, grid: dict[str, list]) -> dict[str, object]:
    """An experiment that runs a mechanism on logs without some of their cases, too."""
    return {
        "title": f"{mechanism}, with cases held out",
        "logs": logs,
        "mechanisms": [mechanism],
        "metrics": ["member_advantage_trace"],
        "grids": {mechanism: grid},
    }


def _scores(project: Path, log: str, wanted: set[str]) -> Iterator[dict[str, object]]:
    """What the metric files cost on the releases that were made."""
    for (mechanism, end), chosen in SCORED.items():
        names = wanted & {*chosen} if wanted and chosen else wanted or {*chosen}
        if wanted and not names:
            continue
        for folder in sorted(project.glob(f"results/runs/{mechanism}/*/{log}{end}/0"))[:1]:
            yield from scored(project, folder, names)


def scored(project: Path, folder: Path, names: Iterable[str] = ()) -> Iterator[dict[str, object]]:
    """What the metric files cost on a run, all that apply or some, each as soon as it is known.

    Raises
    ------
    subprocess.CalledProcessError
        If they could not be measured.
    """
    log = project / "results/logs" / folder.parent.name / "log.parquet"
    outsiders = log.with_name("held_out.parquet")
    command = [sys.executable, "-m", "benchmarks.metric_costs", str(log), str(folder)]
    command += ["--limit-s", str(LIMIT_S), "--limit-mb", str(LIMIT_MB)]
    command += ["--outsiders", str(outsiders)] if outsiders.exists() else []
    command += ["--metrics", *sorted(names)] if names else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=ENVIRONMENT) as process:
        for line in process.stdout:
            yield {"kind": "metric", "parameters": f"release={folder.parents[2].name}", **json.loads(line)}
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def main() -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.big", description=__doc__.split("\n\n")[0])
    parser.add_argument("--logs", nargs="+", choices=LOGS, default=LOGS)
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES)
    parser.add_argument("--only", nargs="+", default=(), help="jobs, mechanisms and metric files by name (all)")
    options = parser.parse_args()
    for log in options.logs:
        for share in options.shares:
            keep(measured(log, share, options.only))


if __name__ == "__main__":
    main()
