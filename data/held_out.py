"""A log without some of its cases, for attacks that compare the cases of a release with others like them.

`python -m data.held_out LOG MEMBERS HELD_OUT --seed 7`

A tenth of the cases, at least 50 and at most half of them, is held out before a mechanism sees the log. Who is in a
release and who is not is then known, whatever the mechanism tells of its cases.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from data.io import read_log, write_log
from data.log import EventLog

MEMBERS = "@members"  # ends the name of the log of the cases that are not held out
SHARE, LEAST = 0.1, 50


def split(log: EventLog, rng: np.random.Generator) -> tuple[EventLog, EventLog]:
    """The members and the cases that are held out, both in the order of the log and under their ids.

    Parameters
    ----------
    log : EventLog
    rng : numpy.random.Generator
    """
    size = min(max(int(np.ceil(SHARE * log.n_cases)), LEAST), log.n_cases // 2)
    out = np.zeros(log.n_cases, dtype=bool)
    out[rng.choice(log.n_cases, size, replace=False)] = True
    return _part(log, ~out), _part(log, out)


def _part(log: EventLog, wanted: np.ndarray) -> EventLog:
    cases = np.flatnonzero(wanted)
    return log.take(cases, [log.case_ids[case] for case in cases])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Hold out a tenth of the cases of a log.")
    parser.add_argument("log", type=Path, metavar="LOG")
    parser.add_argument("outputs", nargs=2, type=Path, metavar=("MEMBERS", "HELD_OUT"), help="the logs to write")
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    parts = split(read_log(options.log), np.random.default_rng(options.seed))
    for part, path in zip(parts, options.outputs, strict=True):
        write_log(part, path)


if __name__ == "__main__":
    main()
