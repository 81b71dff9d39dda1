"""SaCoFa: a trace-variant query that invents fewer sequences which the process does not allow.

Fahrenkrog-Petersen, Kabierski, Roesel, van der Aa, Weidlich (ICPM 2021); code: samadeusfp/SaCoFa at 1f5a799, and
pm4py. At every level the candidates are split by relations of the raw log (see `baselines.sacofa.relations`). Those
that conform get noise; of the violating ones an exponential mechanism chooses j to get noise too, and the others keep
their true count, 0 as a rule. Where the published codes differ: j follows the law that the repository means (it
overflows there; pm4py draws another), and an empty release is a result. Ended prefixes are never pruned, and those
still open after the last level are released as if they had ended.

Modes, as the repository names them:

* `ba`: one threshold for all open prefixes. What pm4py computes, but for j.
* `ba_prune`: a threshold of its own for conforming prefixes. The study of Amun used it.
* `ba_multi`: a third of epsilon throughout, and a chosen candidate uses up as many of j as it has violations, up to 3.
* `occured`: split by whether a candidate occurs in the log, instead of by relations.

The relations are taken from raw data, so that one case may change every candidate's class, and violating prefixes of
real cases keep exact counts. The composed epsilon adds up the choices of j and the counts and is **no guarantee**.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np

from baselines.prefix_query.alphabet import PRIVATE
from baselines.prefix_query.growth import MAX_PREFIXES, VariantCounts
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.release import query_outcome
from baselines.prefix_query.symbols import Resolved, resolve, resolve_pruning
from baselines.prefix_query.tree import prefix_counts
from baselines.sacofa.query import Settings, semantic_query
from baselines.sacofa.relations import relations_of
from data.log import EventLog
from mechanisms import Outcome, ParameterError

MODES = ("ba", "ba_prune", "ba_multi", "occured")
SENSITIVITY = 3  # of mode ba_multi
UNCOVERED = (PRIVATE, "the relations of activities", "exact counts of violating prefixes")


def release(log: EventLog, *, rng: np.random.Generator, **parameters) -> EventLog:
    """The released log alone; parameters as in `anonymize`."""
    return anonymize(log, rng=rng, **parameters).release


def anonymize(
    log: EventLog,
    *,
    epsilon: float | str,
    max_length: int | str = "mean",
    pruning: int | str = "1%",
    mode: str = "ba",
    pruning_conforming: int | str | None = None,
    epsilons: str | os.PathLike | None = None,
    max_prefixes: int = MAX_PREFIXES,
    rng: np.random.Generator,
) -> Outcome:
    """Release activity sequences with noisy counts.

    Parameters
    ----------
    log : EventLog
        It is not changed. Its labels are the alphabet.
    epsilon : float or str
        A positive number, infinity for no noise, or a symbol; see `baselines.prefix_query.symbols`.
    max_length : int or str
        Levels of the query. A longer case is cut to so many activities.
    pruning : int or str
        Smallest count that keeps a prefix open.
    mode : {"ba", "ba_prune", "ba_multi", "occured"}
    pruning_conforming : int or str, optional
        `ba_prune`: the same for conforming prefixes; by default two thirds of `pruning`, as in the authors' example.
    epsilons : path, optional
        The file of Amun's epsilons, for a symbolic epsilon.
    max_prefixes : int
        Most prefixes to keep, of all lengths together, open or ended.
    rng : numpy.random.Generator

    Returns
    -------
    Outcome
        Every event of the release is at 1970-01-01 UTC. A release without cases is a result.

    Raises
    ------
    ParameterError
        If a parameter is out of its range or a symbol has no value.
    Infeasible
        If the release explodes: more prefixes than allowed are to be expected, or drawn, or too many events.
    """
    found, given, composed, further = noisy_variants(
        log,
        epsilon=epsilon,
        max_length=max_length,
        pruning=pruning,
        mode=mode,
        pruning_conforming=pruning_conforming,
        epsilons=epsilons,
        max_prefixes=max_prefixes,
        rng=rng,
    )
    outcome = query_outcome(found, log.labels, given, composed=composed, uncovered=UNCOVERED, rng=rng)
    return replace(outcome, resolved={**outcome.resolved, **further})


def noisy_variants(
    log: EventLog,
    *,
    epsilon: float | str,
    max_length: int | str,
    pruning: int | str,
    mode: str = "ba",
    pruning_conforming: int | str | None = None,
    epsilons: str | os.PathLike | None = None,
    max_prefixes: int = MAX_PREFIXES,
    answers: int = 1,
    rng: np.random.Generator,
) -> tuple[VariantCounts, Resolved, float, dict[str, int]]:
    """Noisy counts of variants, the resolved parameters, what all counts of an answer cost, and a further parameter.

    Parameters as in `anonymize`; `answers` as in `baselines.sacofa.query.semantic_query`.
    """
    if mode not in MODES:
        raise ParameterError(f"mode must be one of {', '.join(MODES)}; it is {mode!r}")
    if pruning_conforming is not None and mode != "ba_prune":
        raise ParameterError(f"pruning_conforming is of mode ba_prune, not of {mode}")
    given = resolve(log, epsilon=epsilon, max_length=max_length, pruning=pruning, epsilons=epsilons)
    least, further = given.pruning, {}
    if mode == "ba_prune":
        least = math.ceil(2 * given.pruning / 3)
        if pruning_conforming is not None:
            least = resolve_pruning(pruning_conforming, log, "pruning_conforming")
        further = {"pruning_conforming": least}
    share = SENSITIVITY if mode == "ba_multi" else 1
    settings = Settings(
        levels=given.max_length,
        pruning=given.pruning,
        pruning_conforming=least,
        noise=Noise("trunc", given.epsilon / share),
        cost=share,
        semantic=mode != "occured",
        max_prefixes=max_prefixes,
    )
    found = semantic_query(prefix_counts(log, given.max_length), relations_of(log), settings, rng, answers)
    return found, given, given.max_length * (settings.noise.cost + settings.noise.epsilon), further
