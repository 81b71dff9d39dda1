"""PRIPEL: a differentially private query for variants, filled with the times and attributes of real cases.

Fahrenkrog-Petersen, van der Aa, Weidlich: "PRIPEL: Privacy-Preserving Event Log Publishing Including Contextual
Information", BPM 2020, as the authors' code (samadeusfp/PRIPEL, commit b7f511c) and pm4py compute it, their failures
aside:

1. The Laplace trace-variant query, form `full-prune` (`baselines.prefix_query.laplace`), gives traces.
2. Each trace is matched to a case of the log, at the smallest sum of edit distances (`assignment`).
3. Each trace is filled with the events of its case (`enrichment`).
4. Attributes get noise (`attributes`), and each trace is moved in time (`timestamps`).

The same epsilon is spent on every level of the query, every attribute of every event, and every move. **No guarantee**
follows for a case, whatever epsilon: which case feeds which trace is decided on the data without noise, and so are the
values and ranges that noise is drawn over. Mode `published` moreover copies the times between the events of a case, by
which whoever knows some of them finds the case in the release; mode `local`, which is ours, puts noise on each of them.
"""

from __future__ import annotations

import os

import numpy as np

from baselines.prefix_query.alphabet import PRIVATE
from baselines.prefix_query.laplace import MAX_PREFIXES, trace_variant_query
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.release import EMPTY_NOTE, check_size, uncovered_notes
from baselines.prefix_query.symbols import resolve
from baselines.prefix_query.tree import prefix_counts
from baselines.pripel.attributes import noisy_attributes
from baselines.pripel.enrichment import fill
from baselines.pripel.timestamps import complete_bounds, move_local, move_published
from data.log import EventLog
from mechanisms import Infeasible, Outcome, ParameterError
from mechanisms.ids import fresh_case_ids
from mechanisms.public_bounds import parse_dates, parse_max_duration

TIME_MODES = ("published", "local")
# Taken from the log without noise in both modes: why there is no composed epsilon.
NOT_COVERED = (
    PRIVATE,
    "which case feeds which trace",
    "the gaps that missing times are drawn from",
    "the values and ranges of attributes",
)


def release(log: EventLog, *, rng: np.random.Generator, **parameters) -> EventLog:
    """The released log alone; parameters as in `anonymize`."""
    return anonymize(log, rng=rng, **parameters).release


def anonymize(
    log: EventLog,
    *,
    epsilon: float | str,
    max_length: int | str = "mean",
    pruning: int | str = "1%",
    time_mode: str = "published",
    epsilons: str | os.PathLike | None = None,
    max_prefixes: int = MAX_PREFIXES,
    dates: tuple[str, str] | None = None,
    max_duration: float | None = None,
    rng: np.random.Generator,
) -> Outcome:
    """Release a log of new cases with times and attributes.

    Parameters
    ----------
    log : EventLog
        It is not changed. Its labels are the alphabet of the query.
    epsilon : float or str
        A positive, finite number or a symbol; see `baselines.prefix_query.symbols`.
    max_length : int or str
        Levels of the query: the symbols of the longest sequence, END included.
    pruning : int or str
        Smallest count that keeps a prefix.
    time_mode : {"published", "local"}
        See the package's docstring.
    epsilons : path, optional
        The file of Amun's epsilons, for a symbolic epsilon.
    max_prefixes : int
        Most prefixes of the query to keep, of all lengths together, open or ended.
    dates : pair of str, optional
        `local`: public first and last moment, ISO 8601 in UTC; by default those of the log, which a note says.
    max_duration : float, optional
        `local`: public bound on the time between two events of a case, in days; by default the range of `dates`.
    rng : numpy.random.Generator

    Returns
    -------
    Outcome
        A release without cases is a result. There is no `composed_epsilon`; `charged_epsilon` sums up all noise that
        the data of one case passes through, which bounds nothing.

    Raises
    ------
    ParameterError
        If a parameter is out of its range or a symbol has no value.
    Infeasible
        If no case has two events, the query explodes, or its answer has too many cases or events, or variants to be
        matched.
    """
    if time_mode not in TIME_MODES:
        raise ParameterError(f"time_mode must be one of {', '.join(TIME_MODES)}; it is {time_mode!r}")
    given = resolve(log, epsilon=epsilon, max_length=max_length, pruning=pruning, epsilons=epsilons)
    if not np.isfinite(given.epsilon):
        raise ParameterError("epsilon must be finite: without noise, attributes would be published as they are")
    public_dates = dates and parse_dates(dates)
    duration = None if max_duration is None else parse_max_duration(max_duration)
    if log.n_events == log.n_cases:
        raise Infeasible("no case of the log has two events, so no time between events is known to fill traces with")

    noise = Noise("trunc", given.epsilon)
    found = trace_variant_query(
        prefix_counts(log, given.max_length),
        levels=given.max_length,
        pruning=given.pruning,
        noise=noise,
        max_prefixes=max_prefixes,
        rng=rng,
    )
    check_size(found, timed=True)
    traces = fill(log, found, rng)
    attributes = noisy_attributes(log, traces.activities, traces.sources, given.epsilon, rng)
    if time_mode == "published":
        moved = move_published(log, traces, given.epsilon, rng)
    else:
        moved = move_local(traces, complete_bounds(log, public_dates, duration), given.epsilon, rng)

    ids = fresh_case_ids(len(traces.cases), rng)
    released = EventLog(traces.activities, moved.timestamps, traces.offsets, log.labels, ids, attributes)
    draws = _draws(given.max_length - 1, len(attributes), time_mode)
    left_out = sorted(log.attributes.keys() - attributes.keys())
    not_covered = [*given.private, *NOT_COVERED, *moved.not_covered]
    order = rng.permutation(len(ids))  # query traces of real variants come first
    return Outcome(
        released.take(order, ids),
        diagnostics={
            "nominal_epsilon": given.epsilon,
            "epsilon_unit": "one count, one move",
            "composed_epsilon": None,
            "charged_epsilon": given.max_length * noise.cost + draws * given.epsilon,
            "not_covered": not_covered,
            "flags": _flags(time_mode, dates is None),
            "variants": len(found),
            "empty_cases": int(found.counts[found.lengths == 0].sum()),
            "unmatched_cases": int((traces.cases < 0).sum()),
            "made_up_events": int((traces.sources < 0).sum()),
            "attributes_left_out": left_out,
            **moved.diagnostics,
        },
        resolved=given.record(),
        notes=_notes(time_mode, not_covered, left_out, released.n_cases),
        origins=traces.cases[order],
    )


def _draws(events: int, attributes: int, time_mode: str) -> int:
    """Draws of noise on what one case can feed at most: attributes of its events, times between them, the move."""
    gaps = max(events - 1, 0) if time_mode == "local" else 0
    return attributes * events + gaps + 1


def _flags(time_mode: str, dates_from_data: bool) -> list[str]:
    published = time_mode == "published"
    return ["bounds_from_data"] * (published or dates_from_data) + ["exact_values"] * published


def _notes(time_mode: str, not_covered: list[str], left_out: list[str], released: int) -> list[str]:
    notes = [
        *uncovered_notes(not_covered),
        "the release has no guarantee for a case, whatever epsilon",
    ]
    if time_mode == "published":
        notes.append("who knows the times between some events of a case can find it in the release")
    if left_out:
        notes.append(f"attributes left out, as noise cannot hide them: {', '.join(left_out)}")
    if not released:
        notes.append(EMPTY_NOTE)
    return notes
