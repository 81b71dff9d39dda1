"""PRIPEL with its query at epsilon 1, pruning 1 % and the mean length + 1, against that of pm4py, settings alike.

CPU is that from the log in memory to the release in memory, imports excluded; memory is that of the process. pm4py's
PRIPEL needs diffprivlib, which fails with the scikit-learn of this project, so the peer runs in an environment of its
own, and its columns stay empty without one:

    python -m venv peer && peer/bin/pip install pm4py==2.7.23.11 diffprivlib==0.6.6 scikit-learn==1.7.2 pyarrow
    PRIPEL_PEER=$PWD/peer/bin/python make benchmark

Its Laplace query calls a function that Python no longer has, which is put back. It is not run on the larger logs, where
its matrix of query traces by cases has 8e7 and 1e10 cells.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from benchmarks.mechanisms import CONVERT
from benchmarks.process import Cost, python, run, spread

SMALL = {
    "receipt": "receipt.xes.gz",
    "Sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "BPIC 2013 closed": "BPI_Challenge_2013_closed_problems.xes.gz",
    "Unrineweginfectie": "Unrineweginfectie.xes.gz",
}
LOGS = {**SMALL, "BPIC 2012": "BPI_Challenge_2012.xes.gz", "Road Traffic": "RTFMP_reexport.xes.gz"}
OURS = """
import json, sys, time
import numpy as np
from baselines import pripel
from data.io import read_log
log = read_log(sys.argv[1])
before = time.process_time()
rng = np.random.default_rng(int(sys.argv[2]))
outcome = pripel.anonymize(log, epsilon=1.0, max_length="mean+1", pruning="1%", rng=rng)
cpu = time.process_time() - before
print(json.dumps({"cpu_s": cpu, "cases": outcome.release.n_cases, **outcome.resolved}))
"""
THEIRS = """
import importlib.util, json, sys, time, warnings
warnings.simplefilter("ignore")
importlib.util.find_loader = importlib.util.find_spec
import numpy, random, pandas
from pm4py.algo.anonymization.pripel import algorithm as pripel
from pm4py.algo.anonymization.trace_variant_query import algorithm as query
log = pandas.read_parquet(sys.argv[1])
given = json.loads(sys.argv[3])
numpy.random.seed(int(sys.argv[2])), random.seed(int(sys.argv[2]))
before = time.process_time()
parameters = {"epsilon": given["epsilon"], "k": given["max_length"], "p": given["pruning"], "show_progress_bar": False}
variants = query.apply(log, variant=query.Variants.LAPLACE, parameters=parameters)
release = pripel.apply(log, variants, given["epsilon"])
cpu = time.process_time() - before
print("\\n" + json.dumps({"cpu_s": cpu, "cases": release["case:concept:name"].nunique()}))
"""


def table(logs: dict[str, Path], rounds: int) -> list[dict[str, str]]:
    """A line a log: CPU and peak memory, and their ratios to those of the peer where there is one."""
    peer = os.environ.get("PRIPEL_PEER")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in logs.items():
            log = Path(folder, f"{name}.parquet")
            run(python(CONVERT, path, log))
            ours, theirs = [], []
            for seed in range(rounds):
                ours.append(run(python(OURS, log, seed)))
                if peer and name in SMALL:
                    theirs.append(
                        run([peer, "-c", THEIRS, str(log), str(seed), ours[-1].output], {"TQDM_DISABLE": "1"})
                    )
            lines.append(_line(name, ours, theirs))
    return lines


def _line(name: str, ours: list[Cost], theirs: list[Cost]) -> dict[str, str]:
    line = {"log": name, **_figures("", ours)}
    if theirs:
        ratios = [b["cpu_s"] / a["cpu_s"] for a, b in zip(_answers(ours), _answers(theirs), strict=True)]
        line |= {**_figures("pm4py ", theirs), "pm4py / ours": spread(ratios, 0)}
    return line


def _figures(who: str, costs: list[Cost]) -> dict[str, str]:
    return {
        f"{who}cases": spread([answer["cases"] for answer in _answers(costs)], 0),
        f"{who}CPU s": spread([answer["cpu_s"] for answer in _answers(costs)], 3),
        f"{who}MB": spread([cost.peak_mb for cost in costs], 0),
    }


def _answers(costs: list[Cost]) -> list[dict]:
    return [json.loads(cost.output.splitlines()[-1]) for cost in costs]
