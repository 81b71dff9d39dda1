"""Run a command; what the kernel accounts for it.

The peak memory that Linux reports of a process is at least that of its parent when it was started. So whatever calls
this must stay small: no numpy, no log, no table in the process that measures.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PPM_SHARED", ROOT.parent / "shared"))
LOGS = Path(os.environ.get("PPM_LOGS", SHARED / "data" / "logs"))  # the folder of the real logs
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


@dataclass(frozen=True)
class Cost:
    """One run of a command: seconds of CPU and wall time, peak memory in MB (of 10**6 bytes), and its output."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    output: str


def run(command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path = ROOT) -> Cost:
    """Run a command once.

    Raises
    ------
    subprocess.CalledProcessError
        If it fails.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT), **(environment or {})},
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(
        usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss * 1024 / 1e6, output.strip()
    )


def project_copy(folder: str | Path) -> Path:
    """A copy of the project in a folder, without results."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "results", "raw")
    return Path(shutil.copytree(ROOT, Path(folder, "project"), ignore=ignored))


def machine() -> str:
    """Processors and Python of this machine."""
    text = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in text if line.startswith("model name")]
    return f"{len(names)} x {names[0] if names else platform.machine()}, Python {platform.python_version()}"


def python(code: str, *arguments: object) -> list[str]:
    """The command that runs some Python code."""
    return [sys.executable, "-c", code, *map(str, arguments)]
