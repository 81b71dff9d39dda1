"""The errors that bounds and samples make, where the exact value is known: ``python -m benchmarks.errors LOG...``.

Limits are lowered so that the logs given are to them what the largest logs are to the limits in use.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
from tabulate import tabulate

from data.io import read_log
from data.log import EventLog
from mechanisms import amun, shuffle
from mechanisms.pretsa import embedding
from metrics import (
    attack_background,
    attack_background_times,
    blocks,
    candidates,
    emd_variants,
    emsc,
    exposure,
    linkage,
)
from metrics.intervals import wilson
from metrics.metric import Marked
from metrics.pair import align
from metrics.score import wanted_of

BLOCKS = 13  # of the pairs of two logs like BPIC 2018
SEED = 1
OF_VICTIMS = {
    attack_background: ("linkage_prefix_3", "linkage_set_3", "linkage_sequence_3"),
    attack_background_times: ("linkage_set_day_3", "linkage_sequence_day_3"),
    exposure: ("exposure_points_activities_3", "exposure_points_times_1"),
    candidates: ("candidate_alone", "candidate_alone_timed"),
}
Line = dict[str, object]


def distances(log: EventLog, release: EventLog) -> Iterator[Line]:
    """Both distances of variants, exact and by random blocks."""
    variants = align(log, release).variants
    pairs = np.count_nonzero(variants.original) * np.count_nonzero(variants.release)
    for module in (emd_variants, emsc):
        exact = module.score(log, release)
        with _limit("MAX_PAIRS", pairs // BLOCKS, emd_variants, emsc, blocks):
            bounded = module.score(log, release)
        name = module.METRICS[0].name
        found = f"{_number(bounded[name]):.4f} ± {bounded[f'{name}_gap']:.4f}"
        yield _line(name, f"{BLOCKS} blocks", exact[name], bounded[name]) | {"found": found}


def victims(log: EventLog) -> Iterator[Line]:
    """What is known by half of the cases at most, drawn, against what is known by all, of the log as its own release.

    Success of an attack is the mean of a chance, so that its interval is narrower than that of a share, which is told.
    """
    known = {"original": log, "release": log, "origins": np.arange(log.n_cases), "record": {"seed": SEED}}
    drawn = min(linkage.VICTIMS, log.n_cases // 2)
    for module, names in OF_VICTIMS.items():
        exact, found = (_with_victims(n, module, known) for n in (log.n_cases, drawn))
        for name in names:
            low, high = wilson(_number(found[name]), drawn)
            text = f"{_number(found[name]):.4f} ± {(high - low) / 2:.4f}"
            yield _line(name, f"{drawn} of {log.n_cases} cases", exact[name], found[name]) | {"found": text}


def _with_victims(count: int, module: ModuleType, known: Mapping[str, object]) -> dict[str, object]:
    with _limit("VICTIMS", count, linkage):
        return module.score(**wanted_of(known, module.score))


def embeddings(log: EventLog) -> Iterator[Line]:
    """Distances of activities after fewer epochs on a large log against those of all, and of two such trainings.

    The value is the correlation of the distances of all pairs of activities, 1 if nothing is lost.
    """
    epochs = embedding.epochs_of(log)
    first, other = (embedding.train(log, seed=seed, epochs=epochs).of(log.labels) for seed in (1, 2))
    yield _line("embedding, correlation", f"{epochs} epochs, seeds 1 and 2", 1.0, _correlation(first, other))
    if epochs < embedding.EPOCHS:
        whole = embedding.train(log, seed=1, epochs=embedding.EPOCHS).of(log.labels)
        yield _line("embedding, correlation", f"{epochs} of {embedding.EPOCHS} epochs", 1.0, _correlation(whole, first))


PARTS = {
    "distances": (distances, ("amun", "shuffle")),
    "victims": (victims, ("-",)),
    "embeddings": (embeddings, ("-",)),
}


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    above = np.triu_indices(len(first), 1)
    return float(np.corrcoef(first[above], second[above])[0, 1])


@contextmanager
def _limit(name: str, value: int, *modules: ModuleType) -> Iterator[None]:
    """Another value of a constant of some modules, for a while."""
    former = [getattr(module, name) for module in modules]
    for module in modules:
        setattr(module, name, value)
    yield
    for module, was in zip(modules, former, strict=True):
        setattr(module, name, was)


def _line(name: str, limit: str, exact: object, found: object) -> Line:
    exact, found = _number(exact), _number(found)
    return {
        "value": name, "limit": limit, "exact": f"{exact:.4f}", "found": f"{found:.4f}",
        "error": f"{found - exact:+.4f}",
    }  # fmt: skip


def _number(value: object) -> float:
    return value.value if isinstance(value, Marked) else float(value)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.errors", description=__doc__.split("\n\n")[0])
    parser.add_argument("logs", nargs="+", type=Path, help="event logs")
    parser.add_argument("--of", nargs="+", choices=PARTS, default=PARTS, help="which (all)")
    options = parser.parse_args()
    for path in options.logs:
        log, title = read_log(path), path.name.split(".")[0]
        releases = {
            "amun": amun.release(log, delta=0.2, mode="sampling", profile="code", rng=np.random.default_rng(1)),
            "shuffle": shuffle.release(log, rng=np.random.default_rng(1)),
        }
        for part in options.of:
            measure, wanted = PARTS[part]
            lines = [
                {"log": title, "release": name, **line}
                for name in wanted
                for line in (measure(log, releases[name]) if name in releases else measure(log))
            ]
            print(tabulate(lines, headers="keys", tablefmt="pipe", disable_numparse=True), flush=True)


if __name__ == "__main__":
    main()
