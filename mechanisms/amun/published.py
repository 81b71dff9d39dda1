"""The mechanism of the paper and of its published code: Algorithm 1, with the figures of what it did.

The published code also exports the epsilon of every event and of every trace with the release. Neither profile
does: these epsilons are computed from the private times, so they stay with the diagnostics.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog, empty_log
from mechanisms import Infeasible, Outcome
from mechanisms.amun.accounting import account_attack, account_control_flow, account_estimate, account_times
from mechanisms.amun.control_flow import (
    check_moves,
    draw_noise,
    lookup_table,
    mean_absolute_noise,
    move_cases,
    plan_moves,
)
from mechanisms.amun.knowledge import estimate
from mechanisms.amun.times import by_start, retime
from mechanisms.ids import fresh_case_ids

FLAGS = {
    "no_new_variants": "a variant of one case is released only if the case is in the log: not differentially private",
    "data_dependent_epsilon": "the epsilon of an event is computed from the private times",
    "bounds_from_data": "the noise of an event is scaled to the private range of its group",
    "one_sided_noise": "the noise on counts is never negative: not a Laplace mechanism",
    "filter_not_covered": "which cases the filter drops depends on their own times",
    "durations_without_noise": "a duration equal to all others of its group is released without noise",
    "exact_times_kept": "compression touches only the noise, so exact times lie beneath it",
}


def publish(
    log: EventLog, delta: float, mode: str, profile: str, precision: float, rng: np.random.Generator
) -> Outcome:
    """Release a log by profile `code` or `paper`; parameters as in `mechanisms.amun.anonymize`."""
    if not log.n_cases:
        raise Infeasible("the log has no case; there is nothing to release")
    estimated = estimate(log, delta=delta, filtering=mode == "filtering", profile=profile, precision=precision)
    left = estimated.log
    lookup = lookup_table(left, estimated.transitions)
    check_moves(len(lookup.cases) * mean_absolute_noise(delta, mode, profile), delta)
    noise = draw_noise(len(lookup.cases), delta, mode, profile, rng)
    moves = plan_moves(left.variants, lookup, noise, mode, profile, rng)
    sources = move_cases(left.variants, moves, rng)
    diagnostics = account_estimate(estimated, delta=delta, profile=profile, precision=precision)
    diagnostics |= account_control_flow(lookup, moves)
    diagnostics |= account_attack(log, left, left.variants.counts + moves.copies > moves.deletions)
    if not len(sources):
        return Outcome(empty_log(), diagnostics, notes=["every case was deleted; the release is empty"])

    starts = log.timestamps[log.first_events]
    retimed = retime(estimated, sources, (int(starts.min()), int(starts.max())), profile, rng)
    diagnostics |= account_times(estimated, retimed, delta=delta, profile=profile)
    flags = _flags(mode, profile, diagnostics["durations_without_noise_share"])
    diagnostics["flags"] = flags
    release = EventLog(
        left.activities[retimed.events],
        retimed.timestamps,
        retimed.offsets,
        log.labels,
        fresh_case_ids(len(sources), rng),
    )
    # The published code leaves the copies behind the originals.
    origins = _places(log, left)[sources]
    if profile == "paper":
        release, order = by_start(release, rng)
        origins = origins[order]
    notes = [f"profile {profile} has no guarantee that can be defended; see the flags"]
    if rate := diagnostics["h1_hit_rate"]:
        notes.append(f"an attacker who knows all other cases finds {rate:.1%} of the cases with a variant of their own")
    return Outcome(release, diagnostics, notes=notes + [f"{flag}: {FLAGS[flag]}" for flag in flags], origins=origins)


def _places(log: EventLog, left: EventLog) -> np.ndarray:
    """The place in the log of each case that a filter has left, int64 (cases left,)."""
    place = {case_id: place for place, case_id in enumerate(log.case_ids)}
    return np.array([place[case_id] for case_id in left.case_ids], dtype=np.int64)


def _flags(mode: str, profile: str, noiseless_share: float) -> list[str]:
    raised = {
        "no_new_variants": True,
        "data_dependent_epsilon": True,
        "bounds_from_data": True,
        "one_sided_noise": mode == "oversampling",
        "filter_not_covered": mode == "filtering",
        "durations_without_noise": noiseless_share > 0,
        "exact_times_kept": profile == "code",
    }
    return [flag for flag, is_raised in raised.items() if is_raised]
