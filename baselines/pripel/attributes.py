"""The attributes of events and the noise on them (PRIPEL, steps 3 and 4): one draw for every event and attribute.

Truth values and texts get randomized response over the values in the log, numbers bounded Laplace noise over the range
in the log. What would be published as it is, is left out: attributes of a single value and those that are neither truth
value, text nor number, such as dates (the published code passes some identifiers on unchanged). So are attributes of
cases, as in pm4py. The library that the published code calls makes a matrix of all pairs of texts for every draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baselines.pripel.noise import bounded_laplace, randomized_response
from data.log import EventLog, factorize

OF_CASES = "case:"  # what the names of such attributes begin with
EXACT = 2**53  # whole numbers beyond are not exact as doubles


@dataclass(frozen=True)
class Attribute:
    """An attribute that noise can be put on.

    Attributes
    ----------
    place : int64 array (events of the log,)
        Index into `values`, -1 where the event has none.
    values : array (n,)
        Numbers, or codes into `domain`.
    domain : array of bool or str, optional
        The distinct values, at least two, of an attribute that is no number.
    whole : bool
        Whether the numbers are whole, as the first of them is.
    """

    place: np.ndarray
    values: np.ndarray
    domain: np.ndarray | None = None
    whole: bool = False


def noisy_attributes(
    log: EventLog, activities: np.ndarray, sources: np.ndarray, epsilon: float, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """The attributes of the events of a release, by name; those left out are missing.

    Parameters
    ----------
    log : EventLog
    activities : int array (events,)
        Activity codes of the log.
    sources : int64 array (events,)
        Event of the log each stems from, -1 for a made-up one: it has the attributes that the first event of its
        activity has in the log, each with a value drawn from all events.
    epsilon : float
        Of each draw.
    rng : numpy.random.Generator
    """
    coded, first = np.unique(log.activities, return_index=True)
    released = {}
    for key, column in log.attributes.items():
        attribute = None if key.startswith(OF_CASES) else readable(column)
        if attribute is not None:
            usual = np.zeros(len(log.labels), dtype=bool)
            usual[coded] = attribute.place[first] >= 0
            drawn = rng.integers(0, len(attribute.values), len(sources))
            made_up = np.where(usual[activities], drawn, -1)
            chosen = np.where(sources >= 0, attribute.place[sources], made_up)
            released[key] = noisy(attribute, chosen, epsilon, rng)
    return released


def readable(column: np.ndarray) -> Attribute | None:
    """The attribute that a column (events,) with None or NaN for no value holds; None if it is to be left out."""
    if column.dtype.kind in "mM":  # dates, which would pass for numbers
        return None
    present = column == column  # NaN is not itself
    if column.dtype == object:
        present &= np.not_equal(column, None)
    known = column[present].tolist()
    kinds = set(map(type, known))
    place = np.where(present, np.cumsum(present) - 1, -1)
    if kinds == {bool}:
        return Attribute(place, np.array(known, dtype=np.int64), np.array([False, True]))
    if kinds == {str}:
        codes, domain = factorize(known)
        return Attribute(place, codes, np.array(domain, dtype=object)) if len(domain) > 1 else None
    if not kinds or not kinds <= {int, float}:
        return None
    numbers = np.array(known, dtype=float)
    if not np.isfinite(numbers).all() or not np.ptp(numbers):
        return None
    return Attribute(place, numbers, whole=isinstance(known[0], int) and bool(np.abs(numbers).max() < EXACT))


def noisy(attribute: Attribute, chosen: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """The chosen values (indices into the attribute's, -1 for none) under noise, as a column of a log (events,)."""
    given = chosen >= 0
    values = attribute.values[chosen[given]]
    if attribute.domain is not None:
        drawn = attribute.domain[randomized_response(values, len(attribute.domain), epsilon, rng)]
    else:
        low, high = attribute.values.min(), attribute.values.max()
        drawn = bounded_laplace(values, low, high, (high - low) / epsilon, rng)
        drawn = np.rint(drawn).astype(np.int64) if attribute.whole else drawn
    if given.all():
        return drawn
    missing = np.nan if attribute.domain is None else None
    column = np.full(len(chosen), missing, dtype=float if attribute.domain is None else object)
    column[given] = drawn
    return column
