"""Every mechanism on event logs; the queries of variants and PRIPEL against those of pm4py, settings alike.

CPU is that from the log in memory to the release in memory. The longest prefix is the mean length of a case, plus one.
pm4py's Laplace query calls a function that Python no longer has, which is put back; its SaCoFa draws the number of
violating prefixes from another law, so the tasks are alike there and the laws are not. Its PRIPEL is not run on the
larger logs, where its matrix of query traces by cases has 8e7 cells and more. No public package has the others.
PRETSA runs with k = 32 and t = 0.25, the embedding trained before, which is a task of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks.peers import interpreter
from benchmarks.process import python, run
from benchmarks.task import Inputs, Measured, Task, answered

OURS = """
import importlib, json, sys, time
import numpy as np
from data.io import read_log
from data.relation_io import is_relation, read_relation
mechanism, path, given, seed = importlib.import_module(sys.argv[1]), *sys.argv[2:]
log = read_relation(path) if is_relation(path) else read_log(path)
before = time.process_time()
outcome = mechanism.anonymize(log, **json.loads(given), rng=np.random.default_rng(int(seed)))
cpu = time.process_time() - before
size = outcome.diagnostics.get("classes") or getattr(outcome.release, "n_cases", log.n_cases)
print(json.dumps({"cpu_s": cpu, "size": size}))
"""
TRAINING = """
import json, sys, time
from data.io import read_log
from mechanisms.pretsa import embedding
log = read_log(sys.argv[1])
before = time.process_time()
embedding.train(log, seed=int(sys.argv[2]))
print(json.dumps({"cpu_s": time.process_time() - before, "size": log.n_cases}))
"""
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
cases = release["case:concept:name"].nunique() if mechanism == "pripel" else len(release)
print("\\n" + json.dumps({"cpu_s": cpu, "size": cases}))
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
AMUN = {f"amun {mode}": ("mechanisms.amun", {"delta": 0.3, "mode": mode, "profile": "code"})
        for mode in ("oversampling", "sampling", "filtering")}  # fmt: skip
OTHERS = AMUN | {
    "dfg_query": ("baselines.dfg_query", {"epsilon": 1.0, "profile": "accounted"}),
    "identity": ("mechanisms.identity", {}),
    "shuffle": ("mechanisms.shuffle", {}),
    "pretsa levenshtein": ("mechanisms.pretsa", {"k": 32, "t": 0.25, "distance": "levenshtein"}),
}


def tasks(inputs: Inputs) -> Iterator[Task]:
    """Every mechanism on every log it is run on."""
    peer = interpreter("pm4py")
    for mechanism, epsilon, names, compared in QUERIES:
        for name, log, size in inputs.canonical(*names):
            pruning = max(1, round(size["cases"] * PRUNING))
            given = {"epsilon": epsilon, "max_length": size["mean_length"] + 1, "pruning": pruning}
            theirs = [peer, "-c", THEIRS, mechanism, str(log), json.dumps(given)]
            other = ("pm4py", partial(_theirs, theirs)) if compared else ()
            yield Task(f"{mechanism}, epsilon {epsilon}", name, ours(f"baselines.{mechanism}", log, given), *other)
    for name, log, _ in inputs.canonical("Sepsis", "BPIC 2012", "Road Traffic"):
        for task, (module, given) in OTHERS.items():
            yield Task(task, name, ours(module, log, given))
    yield from _embedded(inputs)


def _embedded(inputs: Inputs) -> Iterator[Task]:
    for name, log, _ in inputs.canonical("Sepsis"):
        yield Task("pretsa, training", name, partial(_ours, [TRAINING, log]))
        embedding = inputs.folder / "embedding.json"
        run([sys.executable, "-m", "mechanisms.pretsa.embedding", str(log), str(embedding)])
        for form in ("linear", "shift", "alignment"):
            given = {"k": 32, "t": 0.25, "distance": "embedding", "embedding": str(embedding), "form": form}
            yield Task(f"pretsa {form}", name, ours("mechanisms.pretsa", log, given))


def ours(module: str, log: Path, given: Mapping[str, object]) -> partial[Measured]:
    """A mechanism of this project, run with some parameters on a log or a relation."""
    return partial(_ours, [OURS, module, log, json.dumps(given)])


def _ours(code: list[object], seed: int) -> Measured:
    return answered(run(python(*code, seed)))


def _theirs(command: list[str], seed: int) -> Measured:
    return answered(run([*command, str(seed)], {"TQDM_DISABLE": "1"}))
