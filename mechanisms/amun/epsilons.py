"""Log-level epsilons of Amun, an input of mechanisms that take an epsilon as their parameter.

``python -m mechanisms.amun.epsilons IN OUT.json --delta 0.2 --delta 0.3 --profile code`` writes, for every
delta with and without the filter, eps_d and the spread of the events' time epsilons before any division
among copies. The figures are computed from private data.
"""

from __future__ import annotations

import argparse
import sys

from data.files import write_json
from data.io import LogError, read_log
from data.log import EventLog
from mechanisms import Infeasible, ParameterError
from mechanisms.amun.accounting import spread
from mechanisms.amun.epsilon import control_flow_epsilon
from mechanisms.amun.knowledge import check_guess, estimate


def log_epsilons(log: EventLog, delta: float, *, filtered: bool, profile: str, precision: float) -> dict:
    """The epsilons of a log at one delta.

    Parameters
    ----------
    log : EventLog
    delta : float
        Largest guessing advantage, in (0, 1).
    filtered : bool
        Drop the cases that can be guessed too well first (mode `filtering`).
    profile : {"code", "paper"}
    precision : float
        Minutes.

    Returns
    -------
    dict
        `delta`, `filtered`, `eps_d`, `cases_filtered`, and `minimum`, `median`, `mean`, `maximum` of the events'
        epsilons, None where the filter of profile `paper` leaves no case.
    """
    row = {"delta": delta, "filtered": filtered, "eps_d": control_flow_epsilon(delta)}
    try:
        found = estimate(log, delta=delta, filtering=filtered, profile=profile, precision=precision)
    except Infeasible:
        return row | {"cases_filtered": log.n_cases} | dict.fromkeys(("minimum", "median", "mean", "maximum"))
    return row | {"cases_filtered": found.cases_filtered} | spread(found.epsilons)


def main() -> int:
    """Write the epsilons of a log as JSON."""
    options = argparse.ArgumentParser(prog="python -m mechanisms.amun.epsilons", description=__doc__.partition("\n")[0])
    options.add_argument("input", metavar="IN", help="event log")
    options.add_argument("output", metavar="OUT", help="JSON file to write")
    options.add_argument("--delta", type=float, action="append", required=True, help="may be given several times")
    options.add_argument("--profile", choices=("code", "paper"), default="code")
    options.add_argument("--precision", type=float, default=10.0, help="half-width of a right guess, minutes")
    given = options.parse_args()
    try:
        for delta in given.delta:
            check_guess(delta, given.precision)
        log = read_log(given.input)
        epsilons = [
            log_epsilons(log, delta, filtered=filtered, profile=given.profile, precision=given.precision)
            for delta in given.delta
            for filtered in (False, True)
        ]
        write_json({"profile": given.profile, "precision": given.precision, "epsilons": epsilons}, given.output)
    except ParameterError as error:
        options.error(str(error))
    except (LogError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
