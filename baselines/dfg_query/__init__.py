"""The directly-follows query: a graph with noisy frequencies.

Mannhardt, Koschmider, Baracaldo, Weidlich, Michael: "Privacy-Preserving Process Mining" (BISE 2019). Every pair of
activities, and of an activity and the start or end of a case, gets noise, whether it occurs or not. Left out are the
pairs that no case can have: into the start, out of the end, and from start to end. Profiles:

* `published`: the absolute value of count plus Laplace noise, rounded. It hides one pair of events; a case of n
  events changes n + 1 counts, so the longest case costs ``(n + 1) * epsilon``.
* `accounted`: ours. Only the first ``max_length + 1`` pairs of a case count, under two-sided geometric noise of
  ``epsilon / (max_length + 1)`` clamped at 0, so that a case costs epsilon.

No epsilon covers the set of activities, nor a maximum length that is taken from the log.
"""

from __future__ import annotations

import os

import numpy as np

from baselines.prefix_query.absent import draw_absent, nth_absent
from baselines.prefix_query.growth import Cap
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.release import uncovered_note
from baselines.prefix_query.symbols import finite, is_number, resolve_epsilon, resolve_length
from data.graph import OUTSIDE, DirectlyFollowsGraph, directly_follows, edge_numbers
from data.log import EventLog
from mechanisms import Outcome, ParameterError

PROFILES = ("published", "accounted")


def release(log: EventLog, *, rng: np.random.Generator, **parameters) -> DirectlyFollowsGraph:
    """The released graph alone; parameters as in `anonymize`."""
    return anonymize(log, rng=rng, **parameters).release


def anonymize(
    log: EventLog,
    *,
    epsilon: float | str,
    profile: str = "published",
    max_length: int | str = "p80",
    epsilons: str | os.PathLike | None = None,
    rng: np.random.Generator,
) -> Outcome:
    """Release a directly-follows graph with noisy frequencies.

    Parameters
    ----------
    log : EventLog
        It is not changed. Its labels are the alphabet.
    epsilon : float or str
        A positive number, infinity for no noise, or a symbol; see `baselines.prefix_query.symbols`.
    profile : {"published", "accounted"}
    max_length : int or str
        `accounted`: most events of a case; of a longer one the rest and its end are not counted.
    epsilons : path, optional
        The file of Amun's epsilons, for a symbolic epsilon.
    rng : numpy.random.Generator

    Raises
    ------
    ParameterError
        If a parameter is out of its range or a symbol has no value.
    """
    if profile not in PROFILES:
        raise ParameterError(f"profile must be one of {', '.join(PROFILES)}; it is {profile!r}")
    nominal = resolve_epsilon(epsilon, epsilons)
    resolved = {"epsilon": finite(nominal) or "inf"}
    symbols = {"epsilon": epsilon}
    if profile == "published":
        graph, noise = directly_follows(log), Noise("abs", nominal)
        pairs = int(log.lengths.max(initial=0)) + 1
    else:
        symbols["max_length"] = max_length
        resolved["max_length"] = resolve_length(max_length, log)
        pairs = resolved["max_length"] + 1
        graph, noise = directly_follows(log, pairs), Noise("geom", nominal / pairs)
    composed = pairs * noise.cost
    released = _noisy(graph, noise, rng)
    unpaid = ["the set of activities", *(name for name, value in symbols.items() if not is_number(value))]
    notes = [uncovered_note(unpaid)]
    if profile == "published":
        notes.append(f"epsilon hides a pair of events; hiding the longest case costs {pairs} times as much")
    return Outcome(
        released,
        diagnostics={
            "nominal_epsilon": finite(nominal),
            "composed_epsilon": finite(composed),
            "not_covered": unpaid,
            "pairs_cut": int(np.maximum(log.lengths + 1 - pairs, 0).sum()),
        },
        resolved=resolved,
        notes=notes,
    )


def _noisy(graph: DirectlyFollowsGraph, noise: Noise, rng: np.random.Generator) -> DirectlyFollowsGraph:
    """The graph with noise on every pair that a case can have."""
    n = len(graph.labels) + 1
    counts = noise.noisy(graph.frequencies, rng)
    kept = counts > 0
    # Edge 0, from start to end, is taken as present, so that it is not drawn.
    present = np.concatenate(([0], edge_numbers(graph.sources, graph.targets, n - 1)))
    absent = n**2 - len(present)
    chosen, absent_counts = draw_absent(absent, 1, noise, Cap(absent), rng)
    numbers = np.concatenate((present[1:][kept], nth_absent(present, chosen)))
    return DirectlyFollowsGraph(
        graph.labels, numbers // n + OUTSIDE, numbers % n + OUTSIDE, np.concatenate((counts[kept], absent_counts))
    )
