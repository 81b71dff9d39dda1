"""PRETSA: every prefix of a trace is shared by k cases, and the durations behind it tell little.

Fahrenkrog-Petersen, van der Aa, Weidlich: "PRETSA: Event Log Sanitization for Privacy-aware Process Discovery" (ICPM
2019). In the prefix tree of the log, the first node that fewer than k cases reach, or whose durations are too far from
those of its activity (t-closeness), is cut; its cases are changed into the most similar sequence that is left.
The distance of sequences is Levenshtein's or one learned from the log (see `mechanisms.pretsa.distance`). A fork adds
l-diversity and noise on the durations (OmidAfroozeh/EnhancedPRETSA_DPTAssignment2).

Profiles (see `mechanisms.pretsa.profiles`): `r19` and `r21` are what two generations of the published code compute, to
compare with published figures; their releases may violate k and t, lose cases and invent variants. `sound`, the
default, is ours: every prefix and, with `variant_k`, every trace is that of at least k cases, no variant is new, and
no case is lost.

What no profile gives: k counts cases, not persons. A prefix shared by k says nothing against an attacker who knows an
exact duration, as those of events that were not changed are released as they are. t-closeness is of the original
durations, before imputation and noise, unless `t_on_release`. Releases of one log for several k or t reveal more
together than each.

The order of the cases decides what is cut first. The published code takes that of the file; the default is a
random one, so that repeats show what it does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from data.log import EventLog
from mechanisms import Outcome
from mechanisms.pretsa.accounting import account, account_noise, notes
from mechanisms.pretsa.durations import Populations, durations
from mechanisms.pretsa.emission import assemble
from mechanisms.pretsa.noise import bounded_laplace, read_bounds
from mechanisms.pretsa.options import Options
from mechanisms.pretsa.sanitise import draw, prepare


def release(log: EventLog, *, rng: np.random.Generator, **parameters) -> EventLog:
    """The released log alone; parameters as in `anonymize`."""
    return anonymize(log, rng=rng, **parameters).release


def anonymize(log: EventLog, *, rng: np.random.Generator, **parameters) -> Outcome:
    """Release a log: cases, activities, durations, and times that are made from the durations.

    Parameters
    ----------
    log : EventLog
        One event an activity. Its durations are the attribute `duration_s`, if it has that, else the times between
        the events of a case. It is not changed.
    rng : numpy.random.Generator
    **parameters
        `k`, `t` and the others of `mechanisms.pretsa.options.Options`.

    Returns
    -------
    Outcome
        Diagnostics: `k`, `t`, `l`; `status`, "converged" or "early_stop" (`r19`); `cut_nodes`, violations that were
        removed; `modified_cases`, `suppressed_cases`, `imputed_values`; `edit_distance` of the original to the
        released traces, a lost case at its length; `move_distance`, summed over all changes of a case, which is
        what `r21` reports, but for lost cases; and with noise `nominal_epsilon`, `duration_epsilon_event`,
        `duration_epsilon_case`, `bounds_from_data`.

    Raises
    ------
    ParameterError
        If a parameter is out of its range or does not go with another, or a file of bounds or of an embedding is not
        fit for the log.
    Infeasible
        If the log has fewer than k cases, no case would be left, durations are missing or negative, an activity has
        an "@" (`r19` and `r21`), or t cannot be kept on the release.
    """
    options = Options(**parameters)
    log = _with_used_labels(log)
    options.check_log(log)
    bounds = read_bounds(options.duration_bounds, log.labels) if options.duration_bounds else None
    seconds = durations(log)
    populations = Populations.of(log.activities, seconds, len(log.labels))
    loop = prepare(log, seconds, populations, options, rng)
    events, values = draw(log, loop, seconds, populations, options, rng)
    if options.duration_epsilon is not None:
        low, high = (bound[events.activities] for bound in bounds or populations.bounds())
        values = bounded_laplace(values, low, high, options.duration_epsilon, rng)
    figures = account(loop, events, options)
    return Outcome(
        assemble(events, values, log.labels, rng),
        figures | account_noise(log, options),
        resolved={"form": options.form, "variant_k": options.variant_k},
        notes=notes(figures, options),
        origins=events.cases,
    )


def _with_used_labels(log: EventLog) -> EventLog:
    """The log without labels that no event carries: no file need tell of them."""
    used, activities = np.unique(log.activities, return_inverse=True)
    if len(used) == len(log.labels):
        return log
    return replace(log, activities=activities, labels=tuple(log.labels[activity] for activity in used))
