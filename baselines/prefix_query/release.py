"""Noisy counts of variants as an event log without times, and its account."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.prefix_query.alphabet import PRIVATE
from baselines.prefix_query.growth import VariantCounts
from baselines.prefix_query.symbols import Resolved, finite
from data.log import EventLog, ranges
from mechanisms import Infeasible, Outcome
from mechanisms.ids import fresh_case_ids

ROUNDING = 1 + 1e-9
EMPTY_NOTE = "no sequence is frequent enough to be released; the release is empty"
# Largest releases that are read and scored within 4 GB (benchmarks/README.md); a release with times takes more.
MAX_CASES, MAX_EVENTS, MAX_TIMED_EVENTS = 10_000_000, 100_000_000, 25_000_000


def uncovered_notes(names: Sequence[str]) -> list[str]:
    """What the data owner should know of what is taken from the log, if anything is."""
    return [f"taken from the log, which no epsilon covers: {', '.join(names)}"] if names else []


def query_outcome(
    found: VariantCounts,
    labels: tuple[str, ...],
    given: Resolved,
    *,
    composed: float,
    uncovered: Sequence[str] = (PRIVATE,),
    rng: np.random.Generator,
) -> Outcome:
    """The untimed log of the counts, and what the data owner should know.

    Parameters
    ----------
    found : VariantCounts
    labels : tuple of str
        The alphabet.
    given : Resolved
    composed : float
        The epsilon that all counts together cost.
    uncovered : sequence of str
        What is taken from the log without any epsilon, besides parameters.
    rng : numpy.random.Generator
    """
    released = untimed_log(found, labels, rng)
    unpaid = [*uncovered, *given.private]
    notes = uncovered_notes(unpaid)
    if composed > given.epsilon * ROUNDING:
        notes.append(f"the counts together cost {composed / given.epsilon:.3g} times the nominal epsilon")
    if not released.n_cases:
        notes.append(EMPTY_NOTE)
    return Outcome(
        released,
        diagnostics={
            "nominal_epsilon": finite(given.epsilon),
            "epsilon_unit": "one case" if composed <= given.epsilon * ROUNDING else "one count",
            "composed_epsilon": finite(composed),
            "not_covered": unpaid,
            "variants": len(found),
            "empty_cases": int(found.counts[found.lengths == 0].sum()),
        },
        resolved=given.record(),
        notes=notes,
    )


def check_size(variants: VariantCounts, timed: bool = False) -> None:
    """Refuse an exploded release before it is made: little epsilon gives large counts even to few variants.

    Parameters
    ----------
    variants : VariantCounts
    timed : bool
        Whether its events are to have times.

    Raises
    ------
    Infeasible
        If it would have more cases or events than can be scored.
    """
    counts = variants.counts.astype(float)
    sizes = {
        "cases": (counts[variants.lengths > 0].sum(), MAX_CASES),
        "events": (variants.lengths @ counts, MAX_TIMED_EVENTS if timed else MAX_EVENTS),
    }
    for unit, (size, allowed) in sizes.items():
        if size > allowed:
            raise Infeasible(
                f"the output itself explodes: the release would have {size:.3g} {unit}, {allowed} are allowed, as more "
                "cannot be scored within 4 GB; raise epsilon or pruning"
            )


def untimed_log(variants: VariantCounts, labels: tuple[str, ...], rng: np.random.Generator) -> EventLog:
    """One case a count, in random order, every event at 1970-01-01 UTC; empty sequences are left out.

    Parameters
    ----------
    variants : VariantCounts
    labels : tuple of str
        Labels of the activity codes.
    rng : numpy.random.Generator

    Raises
    ------
    Infeasible
        If the log would have too many cases or events.
    """
    check_size(variants)
    filled = np.flatnonzero(variants.lengths)
    cases = rng.permutation(np.repeat(filled, variants.counts[filled]))
    lengths = variants.lengths[cases]
    activities = variants.activities[ranges(variants.offsets[cases], lengths)]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return EventLog(
        activities, np.zeros(len(activities), dtype=np.int64), offsets, labels, fresh_case_ids(len(cases), rng)
    )
