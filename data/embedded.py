"""The small synthetic logs that ship with the project, made by seeded generators.

Two are of accesses to an information system, pairs of user and address and sessions (`data.access`). Three differ in
how strictly a case follows the order of an imagined purchasing process: `structured` (a couple of variants hold most
cases), `semi_structured`, and `unstructured` (most cases stand alone). They also hold what makes real logs hard: a case
named ``NA``, ids that look like numbers, ties, exact duplicates of events, parts of seconds, labels with a comma or a
letter beyond ASCII.

`python -m data.embedded` writes them to `data/embedded/`, with the same bytes every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.access import pairs, requests, write_pairs
from data.io import write_log
from data.log import EventLog

FOLDER = Path(__file__).with_name("embedded")

LABELS = (
    "Create requisition",
    "Check budget",
    "Approve requisition",
    "Ask for quotes",
    "Compare quotes",
    "Create order",
    "Approve order, first level",
    "Approve order, second level",
    "Send order",
    "Confirm order",
    "Change quantity",
    "Change price",
    "Receive goods",
    "Prüfung der Ware",
    "Return goods",
    "Receive invoice",
    "Match invoice",
    "Block invoice",
    "Clear invoice",
    "Pay",
)
MACHINE_MADE = (3, 8, 15)  # activities whose times are exact to the millisecond, the others' to the second
SECOND = 1_000_000  # microseconds
SMALL_PAIRS, SESSION_PAIRS, SMALL_REQUESTS = 1_443, 300, 4_000
WORKDAY = 8 * 3600  # seconds
FIRST_DAY = np.datetime64("2024-01-01", "us").astype(np.int64)  # a Monday


@dataclass(frozen=True)
class Process:
    """How a synthetic log comes about.

    Attributes
    ----------
    seed : int
    steps : tuple of int
        Activities in their usual order, as indices into `LABELS`.
    presence, repetition : tuple of float
        For each step, the probability that a case holds it, and that it is done once more.
    spread : float
        How far a step may stray from its place, in places; 0 keeps the order.
    cases : int
    """

    seed: int
    steps: tuple[int, ...]
    presence: tuple[float, ...]
    repetition: tuple[float, ...]
    spread: float
    cases: int = 1000


PROCESSES = {
    "structured": Process(
        seed=11,
        steps=(0, 2, 5, 6, 8, 12, 15, 18),
        presence=(1, 1, 1, 0.3, 1, 1, 1, 0.98),
        repetition=(0, 0, 0, 0, 0, 0.05, 0, 0),
        spread=0,
    ),
    "semi_structured": Process(
        seed=12,
        steps=(0, 1, 2, 5, 6, 8, 9, 12, 13, 15, 16, 18),
        presence=(1, 0.8, 1, 1, 0.7, 1, 0.85, 0.97, 0.3, 1, 0.95, 0.99),
        repetition=(0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0.03, 0.03, 0),
        spread=1.1,
    ),
    "unstructured": Process(
        seed=13,
        steps=tuple(range(len(LABELS))),
        presence=(1, 0.9, 1, 0.1, 0.1, 1, 0.9, 0.2, 1, 0.8, 0.1, 0.1, 0.95, 0.2, 0.1, 1, 1, 0.1, 1, 0.9),
        repetition=(0, 0.05, 0, 0, 0, 0, 0, 0, 0, 0, 0.3, 0.3, 0.1, 0, 0, 0.05, 0.1, 0.2, 0, 0),
        spread=1.8,
    ),
}


def generate(process: Process) -> EventLog:
    """A synthetic log.

    Working hours are Monday to Friday, eight to four; cases start evenly over half a year of them, and the
    times from event to event are log-normal, with a median of their own for each activity.
    """
    rng = np.random.default_rng(process.seed)
    case, activity = _control_flow(process, rng)
    moment = _calendar(_work_seconds(process, case, activity, rng))
    whole = ~np.isin(activity, MACHINE_MADE)
    moment[whole] -= moment[whole] % SECOND
    moment -= moment % 1000
    copies = 1 + (rng.random(len(case)) < 0.001)  # exact duplicates
    ids = np.array(["NA", *(f"{number:03d}" for number in range(1, process.cases))], dtype=object)
    return EventLog.from_rows(
        ids[np.repeat(case, copies)],
        np.array(LABELS, dtype=object)[np.repeat(activity, copies)],
        np.repeat(moment, copies),
    )


def _control_flow(process: Process, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Case and activity of each event, in order."""
    shape = (process.cases, len(process.steps))
    present = rng.random(shape) < process.presence
    times_done = present * rng.geometric(1 - np.array(process.repetition), shape)
    case, step = (np.repeat(index, times_done.ravel()) for index in np.indices(shape).reshape(2, -1))
    place = step + process.spread * rng.random(len(step))
    order = np.lexsort((place, case))
    return case[order], np.array(process.steps)[step[order]]


def _work_seconds(process: Process, case: np.ndarray, activity: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Seconds of working time from the first Monday to each event, float."""
    median = rng.lognormal(np.log(3 * 3600), 1, len(LABELS))
    waits = median[activity] * rng.lognormal(0, 0.8, len(activity))
    waits[rng.random(len(waits)) < 0.05] = 0  # ties
    first = np.flatnonzero(np.diff(case, prepend=-1))
    waits[first] = 0
    passed = np.cumsum(waits)
    starts = np.sort(rng.uniform(0, 130 * WORKDAY, process.cases))
    return starts[case] + passed - passed[first][case]


def _calendar(seconds: np.ndarray) -> np.ndarray:
    """Microseconds since 1970 of moments given in seconds of working time."""
    workday, of_day = np.divmod(seconds, WORKDAY)
    week, weekday = np.divmod(workday, 5)
    in_calendar = (week * 7 + weekday) * 86400 + 8 * 3600 + of_day
    return FIRST_DAY + (in_calendar * SECOND).astype(np.int64)


def main() -> None:
    """Write all synthetic logs to their folder."""
    FOLDER.mkdir(exist_ok=True)
    for name, process in PROCESSES.items():
        write_log(generate(process), FOLDER / f"{name}.xes.gz")
    write_pairs(*pairs(SMALL_PAIRS), FOLDER / "access_small.csv")
    write_log(requests(*pairs(SESSION_PAIRS), SMALL_REQUESTS), FOLDER / "access_sessions_small.csv.gz")


if __name__ == "__main__":
    main()
