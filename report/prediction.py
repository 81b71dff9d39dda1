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
MOST = 2.5  # the power of what grows fastest
ENDED = ("ok", "n/a")  # what was measured to its end


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


def fit(sizes: Iterable[Size], seconds: Iterable[float]) -> Fit:
    """The power law of the one driver that explains the seconds best, least squares of logarithms.

    Costs do not fall with the size, so a power is 0 at least. Of logs of about one size it is taken to be 1.
    """
    drivers = np.log([size.drivers for size in sizes])
    costs = np.log(np.maximum([*seconds], LEAST_S))
    best: tuple[float, Fit] | None = None
    for driver, values in enumerate(drivers.T):
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
        CSV files with the columns `kind`, `name`, `parameters`, `cases`, `events`, `variants`, `cpu_s` and `status`;
        those that are missing hold nothing.
    """

    def __init__(self, tables: Iterable[Path]) -> None:
        groups: dict[tuple[str, str], dict[str, list[tuple[Size, float]]]] = {}
        for row in (row for table in tables if table.exists() for row in _read(table)):
            if row["status"] in ENDED:
                size = Size(*(float(row[name]) for name in Size._fields))
                of = groups.setdefault((row["kind"], row["name"]), {})
                of.setdefault(row["parameters"], []).append((size, float(row["cpu_s"])))
        self.groups = groups
        self.fits: dict[tuple[str, str, str], Fit] = {}

    def names(self, kind: str) -> list[str]:
        """What was measured of a kind."""
        return [name for of, name in self.groups if of == kind]

    def seconds(self, kind: str, name: str, parameters: Mapping[str, str], size: Size | None) -> float | None:
        """CPU seconds of a job; None if nothing like it was measured or the size of its log is not known.

        Of several measured settings, that counts which shares most parameters.
        """
        measured = self.groups.get((kind, name))
        if not measured or size is None:
            return None
        pairs = {f"{key}={value}" for key, value in parameters.items()}
        nearest = max(measured, key=lambda setting: len(pairs & set(setting.split(","))))
        key = kind, name, nearest
        start = 0.0 if kind == "metric" else START_S
        if key not in self.fits:
            sizes, seconds = zip(*measured[nearest], strict=True)
            self.fits[key] = fit(sizes, [second - start for second in seconds])
        return start + self.fits[key].seconds(size)


def _read(table: Path) -> list[dict[str, str]]:
    with open(table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
