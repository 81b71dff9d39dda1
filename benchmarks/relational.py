"""Tables recoded to k = 10, Datafly against anjana and Mondrian against anonypy.

The table is the stand-in for an access log†, pairs of user and address. CPU is that from the relation in memory to the
release in memory, of ours with the renderings. Datafly and Incognito recode four octets (10 rows suppressed at most, or
none), Mondrian the address, or address and user. The peers run on the smaller table alone, where they take seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from benchmarks.mechanisms import ours
from benchmarks.peers import interpreter
from benchmarks.process import python, run
from benchmarks.task import Inputs, Measured, Task, answered

SIZES = (14_430, 350_000)
STAND_IN = """
import sys
from data.access import pairs
from data.relation import IPV4, Column, Relation
from data.relation_io import write_relation
users, addresses = pairs(int(sys.argv[2]))
write_relation(Relation({"user": Column(users), "ip": Column(addresses, IPV4)}), sys.argv[1])
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
classes = released.groupby([f"o{i}" for i in range(1, 5)]).ngroups
print(json.dumps({"cpu_s": cpu, "size": classes}))
"""
ANONYPY = """
from anonypy import Mondrian
names = json.loads(sys.argv[2])
before = time.process_time()
partitions = Mondrian(table[names].copy(), names).partition(10)
print(json.dumps({"cpu_s": time.process_time() - before, "size": len(partitions)}))
"""
# Task: mechanism, parameters, and the peer with its code and the columns it recodes.
RUNS = {
    "datafly": ("datafly", {"attributes": "ip", "suppression": 10}, ("anjana", ANJANA, [])),
    "incognito": ("incognito", {"attributes": "ip"}, None),
    "mondrian ip": ("mondrian", {"attributes": "ip"}, ("anonypy", ANONYPY, ["ip"])),
    "mondrian ip, user": ("mondrian", {"attributes": "ip,user"}, ("anonypy", ANONYPY, ["ip", "user"])),
    "truncation": ("truncation", {"attributes": "ip", "prefix": 16}, None),
}


def tasks(inputs: Inputs) -> Iterator[Task]:
    """Every mechanism of tables on tables of every size."""
    for size in SIZES:
        relation = inputs.folder / f"{size}.parquet"
        run(python(STAND_IN, relation, size))
        for name, (mechanism, parameters, peer) in RUNS.items():
            other = ()
            if peer and size == SIZES[0]:
                program, code, columns = peer
                command = [interpreter(program), "-c", READ + code, str(relation), json.dumps(columns)]
                other = (program, partial(_theirs, command))
            yield Task(
                name, f"{size:,} rows†", ours(f"baselines.{mechanism}", relation, {"k": 10, **parameters}), *other
            )


def _theirs(command: list[str], _round: int) -> Measured:
    return answered(run(command))
