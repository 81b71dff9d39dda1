"""How often somebody who knows a little of a case picks it from a release.

Of a log of more than `VICTIMS` cases, so many are drawn and looked for, and what is found is marked `sampled` (but for
membership, which has intervals). A mean
of chances is then off by no more than 2.2 points in 19 of 20 draws; benchmarks/README.md tells of the error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from data.log import EventLog
from metrics.attack import Attack
from metrics.knowledge import Knowledge, Matches, Traces, knowledge
from metrics.metric import Marked, Metric, Value
from metrics.recoded import USER

SIZES = (1, 2, 3, 5)
MAIN = 3
VICTIMS = 2_000  # cases that are looked for, of a log that has more
BLIND_TO = "who knows anything else"


class Linkage(NamedTuple):
    """What an attacker achieves, averaged over what he may know of a case, and over cases.

    He picks one at random of the released cases that fit what he knows; if none fits, he abstains.

    Attributes
    ----------
    success : float
        How often he picks a case of the person that he looks for.
    unique_correct, claimed_wrong : float
        How often a single case fits, and it is of that person, or is not.
    abstains : float
        How often none fits.
    fitting : float
        How many cases fit, median.
    """

    success: float
    unique_correct: float
    claimed_wrong: float
    abstains: float
    fitting: float


def persons_of(log: EventLog) -> np.ndarray:
    """A number of the person of each case, int64 (cases,): that of its first event, or else every case is one."""
    if USER not in log.attributes:
        return np.arange(log.n_cases)
    return np.unique(log.attributes[USER][log.offsets[:-1]].astype(str), return_inverse=True)[1].astype(np.int64)


def victims_of(log: EventLog, seed: int) -> np.ndarray:
    """The cases that are looked for, int64, rising: all, or `VICTIMS` drawn."""
    if log.n_cases <= VICTIMS:
        return np.arange(log.n_cases)
    return np.sort(np.random.default_rng(seed).choice(log.n_cases, VICTIMS, replace=False))


def marked(values: Mapping[str, Value], victims: int, cases: int) -> dict[str, Value]:
    """Values that count the cases looked for, marked as `sampled` unless these are all cases."""
    if victims == cases:
        return dict(values)
    reason = f"{victims} of {cases} cases are looked for"
    return {
        name: value if isinstance(value, Marked) else Marked("sampled", reason, value) for name, value in values.items()
    }


def prior(persons: np.ndarray, origins: np.ndarray, victims: np.ndarray) -> float:
    """How often a released case picked at random is of the person that is looked for."""
    released = np.bincount(persons[origins[origins >= 0]], minlength=persons.max(initial=-1) + 1)
    return float(released[persons[victims]].sum() / (len(victims) * len(origins)))


def linkage(
    known: Traces,
    released: Traces,
    origins: np.ndarray,
    kind: str,
    size: int,
    seed: int,
    persons: np.ndarray | None = None,
    victims: np.ndarray | None = None,
) -> Linkage:
    """Try to find the cases of a log in its release.

    Parameters
    ----------
    known, released : Traces
        Of the original and of the release, made together by `traces_of`.
    origins : int64 array (released cases,)
    kind, size, seed : as `metrics.knowledge.knowledge`
    persons : int64 array (original cases,), optional
        The person of each case; by default every case is one.
    victims : int64 array, optional
        The original cases that are looked for; by default all.
    """
    victims = np.arange(len(known.of_case)) if victims is None else victims
    persons = np.arange(len(known.of_case)) if persons is None else persons
    wanted = np.bincount(known.of_case[victims], minlength=len(known.offsets) - 1)
    said = knowledge(known, np.flatnonzero(wanted), kind, size, seed)
    matches = Matches(released, kind, said.items)
    fitting = matches.count(np.bincount(released.of_case, minlength=len(released.offsets) - 1))
    right = _right(said, matches, known, released, origins, persons, victims)
    repeats = np.bincount(said.owners, minlength=len(wanted))[said.owners]
    weight = wanted[said.owners] / (repeats * len(victims))
    single = float(weight[fitting == 1].sum())
    unique = float((right / repeats)[fitting == 1].sum() / len(victims))
    return Linkage(
        success=float((right / (repeats * np.maximum(fitting, 1))).sum() / len(victims)),
        unique_correct=unique,
        claimed_wrong=max(single - unique, 0.0),
        abstains=min(float(weight[fitting == 0].sum()), 1.0),  # but for rounding
        fitting=_median(fitting, weight),
    )


def _right(
    said: Knowledge,
    matches: Matches,
    known: Traces,
    released: Traces,
    origins: np.ndarray,
    persons: np.ndarray,
    victims: np.ndarray,
) -> np.ndarray:
    """Pairs of a victim and a released case of its person that fits, for each thing known; int64 (n,)."""
    from scipy.sparse import csr_array

    linked = np.flatnonzero(origins >= 0)
    shape = (len(known.offsets) - 1, persons.max(initial=-1) + 1)
    own = csr_array((np.ones(len(victims), int), (known.of_case[victims], persons[victims])), shape=shape)
    shape = (len(released.offsets) - 1, shape[1])
    of_origin = persons[origins[linked]]
    other = csr_array((np.ones(len(linked), int), (released.of_case[linked], of_origin)), shape=shape)
    pairs = (own @ other.T.tocsr()).tocsr()  # of traces: the pairs of cases of one person that have them
    begins, counts = pairs.indptr[said.owners].astype(np.int64), np.diff(pairs.indptr)[said.owners]
    thing = np.repeat(np.arange(len(said.owners)), counts)
    place = np.arange(len(thing)) + np.repeat(begins - np.cumsum(counts) + counts, counts)
    fits = matches.fits(thing, pairs.indices[place].astype(np.int64))
    return np.bincount(thing[fits], pairs.data[place[fits]], minlength=len(said.owners)).astype(np.int64)


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    """The smallest value that at least half of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2 - 1e-12)])


def attack(name: str, title: str, *, low: float = 0.0, high: float = 1.0, empty: float | None = 0.0) -> Metric:
    """The declaration of a metric of such an attack."""
    return Metric(
        name=name, title=title, low=low, high=high, identity=None, doubled=None, empty=empty, group="attack",
        costly=True, blind_to=BLIND_TO,
    )  # fmt: skip


def declared(titles: dict[str, str]) -> tuple[Metric, ...]:
    """The metrics of some kinds of knowledge, named by what is known."""
    return (
        *(
            attack(f"linkage_{kind}_{size}", f"Re-identified by {size} {title}")
            for kind, title in titles.items()
            for size in SIZES
        ),
        *(
            metric
            for kind, title in titles.items()
            for metric in (
                attack(f"linkage_advantage_{kind}", f"Knows {MAIN} {title}: advantage", low=-1.0),
                attack(f"linkage_unique_{kind}", f"Knows {MAIN} {title}: the only case that fits is right"),
                attack(f"linkage_wrong_{kind}", f"Knows {MAIN} {title}: the only case that fits is wrong"),
                attack(f"linkage_abstains_{kind}", f"Knows {MAIN} {title}: no case fits", empty=1.0),
                attack(f"linkage_fitting_{kind}", f"Knows {MAIN} {title}: cases that fit", high=float("inf")),
            )
        ),
    )


def attacks(titles: dict[str, str]) -> tuple[Attack, ...]:
    """The attacks by some kinds of knowledge, at the main size."""
    return tuple(
        Attack(
            name=f"linkage_{kind}",
            title=f"Knows {MAIN} {title}",
            family="linkage",
            adversary=f"knows {MAIN} {title} of a case; right is a case of that person, picked from those that fit",
            limit="k" if kind == "prefix" else "",
            blind_to=BLIND_TO,
            names={
                "targets": "linkage_targets",
                "abstains": f"linkage_abstains_{kind}",
                "prior": "linkage_prior",
                "success": f"linkage_{kind}_{MAIN}",
                "advantage": f"linkage_advantage_{kind}",
            },
        )
        for kind, title in titles.items()
    )


def values(kind: str, link: Callable[[int], Linkage], chance: float) -> dict[str, float]:
    """The values of the metrics of one kind of knowledge.

    Parameters
    ----------
    kind : str
    link : callable (size) -> Linkage
    chance : float
        The prior.
    """
    found = {size: link(size) for size in SIZES}
    main = found[MAIN]
    return {f"linkage_{kind}_{size}": each.success for size, each in found.items()} | {
        f"linkage_advantage_{kind}": main.success - chance,
        f"linkage_unique_{kind}": main.unique_correct,
        f"linkage_wrong_{kind}": main.claimed_wrong,
        f"linkage_abstains_{kind}": main.abstains,
        f"linkage_fitting_{kind}": main.fitting,
    }
