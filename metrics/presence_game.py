"""The attack on presence with counts: how often a trace is released tells whether its case is in the log.

``python -m metrics.presence_game DRAWS.npz --out game.csv``

The draws come from `mechanisms.presence`: releases of a log and of the log without one case. The attacker says that the
case is there if its trace is released at least so often; from how often on, he chooses on half of the draws, or to
ignore the release if nothing helps. On the other half it is counted how often he is right: a score a draw.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from metrics.attack import Attack
from metrics.metric import not_applicable
from metrics.table import Row, write_csv

GAME = Attack(
    name="presence_game",
    title="Presence, by counts",
    family="presence",
    adversary="knows all other cases and the trace of a case, which no other has; says that it is in the log if its "
    "trace is released at least so often, as does best on other releases",
    limit="epsilon",
    blind_to="cases that share their trace, times, and traces that are like that of the case",
    rates=("found", "false"),
)
ATTACKS = (GAME,)
NO_TARGETS = not_applicable("every case shares its trace with another")


def threshold(with_case: np.ndarray, without: np.ndarray) -> int | None:
    """The least count from which on presence is said, None to ignore the release; the lowest of equals.

    Parameters
    ----------
    with_case, without : int64 arrays (targets, draws)
    """
    candidates = np.unique(np.concatenate((with_case.ravel(), without.ravel())))
    candidates = candidates[candidates > 0]
    gains = [(with_case >= count).mean() - (without >= count).mean() for count in candidates]
    if not gains or max(gains) <= 0:
        return None
    return int(candidates[int(np.argmax(gains))])


def rates(with_case: np.ndarray, without: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates of right and of false alarms, one a draw of the second half; float arrays (draws,)."""
    half = with_case.shape[1] // 2
    least = threshold(with_case[:, :half], without[:, :half])
    if least is None:
        return np.zeros(with_case.shape[1] - half), np.zeros(with_case.shape[1] - half)
    return (with_case[:, half:] >= least).mean(axis=0), (without[:, half:] >= least).mean(axis=0)


def rows(file: np.lib.npyio.NpzFile) -> list[Row]:
    """The record of the attack, as scores whose repeats are the draws of the second half."""
    cell = json.loads(str(file["cell"]))
    run = cell["log"], cell["mechanism"], cell["parameters_id"]
    targets = len(file["with_case"])
    if not targets:
        return [Row(*run, "0", GAME.metric(part), None, NO_TARGETS.status) for part in ("targets", "advantage")]
    found = []
    for draw, (right, false) in enumerate(zip(*rates(file["with_case"], file["without"]), strict=True)):
        values = GAME.values(targets=targets, prior=1 / 2, success=float(1 + right - false) / 2)
        values |= {"presence_game_found": right, "presence_game_false": false}
        values[GAME.metric("advantage")] = right - false
        found += [Row(*run, str(draw), name, float(value), "ok") for name, value in values.items()]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m metrics.presence_game", description=__doc__.split("\n\n")[0])
    parser.add_argument("draws", type=Path, help="a file of mechanisms.presence")
    parser.add_argument("--out", required=True, type=Path, help="the CSV file to write")
    options = parser.parse_args(arguments)
    write_csv(Row._fields, rows(np.load(options.draws)), options.out)


if __name__ == "__main__":
    main()
