"""What a job will cost, from measured ones: a power of the size of its log beyond the start of a process."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

START_S = 0.25  # CPU of a process that reads a tiny log and does nothing; the least that any run was measured to take
LEAST_S = 0.001
ENOUGH = 4.0  # times as large is the largest log measured, at least, for a fitted power
EVENTS = 0  # the place of the events in `Size.drivers`
MOST = 2.5  # the power of what grows fastest
ENDED = ("ok", "n/a", "sampled")  # what was measured to its end


class Size(NamedTuple):
    """The size of a log: cases, events and variants; of a table, all three are its rows."""

    cases: float
    events: float
    variants: float

    @property
    def drivers(self) -> np.ndarray:
        """What the cost may grow with: events, cases, variants, and the events of one case of each variant."""
        return np.array([self.events, self.cases, self.variants, self.variants * self.events / self.cases])


@dataclass(frozen=True)
class Fit:
    """CPU seconds ``factor * driver ** power`` beyond the start; `driver` is a place in `Size.drivers`."""

    driver: int
    factor: float
    power: float

    def seconds(self, size: Size) -> float:
        return float(self.factor * size.drivers[self.driver] ** self.power)


def fit(sizes: Iterable[Size], seconds: Iterable[float], only: int | None = None) -> Fit:
    """The power law of the one driver that explains the seconds best (or of one alone), least squares of logarithms.

    Costs do not fall with the size, so a power is 0 at least. Of logs of about one size it is taken to be 1.
    """
    drivers = np.log([size.drivers for size in sizes])
    costs = np.log(np.maximum([*seconds], LEAST_S))
    best: tuple[float, Fit] | None = None
    for driver, values in enumerate(drivers.T):
        if only not in (None, driver):
            continue
        apart = np.ptp(values) >= np.log(ENOUGH)
        power = float(np.clip(np.polyfit(values, costs, 1)[0], 0.0, MOST)) if apart else 1.0
        level = float((costs - power * values).mean())
        error = float(((costs - level - power * values) ** 2).sum())
        if best is None or error < best[0] - 1e-9:
            best = error, Fit(driver, float(np.exp(level)), power)
    return best[1]


class Predictor:
    """The costs of runs, metrics, imports and other jobs, by the tables of what was measured.

    Parameters
    ----------
    tables : iterable of path
        CSV files with the columns `kind`, `name`, `parameters`, `log`, `share`, `cases`, `events`, `variants`, `cpu_s`
        and `status`; those that are missing hold nothing.
    """

    def __init__(self, tables: Iterable[Path]) -> None:
        # By kind and name, then by log and share, then by setting.
        self.measured: dict[tuple[str, str], dict[tuple[str, str], dict[frozenset[str], tuple[Size, float]]]] = {}
        for row in (row for table in tables if table.exists() for row in _read(table)):
            if row["status"] in ENDED:
                size = Size(*(float(row[name]) for name in Size._fields))
                logs = self.measured.setdefault((row["kind"], row["name"]), {})
                settings = logs.setdefault((row["log"], row["share"]), {})
                settings[frozenset(row["parameters"].split(","))] = size, float(row["cpu_s"])
        self.fits: dict[tuple[str, str, frozenset[str]], Fit] = {}

    def names(self, kind: str) -> list[str]:
        """What was measured of a kind."""
        return [name for of, name in self.measured if of == kind]

    def seconds(self, kind: str, name: str, parameters: Mapping[str, str], size: Size | None) -> float | None:
        """CPU seconds of a job; None if nothing like it was measured or the size of its log is not known.

        Of what was measured of a log, that setting counts which shares most parameters.
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
        return start + self.fits[kind, name, wanted].seconds(size)


def _read(table: Path) -> list[dict[str, str]]:
    with open(table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
