"""Tables recoded to k = 10 by Datafly, Incognito and Mondrian, against anjana (Datafly) and anonypy (Mondrian).

The table is the stand-in for an access log†, pairs of user and address. CPU is that from the relation in memory to the
release in memory, the renderings included and imports excluded; memory is that of the process. `DM` is discernibility.
Datafly and Incognito recode four octets (10 rows suppressed at most, or none), Mondrian the address, or address and
user. The peers pin libraries of their own, so each runs in an environment of its own, and its columns stay empty
without one:

    python -m venv anjana && anjana/bin/pip install anjana==1.2.3 pyarrow
    python -m venv anonypy && anonypy/bin/pip install anonypy==0.2.1 pandas==2.3.3 pyarrow
    ANJANA_PEER=$PWD/anjana/bin/python ANONYPY_PEER=$PWD/anonypy/bin/python make benchmark

They run on the smallest table alone, where they take seconds.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from benchmarks.process import Cost, python, run, spread

SIZES = (14_430, 144_300, 350_000)
STAND_IN = """
import sys
from data.access import pairs
from data.relation import IPV4, Column, Relation
from data.relation_io import write_relation
users, addresses = pairs(int(sys.argv[2]))
write_relation(Relation({"user": Column(users), "ip": Column(addresses, IPV4)}), sys.argv[1])
"""
OURS = """
import importlib, json, sys, time
import numpy as np
from data.relation_io import read_relation
relation = read_relation(sys.argv[1])
mechanism, parameters = importlib.import_module(f"baselines.{sys.argv[2]}"), json.loads(sys.argv[3])
before = time.process_time()
outcome = mechanism.anonymize(relation, k=10, rng=np.random.default_rng(1), **parameters)
cpu = time.process_time() - before
found = outcome.diagnostics
print(json.dumps({"cpu_s": cpu, "classes": found["classes"], "dm": found["discernibility"]}))
"""
READ = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd, pyarrow.parquet as pq
table = pq.read_table(sys.argv[1]).to_pandas()
"""
ANJANA = """
from anjana.anonymity import k_anonymity
data = pd.DataFrame({f"o{i}": (table.ip.to_numpy() >> 8 * (4 - i) & 255).astype(str) for i in range(1, 5)})
values = np.arange(256)
levels = {0: values.astype(str)}
for level, width in enumerate((32, 64, 128), start=1):
    levels[level] = np.array([f"{v // width * width}+{width}" for v in values])
levels[4] = np.full(256, "*")
n = len(data)
before = time.process_time()
released = k_anonymity(data, [], [*data], 10, 100 * 10 / n, {name: dict(levels) for name in data})
cpu = time.process_time() - before
sizes = released.groupby([f"o{i}" for i in range(1, 5)]).size().to_numpy()
dm = int((sizes**2).sum() + n * (n - sizes.sum()))
print(json.dumps({"cpu_s": cpu, "classes": len(sizes), "dm": dm}))
"""
ANONYPY = """
from anonypy import Mondrian
names = json.loads(sys.argv[2])
before = time.process_time()
partitions = Mondrian(table[names].copy(), names).partition(10)
cpu = time.process_time() - before
sizes = np.array([len(partition) for partition in partitions])
print(json.dumps({"cpu_s": cpu, "classes": len(sizes), "dm": int((sizes**2).sum())}))
"""
# Mechanism, parameters, and the peer with its code and arguments.
RUNS = {
    "datafly": ("datafly", {"attributes": "ip", "suppression": 10}, ("ANJANA_PEER", ANJANA, [])),
    "incognito, 256 nodes": ("incognito", {"attributes": "ip", "octet_levels": "0234"}, None),
    "incognito, 625 nodes": ("incognito", {"attributes": "ip"}, None),
    "mondrian ip": ("mondrian", {"attributes": "ip"}, ("ANONYPY_PEER", ANONYPY, [["ip"]])),
    "mondrian ip, user": ("mondrian", {"attributes": "ip,user"}, ("ANONYPY_PEER", ANONYPY, [["ip", "user"]])),
}


def table(rounds: int) -> list[dict[str, str]]:
    """A line a mechanism and size: CPU, memory, classes and discernibility, and the ratio to the peer's CPU."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            relation = Path(folder, f"{size}.parquet")
            run(python(STAND_IN, relation, size))
            for name, (mechanism, parameters, peer) in RUNS.items():
                ours, theirs = [], []
                for _ in range(rounds):
                    ours.append(run(python(OURS, relation, mechanism, json.dumps(parameters))))
                    if peer and size == SIZES[0] and (interpreter := os.environ.get(peer[0])):
                        code, arguments = READ + peer[1], map(json.dumps, peer[2])
                        theirs.append(run([interpreter, "-c", code, str(relation), *arguments]))
                lines.append(_line(size, name, ours, theirs))
    return lines


def _line(size: int, name: str, ours: list[Cost], theirs: list[Cost]) -> dict[str, str]:
    line = {"rows": str(size), "mechanism": name, **_figures("", ours)}
    if theirs:
        ratios = [b["cpu_s"] / a["cpu_s"] for a, b in zip(_answers(ours), _answers(theirs), strict=True)]
        line |= {**_figures("peer ", theirs), "peer / ours": spread(ratios, 0)}
    return line


def _figures(who: str, costs: list[Cost]) -> dict[str, str]:
    answer = _answers(costs)[-1]
    return {
        f"{who}CPU ms": spread([1000 * each["cpu_s"] for each in _answers(costs)], 0),
        f"{who}MB": spread([cost.peak_mb for cost in costs], 0),
        f"{who}classes": str(answer["classes"]),
        f"{who}DM": str(answer["dm"]),
    }


def _answers(costs: list[Cost]) -> list[dict]:
    return [json.loads(cost.output.splitlines()[-1]) for cost in costs]
