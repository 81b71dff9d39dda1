"""The game of presence: a mechanism run again and again on a log, and on the log without one case.

``python -m mechanisms.presence LOG RUN.json OUT.npz --targets 50 --draws 20 --seed 7``

The cases at stake have a trace that no other case has. What is drawn is how often that trace is released, with the case
in the log and without it. The mechanism runs in this process, by the command that the record of a run names, so that
its parameters are those of the run. `metrics.presence_game` makes rates of it.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from data.files import replacing
from data.io import read_log
from data.log import EventLog
from mechanisms import Infeasible, Outcome
from mechanisms.cli import NOT_PARAMETERS


def mechanism_of(command: Sequence[str]) -> Callable[..., Outcome]:
    """The mechanism that a command runs, with the parameters that it gives; takes a log and ``rng``.

    Raises
    ------
    SystemExit
        If the command is no ``python -m PACKAGE IN OUT ...`` of a package that declares its `options`.
    """
    if list(command[:2]) != ["python", "-m"]:
        raise SystemExit(f"cannot run {command[0]!r} in this process; only mechanisms in Python are played with")
    package = command[2]
    given = vars(importlib.import_module(f"{package}.__main__").options.parse_args(list(command[3:])))
    parameters = {name: value for name, value in given.items() if name not in NOT_PARAMETERS}
    return partial(importlib.import_module(package).anonymize, **parameters)


def targets_of(log: EventLog, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """Some cases with a trace of their own, drawn at random, rising; int64 array."""
    unique = np.flatnonzero(log.variants.alone)
    return np.sort(rng.choice(unique, min(wanted, len(unique)), replace=False))


def play(
    anonymize: Callable[..., Outcome], log: EventLog, targets: np.ndarray, draws: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """How often the trace of each target is released.

    Parameters
    ----------
    anonymize : callable (log, *, rng) -> Outcome
        A refusal releases nothing.
    log : EventLog
    targets : int64 array (targets,)
    draws : int
        Releases of the log, and of the log without each target.
    seed : int

    Returns
    -------
    with_case, without : int64 arrays (targets, draws)
    """
    traces = [_trace(log, case) for case in targets.tolist()]
    streams = iter(np.random.SeedSequence(seed).spawn(draws * (1 + len(targets))))
    with_case = np.array([_counts(anonymize, log, traces, next(streams)) for _ in range(draws)]).reshape(draws, -1).T
    without = np.zeros((len(targets), draws), dtype=np.int64)
    for place, (case, trace) in enumerate(zip(targets.tolist(), traces, strict=True)):
        others = np.delete(np.arange(log.n_cases), case)
        less = log.take(others, [log.case_ids[other] for other in others])
        without[place] = [_counts(anonymize, less, [trace], next(streams))[0] for _ in range(draws)]
    return with_case, without


def _trace(log: EventLog, case: int) -> tuple[str, ...]:
    return tuple(log.labels[code] for code in log.activities[log.offsets[case] : log.offsets[case + 1]].tolist())


def _counts(
    anonymize: Callable[..., Outcome], log: EventLog, traces: Sequence[tuple[str, ...]], seed: np.random.SeedSequence
) -> list[int]:
    """How many cases of each trace one release has."""
    try:
        release = anonymize(log, rng=np.random.default_rng(seed)).release
    except Infeasible:
        return [0] * len(traces)
    variants, index = release.variants, {label: code for code, label in enumerate(release.labels)}
    found = {variants.sequence(variant).tobytes(): count for variant, count in enumerate(variants.counts.tolist())}
    codes = ([index.get(label, -1) for label in trace] for trace in traces)
    return [found.get(np.array(trace, dtype=variants.activities.dtype).tobytes(), 0) for trace in codes]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mechanisms.presence", description=__doc__.split("\n\n")[0])
    parser.add_argument("log", type=Path, help="the original log")
    parser.add_argument("record", type=Path, help="the record of a run")
    parser.add_argument("out", type=Path, help="the .npz file to write")
    parser.add_argument("--targets", type=int, default=50, help="cases at stake (%(default)s)")
    parser.add_argument("--draws", type=int, default=20, help="releases with and without each (%(default)s)")
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    record = json.loads(options.record.read_text())
    log = read_log(options.log)
    targets = targets_of(log, options.targets, np.random.default_rng(options.seed))
    cell = {name: record[name] for name in ("log", "mechanism", "parameters_id")}
    with_case, without = play(mechanism_of(record["command"]), log, targets, options.draws, options.seed)
    with replacing(options.out) as temporary:
        np.savez_compressed(temporary, cell=json.dumps(cell), with_case=with_case, without=without)


if __name__ == "__main__":
    main()
