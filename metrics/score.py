"""Score the runs of a cell: every metric of every repeat, in one table.

``python -m metrics.score --log LOG --out scores.csv RUN [RUN ...]``, where each RUN is a folder that holds
`release.parquet`, `run.json` and, where the mechanism tells, `origins.parquet`. A run that did not succeed has its
status in every row and no value. With `--verdicts` what the runs claim is checked, too (`metrics.verification`).

A metric file that takes too long or too much memory, or fails, has the status TO, OOM or ERR in its rows; the others
keep their values, as they are computed in another process (`metrics.worker`). The job says why.

A score function takes any of `original`, `release`, `origins` and `record`, by these names. Of runs on a log without
some of its cases (`data.held_out`) it takes these as `outsiders`; then only metrics that compare with them are
computed, and the rows are of the whole log.
"""

from __future__ import annotations

import argparse
import inspect
import json
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from data.graph import DirectlyFollowsGraph
from data.held_out import MEMBERS
from data.io import LogError, read_log
from data.log import EventLog
from data.origins import read_origins
from data.relation import Relation
from data.relation_io import is_relation, read_relation
from data.relation_release import RelationRelease
from data.release import read_release
from metrics.metric import EMPTY, Marked, Value, not_applicable
from metrics.registry import metric_modules
from metrics.table import Row, write_csv
from metrics.verification import Claim, claims, undecided
from metrics.worker import Worker

RELEASE, CLAIMS = "release", "claims"  # what a worker is asked for besides metric files
TIMEOUT = "TO"
SKIPPED = Marked(TIMEOUT, "skipped after a timeout on another run of the cell")
STATUS_OF_RUN = {"timeout": TIMEOUT, "memory": "OOM", "infeasible": "INF", "error": "ERR"}

logger = logging.getLogger(__name__)


class Scorer:
    """Answers questions on runs that succeeded; a release is read at the first one, and kept until another is.

    Parameters
    ----------
    original : EventLog or Relation
    outsiders : EventLog, optional
        The cases that the runs' log lacks.
    """

    def __init__(self, original: EventLog | Relation, outsiders: EventLog | None = None) -> None:
        self._given = {"original": original, "outsiders": outsiders}
        self._folder: Path | None = None
        self._known: dict[str, Any] = {}

    def __call__(self, question: tuple[Path, str]) -> Marked | dict[str, Value] | list[Claim] | None:
        """The answer to the folder of a run and `RELEASE`, `CLAIMS` or the name of a metric file.

        Returns
        -------
        Marked or None, list of Claim, dict
            Why the release cannot be read, if so; the verdicts on what the run claims; the values of the metric file.
        """
        folder, wanted = question
        if wanted == RELEASE:
            return self._unreadable(folder)
        if wanted == CLAIMS:
            known = self._of(folder)
            record = known["record"]
            return list(claims(known["original"], known["release"], known["origins"], record, run_of(record)))
        [module] = [module for module in metric_modules() if module.__name__ == wanted]
        return _checked(module, self._values(module, folder))

    def _unreadable(self, folder: Path) -> Marked | None:
        try:
            self._of(folder)
        except LogError as error:
            return Marked("ERR", f"the run is recorded as ok, but: {error}")
        return None

    def _values(self, module: ModuleType, folder: Path) -> dict[str, Value]:
        if not _needs_release(module):
            return module.score(**wanted_of(self._given | {"record": record_of(folder)}, module.score))
        known = self._of(folder)
        if isinstance(known["release"], DirectlyFollowsGraph):
            return _score_graph(module, known["original"], known["release"])
        return module.score(**wanted_of(known, module.score))

    def _of(self, folder: Path) -> dict[str, Any]:
        """All that a score function may take of a run."""
        if self._folder != folder:
            self._folder, self._known = None, {}  # of the run before
            release = read_release(folder / "release.parquet")
            is_graph = isinstance(release, DirectlyFollowsGraph)
            sizes = () if is_graph else (_size(self._given["original"]), _size(release))
            origins = None if is_graph else read_origins(folder / "origins.parquet", *sizes)
            self._known = self._given | {"record": record_of(folder), "release": release, "origins": origins}
            self._folder = folder
        return self._known


def score_run(
    worker: Worker, folder: Path, modules: Sequence[ModuleType], late: set[str], verify: bool = False
) -> tuple[list[Row], list[Claim]]:
    """The rows of one run, one a metric; and if wanted the verdicts on what it claims, if it succeeded.

    Parameters
    ----------
    worker : Worker
        Of a `Scorer`.
    folder : path
        Holds `run.json` and, if the run succeeded, `release.parquet`: a log, a directly-follows graph or a relation.
    modules : sequence of metric files
    late : set of str
        Names of those that took too long on another run and are not tried again; such ones are added.
    verify : bool
    """
    record = record_of(folder)
    if record["status"] != "ok":
        failed = Marked(STATUS_OF_RUN[record["status"]], record.get("reason") or "")
        return _rows(record, {name: failed for module in modules for name in _names(module)}), []
    unreadable = _ask(worker, folder, RELEASE)
    values: dict[str, Value] = {}
    for module in modules:
        lost = unreadable if _needs_release(module) or _is_error(unreadable) else None
        answer = lost or _ask_in_time(worker, folder, module.__name__, late)
        values |= dict.fromkeys(_names(module), answer) if isinstance(answer, Marked) else answer
    for name, value in values.items():
        if isinstance(value, Marked):
            logger.warning("%s: %s is %s: %s", folder, name, value.status, value.reason)
    verdicts = (unreadable or _ask_in_time(worker, folder, CLAIMS, late)) if verify else []
    if isinstance(verdicts, Marked):
        logger.warning("%s: the claims are not checked: %s", folder, verdicts.reason)
        verdicts = [undecided(run_of(record), verdicts.reason)]
    return _rows(record, values), verdicts


def record_of(folder: Path) -> dict[str, Any]:
    """The record of a run."""
    return json.loads((folder / "run.json").read_text())


def run_of(record: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Log, mechanism, parameters and repeat, as in the tables."""
    log = record["log"].removesuffix(MEMBERS)
    return log, record["mechanism"], record["parameters_id"], str(record["repeat"])


def wanted_of(known: Mapping[str, Any], function: Callable) -> dict[str, Any]:
    """What a score function takes, by the names of its parameters."""
    return {name: known[name] for name in inspect.signature(function).parameters}


def _ask(worker: Worker, folder: Path, wanted: str) -> Any:
    """The answer of the worker, or why there is none."""
    try:
        return worker.ask((folder, wanted))
    except TimeoutError as error:
        return Marked(TIMEOUT, str(error))
    except MemoryError as error:
        return Marked("OOM", str(error))
    except ChildProcessError as error:
        return Marked("ERR", str(error))


def _ask_in_time(worker: Worker, folder: Path, name: str, late: set[str]) -> Any:
    """The answer of the worker, unless it is late on this run or was on another."""
    if name in late:
        return SKIPPED
    answer = _ask(worker, folder, name)
    if isinstance(answer, Marked) and answer.status == TIMEOUT:
        late.add(name)
    return answer


def _rows(record: Mapping[str, Any], values: Mapping[str, Value]) -> list[Row]:
    return [Row(*run_of(record), name, *_cells(value)) for name, value in values.items()]


def _size(data: EventLog | Relation | RelationRelease) -> int:
    """What origins are of: the cases of a log, the rows of a relation."""
    return data.n_cases if isinstance(data, EventLog) else data.n_rows


def _names(module: ModuleType) -> list[str]:
    return [metric.name for metric in module.METRICS]


def _group(module: ModuleType) -> str:
    return module.METRICS[0].group


def _needs_release(module: ModuleType) -> bool:
    return _group(module) != "run"


def _is_error(mark: Marked | None) -> bool:
    return mark is not None and mark.status == "ERR"


def _score_graph(module: ModuleType, original: EventLog, release: DirectlyFollowsGraph) -> dict[str, Value]:
    """The values of a metric file for a graph: those of its `score_graph`, if it has one, and no others."""
    if not len(release):
        return dict.fromkeys(_names(module), EMPTY)
    values = dict.fromkeys(_names(module), not_applicable("the release is a directly-follows graph"))
    return values | (module.score_graph(original, release) if hasattr(module, "score_graph") else {})


def _checked(module: ModuleType, values: dict[str, Value]) -> dict[str, Value]:
    """The values of a metric file, if they are what it declares."""
    if sorted(values) != sorted(_names(module)):
        raise ValueError(f"it declares {_names(module)} but returned {list(values)}")
    for name, value in values.items():
        number = value.value if isinstance(value, Marked) else value
        if number is not None and not math.isfinite(number):
            raise ValueError(f"{name} is {number}; return not_applicable(reason) where it is undefined")
    return values


def _cells(value: Value) -> tuple[float | None, str]:
    """Value and status of a row."""
    return (value.value, value.status) if isinstance(value, Marked) else (float(value), "ok")


def _wanted(module: ModuleType, kind: str, options: argparse.Namespace) -> bool:
    if not module.METRICS[0].applies(kind) or module.METRICS[0].held_out != (options.outsiders is not None):
        return False
    if options.outsiders is not None:
        return True
    if options.costs_only:
        return _group(module) == "run"
    return not module.METRICS[0].costly or any(metric.name in options.costly for metric in module.METRICS)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m metrics.score", description=__doc__.split("\n\n")[0])
    parser.add_argument("--log", required=True, type=Path, help="the original log")
    parser.add_argument("--out", required=True, type=Path, help="the CSV file to write")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders of runs")
    parser.add_argument("--costs-only", action="store_true", help="only what the runs cost, not what they kept")
    parser.add_argument(
        "--costly", action="append", default=[], metavar="METRIC", help="one that takes long, to be computed"
    )
    parser.add_argument("--verdicts", type=Path, help="the CSV file to write of what the runs claim")
    parser.add_argument("--outsiders", type=Path, help="the cases that the log lacks, to be compared with")
    parser.add_argument(
        "--limit-s", type=float, default=math.inf, help="wall time of a metric file on one run (no limit)"
    )
    parser.add_argument("--limit-mb", type=float, default=math.inf, help="memory of scoring in MB (no limit)")
    options = parser.parse_args(arguments)
    logging.basicConfig(format="%(levelname)s: %(message)s")
    kind = "relation" if options.log.suffix == ".parquet" and is_relation(options.log) else "log"
    modules = [module for module in metric_modules() if _wanted(module, kind, options)]
    original = read_relation(options.log) if kind == "relation" else read_log(options.log)
    outsiders = None if options.outsiders is None else read_log(options.outsiders)
    verify = options.verdicts is not None and outsiders is None and not options.costs_only
    rows, verdicts = [], []
    worker = Worker(Scorer(original, outsiders), options.limit_s, options.limit_mb)
    late: set[str] = set()
    for run in options.runs:
        scored, verified = score_run(worker, run, modules, late, verify)
        rows += scored
        verdicts += verified
    worker.close()
    write_csv(Row._fields, rows, options.out)
    if options.verdicts is not None:
        write_csv(Claim._fields, verdicts, options.verdicts)


if __name__ == "__main__":
    main()
