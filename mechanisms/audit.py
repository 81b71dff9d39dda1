"""Draws for an audit of differential privacy: a mechanism run many times on two neighbouring logs.

``python -m mechanisms.audit baselines.tvq OUT.npz --draws 100000 --seed 7``

A mechanism with a file ``audits.py`` that declares ``AUDITS`` is audited; nothing else names it. What it claims is what
its run states: `nominal_epsilon`, `composed_epsilon` and `composed_additive` of its diagnostics. The draws tell nothing
of a real log. `metrics.audit` makes a lower bound on epsilon of them. Where an event never occurs on one of the logs,
``--again OUT.npz ZEROS.json`` makes fresh draws on that log, as many as it takes to look four times as closely.

Draws come from the mechanism itself, in this process: `anonymize` once a draw, or its own code for many draws at once.
What is not covered: the representation of floating-point numbers, running times, and guessed seeds.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from data.files import replacing
from data.log import EventLog
from mechanisms import Infeasible, Outcome
from mechanisms.cells import seed_of
from mechanisms.neighbours import ONE_CASE_REPLACED, Pair
from mechanisms.observations import FAILED, REFUSED, TIMED_OUT, Draws, Recorder, frequent, observe

LOOP_SHARE = 20  # a loop over single releases makes so many times fewer draws
REDRAWN = 2  # times the draws of a log, of which one half is tested: four times as many
LIMIT_S = 10.0  # of one draw
NO_NEW_VARIANT = "no variant is new, so one that only one case has gives it away"


@dataclass(frozen=True, kw_only=True)
class Audit:
    """One question to a mechanism: how well does it tell two neighbouring logs apart?

    Attributes
    ----------
    name : str
        Unique within the mechanism.
    settings : mapping of str to str
        Parameters, as a cell spells them, of the cells that the answer stands for.
    parameters : mapping
        Keyword arguments of the run.
    pair : Pair
    anonymize : callable (log, *, rng, **parameters) -> Outcome
    unit : str
        What the nominal epsilon is claimed of.
    structural : str
        Why no epsilon is large enough, where an output is possible on one log alone; empty otherwise.
        `NO_NEW_VARIANT` is dropped if a draw contradicts it.
    limit_s : float
        Seconds after which a single run is stopped, which is an output too.
    sample : callable (log, draws, rng, **parameters) -> Draws, optional
        Many draws at once, by the mechanism's own code.
    """

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any]
    pair: Pair
    anonymize: Callable[..., Outcome]
    unit: str = "case"
    structural: str = ""
    limit_s: float = LIMIT_S
    sample: Callable[..., Draws] | None = None

    def draws(self, wanted: int) -> int:
        """How many draws to make a log, where `wanted` are asked for."""
        return wanted if self.sample else max(2, wanted // LOOP_SHARE)


def declared(mechanism: str) -> tuple[Audit, ...]:
    """The audits of a mechanism, given as ``folder.name``, like ``baselines.tvq``."""
    return importlib.import_module(f"{mechanism}.audits").AUDITS


def run(audit: Audit, wanted: int, seed: int) -> tuple[np.ndarray, np.ndarray, dict]:
    """Observe both logs of an audit.

    Parameters
    ----------
    audit : Audit
    wanted : int
        Draws a log, of an audit that makes many at once.
    seed : int

    Returns
    -------
    first, second : int64 arrays (draws, observations)
    account : dict
        JSON values: names of the observations, what is claimed, and what was run.
    """
    pair, size = audit.pair, audit.draws(wanted)
    generators = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]
    logs = pair.first, pair.second
    draws = [_sample(audit, log, size, rng) for log, rng in zip(logs, generators, strict=False)]
    counted = frequent(*draws)
    (names, first), (_, second) = (observe(side, pair.target, counted) for side in draws)
    new = any(_has_new_variant(side, log) for side, log in zip(draws, logs, strict=True))
    account = {
        "name": audit.name,
        "settings": dict(audit.settings),
        "pair": pair.name,
        "adjacency": pair.adjacency,
        "unit": audit.unit,
        "observations": names,
        "counted": counted,
        "structural": "" if new and audit.structural == NO_NEW_VARIANT else audit.structural,
        **_claims(audit, generators[2]),
    }
    return first, second, account


def run_again(audit: Audit, side: str, account: Mapping[str, Any], wanted: int, seed: int) -> np.ndarray:
    """Observe one log anew, "first" or "second", in the columns of an `account` of `run`; int64 (draws, columns)."""
    log = getattr(audit.pair, side)
    draws = _sample(audit, log, REDRAWN * audit.draws(wanted), np.random.default_rng(seed))
    return observe(draws, audit.pair.target, [tuple(sequence) for sequence in account["counted"]])[1]


def _sample(audit: Audit, log: EventLog, size: int, rng: np.random.Generator) -> Draws:
    return (audit.sample or _one_by_one(audit))(log, size, rng, **audit.parameters)


def _one_by_one(audit: Audit) -> Callable[..., Draws]:
    """Draws by running the mechanism once for each; refusals, failures and endless runs are outputs too."""

    def sample(log: EventLog, draws: int, rng: np.random.Generator, **parameters) -> Draws:
        recorder = Recorder(draws, audit.pair.target)
        for _ in range(draws):
            try:
                with _time_limit(audit.limit_s):
                    found = audit.anonymize(log, **parameters, rng=rng).release
            except Infeasible:
                recorder.add_end(REFUSED)
            except _TimeUp:
                recorder.add_end(TIMED_OUT)
            except Exception:
                recorder.add_end(FAILED)
            else:
                recorder.add(found)
        return recorder.draws()

    return sample


class _TimeUp(BaseException):  # not an Exception, as a mechanism may catch those
    pass


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(number, frame):
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _has_new_variant(draws: Draws, log: EventLog) -> bool:
    """Whether some release has a variant that the log has not."""
    variants, labels = log.variants, np.array(log.labels, dtype=object)
    known = {tuple(labels[variants.sequence(variant)]) for variant in range(len(variants))}
    return not known.issuperset(draws.variants)


def _claims(audit: Audit, rng: np.random.Generator) -> dict[str, float | None]:
    """What the mechanism states of itself on the larger log; where that has no release, on the other one."""
    for log in (audit.pair.second, audit.pair.first):
        try:
            with _time_limit(audit.limit_s):
                stated = audit.anonymize(log, **audit.parameters, rng=rng).diagnostics
        except (_TimeUp, Exception):
            continue
        claimed, composed = stated.get("nominal_epsilon"), stated.get("composed_epsilon")
        return _of_adjacency(audit.pair.adjacency, claimed, composed, stated.get("composed_additive") or 0.0)
    raise SystemExit(f"audit {audit.name}: the mechanism releases neither log of the pair; give it other parameters")


def _of_adjacency(adjacency: str, claimed: float | None, composed: float | None, delta: float) -> dict:
    """What claims for one case more or less say of a pair: to replace a case is to take one and to add one."""
    if adjacency == ONE_CASE_REPLACED:
        delta *= 1 + math.exp(claimed or 0.0)
        claimed, composed = (None if epsilon is None else 2 * epsilon for epsilon in (claimed, composed))
    return {"claimed": claimed, "composed": composed, "delta": delta}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mechanisms.audit", description=__doc__.split("\n\n")[0])
    parser.add_argument("mechanism", help="its package, like baselines.tvq")
    parser.add_argument("out", type=Path, help="the .npz file to write")
    parser.add_argument("--draws", type=int, default=100_000, help="a log (%(default)s)")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument(
        "--again",
        nargs=2,
        type=Path,
        metavar=("DRAWS", "ZEROS"),
        help="a file that this command has made, and the one that metrics.audit --zeros has made of it",
    )
    options = parser.parse_args()
    arrays, accounts = _again(options) if options.again else _all(options)
    with replacing(options.out) as temporary:
        np.savez_compressed(temporary, accounts=json.dumps(accounts), **arrays)


def _all(options: argparse.Namespace) -> tuple[dict, list]:
    """The draws of all audits of a mechanism, with their accounts."""
    arrays, accounts = {}, []
    for audit in declared(options.mechanism):
        first, second, account = run(audit, options.draws, _seed(options, audit, 0))
        accounts.append({"mechanism": options.mechanism.rpartition(".")[2], **account})
        arrays |= {f"{audit.name} first": first, f"{audit.name} second": second}
    return arrays, accounts


def _again(options: argparse.Namespace) -> tuple[dict, list]:
    """Fresh draws on the logs without hits, of the audits that have one."""
    before, zeros = options.again
    accounts = {account["name"]: account for account in json.loads(str(np.load(before)["accounts"]))}
    sides = json.loads(zeros.read_text())
    audits = [audit for audit in declared(options.mechanism) if audit.name in sides]
    arrays = {
        audit.name: run_again(audit, sides[audit.name], accounts[audit.name], options.draws, _seed(options, audit, 1))
        for audit in audits
    }
    return arrays, [accounts[audit.name] for audit in audits]


def _seed(options: argparse.Namespace, audit: Audit, attempt: int) -> int:
    return seed_of(options.seed, "audit", options.mechanism, audit.name, str(attempt))


if __name__ == "__main__":
    main()
