"""The trace-variant queries against those of pm4py, settings alike and longest prefix the mean length of a case.

`sampling` is CPU from the counted prefixes (and relations) to noisy counts of variants, `all` that from the log in
memory to the release in memory, as pm4py's is; imports excluded. `process` is a whole run on the command line, from
Parquet to Parquet. Ratios are those of pm4py's CPU to ours. Its Laplace query calls a function that Python no
longer has, which is put back; its SaCoFa draws the number of violating prefixes from another law, so the tasks are
alike there and the laws are not.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.mechanisms import CONVERT
from benchmarks.process import Cost, python, run, spread

LOGS = {
    "receipt": "receipt.xes.gz",
    "Sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "Unrineweginfectie": "Unrineweginfectie.xes.gz",
    "BPIC 2012": "BPI_Challenge_2012.xes.gz",
    "Road Traffic": "RTFMP_reexport.xes.gz",
}
# The first of each mechanism are those where pm4py needs seconds; the others are small.
SETTINGS = [
    ("tvq", "receipt", 0.1, "0.5%"),
    ("tvq", "receipt", 1, "1%"),
    ("tvq", "Sepsis", 1, "1%"),
    ("tvq", "Unrineweginfectie", 1, "5%"),
    ("tvq", "BPIC 2012", 1, "1%"),
    ("tvq", "Road Traffic", 1, "1%"),
    ("sacofa", "Sepsis", 0.1, "1%"),
    ("sacofa", "BPIC 2012", 1, "1%"),
    ("sacofa", "receipt", 1, "1%"),
    ("sacofa", "Unrineweginfectie", 1, "5%"),
    ("sacofa", "Road Traffic", 1, "1%"),
]
OURS = """
import importlib, json, sys, time
import numpy as np
from data.io import read_log
mechanism = importlib.import_module(f"baselines.{sys.argv[1]}")
parameters = {"epsilon": sys.argv[3], "pruning": sys.argv[4]}
seed = int(sys.argv[5])
spent = {}
def timed(name, function):
    def call(*arguments, **named):
        before = time.process_time()
        result = function(*arguments, **named)
        spent[name] = time.process_time() - before
        return result
    return call
query = {"tvq": "trace_variant_query", "sacofa": "semantic_query"}[sys.argv[1]]
setattr(mechanism, query, timed("sampling", getattr(mechanism, query)))
log = read_log(sys.argv[2])
outcome = timed("all", mechanism.anonymize)(log, **parameters, rng=np.random.default_rng(seed))
print(json.dumps({**spent, "cases": outcome.release.n_cases, **outcome.resolved}))
"""
THEIRS = """
import importlib.util, json, random, sys, time, warnings
warnings.simplefilter("ignore")
importlib.util.find_loader = importlib.util.find_spec
import numpy, pandas
from pm4py.algo.anonymization.trace_variant_query import algorithm as query
log = pandas.read_parquet(sys.argv[2])
given = json.loads(sys.argv[3])
seed = int(sys.argv[4])
numpy.random.seed(seed), random.seed(seed)
variant = {"tvq": query.Variants.LAPLACE, "sacofa": query.Variants.SACOFA}[sys.argv[1]]
parameters = {"epsilon": given["epsilon"], "k": given["max_length"], "p": given["pruning"], "show_progress_bar": False}
before = time.process_time()
release = query.apply(log, variant=variant, parameters=parameters)
cpu = time.process_time() - before
print("\\n" + json.dumps({"all": cpu}))
"""


def table(logs: dict[str, Path], rounds: int) -> list[dict[str, str]]:
    """A line a setting whose log is there: CPU of ours and of pm4py, their ratios, and cost of a whole run."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for mechanism, name, epsilon, pruning in SETTINGS:
            if name not in logs:
                continue
            log = Path(folder, f"{name}.parquet")
            if not log.exists():
                run(python(CONVERT, logs[name], log))
            ours, theirs, whole = [], [], []
            for seed in range(rounds):
                ours.append(run(python(OURS, mechanism, log, epsilon, pruning, seed)))
                theirs.append(run(python(THEIRS, mechanism, log, ours[-1].output, seed), {"TQDM_DISABLE": "1"}))
                parameters = ["--epsilon", str(epsilon), "--pruning", pruning, "--seed", str(seed)]
                command = [sys.executable, "-m", f"baselines.{mechanism}", str(log), f"{folder}/release.parquet"]
                whole.append(run([*command, *parameters]))
            setting = {"mechanism": mechanism, "log": name, "epsilon": str(epsilon), "pruning": pruning}
            lines.append(setting | _figures(_answers(ours), _answers(theirs), whole))
    return lines


def _figures(ours: list[dict], theirs: list[dict], whole: list[Cost]) -> dict[str, str]:
    figures = {
        "cases": spread([answer["cases"] for answer in ours], 0),
        "sampling CPU ms": spread([1000 * answer["sampling"] for answer in ours], 1),
        "all CPU ms": spread([1000 * answer["all"] for answer in ours], 1),
        "pm4py CPU ms": spread([1000 * answer["all"] for answer in theirs], 0),
    }
    for part in ("sampling", "all"):
        ratios = [their["all"] / our[part] for our, their in zip(ours, theirs, strict=True)]
        figures[f"pm4py / {part}"] = spread(ratios, 0)
    return figures | {
        "process CPU s": spread([cost.cpu_s for cost in whole]),
        "process MB": spread([cost.peak_mb for cost in whole], 0),
    }


def _answers(costs: list[Cost]) -> list[dict]:
    return [json.loads(cost.output.splitlines()[-1]) for cost in costs]
