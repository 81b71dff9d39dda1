"""Released cases that an original one might have become: those nearest to it, which proves nothing.

The candidates of a case are the released cases whose trace is nearest to its own by Levenshtein's distance; of these,
where the release has times, those that begin nearest to it. A single candidate is a plausible guess. How often it would
be right is not measured: it needs no origins, and so it is no attack either; for that see `metrics.attack_background`
and `metrics.membership`. Of a large log some cases are drawn and looked for, see `metrics.linkage`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.log import EventLog
from data.texts import texts
from metrics.linkage import marked, victims_of
from metrics.metric import NO_TIMES, Metric, Value, unless_empty
from metrics.pair import align

BLIND_TO = "whether a candidate is the right one: a measure of what is plausible alone"
AT_ONCE = 4_000_000  # pairs of traces


def _metric(name: str, title: str, unit: str = "", **facts: Any) -> Metric:
    return Metric(name=name, title=title, unit=unit, doubled=None, costly=True, blind_to=BLIND_TO, **facts)


METRICS = (
    _metric("candidate_distance", "Distance of the candidates' traces, mean", "edits"),
    _metric("candidate_cases", "Candidates of a case by its trace, median", "cases", identity=None, direction="higher"),
    _metric("candidate_alone", "Cases with one candidate by their trace", "share of cases", high=1.0, identity=None),
    _metric(
        "candidate_alone_timed", "Cases with one candidate by trace and start", "share of cases", high=1.0,
        identity=None,
    ),
)  # fmt: skip


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, record: Mapping[str, Any]) -> dict[str, Value]:
    """How near and how many the candidates are, over the cases that are looked for."""
    pair, victims = align(original, release), victims_of(original, record["seed"])
    own, released = pair.original.variants, pair.release.variants
    wanted, cases = np.unique(own.of_case[victims], return_counts=True)
    distances, fitting = _nearest(pair.original, pair.release, wanted)
    candidates = np.array([released.counts[near].sum() for near in fitting])  # not by a product, which copies them
    timed: Value = NO_TIMES
    if not release.untimed or original.untimed:
        timed = float((_nearest_in_time(original, release, victims, wanted, fitting) == 1).mean())
    found: dict[str, Value] = {
        "candidate_distance": float(distances @ cases / len(victims)),
        "candidate_cases": float(np.quantile(np.repeat(candidates, cases), 0.5, method="lower")),
        "candidate_alone": float(cases[candidates == 1].sum() / len(victims)),
        "candidate_alone_timed": timed,
    }
    return marked(found, len(victims), original.n_cases)


def _nearest(original: EventLog, release: EventLog, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest distance of each wanted variant to a released one, and which are so near; bool (wanted, variants)."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    traces = texts(original.variants.activities, original.variants.offsets)
    traces = [traces[variant] for variant in wanted]
    others = texts(release.variants.activities, release.variants.offsets)
    least, near = np.empty(len(wanted), dtype=np.int64), np.empty((len(wanted), len(others)), dtype=bool)
    step = max(AT_ONCE // len(others), 1)
    for start in range(0, len(wanted), step):
        part = slice(start, start + step)
        distances = cdist(traces[part], others, scorer=Levenshtein.distance, dtype=np.int32)
        least[part] = distances.min(axis=1)
        near[part] = distances == least[part, None]
    return least, near


def _nearest_in_time(
    original: EventLog, release: EventLog, victims: np.ndarray, wanted: np.ndarray, fitting: np.ndarray
) -> np.ndarray:
    """How many candidates of each victim begin nearest to it, int64 (victims,)."""
    starts, own = (log.timestamps[log.offsets[:-1]] for log in (release, original))
    of_victim, found = original.variants.of_case[victims], np.empty(len(victims), dtype=np.int64)
    order = np.argsort(of_victim, kind="stable")
    alike = np.split(order, np.searchsorted(of_victim[order], wanted[1:]))
    for members, near in zip(alike, fitting, strict=True):
        known, times = np.sort(starts[near[release.variants.of_case]]), own[victims[members]]
        after = np.searchsorted(known, times)
        beside = known[np.stack([after - 1, after]).clip(0, len(known) - 1)]
        least = np.abs(beside - times).min(axis=0)
        later = np.where(least > 0, _equal(known, times + least), 0)
        found[members] = _equal(known, times - least) + later
    return found


def _equal(known: np.ndarray, times: np.ndarray) -> np.ndarray:
    """How many of the rising known times equal each time."""
    return np.searchsorted(known, times, "right") - np.searchsorted(known, times, "left")
