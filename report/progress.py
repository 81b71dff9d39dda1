"""What a running workflow says on a terminal: jobs done and running, runs that failed, and the time left.

One line that is written over takes the place of Snakemake's ten lines a job, which still go to `.snakemake/log`;
errors, warnings and the logs of failed jobs are shown as ever. A run that failed is a result, of which Snakemake knows
nothing, so the records are read. No line without a terminal or with CI set.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TextIO

# Snakemake's `LogEvent`; the values are those of its records.
STARTS, FINISHED, ERROR = "job_info", "job_finished", "job_error"
HIDDEN = {STARTS, FINISHED, "job_started", "progress", "shellcmd"}
CLEAR = "\r\033[K"


Weight = Callable[[str, Mapping[str, str]], float]


class Progress(logging.Handler):
    """Follow the records of Snakemake's logger and keep one line on a terminal.

    Parameters
    ----------
    stream : text file
    jobs : iterable of (rule, wildcards)
        Those that are to be run.
    weight : function of a rule and wildcards
        What the job is expected to take, in any unit: it tells long jobs from short ones.
    clock : function
        Seconds that pass.
    """

    def __init__(
        self,
        stream: TextIO,
        jobs: Iterable[tuple[str, Mapping[str, str]]],
        weight: Weight,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.stream, self.weight, self.clock = stream, weight, clock
        self.started = clock()
        self.jobs = self.done = 0
        self.ahead: Counter[str] = Counter()  # the weight of jobs that are not finished, by rule
        for rule, values in jobs:
            self.jobs += 1
            self.ahead[rule] += weight(rule, values)
        self.finished: Counter[str] = Counter()  # that of finished jobs, by rule
        self.seconds: Counter[str] = Counter()  # that these took
        self.running: dict[int, tuple[str, float, float, list[str]]] = {}  # by job: rule, weight, start and outputs
        self.failed_runs: Counter[str] = Counter()  # by status
        self.failed_jobs = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count what a record tells, and write the line, or make way for what others write."""
        event = getattr(record, "event", None)
        if event == STARTS:
            weight = self.weight(record.rule_name, record.wildcards)
            self.running[record.jobid] = record.rule_name, weight, self.clock(), list(record.output)
        elif event == FINISHED and record.job_id in self.running:
            self._finish(*self.running.pop(record.job_id))
        elif event == ERROR and self.running.pop(record.jobid, None):
            self.failed_jobs += 1
        if not _of_single_job(record):
            self._write("")
        elif event in (STARTS, FINISHED):
            self._write(self.line()[: _width(self.stream)] if self.done < self.jobs else self.line() + "\n")

    def close(self) -> None:
        """Leave the line for good, if the workflow ends too early."""
        if self.done < self.jobs:
            self._write(self.line() + "\n")
        super().close()

    def _write(self, text: str) -> None:
        self.stream.write(CLEAR + text)
        self.stream.flush()

    def _finish(self, rule: str, weight: float, started: float, outputs: list[str]) -> None:
        self.done += 1
        self.ahead[rule] -= weight
        self.finished[rule] += weight
        self.seconds[rule] += self.clock() - started
        for record in (Path(output) for output in outputs if output.endswith("/run.json")):
            status = json.loads(record.read_text())["status"] if record.exists() else "ok"
            self.failed_runs[status] += status != "ok"

    def line(self) -> str:
        """Jobs done, running and failed, and the time left."""
        parts = [f"{self.done:,} of {self.jobs:,} jobs done"]
        parts += [f"{len(self.running)} running"] if self.running else []
        failed = +self.failed_runs
        if failed:
            each = ", ".join(f"{count} {status}" for status, count in sorted(failed.items()))
            parts.append(f"{failed.total()} runs failed ({each})")
        if self.failed_jobs:
            parts.append(f"{self.failed_jobs} jobs failed")
        left = self.left()
        return ", ".join([*parts, f"about {duration(left)} left"] if left else parts)

    def left(self) -> float | None:
        """Seconds left, if jobs to come take as long for their weight as those of their rule, or of all, did."""
        if not (self.done and self.running):
            return None
        pace = self.seconds.total() / self.finished.total()
        paces = {rule: self.seconds[rule] / weight for rule, weight in self.finished.items()}
        ahead = sum(weight * paces.get(rule, pace) for rule, weight in self.ahead.items())
        at_once = self.seconds.total() / max(self.clock() - self.started, 1e-9)
        return ahead / max(at_once, 1e-9)


def duration(seconds: float) -> str:
    """A time in the units that one thinks in.

    >>> duration(45), duration(600), duration(3 * 3600), duration(10 * 86400)
    ('45 s', '10 min', '3.0 h', '10.0 days')
    """
    for unit, size, digits in (("days", 86400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds:.0f} s"


def wanted(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether somebody sees the line: a terminal, and no CI."""
    return stream.isatty() and not environment.get("CI")


def show(logger: logging.Logger, jobs: Iterable[tuple[str, Mapping[str, str]]], weight: Weight) -> None:
    """Show the line on the terminal of a logger's messages, if there is one; see `Progress`."""
    for handler in list(logger.handlers):
        if isinstance(handler, logging.StreamHandler) and wanted(handler.stream, os.environ):
            handler.addFilter(lambda record: not _of_single_job(record))
            logger.handlers.insert(0, Progress(handler.stream, jobs, weight))  # before what it makes way for


def _of_single_job(record: logging.LogRecord) -> bool:
    return getattr(record, "event", None) in HIDDEN or record.getMessage().startswith("Select jobs")


def _width(stream: TextIO) -> int:
    return (os.get_terminal_size(stream.fileno()).columns or 80) - 1
