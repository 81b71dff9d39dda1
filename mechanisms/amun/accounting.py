"""What a run of Amun really did, for the data owner's eyes only.

All but `account_attack` is for profiles `code` and `paper`.
Without these figures a nominal epsilon misleads: what it adds up to over a case, which events got no noise,
how far the noise on the counts was carried out, and which parts no guarantee covers.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from mechanisms.amun.control_flow import Lookup, Moves
from mechanisms.amun.epsilon import certain, control_flow_epsilon, guessing_epsilon, worst_prior
from mechanisms.amun.knowledge import MINUTE, Estimate, closed_window_prior
from mechanisms.amun.times import Retimed

HISTOGRAM_LIMIT = 10


def spread(values: np.ndarray) -> dict[str, float]:
    """Minimum, median, mean and maximum."""
    return {
        "minimum": float(values.min()),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
        "maximum": float(values.max()),
    }


def account_attack(log: EventLog, left: EventLog, released: np.ndarray) -> dict:
    """How often the attack h1 tells that a case is in the log: its variant is of no other case, and is released.

    The attacker knows all other cases, as in the paper's own threat model. The additive failure of any claim of
    differential privacy is at least the hit rate.

    Parameters
    ----------
    log : EventLog
        The log as it came.
    left : EventLog
        The cases of it, by their ids, that a filter or a bound has left.
    released : bool array (variants of `left`,)
        True for the variants in the release.

    Returns
    -------
    dict
        Number of cases with a variant of their own, their share of all cases, and the share of them that the
        attack finds: None if there is no such case.
    """
    unique = log.variants.representative[log.variants.counts == 1]
    seen = {left.case_ids[case] for case in np.flatnonzero(released[left.variants.of_case])}
    hits = sum(log.case_ids[case] in seen for case in unique)
    return {
        "unique_variant_cases": len(unique),
        "unique_variant_cases_share": len(unique) / max(log.n_cases, 1),
        "h1_hit_rate": hits / len(unique) if len(unique) else None,
    }


def account_estimate(estimate: Estimate, *, delta: float, profile: str, precision: float) -> dict:
    """Figures of the annotation, the filter and the epsilons.

    Parameters
    ----------
    estimate : Estimate
    delta, profile, precision
        As in `mechanisms.amun.release`.
    """
    epsilon = control_flow_epsilon(delta)
    left, knowledge = estimate.log, estimate.knowledge
    durations = ~left.first_events
    # First events never trigger the filter of profile `code`.
    counted = durations if profile == "code" else np.ones_like(durations)
    return {
        "guessing_advantage": delta,
        "nominal_epsilon": epsilon,
        "epsilon_unit": "one count",
        "epsilon_control_flow_mean_case": epsilon * float(left.lengths.mean()),
        "epsilon_control_flow_longest_case": epsilon * int(left.lengths.max()),
        "epsilon_event": spread(estimate.epsilons),
        "cases_filtered": estimate.cases_filtered,
        "events_still_certain": int((certain(knowledge.prior, delta) & counted).sum()),
        "events_with_prior_0": int((knowledge.prior[durations] <= 0).sum()),
        "events_with_epsilon_too_high": _epsilon_too_high(estimate, delta, precision),
    }


def account_control_flow(lookup: Lookup, moves: Moves) -> dict:
    """Figures of the noise on the counts of transitions, drawn and carried out."""
    realised = lookup.counts(moves.copies - moves.deletions)
    excess = np.clip(realised - moves.noise, -HISTOGRAM_LIMIT, HISTOGRAM_LIMIT)
    values, counts = np.unique(excess, return_counts=True)
    unmet = np.where(moves.noise > 0, realised < moves.noise, (moves.noise < 0) & (realised > moves.noise))
    return {
        "transitions": len(moves.noise),
        "noise_drawn_mean": float(moves.noise.mean()),
        "noise_realised_mean": float(realised.mean()),
        "noise_unmet_share": float(unmet.mean()),
        "noise_realised_minus_drawn": {str(v): int(n) for v, n in zip(values, counts, strict=True)},
        "variants_drawn_to_copy": int(moves.drawn_copies.sum()),
        "variants_drawn_to_delete": int(moves.drawn_deletions.sum()),
        "cases_copied": int(moves.copies.sum()),
        "cases_deleted": int(moves.deletions.sum()),
    }


def account_times(estimate: Estimate, retimed: Retimed, *, delta: float, profile: str) -> dict:
    """Figures of the noise on the times; sums over a case add up every event's epsilon.

    The composed epsilon is that of the noise which was added. Events without noise have none at all.
    """
    knowledge, events = estimate.knowledge, retimed.events
    noiseless = (knowledge.high == knowledge.low)[events]
    per_case = np.add.reduceat(retimed.epsilons, retimed.offsets[:-1])
    # Compression of the noise alone leaves exact times behind it: each epsilon counts for 1 / factor of itself.
    strength = retimed.compression if profile == "code" else 1.0
    dearest = float(per_case.max()) / strength if strength else None
    longest = control_flow_epsilon(delta) * int(estimate.log.lengths.max())
    durations = ~estimate.log.first_events[events]
    return {
        "epsilon_event_divided": spread(retimed.epsilons),
        "epsilon_times_mean_case": float(per_case.mean()),
        "epsilon_times_dearest_case": float(per_case.max()),
        "epsilon_times_dearest_case_compressed": dearest,
        "composed_epsilon": None if dearest is None else longest + dearest,
        "compression_factor": float(retimed.compression),
        "durations_without_noise_share": float(noiseless[durations].mean()) if durations.any() else 0.0,
        "max_instances": int(retimed.instances.max()),
        "instances_repeated_share": float((retimed.instances > 1).mean()),
    }


def _epsilon_too_high(estimate: Estimate, delta: float, precision: float) -> int:
    """Durations whose epsilon exceeds that of the closed-window prior, where that one has a value."""
    knowledge = estimate.knowledge
    fair = closed_window_prior(estimate.transitions, knowledge.values, precision * MINUTE)
    applies = ~estimate.log.first_events & (knowledge.high > knowledge.low) & ~certain(fair, delta)
    allowed = guessing_epsilon(np.where(applies, fair, worst_prior(delta)), delta)
    return int((applies & (estimate.epsilons > allowed * (1 + 1e-9))).sum())
