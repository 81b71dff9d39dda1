"""Noise on the counts of transitions, turned into copies and deletions of whole cases (Amun, Algorithm 1).

Every transition draws how many cases it should gain or lose. Variants through needy transitions are then
drawn until every need is met, and cases of these variants copied or deleted; no variant is ever new. Profile
`code` follows the published code, `paper` the text; where the text is silent, the choice is stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from data.log import EventLog, Variants, ranges
from mechanisms import Infeasible
from mechanisms.amun.epsilon import control_flow_epsilon

ABSENT = -1  # the group of a transition that needs nothing
# Copies and deletions of a run. About half as many cases of 20 events each come of it, in some 10 GB of memory.
MOST_MOVES = 10_000_000


@dataclass(frozen=True)
class Lookup:
    """The correspondence between transitions and variants (Algorithm 1, line 7).

    Attributes
    ----------
    paths, offsets : int64 arrays
        Transitions of variant `v`: ``paths[offsets[v]:offsets[v + 1]]``, all distinct.
    cases : int64 array (transitions,)
        Number of cases through each transition.
    through : int64 array
        Variants through transition 0, then those through transition 1, ...
    tickets : int64 array
        Running number of cases along `through`: a uniform number below it draws a variant by its cases.
    last_tickets : int64 array (transitions,)
        Running number of cases at the end of each transition.
    """

    paths: np.ndarray
    offsets: np.ndarray
    cases: np.ndarray
    through: np.ndarray
    tickets: np.ndarray
    last_tickets: np.ndarray

    def path(self, variant: int) -> np.ndarray:
        """Transitions of one variant."""
        return self.paths[self.offsets[variant] : self.offsets[variant + 1]]

    def draw(self, transition: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """Variants through a transition, with replacement, weighted by their number of cases."""
        last = self.last_tickets[transition]
        tickets = rng.integers(last - self.cases[transition], last, size)
        return self.through[np.searchsorted(self.tickets, tickets, side="right")]

    def counts(self, cases: np.ndarray) -> np.ndarray:
        """Number of cases through each transition, given that of each variant."""
        weights = np.repeat(cases, np.diff(self.offsets))
        return np.bincount(self.paths, weights, len(self.cases)).astype(np.int64)


@dataclass(frozen=True)
class Moves:
    """What the noise demands and what is done about it.

    Attributes
    ----------
    noise : int64 array (transitions,)
        Cases each transition should gain, negative to lose.
    drawn_copies, drawn_deletions : int64 arrays (variants,)
        How often each variant was drawn to meet positive and negative noise.
    copies, deletions : int64 arrays (variants,)
        Cases of each variant that are in fact copied and deleted.
    """

    noise: np.ndarray
    drawn_copies: np.ndarray
    drawn_deletions: np.ndarray
    copies: np.ndarray
    deletions: np.ndarray


def lookup_table(log: EventLog, transitions: np.ndarray) -> Lookup:
    """The look-up table of an annotated log; transitions without a case are left out."""
    variants = log.variants
    events = ranges(log.offsets[variants.representative], variants.lengths)
    paths = np.unique(transitions[events], return_inverse=True)[1]
    cases = np.bincount(paths, np.repeat(variants.counts, variants.lengths)).astype(np.int64)
    order = np.argsort(paths, kind="stable")
    through = np.repeat(np.arange(len(variants)), variants.lengths)[order]
    return Lookup(paths, variants.offsets, cases, through, np.cumsum(variants.counts[through]), np.cumsum(cases))


def draw_noise(size: int, delta: float, mode: str, profile: str, rng: np.random.Generator) -> np.ndarray:
    """The noise of every transition, int64 (size,).

    Profile `code` rounds Laplace noise of scale 1 / eps_d up, which adds 1/2 on average. The paper does not
    say how to round; `paper` draws its discrete form, P(k) proportional to exp(-eps_d |k|). Mode
    `oversampling` takes absolute values (in `code` before rounding up, so that none is 0).
    """
    epsilon = control_flow_epsilon(delta)
    if profile == "code":
        noise = rng.laplace(0, 1 / epsilon, size)
        return np.ceil(np.abs(noise) if mode == "oversampling" else noise).astype(np.int64)
    noise = two_sided_geometric(size, epsilon, rng)
    return np.abs(noise) if mode == "oversampling" else noise


def mean_absolute_noise(delta: float, mode: str, profile: str) -> float:
    """Expectation of the absolute value of `draw_noise`, in closed form.

    With q = exp(-eps_d): 1 / (1 - q) in profile `code` when oversampling, (1 + q) / (2 (1 - q)) in its other
    modes, and 2 q / (1 - q^2) in profile `paper`.
    """
    epsilon = control_flow_epsilon(delta)
    q, p = np.exp(-epsilon), -np.expm1(-epsilon)
    if profile == "paper":
        return float(2 * q / (p * (1 + q)))
    return float(1 / p if mode == "oversampling" else (1 + q) / (2 * p))


def check_moves(predicted: float, delta: float) -> None:
    """Refuse a delta whose noise is expected to copy and delete more than `MOST_MOVES` cases.

    Raises
    ------
    Infeasible
    """
    if predicted > MOST_MOVES:
        raise Infeasible(
            f"the noise of delta {delta} asks for about {predicted:.0f} copies and deletions of cases; "
            f"at most {MOST_MOVES} are allowed; use a larger delta"
        )


def two_sided_geometric(size: int, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """Discrete Laplace noise, P(k) = (1 - q) / (1 + q) q^|k| with q = exp(-epsilon), int64 (size,)."""
    p = -np.expm1(-epsilon)
    return rng.geometric(p, size) - rng.geometric(p, size)


def plan_moves(
    variants: Variants, lookup: Lookup, noise: np.ndarray, mode: str, profile: str, rng: np.random.Generator
) -> Moves:
    """Decide how many cases of each variant are copied and deleted.

    Copies and deletions are drawn with separate counters. In `code`, modes `sampling` and `filtering` act
    only on variants drawn for both, and delete one case of a variant at most (the published code subtracts
    two indexed tables without a fill value). `paper` nets both per variant, which the text leaves open.
    """
    orders = ("least_served", "most_served") if profile == "code" else ("frequency", "frequency")
    copied = draw_variants(np.maximum(noise, 0), lookup, orders[0], rng)
    deleted = draw_variants(np.maximum(-noise, 0), lookup, orders[1], rng)
    net = copied - deleted
    if profile == "code" and mode != "oversampling":
        net = np.where((copied > 0) & (deleted > 0), np.maximum(net, -1), 0)
    return Moves(noise, copied, deleted, np.maximum(net, 0), np.minimum(np.maximum(-net, 0), variants.counts))


def draw_variants(required: np.ndarray, lookup: Lookup, order: str, rng: np.random.Generator) -> np.ndarray:
    """Draw variants until every transition has been on as many drawn paths as required.

    One transition in need is drawn at a time, and then as many variants through it as it requires in all, even
    if other draws have served it in part. With order `frequency`, one variant is drawn and taken so often.

    Parameters
    ----------
    required : int64 array (transitions,)
    lookup : Lookup
    order : {"least_served", "most_served", "frequency"}
        Weight of a transition in need: what it has had so far, subtracted from the largest such number or
        less the smallest one; or its number of cases. If all weights are 0, each is as likely.
    rng : numpy.random.Generator

    Returns
    -------
    int64 array (variants,)
        How often each variant was drawn.
    """
    drawn = np.zeros(len(lookup.offsets) - 1, dtype=np.int64)
    needy = _Needy(required, lookup.cases if order == "frequency" else None)
    while needy.sizes.any():
        transition = needy.draw(_weights(order, needy.values, needy.sizes), rng)
        size = int(required[transition])
        times = size if order == "frequency" else 1
        for variant in lookup.draw(transition, size // times, rng):
            drawn[variant] += times
            needy.serve(lookup.path(variant), times)
    return drawn


class _Needy:
    """The transitions in need, in groups of equal value: a fixed one, or how often each has been served.

    Serving and drawing take constant time a transition on average: one that leaves a group, never to return,
    stays in the group's list until most of the list is out of date.

    Parameters
    ----------
    required : int64 array (transitions,)
    fixed : int64 array (transitions,), optional
        Value of each transition.

    Attributes
    ----------
    values, sizes : int64 arrays (groups,)
        Value of each group, rising, and its number of transitions.
    """

    def __init__(self, required: np.ndarray, fixed: np.ndarray | None) -> None:
        if fixed is None:
            self.values, groups = np.arange(max(required.max(), 1)), np.zeros_like(required)
        else:
            self.values, groups = np.unique(fixed, return_inverse=True)
        groups = np.where(required > 0, groups, ABSENT)
        self.sizes = np.bincount(groups[groups != ABSENT], minlength=len(self.values))
        order = np.argsort(groups, kind="stable")
        bounds = np.searchsorted(groups[order], np.arange(len(self.values) + 1))
        self._lists = [order[a:b].tolist() for a, b in pairwise(bounds.tolist())]
        self._group = groups.tolist()
        self._needs = required.tolist()
        self._fixed = fixed is not None

    def serve(self, path: np.ndarray, times: int) -> None:
        """Count some cases more for every transition of a path."""
        for transition in path.tolist():
            self._needs[transition] -= times
            if self._group[transition] == ABSENT:
                continue
            if self._needs[transition] <= 0:
                self._move(transition, ABSENT)
            elif not self._fixed:
                self._move(transition, self._group[transition] + times)

    def _move(self, transition: int, group: int) -> None:
        self.sizes[self._group[transition]] -= 1
        self._group[transition] = group
        if group != ABSENT:
            self.sizes[group] += 1
            self._lists[group].append(transition)

    def draw(self, weights: np.ndarray, rng: np.random.Generator) -> int:
        """A transition, given the weight that each member of each group has."""
        running = np.cumsum(weights * self.sizes)
        if not running[-1]:
            running = np.cumsum(self.sizes)
        group = int(np.searchsorted(running, rng.integers(running[-1]), side="right"))
        if len(self._lists[group]) > 2 * self.sizes[group]:
            self._lists[group] = [t for t in self._lists[group] if self._group[t] == group]
        while True:
            transition = self._lists[group][rng.integers(len(self._lists[group]))]
            if self._group[transition] == group:
                return transition


def _weights(order: str, values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    present = values[sizes > 0]
    if order == "least_served":
        return present[-1] - values
    if order == "most_served":
        return values - present[0]
    return values


def move_cases(variants: Variants, moves: Moves, rng: np.random.Generator) -> np.ndarray:
    """The case that each instance of the new log stems from: the cases left, in order, then the copies.

    Deleted and copied cases are uniform among the cases of their variant, the former without and the latter
    with replacement.

    Returns
    -------
    int64 array (instances,)
    """
    # The cases in order of their variant, and at random within it.
    order = np.lexsort((rng.random(len(variants.of_case)), variants.of_case))
    starts = np.cumsum(variants.counts) - variants.counts
    deleted = order[ranges(starts, moves.deletions)]
    of_copy = np.repeat(np.arange(len(variants)), moves.copies)
    copied = order[starts[of_copy] + rng.integers(variants.counts[of_copy])]
    return np.concatenate((np.delete(np.arange(len(order)), deleted), copied))
