"""What a study amounts to, before it is started and after: runs by mechanism and log, their predicted and spent CPU.

Times are predicted from `benchmarks/growth.csv` and `benchmarks/small.csv`, measured on one machine at one setting of
each mechanism: they tell an hour from a week. What was not measured is not predicted, and named.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from data.held_out import MEMBERS
from metrics.registry import metric_modules
from report.jobs import Job
from report.prediction import START_S, Predictor, Size
from report.progress import duration

REPORT = "tables, figures, report"
REPORT_S = 1.0  # CPU of a job that gathers, draws or tabulates, on average over those of the quickstart
HARNESS_S = 0.06  # CPU of Snakemake and of the measuring wrapper for each job; see benchmarks/README.md


@dataclass(frozen=True)
class Study:
    """What the workflow knows of a study.

    Attributes
    ----------
    jobs : list of Job
    mechanisms : set of str
        The rules that are mechanisms.
    sizes : dict of str to Size
        By log; those that are not known are missing.
    kinds : dict of str to str
        Of the logs, "log" or "relation".
    costly : dict of (mechanism, parameters, log) to set of str
        Metrics that take long, by the cells of which they are computed.
    repeats, cores : int
    limit_s, score_limit_s : float
        Of a run, and of a metric file on one.
    took : function of a file
        Seconds that the job took which made it, or None if that is not known.
    """

    jobs: list[Job]
    mechanisms: set[str]
    sizes: Mapping[str, Size]
    kinds: Mapping[str, str]
    costly: Mapping[tuple[str, str, str], set[str]]
    repeats: int
    cores: int
    limit_s: float
    score_limit_s: float
    took: Callable[[str], float | None]


@dataclass
class Line:
    """Jobs of one rule, and their seconds; `of_done` is what those would have been predicted to take."""

    jobs: int = 0
    done: int = 0
    ahead: float = 0.0
    unknown: int = 0  # jobs to do that cannot be predicted
    of_done: float = 0.0
    spent: float = 0.0

    def add(self, done: bool, predicted: float | None, spent: float | None) -> None:
        """Count one job."""
        self.jobs += 1
        self.done += done
        if not done:
            self.ahead += predicted or 0.0
            self.unknown += predicted is None
        elif predicted is not None and spent is not None:
            self.of_done += predicted
            self.spent += spent


def plan(study: Study, predictor: Predictor) -> str:
    """The text of the plan."""
    lines: dict[str, Line] = {}
    by_log: dict[str, dict[str, Line]] = {}
    cells: Counter[tuple[str, ...]] = Counter()  # seconds that the runs to do of a cell take, one after the other
    for job in study.jobs:
        predicted, done = predict(study, predictor, job), job.done
        told = done, predicted, _spent(study, job) if done else None
        lines.setdefault(_group(study, job), Line()).add(*told)
        if job.rule in study.mechanisms:
            by_log.setdefault(job.values["log"], {}).setdefault(job.rule, Line()).add(*told)
            cell = (value for name, value in job.values.items() if name != "repeat")
            cells[job.rule, *cell] += 0.0 if done else predicted or 0.0
    longest = max(cells.values(), default=0.0)
    return "\n\n".join([_matrix(study, by_log), _jobs(lines), "\n".join(_closing(study, predictor, lines, longest))])


def predict(study: Study, predictor: Predictor, job: Job) -> float | None:
    """CPU seconds of a job; None if nothing like it was measured or its log is not known before its import."""
    log = job.values.get("log", "")
    size = study.sizes.get(log)
    if job.rule in study.mechanisms:
        seconds = predictor.seconds("mechanism", job.rule, job.values, size)
        return None if seconds is None else min(seconds, study.limit_s)
    if job.rule == "score":
        return _scoring(study, predictor, job, size)
    if job.rule == "convert" and study.kinds[log] == "log":
        return predictor.seconds("import", "import", {}, size)
    if job.rule == "fetch":
        return START_S  # the network is not ours to predict
    if _group(study, job) == REPORT:
        return REPORT_S
    return predictor.seconds("rule", job.rule, job.values, size)


def weight(study: Study, predictor: Predictor, rule: str, values: Mapping[str, str]) -> float:
    """CPU seconds of a job of any rule; where they cannot be predicted, those of a table."""
    return predict(study, predictor, Job(rule, dict(values), (), False)) or REPORT_S


def _scoring(study: Study, predictor: Predictor, job: Job, size: Size | None) -> float | None:
    log = job.values["log"]
    if study.kinds[log] == "relation":
        return predictor.seconds("rule", "score", {}, size, study.repeats)
    if size is None:
        return None
    costly = study.costly.get((job.values["mechanism"], job.values["parameters"], log), set())
    release = {"release": job.values["mechanism"]}
    names = _metric_files(costly, log.endswith(MEMBERS))
    each = (predictor.seconds("metric", name, release, size, study.repeats) for name in names)
    return START_S + sum(_in_time(seconds or 0.0, study) for seconds in each)


def _in_time(seconds: float, study: Study) -> float:
    """The time of a metric file on all repeats, of which it is not tried on the others once it has taken too long."""
    return seconds if seconds <= study.repeats * study.score_limit_s else study.score_limit_s


def _metric_files(costly: Iterable[str], held_out: bool) -> list[str]:
    """The files of the metrics of event logs that are computed, of those that take long the ones asked for."""
    return [
        module.__name__.removeprefix("metrics.")
        for module in metric_modules()
        if module.METRICS[0].applies("log")
        and module.METRICS[0].held_out == held_out
        and (held_out or not module.METRICS[0].costly or any(metric.name in costly for metric in module.METRICS))
    ]


def _group(study: Study, job: Job) -> str:
    """The line of a job: that of its rule, one for all tables and figures."""
    own = job.rule in study.mechanisms or ("log" in job.values and "experiment" not in job.values)
    return job.rule if own else REPORT


def _spent(study: Study, job: Job) -> float | None:
    """CPU seconds of a run, or the time that another job took."""
    records = [output for output in job.outputs if output.endswith("/run.json")]
    if job.rule in study.mechanisms and records:
        return json.loads(Path(records[0]).read_text())["cpu_s"]
    return study.took(job.outputs[0])


def _matrix(study: Study, by_log: Mapping[str, Mapping[str, Line]]) -> str:
    """Runs by log and mechanism, those done before the stroke."""
    names = [name for name in sorted(study.mechanisms) if any(name in lines for lines in by_log.values())]
    rows = []
    for log, lines in by_log.items():
        size = study.sizes.get(log)
        row = {"log": log, "events": f"{size.events:,.0f}" if size else "?"}
        row |= {name: _count(lines[name]) if name in lines else "" for name in names}
        rows.append(row | {"CPU to do": _ahead(lines.values())})
    return _table(rows)


def _jobs(lines: Mapping[str, Line]) -> str:
    """Jobs by rule, what those to do are predicted to take, and what those done took beside the prediction."""
    rows = []
    for name, line in sorted(lines.items()):
        row = {"jobs": name, "all": f"{line.jobs:,}", "done": f"{line.done:,}", "to do": f"{line.jobs - line.done:,}"}
        row |= {"CPU to do": _ahead([line])} | (_spent_columns([line]) if line.spent else {})
        rows.append(row)
    return _table(rows)


def _spent_columns(lines: Iterable[Line]) -> dict[str, str]:
    lines = list(lines)
    predicted, spent = sum(line.of_done for line in lines), sum(line.spent for line in lines)
    return {"done: predicted": duration(predicted), "spent": duration(spent), "ratio": f"{predicted / spent:.2f}"}


def _count(line: Line) -> str:
    return f"{line.done}/{line.jobs}" if line.done else f"{line.jobs}"


def _ahead(lines: Iterable[Line]) -> str:
    """What is predicted of the jobs to do, and how many cannot be."""
    lines = list(lines)
    unknown = sum(line.unknown for line in lines)
    left = sum(line.jobs - line.done for line in lines)
    known = [duration(sum(line.ahead for line in lines))] if left > unknown else []
    return " + ".join(known + ([f"{unknown} unknown"] if unknown else [])) or "-"


def _table(rows: list[dict[str, str]]) -> str:
    return tabulate(rows, headers="keys", tablefmt="simple", disable_numparse=True)


def _closing(study: Study, predictor: Predictor, lines: Mapping[str, Line], longest: float) -> list[str]:
    """The sum, what the sum lacks and why, and what done means."""
    ahead = sum(line.ahead for line in lines.values())
    count = sum(line.jobs - line.done for line in lines.values())
    cpu = ahead + HARNESS_S * count
    wall = max(cpu / study.cores, longest)
    text = [
        f"To do: {count:,} of {sum(line.jobs for line in lines.values()):,} jobs, about {duration(cpu)} of CPU, with"
        f" {study.cores} cores about {duration(wall)}."
    ]
    if any(line.spent for line in lines.values()):
        text.append("Done, as far as predicted: " + ", ".join(
            f"{name} {value}" for name, value in _spent_columns(lines.values()).items()
        ) + " (of runs their CPU, of other jobs the time they took).")  # fmt: skip
    text += [f"Not in the times: {reason}." for reason in _gaps(study, predictor, lines)]
    text.append("Done is what has its files; whether code or inputs changed since, `snakemake -n` tells.")
    return text


def _gaps(study: Study, predictor: Predictor, lines: Mapping[str, Line]) -> list[str]:
    """What the predicted times lack, and why."""
    used = {job.values["log"]: None for job in study.jobs if job.rule == "convert"}
    unsized = [log for log in used if log not in study.sizes]
    unmeasured = sorted({*study.mechanisms & {*lines}} - {*predictor.names("mechanism")})
    asked = {metric for costly in study.costly.values() for metric in costly}
    held_out = any(job.values.get("log", "").endswith(MEMBERS) for job in study.jobs)
    scored = [*_metric_files(asked, False), *(_metric_files((), True) if held_out else ())] if "score" in lines else ()
    metrics = sorted({*scored} - {*predictor.names("metric")})
    others = [name for name, line in lines.items() if line.unknown and name not in study.mechanisms]
    stopped = sorted(name for _, name in predictor.least if name in {*scored, *lines})
    return [
        f"{what} {', '.join(names)} ({why})"
        for what, names, why in (
            ("all jobs of the logs", unsized, "their sizes are known once they are imported"),
            ("runs of", unmeasured, "never measured"),
            ("the metrics of", metrics, "never measured, or not to their end"),
            ("what takes longer than the limit of", stopped, "at which all their measurements were stopped"),
            ("some jobs of", [] if unsized else others, "never measured"),
        )
        if names
    ]
