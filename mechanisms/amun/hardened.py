"""A variant of Amun whose claim can be defended: (epsilon, additive)-differential privacy of the release.

The neighbour of a log is the log with one case more or less. Two parts, which compose:

* Variants. Two-sided geometric noise of epsilon `eps_d` on the count of every observed variant; one case
  changes one count by 1. Only noisy counts of at least ``1 + ceil(ln(1 / (additive (1 + q))) / eps_d)``, with
  ``q = exp(-eps_d)``, are released, so a variant of a single case appears with probability `additive` at
  most. Cases longer than a public bound are left out, whatever they hold.
* Times. A noisy count of m releases m instances. Each case backs at most `max_copies` of them, as evenly as
  possible; instances without a case take the middle of the public bounds. Every instance gets its own
  Laplace noise on its start and its durations, all clamped to public bounds before and after. One case
  changes at most ``max_copies * max_length`` values, so each gets ``eps_t / (max_copies * max_length)``.

Both epsilons follow from delta at the worst prior, which does not look at the data. There is no filter, as
what a filter drops is itself private, and no absolute value of the noise, which would be one-sided. Every
bound that is taken from the log breaks the claim; `Bounds.from_data` names them. The noise is drawn in
double precision, and from a generator that is not cryptographic (PCG64), as is the secret behind the case ids:
whoever recovers its state can undo the noise. The claim leaves both aside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.log import EventLog, ranges
from data.origins import NOWHERE
from mechanisms import Infeasible, Outcome
from mechanisms.amun.accounting import account_attack
from mechanisms.amun.control_flow import check_moves, two_sided_geometric
from mechanisms.amun.epsilon import certain, control_flow_epsilon
from mechanisms.amun.knowledge import DAY, estimate, gaps
from mechanisms.amun.times import accumulate, by_start
from mechanisms.ids import fresh_case_ids


@dataclass(frozen=True)
class Bounds:
    """Public bounds; times in microseconds.

    Attributes
    ----------
    dates : (int, int)
        No event lies before the first or after the second.
    max_duration : int
        Longest time between two events of a case.
    max_length : int
        Most events of a case.
    from_data : tuple of str
        Names of the bounds that were taken from the log, and so are not public.
    """

    dates: tuple[int, int]
    max_duration: int
    max_length: int
    from_data: tuple[str, ...]


def complete_bounds(
    log: EventLog, dates: tuple[int, int] | None, max_duration: int | None, max_length: int | None
) -> Bounds:
    """Bounds as given; a missing one is taken from the log, a missing duration from the range of dates.

    Raises
    ------
    Infeasible
        If a bound is to be taken from a log without a case.
    """
    given = {"dates": dates, "max_length": max_length}
    from_data = [name for name, value in given.items() if value is None]
    if from_data and not log.n_cases:
        raise Infeasible(f"the log has no case to take {' and '.join(from_data)} from; give them as parameters")
    if dates is None:
        dates = int(log.timestamps.min()), int(log.timestamps.max())
        if max_duration is None:
            from_data.append("max_duration")
    return Bounds(
        dates,
        dates[1] - dates[0] if max_duration is None else max_duration,
        int(log.lengths.max()) if max_length is None else max_length,
        tuple(from_data),
    )


def threshold(epsilon: float, additive: float) -> int:
    """Smallest noisy count that is released.

    A count of 1 reaches it with probability ``q^(threshold - 1) / (1 + q) <= additive``.
    """
    return max(1, 1 + int(np.ceil(np.log(1 / (additive * (1 + np.exp(-epsilon)))) / epsilon)))


def release_counts(counts: np.ndarray, epsilon: float, additive: float, rng: np.random.Generator) -> np.ndarray:
    """Noisy number of cases of each variant, 0 below the threshold; int64 (variants,)."""
    noisy = counts + two_sided_geometric(len(counts), epsilon, rng)
    return np.where(noisy >= threshold(epsilon, additive), noisy, 0)


def mean_released(epsilon: float, additive: float) -> float:
    """Expected count of a released variant of one case: the threshold and the geometric tail above it."""
    return threshold(epsilon, additive) + 1 / float(np.expm1(epsilon))


def back_instances(
    variant_of_case: np.ndarray, counts: np.ndarray, instances: np.ndarray, max_copies: int, rng: np.random.Generator
) -> np.ndarray:
    """The case behind each instance, -1 for none, instances in order of their variant.

    Parameters
    ----------
    variant_of_case : int64 array (cases,)
    counts, instances : int64 arrays (variants,)
        Cases in the log and instances to release of each variant.
    max_copies : int
        Most instances of one case.

    Returns
    -------
    int64 array (instances,)
    """
    order = np.lexsort((rng.random(len(variant_of_case)), variant_of_case))
    starts = np.cumsum(counts) - counts
    rank = ranges(np.zeros_like(instances), instances)
    of_instance = np.repeat(np.arange(len(counts)), instances)
    backed = rank < max_copies * counts[of_instance]
    cases = np.full(len(rank), -1)
    of_backed = of_instance[backed]
    cases[backed] = order[starts[of_backed] + rank[backed] % counts[of_backed]]
    return cases


def harden(
    log: EventLog,
    delta: float,
    precision: float,
    additive: float,
    max_copies: int,
    bounds: Bounds,
    rng: np.random.Generator,
) -> Outcome:
    """Release a log as the module describes; parameters as in `mechanisms.amun.anonymize`."""
    epsilon = control_flow_epsilon(delta)
    check_moves(mean_released(epsilon, additive), delta)  # of one variant: a refusal must not tell how many there are
    short = np.flatnonzero(log.lengths <= bounds.max_length)
    left = log.take(short, [log.case_ids[case] for case in short])
    variants = left.variants
    instances = release_counts(variants.counts, epsilon, additive, rng)
    cases = back_instances(variants.of_case, variants.counts, instances, max_copies, rng)

    epsilon_event = epsilon / (max_copies * bounds.max_length)
    of_instance = np.repeat(np.arange(len(variants)), instances)
    lengths = variants.lengths[of_instance]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    timestamps = _noisy_times(left, cases, offsets, bounds, epsilon_event, rng)
    activities, labels = _relabel(variants.activities[ranges(variants.offsets[of_instance], lengths)], log.labels)
    release = EventLog(activities, timestamps, offsets, labels, fresh_case_ids(len(cases), rng))
    released, order = by_start(release, rng)
    return Outcome(
        released,
        diagnostics={
            "guessing_advantage": delta,
            "nominal_epsilon": epsilon,
            "epsilon_unit": "variant or times of a case",
            # No figure stands for a guarantee that bounds taken from the log have broken.
            "composed_epsilon": None if bounds.from_data else 2 * epsilon,
            "composed_additive": None if bounds.from_data else additive,
            "epsilon_event_divided": epsilon_event,
            "threshold": threshold(epsilon, additive),
            "bounds_from_data": list(bounds.from_data),
            "no_new_variants": True,
            "cases_too_long": log.n_cases - left.n_cases,
            "variants_below_threshold": int((instances == 0).sum()),
            "instances_without_case": int((cases < 0).sum()),
            "events_certain_before_release": _certain_events(log, delta, precision),
            **account_attack(log, left, instances > 0),
        },
        resolved={
            "dates": [str(np.datetime64(date, "us")) for date in bounds.dates],
            "max_duration": bounds.max_duration / DAY,
            "max_length": bounds.max_length,
        },
        notes=_notes(bounds, release.n_cases),
        origins=np.where(cases < 0, NOWHERE, short[cases])[order],
    )


def _relabel(activities: np.ndarray, labels: tuple[str, ...]) -> tuple[np.ndarray, list[str]]:
    """Codes and labels of a release.

    Labels that no released event carries would tell of rare activities, and the order of the log which came first.
    """
    used, codes = np.unique(activities, return_inverse=True)
    names = [labels[code] for code in used]
    rising = sorted(names)
    return np.array([rising.index(name) for name in names], dtype=np.int64)[codes], rising


def _certain_events(log: EventLog, delta: float, precision: float) -> int:
    """Number of events that an attacker guesses with P_k + delta >= 1 without any release."""
    if not log.n_cases:  # no refusal here: it would tell an empty log from one with a case
        return 0
    known = estimate(log, delta=delta, filtering=False, profile="paper", precision=precision).knowledge
    return int(certain(known.prior, delta).sum())


def _notes(bounds: Bounds, released: int) -> list[str]:
    notes = []
    if bounds.from_data:
        names = ", ".join(bounds.from_data)
        notes.append(f"taken from the log, not public, which breaks the guarantee: {names}; give them as options")
    if not released:
        notes.append("no variant is frequent enough to be released; the release is empty")
    return notes


def _noisy_times(log, cases, offsets, bounds: Bounds, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """New timestamps of all instances, int64 (events,)."""
    first_date, last_date = bounds.dates
    lengths = np.diff(offsets)
    first = np.zeros(offsets[-1], dtype=bool)
    first[offsets[:-1]] = True
    high = np.where(first, last_date - first_date, bounds.max_duration).astype(float)
    values = high / 2
    backed = np.repeat(cases >= 0, lengths)
    kept = cases[cases >= 0]
    events = ranges(log.offsets[kept], log.lengths[kept])
    values[backed] = np.where(log.first_events, log.timestamps - first_date, gaps(log))[events]
    values = np.clip(np.clip(values, 0, high) + rng.laplace(0, 1 / epsilon, len(high)) * high, 0, high)
    # A case that would end after the last date is compressed; only noisy values and public dates enter.
    duration = np.add.reduceat(np.where(first, 0, values), offsets[:-1])
    room = (last_date - first_date) - values[first]
    factor = np.divide(room, duration, out=np.ones_like(room), where=duration > room)
    values = np.where(first, values, values * np.repeat(factor, lengths))
    # In doubles, microseconds far from 1970 are not exact.
    return np.clip(first_date + np.rint(accumulate(values, offsets)).astype(np.int64), first_date, last_date)
