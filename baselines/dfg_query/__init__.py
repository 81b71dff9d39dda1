"""The directly-follows query: a graph with noisy frequencies.

Mannhardt, Koschmider, Baracaldo, Weidlich, Michael: "Privacy-Preserving Process Mining" (BISE 2019). Every pair of
activities, and of an activity and the start or end of a case, gets noise, whether it occurs or not. Left out are the
pairs that no case can have: into the start, out of the end, and from start to end. Profiles:

* `published`: the absolute value of count plus Laplace noise, rounded. It hides one pair of events; a case of n
  events changes n + 1 counts, so the longest case costs ``(n + 1) * epsilon``.
* `accounted`: ours. Only the first ``max_length + 1`` pairs of a case count, under two-sided geometric noise of
  ``epsilon / (max_length + 1)`` clamped at 0, so that a case costs epsilon.

No epsilon covers the set of activities, nor a maximum length, unless they are given as public and not taken from the
log.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baselines.prefix_query.absent import draw_absent, nth_absent
from baselines.prefix_query.alphabet import uncovered_alphabet, with_alphabet
from baselines.prefix_query.growth import Cap
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.release import uncovered_notes
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
    alphabet: Sequence[str] | None = None,
    rng: np.random.Generator,
) -> Outcome:
    """Release a directly-follows graph with noisy frequencies.

    Parameters
    ----------
    log : EventLog
        It is not changed.
    epsilon : float or str
        A positive number, infinity for no noise, or a symbol; see `baselines.prefix_query.symbols`.
    profile : {"published", "accounted"}
    max_length : int or str
        `accounted`: most events of a case; of a longer one the rest and its end are not counted.
    epsilons : path, optional
        The file of Amun's epsilons, for a symbolic epsilon.
    alphabet : sequence of str, optional
        Public activities; cases that have another one are left out. By default those of the log.
    rng : numpy.random.Generator

    Raises
    ------
    ParameterError
        If a parameter is out of its range or a symbol has no value.
    """
    found = noisy_pairs(
        log, epsilon=epsilon, profile=profile, max_length=max_length, epsilons=epsilons, alphabet=alphabet, rng=rng
    )
    sources, targets = np.divmod(found.numbers, len(found.labels) + 1)
    unpaid = [*uncovered_alphabet(alphabet), *found.private]
    notes = uncovered_notes(unpaid)
    if profile == "published":
        notes.append(f"epsilon hides a pair of events; hiding the longest case costs {found.pairs} times as much")
    return Outcome(
        DirectlyFollowsGraph(found.labels, sources + OUTSIDE, targets + OUTSIDE, found.frequencies),
        diagnostics={
            "nominal_epsilon": finite(found.epsilon),
            "epsilon_unit": "one pair of events" if profile == "published" else "one case",
            "composed_epsilon": finite(found.composed),
            "not_covered": unpaid,
            "pairs_cut": int(np.maximum(log.lengths + 1 - found.pairs, 0).sum()),
        },
        resolved=found.resolved,
        notes=notes,
    )


class NoisyPairs(NamedTuple):
    """Answers to a query of pairs.

    Attributes
    ----------
    labels : tuple of str
        The alphabet.
    numbers, frequencies, answers : int64 arrays (pairs of all answers,)
        Pairs as `data.graph.edge_numbers` numbers them, their positive counts, and which answer each is of.
    epsilon, composed : float
        Nominal, and what all counts of an answer cost.
    pairs : int
        Most pairs of a case that are counted.
    resolved : dict
        The values of the parameters.
    private : list of str
        Names of those that were taken from the log.
    """

    labels: tuple[str, ...]
    numbers: np.ndarray
    frequencies: np.ndarray
    answers: np.ndarray
    epsilon: float
    composed: float
    pairs: int
    resolved: dict
    private: list[str]


def noisy_pairs(
    log: EventLog,
    *,
    epsilon: float | str,
    profile: str = "published",
    max_length: int | str = "p80",
    epsilons: str | os.PathLike | None = None,
    alphabet: Sequence[str] | None = None,
    answers: int = 1,
    rng: np.random.Generator,
) -> NoisyPairs:
    """Noisy counts of pairs; parameters as in `anonymize`, and how many independent answers to draw at once."""
    if profile not in PROFILES:
        raise ParameterError(f"profile must be one of {', '.join(PROFILES)}; it is {profile!r}")
    nominal = resolve_epsilon(epsilon, epsilons)
    resolved = {"epsilon": finite(nominal) or "inf"}
    symbols = {"epsilon": epsilon}
    known = with_alphabet(log, alphabet)
    if profile == "published":
        graph, noise = directly_follows(known), Noise("abs", nominal)
        pairs = int(known.lengths.max(initial=0)) + 1
    else:
        symbols["max_length"] = max_length
        resolved["max_length"] = resolve_length(max_length, log)
        pairs = resolved["max_length"] + 1
        graph, noise = directly_follows(known, pairs), Noise("geom", nominal / pairs)
    return NoisyPairs(
        graph.labels,
        *_noisy(graph, noise, answers, rng),
        nominal,
        pairs * noise.cost,
        pairs,
        resolved,
        [name for name, value in symbols.items() if not is_number(value)],
    )


def _noisy(
    graph: DirectlyFollowsGraph, noise: Noise, answers: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, noisy counts and answers of the pairs that are kept, of all that a case can have."""
    n = len(graph.labels) + 1
    counts = noise.noisy(np.tile(graph.frequencies, answers), rng)
    kept = np.flatnonzero(counts > 0)
    answer, place = np.divmod(kept, max(len(graph), 1))
    # Edge 0, from start to end, is taken as present, so that it is not drawn.
    present = np.concatenate(([0], edge_numbers(graph.sources, graph.targets, n - 1)))
    absent = n**2 - len(present)
    chosen, absent_counts = draw_absent(absent * answers, 1, noise, Cap(absent * answers), rng)
    absent_answer, absent_place = np.divmod(chosen, max(absent, 1))
    return (
        np.concatenate((present[1:][place], nth_absent(present, absent_place))),
        np.concatenate((counts[kept], absent_counts)),
        np.concatenate((answer, absent_answer)),
    )
