"""Run one command of one run under limits, and write its record whatever happens.

Started by the shell of a Snakemake rule, with the standard library alone, because it is paid for in every run:

    exec python -S mechanisms/measure.py results/runs/amun/delta=0.3,mode=sampling/sepsis/3/run.json
        --release results/runs/amun/delta=0.3,mode=sampling/sepsis/3/release.parquet
        --input results/logs/sepsis/log.parquet --seed 123 --limit-s 86400 --limit-mb 8000
        --stop-after 1 --previous results/runs/amun/delta=0.3,mode=sampling/sepsis/2/run.json
        -- command of the mechanism

The last folders of the record's path name the run: mechanism, parameters, log, repeat. A command that fails, times
out or refuses is a result: the record tells of it, the release becomes a file of 0 bytes, and the exit code is 0. It
is 1 (2 for bad usage) only if nothing could be measured or the run was interrupted; then neither file is left.

The command exits with 0 if it wrote the release, with 3 and its reason on stderr if the parameters are infeasible.
It may write JSON to the path in RUN_NOTES: {"parameters", "phases", "versions", "diagnostics"} enter the record; and
a Parquet file to that in RUN_ORIGINS: which case of the log each released case stems from, see `data.origins`. Without
one, and after a failure, a file of 0 bytes stands in its place.

CPU time and peak memory are those of the whole process tree; memory is resident memory in MB of 10^6 bytes. It is
limited by watching it: RLIMIT_AS counts address space, which Java and numba reserve without using it, and a control
group of its own is a right that a run rarely has. The peak is what was seen or, where greater, what the kernel says
of the largest process (never below this wrapper's own, about 12 MB).
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # this folder last: a mechanism may bear the name of a standard module

import argparse
import hashlib
import json
import math
import os
import re
import signal
import time

import machine
import processes

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = ("data", "mechanisms", "baselines")
INFEASIBLE = 3
REASON_LENGTH = 300
NOTES_BYTES = 10_000_000
OUT_OF_MEMORY = r"[\w.]*MemoryError\b|.*\bstd::bad_alloc\b"
PART = ".part."  # in the name of every file that is being written
NOTES = ("parameters", "phases", "versions", "diagnostics")
THREADS = (
    "OMP_NUM_THREADS",  # OpenMP, Arrow
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)


def main() -> int:
    """Command line: measure one run."""
    arguments = _parser().parse_args()
    if not os.path.exists("/proc/thread-self/children"):
        sys.exit("measure: runs are measured and limited through /proc and prctl, which only Linux has; use Linux")
    return processes.guarded(lambda: measure(arguments), lambda: _discard(arguments), arguments.grace_s)


def measure(run: argparse.Namespace) -> None:
    """Run the command unless the chain of repeats has timed out, and write its record."""
    _discard(run)
    timeouts = _timeouts(run.previous)
    *_, mechanism, parameters, log, repeat = os.path.dirname(run.record).split("/")
    record = {
        "mechanism": mechanism,
        "parameters": _parameters(parameters),
        "parameters_id": parameters,
        "log": log,
        "repeat": int(repeat),
        "seed": run.seed,
        "status": "timeout",
        "reason": f"skipped after {timeouts} timeout{'s' * (timeouts != 1)}",
        "timeouts": timeouts,
        "exit_code": None,
        "wall_s": None,
        "cpu_s": None,
        "peak_rss_mb": None,
        "phases": {},
        "limit_s": _finite(run.limit_s),
        "memory_limit_mb": _finite(run.limit_mb),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "host": machine.host(),
        "core": {"leased": False, "numbers": []},
        "load": round(os.getloadavg()[0], 2),
        "versions": {"python": sys.version.split()[0], "harness": _harness_version()},
        "code": {"commit": _commit(), "sha256": _code_sha256(), "lock_sha256": _sha256(f"{ROOT}/requirements.lock")},
        "input_sha256": None,
        "release_sha256": None,
        "diagnostics": {},
        "notes_error": None,
        "leftover_processes": 0,
        "command": run.command,
    }
    if not 0 < run.stop_after <= timeouts:
        _execute(run, record, timeouts)
    if record["status"] == "ok":
        record["release_sha256"] = _sha256(run.release)
    else:
        _discard(run)  # the release is replaced, not truncated: it may be a link to another file
        _write(run.release, "")
    origins = _origins_path(run)
    if os.path.islink(origins) or not os.path.isfile(origins):
        _remove(origins)
        _write(origins, "")
    processes.stop_if_interrupted()
    _write(run.record, json.dumps(record, indent=1) + "\n")


def _execute(run: argparse.Namespace, record: dict, timeouts: int) -> None:
    """Run the command and fill in the record."""
    try:
        record["input_sha256"] = _sha256(run.input)
        before = _state(run.input)
    except OSError as error:
        raise SystemExit(f"measure: --input {run.input}: {error.strerror}; it must exist before the run") from error
    cores = machine.lease(run.threads)
    ended = processes.run(run.command, _environment(run), cores, run.limit_s, run.limit_mb * 1e6, run.grace_s)
    status, reason = judge(ended, run)
    if _state(run.input) != before:
        status, reason = "error", f"changed its input {run.input}, which other runs read; make it again"
    record |= {
        "status": status,
        "reason": reason,
        "timeouts": timeouts + 1 if status == "timeout" else 0,
        "exit_code": ended.exit_code,
        "wall_s": round(ended.wall_s, 6),
        "cpu_s": round(ended.cpu_s, 6),
        "peak_rss_mb": round(ended.peak_bytes / 1e6, 3),
        "core": {"leased": bool(cores), "numbers": cores},
        "leftover_processes": ended.leftovers,
    }
    _merge_notes(record, _notes_path(run))


def judge(ended: processes.Ended, run: argparse.Namespace) -> tuple[str, str | None]:
    """Status and reason of a command that has ended."""
    code = ended.exit_code
    last = next((line.strip() for line in reversed(ended.stderr.splitlines()) if line.strip()), "")
    last = last[:REASON_LENGTH]
    if ended.stopped == "timeout":
        return "timeout", f"stopped at the limit of {run.limit_s:g} s"
    if ended.stopped == "memory":
        return "memory", f"stopped at {ended.peak_bytes / 1e6:.0f} MB, beyond the limit of {run.limit_mb:g} MB"
    if ended.oom_killed and code in (-signal.SIGKILL, 128 + signal.SIGKILL):  # the latter by way of a shell
        return "memory", "killed by the kernel for lack of memory"
    if code == 0:
        fault = _fault(run.release)
        return ("error", fault) if fault else ("ok", None)
    if code == INFEASIBLE:
        return "infeasible", last or "refused without a reason"
    if re.match(OUT_OF_MEMORY, last):
        return "memory", last
    how = f"exit code {code}" if code > 0 else f"signal {-code}, {signal.strsignal(-code)}"
    return "error", f"{last} ({how})" if last else how


def _fault(release: str) -> str | None:
    """What is wrong with a release, None if nothing: a Parquet file begins and ends with PAR1."""
    if os.path.islink(release):
        return "wrote no release but a link to another file"
    if not os.path.isfile(release) or os.path.getsize(release) == 0:
        return "wrote no release"
    if release.endswith(".parquet"):
        with open(release, "rb") as file:
            head, size = file.read(4), file.seek(0, os.SEEK_END)
            file.seek(max(4, size - 4))
            if (head, file.read()) != (b"PAR1", b"PAR1"):
                return "half-written release: not a whole Parquet file"
    return None


def _merge_notes(record: dict, path: str) -> None:
    """Merge what the command noted; notes that cannot be read are a remark, not a failure."""
    try:
        if os.path.lexists(path) and not (os.path.isfile(path) and os.path.getsize(path) <= NOTES_BYTES):
            raise ValueError(f"not a file of at most {NOTES_BYTES} bytes")  # reading a pipe would wait for ever
        with open(path, encoding="utf-8") as file:
            notes = json.load(file, parse_constant=str, parse_float=_number)  # NaN is no JSON
        if not isinstance(notes, dict) or not all(isinstance(notes.get(key, {}), dict) for key in NOTES):
            raise ValueError(f"not an object of objects {', '.join(NOTES)}")
        for key in NOTES:
            record[key] |= notes.get(key, {})
    except FileNotFoundError:
        pass
    except (OSError, ValueError, RecursionError) as error:
        record["notes_error"] = f"notes ignored: {error}"[:REASON_LENGTH]
    finally:
        _remove(path)


def _timeouts(previous: str | None) -> int:
    """Timeouts in a row up to the previous repeat, from its record."""
    if not previous:
        return 0
    try:
        with open(previous, encoding="utf-8") as file:
            return int(json.load(file)["timeouts"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SystemExit(
            f"measure: --previous {previous} is not a run record ({error!r}); delete it and run that repeat again"
        ) from error


def _environment(run: argparse.Namespace) -> dict[str, str]:
    path = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        **dict.fromkeys(THREADS, str(run.threads)),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{path}" if path else ROOT,
        "RUN_NOTES": _notes_path(run),
        "RUN_ORIGINS": _origins_path(run),
    }


def _harness_version() -> str:
    with open(f"{ROOT}/pyproject.toml", encoding="utf-8") as file:
        return next(line.split('"')[1] for line in file if line.startswith("version = "))


def _commit() -> str | None:
    """The commit that is checked out, None where there is none; `_code_sha256` tells whether files were edited."""
    try:
        with open(f"{ROOT}/.git/HEAD", encoding="utf-8") as file:
            head = file.read().strip()
        if not head.startswith("ref: "):
            return head
        with open(f"{ROOT}/.git/{head[5:]}", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:  # no clone, a linked one, or packed references
        return None


def _code_sha256() -> str:
    """Of the code that makes releases: paths and contents of all modules in the folders that mechanisms import."""
    digest = hashlib.sha256()
    for folder in CODE:
        for place, folders, files in os.walk(f"{ROOT}/{folder}"):
            folders.sort()
            for name in sorted(name for name in files if name.endswith(".py")):
                path = os.path.join(place, name)
                digest.update(os.path.relpath(path, ROOT).encode())
                with open(path, "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()


def _record(path: str) -> str:
    path = os.path.abspath(path)
    if path.count("/") < 5 or not path.split("/")[-2].isdecimal():
        raise argparse.ArgumentTypeError(f"{path} does not end in mechanism/parameters/log/repeat/run.json")
    return path


def _parameters(spelling: str) -> dict:
    """`delta=0.3,mode=sampling` as a dictionary; `default` is none."""
    pairs = [] if spelling == "default" else [pair.partition("=") for pair in spelling.split(",")]
    return {name: _value(value) for name, _, value in pairs}


def _value(text: str) -> object:
    try:
        return json.loads(text, parse_constant=str, parse_float=_number)
    except ValueError:
        return text


def _number(text: str) -> float | str:
    """A number, as text if it is beyond what JSON can hold."""
    return float(text) if math.isfinite(float(text)) else text


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def _notes_path(run: argparse.Namespace) -> str:
    return f"{run.record}.notes"


def _origins_path(run: argparse.Namespace) -> str:
    return os.path.join(os.path.dirname(run.record), "origins.parquet")


def _discard(run: argparse.Namespace) -> None:
    """Remove what a run writes, and what a killed command left of a file that it was writing (`.PID.part.NAME`)."""
    folder = os.path.dirname(run.record)
    os.makedirs(folder, exist_ok=True)
    parts = [f"{folder}/{name}" for name in os.listdir(folder) if PART in name]
    for path in (run.record, run.release, _origins_path(run), _notes_path(run), *parts):
        _remove(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        import shutil

        shutil.rmtree(path)


def _write(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    folder, name = os.path.split(path)
    temporary = f"{folder}/{PART}{name}"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def _state(path: str) -> tuple[int, ...] | None:
    """What changes when a file is written or replaced."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parser() -> argparse.ArgumentParser:
    # The width is given because finding it imports shutil.
    parser = argparse.ArgumentParser(
        prog="measure",
        description="Run one command under limits and record it.",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=100),
    )
    add = parser.add_argument
    add("record", type=_record, help="{mechanism}/{parameters}/{log}/{repeat}/run.json, to write")
    add("--release", required=True, type=os.path.abspath, help="file that the command writes, beside the record")
    add("--input", required=True, help="log that the command reads; its checksum is recorded")
    add("--seed", type=int, required=True)
    add("--limit-s", type=float, default=math.inf, help="wall time in seconds (none by default)")
    add("--limit-mb", type=float, default=math.inf, help="memory of the whole tree in MB (none by default)")
    add("--threads", type=int, default=1, help="threads of libraries, and cores to lease (1)")
    add("--grace-s", type=float, default=5, help="seconds from SIGTERM to SIGKILL (5)")
    add("--previous", nargs="?", help="record of the previous repeat; may stand without a value")
    add("--stop-after", type=int, default=0, help="run nothing after so many timeouts in a row (0: always run)")
    add("command", nargs="+", help="after --, the command of the mechanism")
    return parser


if __name__ == "__main__":
    os._exit(main())  # without the interpreter's tidying-up, which costs 8 ms
