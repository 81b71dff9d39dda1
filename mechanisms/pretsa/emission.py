"""From the sanitised tree to a log: who is left, and which durations and times the events get.

An event on the original path of its case keeps its duration, as the published code has it: exact values are released.
The others are imputed. The published code draws them from a normal distribution where a test has *rejected* that the
activity's durations are normal, and else from the durations themselves (`ref_normal`); the default does the latter
for all. The published release has no times and keeps the case ids; ours has times rebuilt from the durations and
fresh ids.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import DURATION, EventLog, ranges
from mechanisms import Infeasible
from mechanisms.ids import fresh_case_ids
from mechanisms.pretsa.durations import Populations
from mechanisms.pretsa.loop import State
from mechanisms.pretsa.tree import ROOT, Tree

SIGNIFICANCE = 0.05
FEWEST_TESTED = 8  # the least that D'Agostino and Pearson's test takes
LATEST = 253_402_300_800 * 10**6  # the end of the year 9999, the last that XES and CSV can write


@dataclass(frozen=True, eq=False)
class Released:
    """The events of the cases that are left, one case after the other.

    Attributes
    ----------
    cases : int64 array (released cases,)
        Their cases in the log.
    offsets : int64 array (released cases + 1,)
    nodes, activities : int64 arrays (released events,)
    origins : int64 array (released events,)
        The event of the log whose duration it keeps, -1 if it is imputed.
    """

    cases: np.ndarray
    offsets: np.ndarray
    nodes: np.ndarray
    activities: np.ndarray
    origins: np.ndarray


def released(log: EventLog, tree: Tree, state: State, order: np.ndarray) -> Released:
    """The events of a release whose cases stand in the given order of the log's cases."""
    ends = state.end[log.variants.of_case[order]]
    cases, ends = order[ends != ROOT], ends[ends != ROOT]
    lengths = tree.depth[ends]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    nodes = tree.nodes[ranges(tree.variants.offsets[tree.through[ends]], lengths)]
    own = state.own_depth[log.variants.of_case[cases]]
    kept = tree.depth[nodes] <= np.repeat(own, lengths)
    events = np.repeat(log.offsets[cases], lengths) + tree.depth[nodes] - 1
    return Released(cases, offsets, nodes, tree.activity[nodes], np.where(kept, events, -1))


def impute(
    events: Released, seconds: np.ndarray, populations: Populations, kind: str, profile: str, rng: np.random.Generator
) -> np.ndarray:
    """Durations of the released events: their own, or drawn.

    Parameters
    ----------
    events : Released
    seconds : float array (events of the log,)
    populations : Populations
    kind : {"resample", "ref_normal"}
    profile : {"sound", "r19", "r21"}
        Of `ref_normal`: `r19` draws every value of a rejected activity from the normal distribution, negative ones
        too; `r21` only the first of each activity, and negative ones become 0.
    rng : numpy.random.Generator
    """
    values = seconds[events.origins]
    missing = np.flatnonzero(events.origins < 0)
    activities = events.activities[missing]
    draws = rng.integers(0, populations.counts[activities])
    values[missing] = populations.values[populations.starts[activities] + draws]
    if kind == "ref_normal":
        for activity in filter(lambda a: _rejected(populations[a]), np.unique(activities).tolist()):
            normal = missing[activities == activity][: None if profile == "r19" else 1]
            population = populations[activity]
            values[normal] = rng.normal(population.mean(), population.std(), len(normal))
        if profile == "r21":
            values[missing] = np.maximum(values[missing], 0)
    return values


def _rejected(population: np.ndarray) -> bool:
    """Whether the test rejects that the values are normal."""
    if len(population) < FEWEST_TESTED or population[0] == population[-1]:
        return False
    from scipy.stats import normaltest

    return bool(normaltest(population).pvalue <= SIGNIFICANCE)


def assemble(events: Released, values: np.ndarray, labels: tuple[str, ...], rng: np.random.Generator) -> EventLog:
    """The release, of at least one case: activities, durations, and times that add them up from 1970 on.

    A microsecond an event keeps events without duration in order. Negative durations count as 0.

    Raises
    ------
    Infeasible
        If the durations of a case add up beyond the year 9999.
    """
    steps = np.rint(np.maximum(values, 0) * 1e6) + 1
    totals = np.add.reduceat(steps, events.offsets[:-1])
    if totals.max() >= LATEST:
        raise Infeasible("the durations of a case add up beyond the year 9999; remove the longest from the log")
    steps[events.offsets[1:-1]] -= totals[:-1]  # so that every case starts anew
    times = np.cumsum(steps.astype(np.int64))
    return EventLog(
        events.activities,
        times,
        events.offsets,
        labels,
        fresh_case_ids(len(events.cases), rng),
        {DURATION: values},
    )
