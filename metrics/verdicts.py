"""Verdicts on what a release is claimed to be, each with the witness that decides it.

Every verdict is about this one release, and none uses code of the mechanism that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from data.log import DURATION, EventLog
from metrics.alike import KNOWN, alike, told
from metrics.anonymity import persons_behind, persons_of_prefixes
from metrics.duration_classes import DurationClasses, diversity, duration_classes, surviving_classes
from metrics.durations import both_durations
from metrics.exposed_durations import unique_and_known
from metrics.exposed_identifiers import carried_over, with_original_gaps, with_original_id, with_original_times
from metrics.novelty import truncated
from metrics.pair import align
from metrics.prefix_classes import prefix_classes

PASS, FAIL, BORDERLINE, UNKNOWN = "PASS", "FAIL", "BORDERLINE", "UNKNOWN"
ROUNDING = 1e-9  # a distance nearer to t than this is not told apart from it


class Verdict(NamedTuple):
    """One verdict.

    Attributes
    ----------
    claim : str
    verdict : {'PASS', 'FAIL', 'BORDERLINE', 'UNKNOWN'}
        BORDERLINE if only distances within rounding of t break the claim; UNKNOWN if the release has no durations.
    worst : float or None
        The number that decides; None if nothing could break the claim.
    breaking : int
        How many classes, variants, pairs, events or cases break the claim.
    witness : tuple of str
        The activities of the worst class, variant, pair or event; the released id of a case; names of attributes.
    exempt : int
        How many classes the claim does not extend to, as their activity has one duration alone in the original, or
        none.
    """

    claim: str
    verdict: str
    worst: float | None = None
    breaking: int = 0
    witness: tuple[str, ...] = ()
    exempt: int = 0


def k_of_prefixes(release: EventLog, k: int) -> Verdict:
    """Whether at least k cases begin with every prefix that occurs."""
    classes = prefix_classes(release)
    return _at_least(f"k = {k} on prefixes", k, classes.cases, _labelling(release, classes.prefix))


def k_of_variants(release: EventLog, k: int) -> Verdict:
    """Whether at least k cases have every trace that occurs."""
    variants = release.variants
    return _at_least(f"k = {k} on variants", k, variants.counts, _labelling(release, variants.sequence))


def k_of_alike(release: EventLog, known: str, k: int) -> Verdict:
    """Whether at least k cases agree in what is known, one of `metrics.alike.KNOWN`."""
    groups = alike(release, known)
    return _at_least(
        f"k = {k} on the {KNOWN[known]}", k, groups.cases, lambda worst: told(release, known, groups.first[worst])
    )


def k_of_persons(original: EventLog, release: EventLog, origins: np.ndarray, k: int) -> Verdict:
    """Whether the cases that begin with every prefix that occurs are of at least k persons.

    Copies of a case are one person; so are cases of one `user`, if the original log tells users apart.
    """
    persons = persons_of_prefixes(release, persons_behind(original, origins))
    return _at_least(f"k = {k} persons on prefixes", k, persons, _labelling(release, prefix_classes(release).prefix))


def t_of_durations(original: EventLog, release: EventLog, t: float, by_rank: bool = False) -> Verdict:
    """Whether the released durations of every prefix class are less than t away from the original's.

    Equality violates, as in PRETSA; which distance, and which classes are exempt: `metrics.duration_classes`.
    """
    claim = f"t = {t:g} on released durations, by {'rank' if by_rank else 'value'}"
    return _closer(claim, original, release, duration_classes(original, release), t, by_rank)


def t_of_survivors(original: EventLog, release: EventLog, origins: np.ndarray, t: float) -> Verdict:
    """The same of the original durations of the released events, which is what published checks look at."""
    found = surviving_classes(original, release, origins)
    return _closer(f"t = {t:g} on surviving durations, by value", original, release, found, t)


def t_of_released_law(release: EventLog, t: float) -> Verdict:
    """Whether the durations of every prefix class are near those of all the release, which is what a reader sees."""
    claim = f"t = {t:g} to the released law, by value"
    if release.untimed and DURATION not in release.attributes:
        return Verdict(claim, UNKNOWN)
    return t_of_durations(release, release, t)._replace(claim=claim)


def _closer(
    claim: str,
    original: EventLog,
    release: EventLog,
    found: DurationClasses | None,
    t: float,
    by_rank: bool = False,
) -> Verdict:
    if found is None:
        return Verdict(claim, UNKNOWN)
    distances = found.rank_distance if by_rank else found.distance
    if not len(distances):
        return Verdict(claim, PASS, exempt=found.exempt)
    worst = int(np.argmax(distances))
    breaking = int((distances >= t + ROUNDING).sum())
    verdict = FAIL if breaking else BORDERLINE if distances[worst] > t - ROUNDING else PASS
    witness = _prefix_of(original, release)(found.classes[worst])
    return Verdict(claim, verdict, float(distances[worst]), breaking, tuple(witness), found.exempt)


def l_of_durations(original: EventLog, release: EventLog, l: int, by_entropy: bool = False) -> Verdict:  # noqa: E741
    """Whether every prefix class has at least l distinct released durations, or their entropy is at least ln l.

    Classes are exempt as for t; an event without a duration has a value of its own.
    """
    claim = f"l = {l} on released durations" + ", by entropy" * by_entropy
    if (found := diversity(original, release)) is None:
        return Verdict(claim, UNKNOWN)
    prefix = _prefix_of(original, release)
    values = found.effective if by_entropy else found.distinct
    least = l - ROUNDING if by_entropy else l
    verdict = _at_least(claim, least, values, lambda worst: prefix(found.classes[worst]))
    return verdict._replace(exempt=found.exempt)


def as_many_cases(original: EventLog, release: EventLog) -> Verdict:
    """Whether as many cases are released as there were."""
    changed = abs(original.n_cases - release.n_cases)
    return Verdict("no case lost or added", FAIL if changed else PASS, float(release.n_cases), changed)


def no_novel_variant(original: EventLog, release: EventLog) -> Verdict:
    """Whether every released trace occurs in the original; the witness is the most frequent one that does not."""
    pair = align(original, release)
    counts = np.where(pair.variants.original == 0, pair.variants.release, 0)
    witness = _labelling(pair.release, lambda worst: map(ord, pair.variants.traces[worst]))
    return _none_of("no novel variant", counts, witness)


def no_novel_edge(original: EventLog, release: EventLog) -> Verdict:
    """Whether every released directly-follows pair occurs in the original; the witness is the most frequent other."""
    pair = align(original, release)
    (known, _), (released, cases) = pair.variant_edges
    new = ~np.isin(released, known)
    novel, place = np.unique(released[new], return_inverse=True)
    counts = np.bincount(place, cases[new], minlength=len(novel)).astype(np.int64)
    witness = _labelling(pair.release, lambda worst: divmod(novel[worst], len(pair.release.labels)))
    return _none_of("no novel directly-follows pair", counts, witness)


def no_truncated_variant(original: EventLog, release: EventLog) -> Verdict:
    """Whether no novel trace begins an original one; such a trace was cut off, and may have known pairs alone."""
    pair = align(original, release)
    counts = np.zeros_like(pair.variants.release)
    cut = truncated(pair)
    counts[cut] = pair.variants.release[cut]
    witness = _labelling(pair.release, lambda worst: map(ord, pair.variants.traces[worst]))
    return _none_of("no variant that was cut off", counts, witness)


def no_original_id(original: EventLog, release: EventLog) -> Verdict:
    """Whether no released case carries an original id, plain or hashed without salt; the witness is the first one."""
    return _no_case("no original case id", release, with_original_id(original, release))


def no_original_times(original: EventLog, release: EventLog) -> Verdict:
    """Whether no released case of two events and more has all timestamps of an original one."""
    claim = "no case with original timestamps"
    if release.untimed and not original.untimed:
        return Verdict(claim, UNKNOWN)
    return _no_case(claim, release, with_original_times(original, release))


def no_shifted_times(original: EventLog, release: EventLog) -> Verdict:
    """Whether no released case of three events and more has all times from event to event of an original one."""
    claim = "no case with original timestamps, shifted by a constant or not"
    if release.untimed and not original.untimed:
        return Verdict(claim, UNKNOWN)
    return _no_case(claim, release, with_original_gaps(original, release))


def no_further_attribute(original: EventLog, release: EventLog, allowed: Sequence[str] = ()) -> Verdict:
    """Whether the release has no attribute of the original but durations and those that are allowed."""
    claim = "no original attribute" + (f" but {', '.join(allowed)}" if allowed else "")
    found = carried_over(original, release, allowed)
    return Verdict(claim, FAIL if found else PASS, float(len(found)), len(found), tuple(found))


def no_negative_duration(original: EventLog, release: EventLog) -> Verdict:
    """Whether no released duration is negative; `worst` is the smallest one, in seconds."""
    claim = "no negative duration"
    if (found := both_durations(original, release)) is None:
        return Verdict(claim, UNKNOWN)
    return _at_least(claim, 0, found[1] / 1e6, lambda worst: [release.labels[release.activities[worst]]])


def no_exact_duration(original: EventLog, release: EventLog) -> Verdict:
    """Whether no case has an exact duration of its own; `breaking` and `worst` are such cases and their share."""
    claim = "no case with an exact duration of its own"
    if (exposed := unique_and_known(original, release)) is None:
        return Verdict(claim, UNKNOWN)
    cases = len(np.unique(release.case_of_event[exposed]))
    witness = [release.labels[code] for code in release.activities[exposed][:1]]
    return Verdict(claim, FAIL if cases else PASS, cases / max(release.n_cases, 1), cases, tuple(witness))


def _no_case(claim: str, release: EventLog, cases: np.ndarray) -> Verdict:
    """Whether there is no such case; `worst` is their share."""
    witness = [release.case_ids[case] for case in cases[:1]]
    return Verdict(
        claim, FAIL if len(cases) else PASS, len(cases) / max(release.n_cases, 1), len(cases), tuple(witness)
    )


def _at_least(claim: str, least: float, values: np.ndarray, witness: Callable[[int], Sequence[str]]) -> Verdict:
    """Whether all values reach the least; the witness is that of the smallest."""
    if not len(values):
        return Verdict(claim, PASS)
    worst = int(np.argmin(values))
    breaking = int((values < least).sum())
    return Verdict(claim, FAIL if breaking else PASS, float(values[worst]), breaking, tuple(witness(worst)))


def _none_of(claim: str, counts: np.ndarray, witness: Callable[[int], Sequence[str]]) -> Verdict:
    """Whether nothing is counted; `worst` is the sum of the counts, the witness that of the largest."""
    if not counts.any():
        return Verdict(claim, PASS, 0.0)
    worst = int(np.argmax(counts))
    return Verdict(claim, FAIL, float(counts.sum()), int((counts > 0).sum()), tuple(witness(worst)))


def _labelling(log: EventLog, codes_of: Callable[[int], Iterable[int]]) -> Callable[[int], list[str]]:
    return lambda index: [log.labels[code] for code in codes_of(index)]


def _prefix_of(original: EventLog, release: EventLog) -> Callable[[int], list[str]]:
    """The activities of a class of `duration_classes`."""
    aligned = align(original, release).release
    return _labelling(aligned, prefix_classes(aligned).prefix)
