"""Score the runs of a cell: every metric of every repeat, in one table.

``python -m metrics.score --log LOG --out scores.csv RUN [RUN ...]``, where each RUN is a folder that holds
`release.parquet`, `run.json` and, where the mechanism tells, `origins.parquet`. A run that did not succeed has its
status in every row and no value. With `--verdicts` what the runs claim is checked, too (`metrics.verification`).

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
from functools import partial
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
from metrics.verification import Claim, claims

STATUS_OF_RUN = {"timeout": "TO", "memory": "OOM", "infeasible": "INF", "error": "ERR"}

logger = logging.getLogger(__name__)


def score_run(
    original: EventLog | Relation,
    folder: Path,
    modules: Sequence[ModuleType],
    outsiders: EventLog | None = None,
    verify: bool = False,
) -> tuple[list[Row], list[Claim]]:
    """The rows of one run, one a metric; and if wanted the verdicts on what it claims, if it succeeded.

    Parameters
    ----------
    original : EventLog or Relation
    folder : path
        Holds `run.json` and, if the run succeeded, `release.parquet`: a log, a directly-follows graph or a relation.
    modules : sequence of metric files
    outsiders : EventLog, optional
        The cases that the run's log lacks.
    verify : bool
    """
    record = json.loads((folder / "run.json").read_text())
    run = record["log"].removesuffix(MEMBERS), record["mechanism"], record["parameters_id"], str(record["repeat"])
    known = {"original": original, "record": record, "outsiders": outsiders}
    failure = _read(known, folder)
    values = _all_marked(failure, modules) if failure else _values(known, folder, modules)
    rows = [Row(*run, name, *_cells(value)) for name, value in values.items()]
    if failure or not verify:
        return rows, []
    return rows, list(claims(original, known["release"], known["origins"], record, run))


def _read(known: dict[str, Any], folder: Path) -> Marked | None:
    """Add the release and its origins to what is known of a run, or tell why there are none."""
    original, record = known["original"], known["record"]
    if record["status"] != "ok":
        return Marked(STATUS_OF_RUN[record["status"]], record.get("reason") or "")
    try:
        known["release"] = release = read_release(folder / "release.parquet")
        is_graph = isinstance(release, DirectlyFollowsGraph)
        sizes = () if is_graph else (_size(original), _size(release))
        known["origins"] = None if is_graph else read_origins(folder / "origins.parquet", *sizes)
    except LogError as error:
        logger.error("the run is recorded as ok, but: %s", error)
        return Marked("ERR", str(error))
    return None


def _values(known: Mapping[str, Any], folder: Path, modules: Sequence[ModuleType]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for module in modules:
        if isinstance(known["release"], DirectlyFollowsGraph) and _group(module) != "run":
            score = partial(_score_graph, module, known["original"], known["release"])
        else:
            score = partial(module.score, **wanted_of(known, module.score))
        values |= _evaluate(module, score, folder)
    return values


def _size(data: EventLog | Relation | RelationRelease) -> int:
    """What origins are of: the cases of a log, the rows of a relation."""
    return data.n_cases if isinstance(data, EventLog) else data.n_rows


def _all_marked(mark: Marked, modules: Sequence[ModuleType]) -> dict[str, Value]:
    return {metric.name: mark for module in modules for metric in module.METRICS}


def wanted_of(known: Mapping[str, Any], function: Callable) -> dict[str, Any]:
    """What a score function takes, by the names of its parameters."""
    return {name: known[name] for name in inspect.signature(function).parameters}


def _group(module: ModuleType) -> str:
    return module.METRICS[0].group


def _score_graph(module: ModuleType, original: EventLog, release: DirectlyFollowsGraph) -> dict[str, Value]:
    """The values of a metric file for a graph: those of its `score_graph`, if it has one, and no others."""
    names = [metric.name for metric in module.METRICS]
    if not len(release):
        return dict.fromkeys(names, EMPTY)
    values = dict.fromkeys(names, not_applicable("the release is a directly-follows graph"))
    return values | (module.score_graph(original, release) if hasattr(module, "score_graph") else {})


def _evaluate(module: ModuleType, score: Callable[[], dict[str, Value]], folder: Path) -> dict[str, Value]:
    """The values of one metric file; one that fails is marked ERR and does not take the others along."""
    names = [metric.name for metric in module.METRICS]
    try:
        values = score()
        if sorted(values) != sorted(names):
            raise ValueError(f"it declares {names} but returned {list(values)}")
        for name, value in values.items():
            number = value.value if isinstance(value, Marked) else value
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{name} is {number}; return not_applicable(reason) where it is undefined")
            if isinstance(value, Marked):
                logger.warning("%s: %s is %s: %s", folder, name, value.status, value.reason)
    except Exception as error:
        logger.exception("%s: %s failed", folder, module.__name__)
        return {name: Marked("ERR", str(error)) for name in names}
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
    options = parser.parse_args(arguments)
    logging.basicConfig(format="%(levelname)s: %(message)s")
    kind = "relation" if options.log.suffix == ".parquet" and is_relation(options.log) else "log"
    modules = [module for module in metric_modules() if _wanted(module, kind, options)]
    original = read_relation(options.log) if kind == "relation" else read_log(options.log)
    outsiders = None if options.outsiders is None else read_log(options.outsiders)
    verify = options.verdicts is not None and outsiders is None and not options.costs_only
    rows, verdicts = [], []
    for run in options.runs:
        scored, verified = score_run(original, run, modules, outsiders, verify)
        rows += scored
        verdicts += verified
    write_csv(Row._fields, rows, options.out)
    if options.verdicts is not None:
        write_csv(Claim._fields, verdicts, options.verdicts)


if __name__ == "__main__":
    main()
