"""PRIPEL after the query as its authors' code goes: one case, one event, one rejected draw at a time.

The random choices that the code leaves to orders and solvers are drawn: cases are shuffled before they are assigned.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment


class Event(NamedTuple):
    activity: str
    time: float  # seconds
    attributes: dict


def literal(cases: list[list[Event]], query: list[str], epsilon: float, rng: np.random.Generator) -> list[list[Event]]:
    """One trace of new events for each trace of the query, in its order."""
    shuffled = [cases[i] for i in rng.permutation(len(cases))]
    costs = [[levenshtein(trace, [event.activity for event in case]) for case in shuffled] for trace in query]
    matched = {row: shuffled[column] for row, column in zip(*linear_sum_assignment(np.array(costs)), strict=True)}
    traces = [enrich(trace, matched.get(row, []), cases, rng) for row, trace in enumerate(query)]
    return move([[noisy(event, cases, epsilon, rng) for event in trace] for trace in traces], cases, epsilon, rng)


def levenshtein(a, b) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def enrich(trace: str, case: list[Event], cases: list[list[Event]], rng: np.random.Generator) -> list[Event]:
    gaps, all_gaps, later = defaultdict(list), [], []
    for known in cases:
        for one, two in pairwise(known):
            gaps[one.activity, two.activity].append(two.time - one.time)
            all_gaps.append(two.time - one.time)
            later.append(two.time)
    queues = defaultdict(deque)
    for event in case:
        queues[event.activity].append(event)
    events = []
    for position, activity in enumerate(trace):

        def after_previous(position=position, activity=activity):
            return events[-1].time + rng.choice(gaps.get((trace[position - 1], activity)) or all_gaps)

        if queues[activity]:
            event = queues[activity].popleft()
            if position and event.time < events[-1].time:
                event = event._replace(time=after_previous())
        else:
            model = next(event for known in cases for event in known if event.activity == activity)
            attributes = {key: rng.choice(values_of(key, cases)) for key in model.attributes}
            event = Event(activity, after_previous() if position else rng.choice(later), attributes)
        events.append(event)
    return events


def values_of(key: str, cases: list[list[Event]]) -> list:
    return [event.attributes[key] for case in cases for event in case if key in event.attributes]


def noisy(event: Event, cases: list[list[Event]], epsilon: float, rng: np.random.Generator) -> Event:
    changed = {}
    for key, value in event.attributes.items():
        values = values_of(key, cases)
        if isinstance(values[0], str):
            others = sorted(set(values) - {value})
            keep = math.exp(epsilon) / (math.exp(epsilon) + len(others))
            changed[key] = value if rng.random() < keep else others[rng.integers(len(others))]
        else:
            low, high = min(values), max(values)
            changed[key] = bounded(value, low, high, (high - low) / epsilon, rng)
    return event._replace(attributes=changed)


def bounded(value: float, low: float, high: float, scale: float, rng: np.random.Generator) -> float:
    while True:
        drawn = rng.laplace(value, scale)
        if low <= drawn <= high:
            return drawn


def move(traces: list[list[Event]], cases, epsilon: float, rng: np.random.Generator) -> list[list[Event]]:
    later = [event.time for case in cases for event in case[1:]]
    first, last = min(later), max(later)
    scale, moved = None, []
    for trace in traces:
        begin, end = trace[0].time, trace[-1].time
        low, high = first - begin, (last - begin) - (end - begin)
        if low >= high:
            high = abs(last - begin)
        if scale is None:
            scale = search(last - first, high - low, epsilon) or (last - first) / epsilon
        shift = bounded(min(max(0, low), high), low, high, scale, rng)
        moved.append([event._replace(time=event.time + shift) for event in trace])
    return moved


def search(span: float, width: float, epsilon: float) -> float | None:
    """The scale of diffprivlib's bounded-domain Laplace mechanism; None where a logarithm has no value."""

    def step(scale):
        top = 2 - math.exp(-span / scale) - math.exp(-(width - span) / scale)
        return span / (epsilon - math.log(top / (1 - math.exp(-width / scale))))

    try:
        left = span / epsilon
        right = step(left)
        size = (right - left) * 2
        while size > right - left:
            size = right - left
            middle = (right + left) / 2
            value = step(middle)
            if value >= middle:
                left = middle
            if value <= middle:
                right = middle
        return (right + left) / 2
    except ValueError:
        return None
