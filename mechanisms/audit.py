"""Draws for an audit of differential privacy: a mechanism run many times on two neighbouring logs.

``python -m mechanisms.audit baselines.tvq OUT.npz --draws 100000 --seed 7``

A mechanism with a file ``audits.py`` that declares ``AUDITS`` is audited; nothing else names it. What it claims is what
its run states: `nominal_epsilon`, `composed_epsilon` and `composed_additive` of its diagnostics. The draws tell nothing
of a real log. `metrics.audit` makes a lower bound on epsilon of them.

Draws come from the mechanism itself, in this process: `anonymize` once a draw, or its own code for many draws at once.
What is not covered: the representation of floating-point numbers, running times, and guessed seeds.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from data.files import replacing
from data.log import EventLog
from mechanisms import Infeasible, Outcome
from mechanisms.cells import seed_of
from mechanisms.neighbours import Pair
from mechanisms.observations import FAILED, REFUSED, Draws, Recorder, observe

LOOP_SHARE = 10  # a loop over single releases makes so many times fewer draws


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
    sample = audit.sample or _one_by_one(audit.anonymize)
    draws = [sample(log, size, rng, **audit.parameters) for log, rng in zip(logs, generators, strict=False)]
    names, first, second = observe(*draws, pair.target)
    account = {
        "name": audit.name,
        "settings": dict(audit.settings),
        "pair": pair.name,
        "adjacency": pair.adjacency,
        "unit": audit.unit,
        "observations": names,
        "structural": audit.structural,
        **_claims(audit, generators[2]),
    }
    return first, second, account


def _one_by_one(anonymize: Callable[..., Outcome]) -> Callable[..., Draws]:
    """Draws by running the mechanism once for each; a refusal and a failure are outputs too."""

    def sample(log: EventLog, draws: int, rng: np.random.Generator, **parameters) -> Draws:
        recorder = Recorder(draws)
        for _ in range(draws):
            try:
                recorder.add(anonymize(log, **parameters, rng=rng).release)
            except Infeasible:
                recorder.add_end(REFUSED)
            except Exception:
                recorder.add_end(FAILED)
        return recorder.draws()

    return sample


def _claims(audit: Audit, rng: np.random.Generator) -> dict[str, float | None]:
    """What the mechanism states of itself on the larger log; of a refusal, on the other one."""
    for log in (audit.pair.second, audit.pair.first):
        try:
            stated = audit.anonymize(log, **audit.parameters, rng=rng).diagnostics
        except Infeasible:
            continue
        return {
            "claimed": stated.get("nominal_epsilon"),
            "composed": stated.get("composed_epsilon"),
            "delta": stated.get("composed_additive") or 0.0,
        }
    raise SystemExit(f"audit {audit.name}: the mechanism refuses both logs of the pair; give it other parameters")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mechanisms.audit", description=__doc__.split("\n\n")[0])
    parser.add_argument("mechanism", help="its package, like baselines.tvq")
    parser.add_argument("out", type=Path, help="the .npz file to write")
    parser.add_argument("--draws", type=int, default=100_000, help="a log (%(default)s)")
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    arrays, accounts = {}, []
    for audit in declared(options.mechanism):
        seed = seed_of(options.seed, "audit", options.mechanism, audit.name, "0")
        first, second, account = run(audit, options.draws, seed)
        accounts.append({"mechanism": options.mechanism.rpartition(".")[2], **account})
        arrays |= {f"{audit.name} first": first, f"{audit.name} second": second}
    with replacing(options.out) as temporary:
        np.savez_compressed(temporary, accounts=json.dumps(accounts), **arrays)


if __name__ == "__main__":
    main()
