"""What a run of PRETSA did, for the data owner's eyes only."""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from mechanisms.pretsa.distance import as_text
from mechanisms.pretsa.emission import Released
from mechanisms.pretsa.loop import Loop
from mechanisms.pretsa.options import Options
from mechanisms.pretsa.tree import ROOT

KEPT_DURATIONS = "events that were not changed keep their exact durations; who knows one may find its case"
NOTES = {
    "r19": "profile r19 computes what the code of 2019 does: the release may violate k and t, and cases may be lost",
    "r21": "profile r21 computes what the code of 2021 does: variants may be invented, and cases may be lost",
}


def account(loop: Loop, events: Released, options: Options) -> dict:
    """Figures of the sanitisation; keys as in `mechanisms.pretsa.anonymize`."""
    state, counts = loop.state, loop.tree.variants.counts
    return {
        "k": options.k,
        "t": options.t,
        "l": options.diversity,
        "no_new_variants": True,
        "status": "early_stop" if loop.stopped else "converged",
        "cut_nodes": loop.cuts,
        "modified_cases": int(counts[state.end != loop.tree.homes].sum()),
        "suppressed_cases": int(counts[state.end == ROOT].sum()),
        "imputed_values": int((events.origins < 0).sum()),
        "edit_distance": edit_distance(loop),
        "move_distance": loop.move_distance,
    }


def edit_distance(loop: Loop) -> int:
    """Levenshtein distance of original and released trace, summed over the cases; a lost one costs its length."""
    from rapidfuzz.distance import Levenshtein

    tree, end = loop.tree, loop.state.end
    return sum(
        int(tree.variants.counts[variant])
        * Levenshtein.distance(as_text(tree.variants.sequence(variant)), as_text(tree.sequence(end[variant])))
        for variant in np.flatnonzero(end != tree.homes).tolist()
    )


def account_noise(log: EventLog, options: Options) -> dict:
    """Epsilons of the noise on durations, if there is any; no claim for a case where the log set the bounds."""
    epsilon, declared = options.duration_epsilon, options.duration_bounds is not None
    if epsilon is None:
        return {"flags": ["exact_values"]}
    return {
        "nominal_epsilon": epsilon,
        "epsilon_unit": "one duration",
        "duration_epsilon_event": epsilon,
        "duration_epsilon_case": epsilon * int(log.lengths.max()) if declared else None,
        "bounds_from_data": not declared,
    }


def notes(figures: dict, options: Options) -> list[str]:
    """Sentences for the data owner."""
    lines = [NOTES[options.profile]] if options.profile in NOTES else []
    if figures["status"] == "early_stop":
        lines.append("the loop ended early at a node without cases, so nodes behind it were not checked")
    if lost := figures["suppressed_cases"]:
        lines.append(f"{lost} cases were suppressed")
    if options.duration_epsilon is None:
        lines.append(KEPT_DURATIONS)
    else:
        lines.append(
            "the epsilon is of one duration; a case spends it for each event and for each copy of its durations in"
            " another case, and the activities have no differential privacy"
        )
        if options.duration_bounds is None:
            lines.append("the bounds of the noise are those of the log, which breaks its guarantee; declare them")
        if options.t < 1:
            lines.append("t-closeness was enforced before the noise, which undoes it")
    if options.t < 1 and not options.t_on_release:
        lines.append("t-closeness is of the original durations that are left, not of the imputed ones")
    return lines
