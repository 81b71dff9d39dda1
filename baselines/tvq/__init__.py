"""TVQ: the Laplace trace-variant query of Mannhardt et al., a release of activity sequences without times.

See `baselines.prefix_query.laplace` for the procedure and its published styles. Profiles:

* `published`: the noise that all published Python code draws (`trunc`), the whole epsilon at every level. A case
  changes one count a level, so the release costs ``levels * (epsilon + ln 2)``, although it is called epsilon.
* `accounted`: the two-sided geometric law with ``epsilon / levels`` a level, which costs epsilon.

No epsilon covers the set of activities, nor a maximum length or a pruning, unless they are given as public and not
taken from the log.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from baselines.prefix_query.alphabet import uncovered_alphabet, with_alphabet
from baselines.prefix_query.growth import MAX_PREFIXES, VariantCounts
from baselines.prefix_query.laplace import STYLES, trace_variant_query
from baselines.prefix_query.noise import LAWS, Noise
from baselines.prefix_query.release import query_outcome
from baselines.prefix_query.symbols import Resolved, resolve
from baselines.prefix_query.tree import prefix_counts
from data.log import EventLog
from mechanisms import Outcome, ParameterError

ACCOUNTINGS = ("per_level", "total")
PROFILES = {"published": ("trunc", "per_level"), "accounted": ("geom", "total")}


def release(log: EventLog, *, rng: np.random.Generator, **parameters) -> EventLog:
    """The released log alone; parameters as in `anonymize`."""
    return anonymize(log, rng=rng, **parameters).release


def anonymize(
    log: EventLog,
    *,
    epsilon: float | str,
    max_length: int | str = "mean",
    pruning: int | str = "1%",
    profile: str = "published",
    style: str = "full-prune",
    noise: str | None = None,
    accounting: str | None = None,
    epsilons: str | os.PathLike | None = None,
    alphabet: Sequence[str] | None = None,
    max_prefixes: int = MAX_PREFIXES,
    rng: np.random.Generator,
) -> Outcome:
    """Release activity sequences with noisy counts.

    Parameters
    ----------
    log : EventLog
        It is not changed.
    epsilon : float or str
        A positive number, infinity for no noise, or a symbol; see `baselines.prefix_query.symbols`.
    max_length : int or str
        Levels of the query: the symbols of the longest sequence, END included.
    pruning : int or str
        Smallest count that keeps a prefix.
    profile : {"published", "accounted"}
        Noise and accounting, unless given.
    style : {"full-prune", "keep-end"}
    noise : {"trunc", "geom", "abs"}, optional
    accounting : {"per_level", "total"}, optional
        Epsilon is that of every level, or of all together.
    epsilons : path, optional
        The file of Amun's epsilons, for a symbolic epsilon.
    alphabet : sequence of str, optional
        Public activities; cases that have another one are left out. By default those of the log.
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
    found, given, composed, labels = query(
        log,
        epsilon=epsilon,
        max_length=max_length,
        pruning=pruning,
        profile=profile,
        style=style,
        noise=noise,
        accounting=accounting,
        epsilons=epsilons,
        alphabet=alphabet,
        max_prefixes=max_prefixes,
        rng=rng,
    )
    return query_outcome(found, labels, given, composed=composed, uncovered=uncovered_alphabet(alphabet), rng=rng)


def query(
    log: EventLog,
    *,
    epsilon: float | str,
    max_length: int | str,
    pruning: int | str,
    profile: str = "published",
    style: str = "full-prune",
    noise: str | None = None,
    accounting: str | None = None,
    epsilons: str | os.PathLike | None = None,
    alphabet: Sequence[str] | None = None,
    max_prefixes: int = MAX_PREFIXES,
    answers: int = 1,
    rng: np.random.Generator,
) -> tuple[VariantCounts, Resolved, float, tuple[str, ...]]:
    """Noisy counts of variants, the resolved parameters, the epsilon that all counts of an answer cost, the alphabet.

    Parameters as in `anonymize`; `answers` as in `baselines.prefix_query.laplace.trace_variant_query`.
    """
    for name, value, known in (
        ("profile", profile, PROFILES),
        ("style", style, STYLES),
        ("noise", noise, (None, *LAWS)),
        ("accounting", accounting, (None, *ACCOUNTINGS)),
    ):
        if value not in known:
            raise ParameterError(f"{name} must be one of {', '.join(filter(None, known))}; it is {value!r}")
    given = resolve(log, epsilon=epsilon, max_length=max_length, pruning=pruning, epsilons=epsilons)
    law, accounted = noise or PROFILES[profile][0], accounting or PROFILES[profile][1]
    levels, known = given.max_length, with_alphabet(log, alphabet)
    of_level = Noise(law, given.epsilon / levels if accounted == "total" else given.epsilon)
    found = trace_variant_query(
        prefix_counts(known, levels),
        levels=levels,
        pruning=given.pruning,
        noise=of_level,
        style=style,
        max_prefixes=max_prefixes,
        answers=answers,
        rng=rng,
    )
    return found, given, levels * of_level.cost, known.labels
