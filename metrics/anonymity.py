"""How many cases of a release look alike: k-anonymity, measured on the release whatever its mechanism claims.

A class of k cases that begin alike hides a case from whoever knows how it began, or that something happened in it; it
hides nothing from whoever knows the whole trace, its end or its length, for which the variants count, or the classes of
`metrics.alike`. A case of which there are copies, and a person of several cases, count once where the mechanism tells
which case each released one stems from.
"""

from __future__ import annotations

import numpy as np

from data.log import EventLog
from metrics.alike import KNOWN, alike
from metrics.linkage import persons_of
from metrics.links import NO_ORIGINS
from metrics.metric import Metric, Value, unless_empty
from metrics.prefix_classes import prefix_classes
from metrics.recoded import distinct_values

METRICS = (
    Metric(
        name="prefix_k_min",
        title="Smallest prefix class",
        unit="cases",
        low=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        blind_to="times; whoever knows the end, the length or an exact duration; several cases of one person",
    ),
    Metric(
        name="variant_k_min",
        title="Smallest variant",
        unit="cases",
        low=1.0,
        direction="higher",
        identity=None,
        doubled=None,
        blind_to="times, and several cases of one person",
    ),
    Metric(
        name="cases_alone",
        title="Cases with a trace of their own",
        unit="share of released cases",
        high=1.0,
        identity=None,
        doubled=0.0,
        blind_to="classes of two and more, times, and several cases of one person",
    ),
    *(
        Metric(
            name=f"{known}_k_min",
            title=f"Fewest cases of the same {title}",
            unit="cases",
            low=1.0,
            direction="higher",
            identity=None,
            doubled=None,
            blind_to="times; whoever knows anything else; several cases of one person",
        )
        for known, title in KNOWN.items()
    ),
    *(
        Metric(
            name=f"{kind}_persons_min",
            title=f"Fewest persons of a {title}",
            unit="persons",
            direction="higher",
            identity=None,
            doubled=None,
            blind_to="times; whoever knows anything else",
        )
        for kind, title in (("prefix", "prefix class"), ("variant", "variant"))
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog, origins: np.ndarray | None = None) -> dict[str, Value]:
    """Sizes of the smallest classes, and the share of cases whose variant no other case has."""
    counts = release.variants.counts
    values: dict[str, Value] = {
        "prefix_k_min": float(prefix_classes(release).cases.min()),
        "variant_k_min": float(counts.min()),
        "cases_alone": float((counts == 1).sum() / release.n_cases),
        **{f"{known}_k_min": float(alike(release, known).cases.min()) for known in KNOWN},
    }
    if origins is None:
        return values | dict.fromkeys(("prefix_persons_min", "variant_persons_min"), NO_ORIGINS)
    persons = persons_behind(original, origins)
    return values | {
        "prefix_persons_min": float(persons_of_prefixes(release, persons).min()),
        "variant_persons_min": float(persons_of_variants(release, persons).min()),
    }


def persons_behind(original: EventLog, origins: np.ndarray) -> np.ndarray:
    """A number of the person of each released case, -1 for one that stems from none; int64 (released cases,)."""
    return np.where(origins >= 0, np.append(persons_of(original), -1)[origins], -1)


def persons_of_prefixes(release: EventLog, persons: np.ndarray) -> np.ndarray:
    """Distinct persons of the cases of each prefix class, int64 (classes,)."""
    classes = prefix_classes(release)
    return _distinct(classes.of_event, persons[release.case_of_event], len(classes.cases))


def persons_of_variants(release: EventLog, persons: np.ndarray) -> np.ndarray:
    """Distinct persons of the cases of each variant, int64 (variants,)."""
    return _distinct(release.variants.of_case, persons, len(release.variants))


def _distinct(groups: np.ndarray, persons: np.ndarray, n: int) -> np.ndarray:
    known = persons >= 0
    return distinct_values(groups[known], persons[known], n)
