"""What every metric file costs by itself on one run: ``python -m benchmarks.metric_costs LOG RUN``.

Log and release are read once. Each file then scores in a process forked from there, so its time is that of its score
alone, what it shares with others made anew, and its memory includes both logs. Prints a line of JSON a file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import time
from functools import partial
from pathlib import Path
from types import ModuleType

from data.graph import DirectlyFollowsGraph
from data.io import read_log
from data.origins import read_origins
from data.release import read_release
from metrics.metric import Marked
from metrics.registry import metric_modules
from metrics.score import STATUS_OF_RUN, wanted_of
from metrics.worker import POLL_S, resident_mb

STATUS_OF_MARK = {mark: status for status, mark in STATUS_OF_RUN.items()}


def main() -> None:
    """Measure the metric files, or those named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metric_costs", description=__doc__.split("\n")[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("run", type=Path, help="folder with release.parquet, run.json and origins.parquet")
    parser.add_argument("--metrics", nargs="*", help="files, without .py (all)")
    parser.add_argument("--outsiders", type=Path, help="the cases that the log lacks: only metrics that want them")
    parser.add_argument("--limit-s", type=int, default=600, help="CPU seconds of a file (%(default)s)")
    parser.add_argument("--limit-mb", type=float, default=4000, help="memory of a process (%(default)s)")
    options = parser.parse_args()
    original = read_log(options.log)
    release = read_release(options.run / "release.parquet")
    if isinstance(release, DirectlyFollowsGraph):
        parser.error(f"{options.run}: the release is a graph; name a run that releases a log")
    known = {
        "original": original,
        "release": release,
        "origins": read_origins(options.run / "origins.parquet", original.n_cases, release.n_cases),
        "record": json.loads((options.run / "run.json").read_text()),
        "outsiders": options.outsiders and read_log(options.outsiders),
    }
    for module in metric_modules():
        name = module.__name__.removeprefix("metrics.")
        first = module.METRICS[0]
        applies = first.of == "log" and first.held_out == (options.outsiders is not None)
        if applies and (options.metrics is None or name in options.metrics):
            score = partial(module.score, **wanted_of(known, module.score))
            print(json.dumps({"name": name} | _cost(module, score, options.limit_s, options.limit_mb)), flush=True)


def _cost(module: ModuleType, score: partial, limit_s: int, limit_mb: float) -> dict[str, object]:
    """CPU and wall seconds, peak memory and how it ended, of one score."""
    source, sink = os.pipe()
    started = time.perf_counter()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
        os.write(sink, json.dumps(_ended(score)).encode())
        os._exit(0)
    os.close(sink)
    too_large = False
    while not (found := os.wait4(child, os.WNOHANG))[0]:
        if resident_mb(child) > limit_mb:
            too_large = True
            os.kill(child, signal.SIGKILL)
        time.sleep(POLL_S)
    _, status, usage = found
    with os.fdopen(source) as answer:
        text = answer.read()
    if too_large:
        ended = {"status": "memory", "reason": f"stopped beyond {limit_mb:g} MB"}
    elif text:
        ended = json.loads(text)
    else:
        late = os.waitstatus_to_exitcode(status) == -signal.SIGXCPU
        ended = {
            "status": "timeout" if late else "error",
            "reason": f"stopped after {limit_s} s of CPU time" if late else f"{module.__name__} ended without a value",
        }
    return {
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
        "wall_s": round(time.perf_counter() - started, 3),
        "peak_mb": round(usage.ru_maxrss * 1024 / 1e6, 1),
    } | ended


def _ended(score: partial) -> dict[str, str]:
    """Status and reason of a score, those of its values that are no plain numbers."""
    try:
        values = score()
    except MemoryError as error:
        return {"status": "memory", "reason": str(error)}
    except Exception as error:
        print(f"{score.func.__module__}: {error!r}", file=sys.stderr)
        return {"status": "error", "reason": f"{type(error).__name__}: {error}"}
    marked = [value for value in values.values() if isinstance(value, Marked)]
    if not marked:
        return {"status": "ok", "reason": ""}
    told = min(marked, key=lambda value: value.status == "n/a")  # that some are not applicable tells least
    return {"status": STATUS_OF_MARK.get(told.status, told.status), "reason": told.reason}


if __name__ == "__main__":
    main()
