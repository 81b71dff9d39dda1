"""Every run of a mechanism as a user starts it: time inside the mechanism, CPU and memory of the whole process.

PRETSA runs with k = 32 and t = 0.25; its embedding is trained once a log, on a line of its own.
`log MB` is what the log takes in memory: the arrays of its events and cases, and its texts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.process import Cost, python, run, spread

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
PRETSA = ["-m", "mechanisms.pretsa", "{log}", "{out}", "--k", "32", "--t", "0.25"]
COMMANDS["pretsa levenshtein"] = PRETSA
COMMANDS |= {
    f"pretsa {form}": [*PRETSA, "--distance", "embedding", "--embedding", "{embedding}", "--form", form]
    for form in ("linear", "shift", "alignment")
}
TRAINING = ["-m", "mechanisms.pretsa.embedding", "{log}", "{embedding}"]


def table(logs: dict[str, Path], rounds: int) -> list[dict[str, str]]:
    """A line a mechanism and log."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in logs.items():
            log = Path(folder, f"{name}.parquet")
            events, size = run(python(CONVERT, path, log)).output.split()
            files = {"log": log, "out": f"{folder}/release.parquet", "embedding": f"{folder}/embedding.json"}
            known = {"log": name, "events": events, "log MB": size}
            trained = run([sys.executable, *_filled(TRAINING, files)])
            lines.append(known | {"mechanism": "pretsa, training", "mechanism s": "-"} | _costs([trained]))
            for mechanism, arguments in COMMANDS.items():
                costs, inside = [], []
                for seed in range(rounds):
                    notes = Path(folder, "notes.json")
                    command = [sys.executable, *_filled(arguments, files), "--seed", str(seed)]
                    costs.append(run(command, environment={"RUN_NOTES": str(notes)}))
                    inside.append(json.loads(notes.read_text())["phases"]["mechanism_s"])
                lines.append(known | {"mechanism": mechanism, "mechanism s": spread(inside)} | _costs(costs))
    return lines


def _filled(arguments: list[str], files: dict[str, object]) -> list[str]:
    """The arguments of a command with the names of its files."""
    return [part.format(**files) for part in arguments]


def _costs(costs: list[Cost]) -> dict[str, str]:
    return {
        "process CPU s": spread([cost.cpu_s for cost in costs]),
        "process MB": spread([cost.peak_mb for cost in costs], 0),
    }
