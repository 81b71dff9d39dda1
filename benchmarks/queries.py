"""The queries of variants and PRIPEL, against those of pm4py, settings alike.

CPU is that from the log in memory to the release in memory. The longest prefix is the mean length of a case, plus one.
pm4py's Laplace query calls a function that Python no longer has, which is put back; its SaCoFa draws the number of
violating prefixes from another law, so the tasks are alike there and the laws are not. Its PRIPEL is not run on the
larger logs, where its matrix of query traces by cases has 8e7 cells and more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from benchmarks.mechanisms import ours
from benchmarks.peers import interpreter
from benchmarks.process import run
from benchmarks.task import Inputs, Measured, Task, answered

THEIRS = """
import importlib.util, json, random, sys, time, warnings
warnings.simplefilter("ignore")
importlib.util.find_loader = importlib.util.find_spec
import numpy, pandas
from pm4py.algo.anonymization.pripel import algorithm as pripel
from pm4py.algo.anonymization.trace_variant_query import algorithm as query
mechanism, path, given, seed = sys.argv[1:]
log, given = pandas.read_parquet(path), json.loads(given)
numpy.random.seed(int(seed)), random.seed(int(seed))
variant = query.Variants.SACOFA if mechanism == "sacofa" else query.Variants.LAPLACE
parameters = {"epsilon": given["epsilon"], "k": given["max_length"], "p": given["pruning"], "show_progress_bar": False}
before = time.process_time()
release = query.apply(log, variant=variant, parameters=parameters)
if mechanism == "pripel":
    release = pripel.apply(log, release, given["epsilon"])
cpu = time.process_time() - before
print("\\n" + json.dumps({"cpu_s": cpu, "size": len(release)}))
"""
PRUNING = 0.01  # of the cases
# Mechanism, epsilon, log, and whether pm4py runs on it.
QUERIES = [
    ("tvq", 0.1, ("receipt",), True),
    ("tvq", 1, ("Sepsis", "BPIC 2012", "Road Traffic"), True),
    ("sacofa", 0.1, ("Sepsis",), True),
    ("sacofa", 1, ("Sepsis", "BPIC 2012"), True),
    ("sacofa", 1, ("Road Traffic",), False),
    ("pripel", 1, ("receipt", "Sepsis", "BPIC 2013 closed"), True),
    ("pripel", 1, ("BPIC 2012", "Road Traffic"), False),
]


def tasks(inputs: Inputs) -> Iterator[Task]:
    """Every query on every log it is run on."""
    peer = interpreter("pm4py")
    for mechanism, epsilon, names, compared in QUERIES:
        for name, log, size in inputs.canonical(*names):
            pruning = max(1, round(size["cases"] * PRUNING))
            given = {"epsilon": epsilon, "max_length": size["mean_length"] + 1, "pruning": pruning}
            theirs = [peer, "-c", THEIRS, mechanism, str(log), json.dumps(given)]
            other = ("pm4py", partial(_theirs, theirs)) if compared else ()
            yield Task(f"{mechanism}, epsilon {epsilon}", name, ours(f"baselines.{mechanism}", log, given), *other)


def _theirs(command: list[str], seed: int) -> Measured:
    return answered(run([*command, str(seed)], {"TQDM_DISABLE": "1"}))
