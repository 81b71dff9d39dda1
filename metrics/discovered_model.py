"""Models discovered from a release and replayed with the original: quality, and how far it is off the original's own.

The evaluation of TraVaS, SaCoFa and PRETSA, through pm4py (under the AGPL; it is imported only where such a metric is
asked for): a net from the inductive miner (`im`) or its infrequent variant (`imf`, noise threshold 0.2), see
`metrics.inductive_miner`; fitness and generalisation by token-based replay, precision by escaping edges, see
`metrics.token_replay`; simplicity by the inverse degree of arcs; and the harmonic mean of fitness and precision. A log
without order can fit better than the original itself, so raw values rank nothing; deviations do.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from data.log import EventLog
from metrics.inductive_miner import discover
from metrics.metric import Marked, Metric, Score, Value, unless_empty
from metrics.token_replay import replay

QUALITIES = ("fitness", "precision", "f1", "generalisation", "simplicity")
LIMIT_S = 600  # CPU time of one model, from discovery to the last quality
BLIND_TO = "time and whatever the directly-follows graph does not tell: {axb, cxd} to {axd, cxb}; equal models differ"
OUT_OF_TIME = Marked("TO", f"discovery and replay take more than {LIMIT_S} s of CPU time")


class _OutOfTime(BaseException):  # so that no `except Exception` of the library takes it
    pass


def declare(miner: str, title: str) -> tuple[Metric, ...]:
    """The metrics of one miner: each quality, and its deviation."""
    common = {"high": 1.0, "costly": True, "blind_to": BLIND_TO}
    return tuple(
        metric
        for quality in QUALITIES
        for metric in (
            Metric(name=f"{miner}_{quality}_dev", title=f"{quality.capitalize()} of {title}, deviation", **common),
            Metric(
                name=f"{miner}_{quality}",
                title=f"{quality.capitalize()} of {title}",
                direction="none",
                identity=None,
                doubled=None,
                **common,
            ),
        )
    )


def scoring(metrics: tuple[Metric, ...], miner: str, noise: float) -> Score:
    """The score function of one miner with a noise threshold."""

    @unless_empty(metrics)
    def score(original: EventLog, release: EventLog) -> dict[str, Value]:
        own = _own_qualities(original, noise)
        found = own and _qualities(release, original, noise)
        if not found:
            return {metric.name: OUT_OF_TIME for metric in metrics}
        values: dict[str, Value] = {}
        for quality in QUALITIES:
            values |= {
                f"{miner}_{quality}": found[quality],
                f"{miner}_{quality}_dev": abs(found[quality] - own[quality]),
            }
        return values

    return score


@lru_cache(maxsize=2)  # one log and two miners: the repeats of a cell share it
def _own_qualities(original: EventLog, noise: float) -> dict[str, float] | None:
    return _qualities(original, original, noise)


def _qualities(discovered_on: EventLog, replayed: EventLog, noise: float) -> dict[str, float] | None:
    """The qualities of the model of one log with regard to another; None if they take too long."""
    import pm4py

    try:
        with _cpu_limit(LIMIT_S):
            net = discover(discovered_on, noise)
            found = replay(replayed.variants, replayed.labels, net)
            fitness, precision = found.fitness, found.precision
            return {
                "fitness": fitness,
                "precision": precision,
                "f1": 2 * fitness * precision / (fitness + precision) if fitness + precision else 0.0,
                "generalisation": found.generalisation(net[0]),
                "simplicity": pm4py.simplicity_petri_net(*net, variant="arc_degree"),
            }
    except _OutOfTime:
        return None


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Leave the block with `_OutOfTime` after so many seconds of CPU time; in the main thread only."""

    def leave(*_) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGPROF, leave)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)  # again every second, should the library take it all the same
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
