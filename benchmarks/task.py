"""What the suite measures: one task on one input, by this project and, where one does the same, by a peer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import ROOT, Cost, python, run

LOGS = {
    "receipt": "receipt.xes.gz",
    "Sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "BPIC 2013 closed": "BPI_Challenge_2013_closed_problems.xes.gz",
    "BPIC 2012": "BPI_Challenge_2012.xes.gz",
    "BPIC 2015-1": "BPIC15_1.xes.gz",
    "Road Traffic": "RTFMP_reexport.xes.gz",
}
CONVERT = """
import json, sys
from data.io import read_log, write_log
log = read_log(sys.argv[1])
write_log(log, sys.argv[2])
print(json.dumps({"cases": log.n_cases, "mean_length": round(log.n_events / log.n_cases)}))
"""


@dataclass(frozen=True)
class Measured:
    """What one process took.

    Attributes
    ----------
    cpu_s : float
        Seconds of CPU of the task itself: without imports, reading and writing.
    process_cpu_s : float
        Those of the whole process.
    peak_mb : float
        Its peak memory, in 10**6 bytes.
    size : int
        Of the outcome: events, classes, jobs; of an embedding activities. It tells whether both did the same.
    """

    cpu_s: float
    process_cpu_s: float
    peak_mb: float
    size: int


@dataclass(frozen=True)
class Task:
    """One task on one input.

    Attributes
    ----------
    name, given : str
        The task and its input.
    ours : function of the number of the round
        Does it by this project.
    peer : str
        Who else does it.
    theirs : function of the number of the round, optional
        Does it by the peer.
    """

    name: str
    given: str
    ours: Callable[[int], Measured]
    peer: str = ""
    theirs: Callable[[int], Measured] | None = None


def answered(cost: Cost) -> Measured:
    """What a process took that prints `cpu_s` and `size` of the task as JSON on its last line."""
    answer = json.loads(cost.output.splitlines()[-1])
    return Measured(answer["cpu_s"], cost.cpu_s, cost.peak_mb, answer["size"])


class Inputs:
    """The logs that are measured, canonical ones in a folder.

    Parameters
    ----------
    logs : path
        The folder of the real logs; the embedded synthetic ones (†) stand in if it has none of those wanted.
    folder : path
        For what is made of them.
    """

    def __init__(self, logs: Path, folder: Path) -> None:
        self.logs, self.folder = logs, folder

    def raw(self, *names: str) -> dict[str, Path]:
        """The files of the wanted logs that there are, by name."""
        real = {name: self.logs / LOGS[name] for name in names if (self.logs / LOGS[name]).is_file()}
        embedded = sorted((ROOT / "data/embedded").glob("*structured.xes.gz"))
        return real or {path.name.split(".")[0] + "†": path for path in embedded}

    def canonical(self, *names: str) -> Iterator[tuple[str, Path, dict[str, int]]]:
        """Name, canonical file, and number of cases and mean length of one, of the wanted logs that there are."""
        for name, raw in self.raw(*names).items():
            log = self.folder / f"{name}.parquet"
            yield name, log, json.loads(run(python(CONVERT, raw, log)).output)
