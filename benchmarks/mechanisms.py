"""Every run of a mechanism as a user starts it: time inside the mechanism, CPU and memory of the whole process.

`log MB` is what the log takes in memory: the arrays of its events and cases, and its texts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.process import python, run, spread

CONVERT = """
import sys
from data.io import read_log, write_log
log = read_log(sys.argv[1])
write_log(log, sys.argv[2])
arrays = log.activities.nbytes + log.timestamps.nbytes + log.offsets.nbytes
print(log.n_events, round((arrays + sum(map(sys.getsizeof, (*log.labels, *log.case_ids)))) / 1e6, 1))
"""
COMMANDS = {
    f"amun {mode}": ["-m", "mechanisms.amun", "{log}", "{out}", "--delta", "0.3", "--mode", mode, "--profile", "code"]
    for mode in ("oversampling", "sampling", "filtering")
} | {"identity": ["-m", "mechanisms.identity", "{log}", "{out}"]}


def table(logs: dict[str, Path], rounds: int) -> list[dict[str, str]]:
    """A line a mechanism and log."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in logs.items():
            log = Path(folder, f"{name}.parquet")
            events, size = run(python(CONVERT, path, log)).output.split()
            for mechanism, arguments in COMMANDS.items():
                costs, inside = [], []
                for seed in range(rounds):
                    filled = [part.format(log=log, out=f"{folder}/release.parquet") for part in arguments]
                    notes = Path(folder, "notes.json")
                    costs.append(
                        run([sys.executable, *filled, "--seed", str(seed)], environment={"RUN_NOTES": str(notes)})
                    )
                    inside.append(json.loads(notes.read_text())["phases"]["mechanism_s"])
                lines.append(
                    {
                        "log": name,
                        "events": events,
                        "log MB": size,
                        "mechanism": mechanism,
                        "mechanism s": spread(inside),
                        "process CPU s": spread([cost.cpu_s for cost in costs]),
                        "process MB": spread([cost.peak_mb for cost in costs], 0),
                    }
                )
    return lines
