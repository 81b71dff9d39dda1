"""Models discovered from a release and replayed with the original: quality, and how far it is off the original's own.

The evaluation of TraVaS, SaCoFa and PRETSA, through pm4py (under the AGPL; it is imported only where such a metric is
asked for): a net from the inductive miner (`im`, Leemans et al., Petri Nets 2013) or its infrequent variant (`imf`,
BPM Workshops 2013, noise threshold 0.2), fitness and generalisation by token-based replay, precision by escaping
edges, simplicity by the inverse degree of arcs, and the harmonic mean of fitness and precision. A log without order
can fit better than the original itself, so raw values rank nothing; deviations do.

Precision replays every prefix of every variant, which takes days on a log of a million events. Of an original whose
prefixes have more than `MOST_STEPS` events in all, a random sample of the cases is replayed, the same on both models,
and the values are marked `sampled`; discovery sees the whole release. benchmarks/README.md tells of the error.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

from data.log import ACTIVITY, CASE, TIMESTAMP, EventLog
from metrics.metric import Marked, Metric, Score, Value, unless_empty

QUALITIES = ("fitness", "precision", "f1", "generalisation", "simplicity")
MOST_STEPS = 500_000  # events of all prefixes of the replayed variants: some 40 s a model
SEED = 0  # of the sample: all releases of a log are compared on the same cases
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
        sample = _sampled(original)
        own = _own_qualities(original, noise)
        found = own and _qualities(release, sample, original.n_cases, noise)
        if not found:
            return {metric.name: OUT_OF_TIME for metric in metrics}
        values: dict[str, Value] = {}
        for quality in QUALITIES:
            values |= {
                f"{miner}_{quality}": found[quality],
                f"{miner}_{quality}_dev": abs(found[quality] - own[quality]),
            }
        if sample is original:
            return values
        reason = f"{sample.n_cases} of {original.n_cases} cases are replayed"
        return {name: Marked("sampled", reason, value) for name, value in values.items()}

    return score


@lru_cache(maxsize=2)  # one log and two miners: the repeats of a cell share it
def _own_qualities(original: EventLog, noise: float) -> dict[str, float] | None:
    return _qualities(original, _sampled(original), original.n_cases, noise)


def _sampled(log: EventLog) -> EventLog:
    """The log, or as many of its cases, drawn at random, as can be replayed."""
    variants = log.variants
    steps = variants.lengths * (variants.lengths + 1) // 2
    if steps.sum() <= MOST_STEPS:
        return log
    order = np.random.default_rng(SEED).permutation(log.n_cases)
    drawn, first = np.unique(variants.of_case[order], return_index=True)
    added = np.zeros(log.n_cases, dtype=np.int64)
    added[first] = steps[drawn]
    count = max(1, int(np.searchsorted(np.cumsum(added), MOST_STEPS, side="right")))
    cases = np.sort(order[:count])
    return log.take(cases, [log.case_ids[case] for case in cases.tolist()])


def _qualities(discovered_on: EventLog, replayed: EventLog, cases: int, noise: float) -> dict[str, float] | None:
    """The qualities of the model of one log with regard to another, or to a sample of one of so many cases.

    None if they take too long.
    """
    import pm4py

    pm4py.util.constants.SHOW_PROGRESS_BAR = False
    log = _frame(replayed)
    try:
        with _cpu_limit(LIMIT_S):
            net = pm4py.discover_petri_net_inductive(_frame(discovered_on), noise_threshold=noise)
            fitness = pm4py.fitness_token_based_replay(log, *net)["log_fitness"]
            precision = pm4py.precision_token_based_replay(log, *net)
            replays = pm4py.conformance_diagnostics_token_based_replay(log, *net)
            return {
                "fitness": fitness,
                "precision": precision,
                "f1": 2 * fitness * precision / (fitness + precision) if fitness + precision else 0.0,
                "generalisation": _generalisation(net[0].transitions, replays, cases / replayed.n_cases),
                "simplicity": pm4py.simplicity_petri_net(*net, variant="arc_degree"),
            }
    except _OutOfTime:
        return None


def _generalisation(transitions: Iterable, replays: list[dict], scale: float) -> float:
    """One minus the mean over the transitions of 1 / sqrt(times fired), as `pm4py.generalization_tbr`.

    Times fired in a sample are scaled to the whole log; a transition that never fired in it counts as fired once.
    """
    fired = Counter(transition for replay in replays for transition in replay["activated_transitions"])
    rare = [(fired[transition] * scale) ** -0.5 if fired[transition] else 1.0 for transition in transitions]
    return 1 - sum(rare) / len(rare) if rare else 1.0


def _frame(log: EventLog):
    """The log for pm4py, one event a second: it sorts by time, and events of equal time must keep their order."""
    import pandas as pd

    return pd.DataFrame(
        {
            CASE: np.array(log.case_ids, dtype=object)[log.case_of_event],
            ACTIVITY: np.array(log.labels, dtype=object)[log.activities],
            TIMESTAMP: pd.to_datetime(np.arange(log.n_events), unit="s", utc=True),
        }
    )


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
