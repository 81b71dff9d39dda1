"""The audit of differential privacy: a lower bound on the true epsilon of every audited mechanism, beside its claim.

``python -m metrics.audit DRAWS.npz [DRAWS.npz ...] --again REDRAWS.npz [REDRAWS.npz ...] --out audit.csv``

The draws come from `mechanisms.audit`. On the first half of them an event is chosen (`metrics.events`), on the second
half it is counted, and its counts give the bound (`metrics.epsilon_bounds`), as in the published auditors of programs
(Ding et al., "Detecting Violations of Differential Privacy", CCS 2018; Bichsel et al., "DP-Sniper", S&P 2021). The
pairs of one mechanism share the error, so that all of its bounds hold together with probability 0.95. A verdict of
`violated` is thus wrong for at most one mechanism in 20; `consistent` says that nothing was found, and no more.

An event without hits on one of the logs gives a bound that grows with the draws. Four times as many fresh draws on
that log, of the same event, tell whether it does: ``--zeros`` names the audits and the logs, ``--again`` takes the
draws. They enter no verdict.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from data.files import replacing
from metrics.epsilon_bounds import delta_bound, epsilon_bound, holm, largest_bound, p_value
from metrics.events import Event, best_event
from metrics.table import write_csv

ALPHA = 0.05
CHOICE_ALPHA = 0.001  # strict, so that no tail of few draws is chosen by luck
SLACK = 1e-9
CONSISTENT, VIOLATED, NOT_TESTABLE, NO_CLAIM = "consistent", "violated", "not testable", "no DP claim"
ZERO, CAPPED = "Z", "C"
SIDES = "first", "second"  # the logs of a pair


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
    p_value, p_holm : float or None
        Of the claim, on this pair alone; and so that all findings of an audit together err at that level at most.
    flags : str
        `ZERO` if the event has no hit on one log, `CAPPED` if so many draws cannot show more.
    attempts : int
        How often the event was tested: 2 with fresh draws on the log without hits.
    hits_again, draws_again : int or None
        On that log.
    slope : float or None
        By how much these draws raise the bound, as a share of the logarithm of how many more they are: 1 if the event
        never occurs, less and less the likelier it is.
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
    p_value: float | None = None
    p_holm: float | None = None
    flags: str = ""
    attempts: int = 1
    hits_again: int | None = None
    draws_again: int | None = None
    slope: float | None = None


def audit(
    first: np.ndarray,
    second: np.ndarray,
    account: Mapping[str, Any],
    alpha: float = ALPHA,
    again: np.ndarray | None = None,
) -> Finding:
    """The bounds that the draws on two neighbouring logs give, and the verdict on what is claimed.

    Parameters
    ----------
    first, second : int64 arrays (draws, observations)
    account : mapping
        As `mechanisms.audit` writes it.
    alpha : float
        Error of all that the verdict rests on.
    again : int64 array (draws, observations), optional
        Fresh draws on the log where the event has no hit.
    """
    chosen, tested = _halves(first, second)
    half = len(tested[0])
    delta, claimed = account["delta"], account["claimed"]
    alpha = alpha / 2 if delta else alpha  # a claim of two numbers fails in either
    event = _event(chosen, delta)
    hits = event.hits(*tested)
    low = float(epsilon_bound(*hits, half, alpha, delta))
    delta_low = p = None
    if claimed is not None:
        other = best_event(*chosen, partial(delta_bound, alpha=CHOICE_ALPHA, epsilon=claimed))
        delta_low = float(delta_bound(*other.hits(*tested), half, alpha, claimed))
        p = p_value(*hits, half, claimed, delta)
        if delta:
            p = min(1.0, 2 * min(p, p_value(*other.hits(*tested), half, claimed, delta)))
    largest = largest_bound(half, alpha)
    zero = _is_zero(hits, half, delta)
    found = Finding(
        account["mechanism"],
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
        account["structural"] if zero else "",
        p,
        flags=ZERO * zero + CAPPED * (low >= largest - SLACK),
    )
    if not zero or again is None:
        return found
    more = event.hits_on(again)
    rise = float(epsilon_bound(hits[0], more, half, alpha, delta, len(again))) - low
    slope = rise / np.log(len(again) / half)
    return found._replace(attempts=2, hits_again=more, draws_again=len(again), slope=float(slope))


def _sides(file: np.lib.npyio.NpzFile, account: Mapping[str, Any]) -> Iterator[np.ndarray]:
    """The draws of an audit on either log."""
    return (file[f"{account['name']} {side}"] for side in SIDES)


def _halves(*sides: np.ndarray) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Of the draws on either log those that choose the event, and as many that test it."""
    half = len(sides[0]) // 2
    return tuple(side[:half] for side in sides), tuple(side[half : 2 * half] for side in sides)


def _event(chosen: tuple[np.ndarray, np.ndarray], delta: float) -> Event:
    return best_event(*chosen, partial(epsilon_bound, alpha=CHOICE_ALPHA, delta=delta))


def _is_zero(hits: tuple[int, int], draws: int, delta: float) -> bool:
    """Whether a bound rests on an event without a hit on one log."""
    return not hits[1] and bool(epsilon_bound(*hits, draws, ALPHA, delta) > 0)


def zeros(path: str | Path) -> dict[str, str]:
    """The log, "first" or "second", on which the event has no hit, by the name of an audit that has one."""
    file = np.load(path)
    found = {}
    for account in json.loads(str(file["accounts"])):
        chosen, tested = _halves(*_sides(file, account))
        event = _event(chosen, account["delta"])
        if _is_zero(event.hits(*tested), len(tested[0]), account["delta"]):
            found[account["name"]] = SIDES[0] if event.swapped else SIDES[1]
    return found


def _verdict(claimed: float | None, low: float, largest: float, delta_fails: bool) -> str:
    if claimed is None:
        return NO_CLAIM
    if low > claimed + SLACK or delta_fails:
        return VIOLATED
    return NOT_TESTABLE if claimed >= largest else CONSISTENT


def audit_all(paths: Iterable[str | Path], again: Iterable[str | Path] = (), alpha: float = ALPHA) -> list[Finding]:
    """The findings on some files of draws; those of the same mechanism and settings share the error.

    Parameters
    ----------
    paths : paths
        Of `mechanisms.audit`.
    again : paths
        Of the same, with fresh draws for some of the audits.
    alpha : float
        Error of each mechanism with its settings.
    """
    fresh = {}
    for path in again:
        file = np.load(path)
        for account in json.loads(str(file["accounts"])):
            fresh[account["mechanism"], account["name"]] = file[account["name"]]
    found = []
    for path in paths:
        file = np.load(path)
        accounts = json.loads(str(file["accounts"]))
        shares = Counter(map(_audited, accounts))
        for account in accounts:
            more = fresh.get((account["mechanism"], account["name"]))
            found.append(audit(*_sides(file, account), account, alpha / shares[_audited(account)], more))
    claims = [place for place, finding in enumerate(found) if finding.p_value is not None]
    for place, adjusted in zip(claims, holm([found[place].p_value for place in claims]), strict=True):
        found[place] = found[place]._replace(p_holm=float(adjusted))
    return found


def _audited(account: Mapping[str, Any]) -> tuple:
    return account["mechanism"], *account["settings"].items()


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m metrics.audit", description=__doc__.split("\n\n")[0])
    parser.add_argument("draws", nargs="+", metavar="DRAWS", help="files of mechanisms.audit")
    parser.add_argument("--again", nargs="+", default=[], metavar="DRAWS", help="fresh draws on logs without hits")
    written = parser.add_mutually_exclusive_group(required=True)
    written.add_argument("--out", type=Path, help="the CSV file to write")
    written.add_argument("--zeros", type=Path, help="or the JSON file that tells of one file of draws what to look at")
    options = parser.parse_args(arguments)
    if options.out:
        write_csv(Finding._fields, audit_all(options.draws, options.again), options.out)
        return
    [path] = options.draws
    with replacing(options.zeros) as temporary:
        temporary.write_text(json.dumps(zeros(path)))


if __name__ == "__main__":
    main()
