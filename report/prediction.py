"""What a job will cost, from measured ones: a power of the size of its log beyond the start of a process."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

START_S = 0.25  # CPU of a process that reads a tiny log and does nothing; the least that any run was measured to take
LEAST_S = 0.001
STARTS = np.array([0.0, 0.5, 0.9])  # parts of the least seconds that may be those of every log
ENOUGH = 4.0  # times as large is the largest log measured, at least, for a fitted power
EVENTS = 0  # the place of the events in `Size.drivers`
MOST = 2.5  # the power of what grows fastest
FAILED = ("timeout", "memory", "error", "infeasible")  # came to no end, or to none that says what one would cost


class Size(NamedTuple):
    """The size of a log: cases, events and variants; of a table, all three are its rows."""

    cases: float
    events: float
    variants: float

    @property
    def drivers(self) -> np.ndarray:
        """What the cost may grow with: events, cases, variants, and the events of one case of each variant."""
        return np.array([self.events, self.cases, self.variants, self.variants * self.events / self.cases])


Measured = dict[tuple[str, str], dict[frozenset[str], tuple[Size, float]]]  # by log and share, then by setting


@dataclass(frozen=True)
class Fit:
    """CPU seconds ``start + factor * driver ** power``; `driver` is a place in `Size.drivers`."""

    driver: int
    factor: float
    power: float
    start: float

    def seconds(self, size: Size, times: int = 1) -> float:
        """Of one process that does it a number of times."""
        return float(self.start + times * self.factor * size.drivers[self.driver] ** self.power)


def fit(sizes: Iterable[Size], seconds: Iterable[float], only: int | None = None) -> Fit:
    """The power law of the one driver that explains the seconds best (or of one alone), least squares of logarithms.

    Costs do not fall with the size, so a power is 0 at least. Of logs of about one size it is taken to be 1. A part of
    the least seconds may be what every log costs, such as the start of a library.
    """
    drivers = np.log([size.drivers for size in sizes])
    costs = np.maximum([*seconds], LEAST_S)
    best: tuple[float, Fit] | None = None
    for start, (driver, values) in product(costs.min() * STARTS, enumerate(drivers.T)):
        if only not in (None, driver):
            continue
        beyond = np.log(costs - start)
        apart = np.ptp(values) >= np.log(ENOUGH)
        power = float(np.clip(np.polyfit(values, beyond, 1)[0], 0.0, MOST)) if apart else 1.0
        level = float((beyond - power * values).mean())
        error = float((np.log(costs / (start + np.exp(level + power * values))) ** 2).sum())
        if best is None or error < best[0] - 1e-9:
            best = error, Fit(driver, float(np.exp(level)), power, float(start))
    return best[1]


class Predictor:
    """The costs of runs, metrics, imports and other jobs, by the tables of what was measured.

    Parameters
    ----------
    tables : iterable of path
        CSV files with the columns `kind`, `name`, `parameters`, `log`, `share`, `cases`, `events`, `variants`, `cpu_s`
        and `status`; those that are missing hold nothing.

    Attributes
    ----------
    least : set of (kind, name)
        What was always stopped at a limit: it is predicted by what it took until then, and takes more.
    """

    def __init__(self, tables: Iterable[Path]) -> None:
        rows = [row for table in tables if table.exists() for row in _read(table)]
        ended = _by_name(row for row in rows if row["status"] not in FAILED)
        stopped = _by_name(row for row in rows if row["status"] == "timeout")
        self.measured = stopped | ended
        self.least = {*stopped} - {*ended}
        self.fits: dict[tuple[str, str, frozenset[str]], Fit] = {}

    def names(self, kind: str) -> list[str]:
        """What was measured of a kind."""
        return [name for of, name in self.measured if of == kind]

    def seconds(
        self, kind: str, name: str, parameters: Mapping[str, str], size: Size | None, times: int = 1
    ) -> float | None:
        """CPU seconds of a job; None if nothing like it was measured or the size of its log is not known.

        Of what was measured of a log, that setting counts which shares most parameters. A job that does it a number of
        times starts once.
        """
        logs = self.measured.get((kind, name))
        if not logs or size is None:
            return None
        known = frozenset().union(*(setting for settings in logs.values() for setting in settings))
        wanted = known & {f"{key}={value}" for key, value in parameters.items()}
        start = 0.0 if kind == "metric" else START_S
        if (kind, name, wanted) not in self.fits:
            nearest = [settings[max(settings, key=lambda setting: len(wanted & setting))] for settings in logs.values()]
            sizes, seconds = zip(*nearest, strict=True)
            only = EVENTS if kind == "import" else None
            self.fits[kind, name, wanted] = fit(sizes, [second - start for second in seconds], only)
        return start + self.fits[kind, name, wanted].seconds(size, times)


def _by_name(rows: Iterable[Mapping[str, str]]) -> dict[tuple[str, str], Measured]:
    """What was measured, by kind and name."""
    found: dict[tuple[str, str], Measured] = {}
    for row in rows:
        size = Size(*(float(row[name]) for name in Size._fields))
        logs = found.setdefault((row["kind"], row["name"]), {})
        settings = logs.setdefault((row["log"], row["share"]), {})
        settings[frozenset(row["parameters"].split(","))] = size, float(row["cpu_s"])
    return found


def _read(table: Path) -> list[dict[str, str]]:
    with open(table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
