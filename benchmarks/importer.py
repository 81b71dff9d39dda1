"""Conversion of XES to the canonical log, against pm4py's `read_xes` of the same file, with and without rustxes.

Timed inside the processes, imports excluded, one after the other in each round. The conversion includes all checks,
the statistics, the checksum of the file and the writing of Parquet. Ratios are the conversion's share of the peer's.
The synthetic log has 2.5 million events and the attributes of BPIC 2018; it is converted once.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import synthetic
from benchmarks.process import Cost, python, run, spread

OURS = """
import sys, time
from pathlib import Path
import pyarrow.parquet
from data.convert import convert
before = time.process_time()
convert(Path(sys.argv[1]), Path(sys.argv[2]))
print(time.process_time() - before)
"""
THEIRS = """
import sys, time, warnings
warnings.simplefilter("ignore")
import pm4py
pm4py.util.constants.SHOW_PROGRESS_BAR = False
before = time.process_time()
pm4py.read_xes(sys.argv[1], variant=sys.argv[2], return_legacy_log_object=False)
print("\\n" + str(time.process_time() - before))
"""
PEERS = {"pm4py rustxes": "rustxes", "pm4py": "iterparse"}  # the latter is its default without rustxes


def table(logs: dict[str, Path], rounds: int) -> list[dict[str, str]]:
    """A line a log: CPU and peak memory of the conversion, and their ratios to those of the peers."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/log.parquet"
        for name, path in logs.items():
            ours: list[Cost] = []
            theirs: dict[str, list[Cost]] = {peer: [] for peer in PEERS}
            for _ in range(rounds):
                ours.append(run(python(OURS, path, target)))
                for peer, variant in PEERS.items():
                    theirs[peer].append(run(python(THEIRS, path, variant)))
            lines.append(_line(name, ours, theirs))
        large = Path(folder, "large.xes.gz")
        synthetic.write(large, cases=43_860, events=57)
        lines.append(_line("synthetic", [run(python(OURS, large, target))], {}))
    return lines


def _line(name: str, ours: list[Cost], theirs: dict[str, list[Cost]]) -> dict[str, str]:
    line = {"log": name, "CPU s": spread(_inside(ours)), "MB": spread([cost.peak_mb for cost in ours], 0)}
    for peer, costs in theirs.items():
        ratios = [a / b for a, b in zip(_inside(ours), _inside(costs), strict=True)]
        line |= {
            f"{peer} CPU s": spread(_inside(costs)),
            f"{peer} MB": spread([cost.peak_mb for cost in costs], 0),
            f"CPU / {peer}": spread(ratios),
        }
    return line


def _inside(costs: list[Cost]) -> list[float]:
    return [float(cost.output.split()[-1]) for cost in costs]
