"""The audit of differential privacy: a lower bound on the true epsilon of every audited mechanism, beside its claim.

``python -m metrics.audit DRAWS.npz [DRAWS.npz ...] --out audit.csv``

The draws come from `mechanisms.audit`. On the first half of them an event is chosen (`metrics.events`), on the second
half it is counted, and its counts give the bound (`metrics.epsilon_bounds`), as in the published auditors of programs
(Ding et al., "Detecting Violations of Differential Privacy", CCS 2018; Bichsel et al., "DP-Sniper", S&P 2021). The
pairs of one mechanism share the error, so that all of its bounds hold together with probability 0.95. A verdict of
`violated` is thus wrong for at most one mechanism in 20; `consistent` says that nothing was found, and no more.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from metrics.epsilon_bounds import delta_bound, epsilon_bound, largest_bound
from metrics.events import best_event
from metrics.table import write_csv

ALPHA = 0.05
CHOICE_ALPHA = 0.001  # strict, so that no tail of few draws is chosen by luck
SLACK = 1e-9
CONSISTENT, VIOLATED, NOT_TESTABLE, NO_CLAIM = "consistent", "violated", "not testable", "no claim"


class Finding(NamedTuple):
    """One line of the audit.

    Attributes
    ----------
    mechanism, settings, pair, adjacency, unit : str
        What was audited; `settings` are the parameters of the cells that it stands for, as ``profile=published``.
    draws : int
        On each log; half of them choose the event.
    event : str
        Empty if none told the logs apart.
    hits, hits_other : int
        Of the event, among the other half: on the log where it is likelier, and on its neighbour.
    claimed, composed, delta : float or None
        As the mechanism states them: its nominal and its composed epsilon, and the delta of its claim.
    epsilon_low, delta_low : float
        Lower bounds on epsilon at that delta, and on delta at the claimed epsilon, which is of an event of its own.
    largest : float
        What so many draws can show at most.
    verdict, composed_verdict : str
        On the claim, and on the composed epsilon.
    structural : str
        Why no epsilon is large enough, as declared, where the event was seen on one log and never on the other.
    """

    mechanism: str
    settings: str
    pair: str
    adjacency: str
    unit: str
    draws: int
    event: str
    hits: int
    hits_other: int
    claimed: float | None
    composed: float | None
    delta: float
    epsilon_low: float
    delta_low: float | None
    largest: float
    verdict: str
    composed_verdict: str
    structural: str


def audit(first: np.ndarray, second: np.ndarray, account: Mapping[str, Any], alpha: float = ALPHA) -> Finding:
    """The bounds that the draws on two neighbouring logs give, and the verdict on what is claimed.

    Parameters
    ----------
    first, second : int64 arrays (draws, observations)
    account : mapping
        As `mechanisms.audit` writes it.
    alpha : float
        Error of all that the verdict rests on.
    """
    half = len(first) // 2
    chosen, tested = (first[:half], second[:half]), (first[half : 2 * half], second[half : 2 * half])
    delta, claimed = account["delta"], account["claimed"]
    alpha = alpha / 2 if delta else alpha  # a claim of two numbers fails in either
    event = best_event(*chosen, partial(epsilon_bound, alpha=CHOICE_ALPHA, delta=delta))
    hits = event.hits(*tested)
    low = float(epsilon_bound(*hits, half, alpha, delta))
    delta_low = None
    if claimed is not None:
        other = best_event(*chosen, partial(delta_bound, alpha=CHOICE_ALPHA, epsilon=claimed))
        delta_low = float(delta_bound(*other.hits(*tested), half, alpha, claimed))
    largest = largest_bound(half, alpha)
    return Finding(
        *(account[key] for key in ("mechanism",)),
        ",".join(f"{name}={value}" for name, value in account["settings"].items()),
        *(account[key] for key in ("pair", "adjacency", "unit")),
        len(first),
        event.text(account["observations"][event.column]) if low else "",
        *hits,
        claimed,
        account["composed"],
        delta,
        low,
        delta_low,
        largest,
        _verdict(claimed, low, largest, bool(delta) and delta_low is not None and delta_low > delta + SLACK),
        _verdict(account["composed"], low, largest, False),
        account["structural"] if hits[0] and not hits[1] else "",
    )


def _verdict(claimed: float | None, low: float, largest: float, delta_fails: bool) -> str:
    if claimed is None:
        return NO_CLAIM
    if low > claimed + SLACK or delta_fails:
        return VIOLATED
    return NOT_TESTABLE if claimed >= largest else CONSISTENT


def audit_all(paths: Iterable[str | Path], alpha: float = ALPHA) -> list[Finding]:
    """The findings on some files of draws; those of the same mechanism and settings share the error."""
    found = []
    for path in paths:
        file = np.load(path)
        accounts = json.loads(str(file["accounts"]))
        shares = Counter(map(_audited, accounts))
        for account in accounts:
            sides = (file[f"{account['name']} {side}"] for side in ("first", "second"))
            found.append(audit(*sides, account, alpha / shares[_audited(account)]))
    return found


def _audited(account: Mapping[str, Any]) -> tuple:
    return account["mechanism"], *account["settings"].items()


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m metrics.audit", description=__doc__.split("\n\n")[0])
    parser.add_argument("draws", nargs="+", metavar="DRAWS", help="files of mechanisms.audit")
    parser.add_argument("--out", required=True, type=Path, help="the CSV file to write")
    options = parser.parse_args(arguments)
    write_csv(Finding._fields, audit_all(options.draws), options.out)


if __name__ == "__main__":
    main()
