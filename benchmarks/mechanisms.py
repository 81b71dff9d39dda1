"""The mechanisms on event logs that no public package has; the queries of variants and PRIPEL are a part of their own.

CPU is that from the log in memory to the release in memory. PRETSA runs with k = 32 and t = 0.25, its embedding trained
before, which is a task of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

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
size = outcome.diagnostics.get("classes") or getattr(outcome.release, "n_events", 0)
print(json.dumps({"cpu_s": cpu, "size": size}))
"""
TRAINING = """
import json, sys, time
from data.io import read_log
from mechanisms.pretsa import embedding
log = read_log(sys.argv[1])
before = time.process_time()
embedding.train(log, seed=int(sys.argv[2]))
print(json.dumps({"cpu_s": time.process_time() - before, "size": len(log.labels)}))
"""
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
    for name, log, _ in inputs.canonical("Sepsis", "BPIC 2012", "Road Traffic"):
        for task, (module, given) in OTHERS.items():
            yield Task(task, name, ours(module, log, given))
    for name, log, _ in inputs.canonical("Sepsis"):
        yield Task("pretsa, training", name, partial(_ours, [TRAINING, log]))
        embedding = inputs.folder / "embedding.json"
        run([sys.executable, "-m", "mechanisms.pretsa.embedding", str(log), str(embedding)])
        given = {"k": 32, "t": 0.25, "distance": "embedding", "embedding": str(embedding)}
        yield Task("pretsa embedding", name, ours("mechanisms.pretsa", log, given))


def ours(module: str, log: Path, given: Mapping[str, object]) -> partial[Measured]:
    """A mechanism of this project, run with some parameters on a log or a relation."""
    return partial(_ours, [OURS, module, log, json.dumps(given)])


def _ours(code: list[object], seed: int) -> Measured:
    return answered(run(python(*code, seed)))
