"""Conversion of XES to the canonical log, against pm4py's fastest reader (rustxes) reading the same file.

Both are timed inside their process, imports excluded, one after the other in each round.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.process import python, run, spread

OURS = """
import sys, time
from pathlib import Path
from data.convert import convert
before = time.process_time()
convert(Path(sys.argv[1]), Path(sys.argv[2]))
print(time.process_time() - before)
"""
THEIRS = """
import sys, time, warnings
warnings.simplefilter("ignore")
import pm4py
before = time.process_time()
pm4py.read_xes(sys.argv[1], variant="rustxes", return_legacy_log_object=False)
print("\\n" + str(time.process_time() - before))
"""


def table(logs: dict[str, Path], rounds: int) -> list[dict[str, str]]:
    """A line a log: CPU of the conversion and of the peer, their ratio, peak memory of both."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in logs.items():
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(run(python(OURS, path, f"{folder}/log.parquet")))
                theirs.append(run(python(THEIRS, path)))
            cpu = [[float(cost.output.split()[-1]) for cost in costs] for costs in (ours, theirs)]
            lines.append(
                {
                    "log": name,
                    "conversion CPU s": spread(cpu[0]),
                    "pm4py rustxes CPU s": spread(cpu[1]),
                    "ratio": spread([a / b for a, b in zip(*cpu, strict=True)]),
                    "conversion MB": spread([cost.peak_mb for cost in ours], 0),
                    "pm4py MB": spread([cost.peak_mb for cost in theirs], 0),
                }
            )
    return lines
