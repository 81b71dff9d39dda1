"""Conversion of XES to the canonical log, against pm4py's `read_xes` of the same file, with and without rustxes.

The conversion includes all checks, the statistics, the checksum of the file and the writing of Parquet, the peer's
reading alone. Without rustxes, pm4py is not run on the largest log, where it takes half a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.peers import interpreter
from benchmarks.process import python, run
from benchmarks.task import Inputs, Measured, Task, answered

OURS = """
import json, sys, time
from pathlib import Path
import pyarrow.parquet
from data.convert import convert
before = time.process_time()
events = convert(Path(sys.argv[1]), Path(sys.argv[2]))["events"]
print(json.dumps({"cpu_s": time.process_time() - before, "size": events}))
"""
THEIRS = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import pm4py
pm4py.util.constants.SHOW_PROGRESS_BAR = False
before = time.process_time()
log = pm4py.read_xes(sys.argv[1], variant=sys.argv[2], return_legacy_log_object=False)
print("\\n" + json.dumps({"cpu_s": time.process_time() - before, "size": len(log)}))
"""
VARIANTS = {"pm4py, rustxes": "rustxes", "pm4py": "iterparse"}  # the latter is its default without rustxes


def tasks(inputs: Inputs) -> Iterator[Task]:
    """The conversion of every log, once beside each variant."""
    peer = interpreter("pm4py")
    for name, path in inputs.raw("Sepsis", "BPIC 2015-1", "BPIC 2012", "Road Traffic").items():
        ours = python(OURS, path, inputs.folder / "converted.parquet")
        for label, variant in VARIANTS.items():
            if (name, variant) != ("Road Traffic", "iterparse"):
                theirs = [peer, "-c", THEIRS, str(path), variant]
                yield Task("import", name, partial(_measured, ours), label, partial(_measured, theirs))


def _measured(command: list[str], _round: int) -> Measured:
    return answered(run(command))
