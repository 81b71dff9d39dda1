"""The semantics-aware query: noise on candidates that keep to the relations, and on a few of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from baselines.prefix_query.absent import draw_absent
from baselines.prefix_query.growth import Cap, Ended, Prefixes, VariantCounts, grow, sequences
from baselines.prefix_query.noise import Noise
from baselines.prefix_query.tree import NOWHERE, PrefixCounts
from baselines.sacofa.bits import contains, marked, members, sizes
from baselines.sacofa.prospects import Prospects, Rules
from baselines.sacofa.relations import END, Relations, violations

SAMPLE = 1_000  # prefixes that an estimate of the size follows


@dataclass(frozen=True)
class Settings:
    """Parameters of a query.

    Attributes
    ----------
    levels : int
        Symbols of the longest sequence, END included.
    pruning, pruning_conforming : int
        Smallest count that keeps a violating, and a conforming, prefix open.
    noise : Noise
        Of every level.
    cost : int
        Most that one chosen candidate takes off the number to choose; 1 where each counts as one.
    semantic : bool
        Whether a candidate conforms if it keeps to the relations, or if it occurs.
    max_prefixes : int
        Most prefixes to keep, of all lengths together, open or ended.
    """

    levels: int
    pruning: int
    pruning_conforming: int
    noise: Noise
    cost: int
    semantic: bool
    max_prefixes: int


def semantic_query(
    tree: PrefixCounts, relations: Relations, settings: Settings, rng: np.random.Generator, answers: int = 1
) -> VariantCounts:
    """Noisy counts of variants; those still open after the last level are released as they are.

    Prefixes of real cases come first, so whatever is released must be shuffled. Several independent `answers` can be
    drawn at once, which is much faster than one by one on a small log.

    Raises
    ------
    Infeasible
        If more prefixes are drawn than are allowed.
    """
    levels = _Levels(tree, relations, settings, rng, answers)
    return grow(levels.draw, settings.levels, levels.cap, release_open=True, answers=answers)


class _Levels:
    """Draws one level after the other.

    A candidate has the number ``prefix * (activities + 1) + symbol``, its symbol being `activities` at the END.
    """

    def __init__(
        self, tree: PrefixCounts, relations: Relations, settings: Settings, rng: np.random.Generator, answers: int
    ) -> None:
        self.tree = tree
        self.relations = relations
        self.settings = settings
        self.rng = rng
        self.cap = Cap(settings.max_prefixes * answers)
        self.rules = Rules(relations)
        self.prospects = Prospects.of_empty_prefix(self.rules, answers)
        self.answers = np.arange(answers)  # that each prefix is of
        self.foretold = not settings.semantic
        self.width = tree.n_activities + 1

    def draw(self, lengths: list[Prefixes], last: bool) -> tuple[Prefixes, Ended]:
        """One level; see `baselines.prefix_query.growth.grow`."""
        alive, noise = lengths[-1], self.settings.noise
        if len(lengths) > 1:
            if len(alive) >= SAMPLE and not self.foretold:
                self._foretell(alive, len(lengths))
            self.prospects = self.prospects.extended(self.rules, alive.parents, alive.activities)
            self.answers = self.answers[alive.parents]
        occurring, nodes, counts = self._occurring(alive)
        present = marked((len(alive), self.rules.all.shape[1]), *np.divmod(occurring, self.width))
        conforming = self.prospects.conforming(self.rules) if self.settings.semantic else present
        chosen = self._choose(self.rules.all & ~conforming, lengths)

        noised = self._within(conforming, occurring) | np.isin(occurring, chosen)
        counts[noised] = noise.noisy(counts[noised], self.rng)
        others = np.setdiff1d(chosen, occurring)
        numbers = np.concatenate((occurring, others))
        nodes = np.concatenate((nodes, np.full(len(others), NOWHERE)))
        counts = np.concatenate((counts, self._noisy_zeros(len(others))))
        kept = counts >= self._thresholds(numbers, self._within(conforming, numbers), last)
        self.cap.keep(int(kept.sum()))

        absent, absent_counts = self._draw_absent(conforming & ~present, last)
        numbers = np.concatenate((numbers[kept], absent))
        nodes = np.concatenate((nodes[kept], np.full(len(absent), NOWHERE)))
        counts = np.concatenate((counts[kept], absent_counts))
        parents, symbols = np.divmod(numbers, self.width)
        ended = symbols == self.tree.n_activities
        return (
            Prefixes(parents[~ended], symbols[~ended], nodes[~ended], counts[~ended]),
            Ended(parents[ended], counts[ended]),
        )

    def _foretell(self, alive: Prefixes, level: int) -> None:
        """Refuse an explosion before it is drawn, by what noise alone makes of a sample of the prefixes."""
        self.foretold = True
        rng = np.random.default_rng(0)  # of the estimate alone
        at = rng.choice(len(alive), SAMPLE, replace=False)
        sample = self.prospects.extended(self.rules, alive.parents[at], alive.activities[at])
        kept = total = float(len(alive))
        for coming in range(level, self.settings.levels + 1):
            extensions = sample.conforming(self.rules) & ~self.rules.end
            number = int(sizes(extensions).sum())
            threshold = 1 if coming == self.settings.levels else self.settings.pruning_conforming
            kept *= number / len(sample.broken) * self.settings.noise.tail(threshold)
            total += kept
            self.cap.expect(total, coming)
            if kept < 1:
                return
            chosen = members(extensions, rng.choice(number, min(number, SAMPLE), replace=False))
            sample = sample.extended(self.rules, *chosen)

    def _occurring(self, alive: Prefixes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The candidates that some case has: number, node (none at the END), and number of cases."""
        parents, children = self.tree.children(alive.nodes)
        ending = self.tree.ending(alive.nodes)
        ends = np.flatnonzero(ending)
        return (
            np.concatenate((parents * self.width + self.tree.activities[children], (ends + 1) * self.width - 1)),
            np.concatenate((children, np.full(len(ends), NOWHERE))),
            np.concatenate((self.tree.counts[children], ending[ends])),
        )

    def _within(self, sets: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Whether each of some candidates is in the set of its prefix, bool (numbers,)."""
        return contains(sets, *np.divmod(numbers, self.width))

    def _choose(self, violating: np.ndarray, lengths: list[Prefixes]) -> np.ndarray:
        """The violating candidates that get noise, of each answer in random order."""
        order = np.argsort(self.answers, kind="stable")
        ends = np.cumsum(sizes(violating[order]))
        last = np.flatnonzero(np.diff(self.answers[order], append=-1))  # prefix of each answer
        bounds = np.concatenate(([0], ends[last])).tolist()
        chosen = [
            start + self.rng.choice(end - start, self._number_to_choose(end - start), replace=False)
            for start, end in pairwise(bounds)
        ]
        parents, symbols = members(violating[order], np.concatenate(chosen))
        parents = order[parents]
        numbers = parents * self.width + symbols
        if self.settings.cost == 1:
            return numbers
        symbols = np.where(symbols == self.tree.n_activities, END, symbols)
        candidates = np.column_stack((sequences(lengths, parents), symbols))
        costs = np.array([min(violations(candidate, self.relations), self.settings.cost) for candidate in candidates])
        used = [np.cumsum(part) - part for part in np.split(costs, np.cumsum([len(part) for part in chosen])[:-1])]
        wanted = np.repeat([len(part) for part in chosen], [len(part) for part in chosen])
        return numbers[np.concatenate(used) < wanted]

    def _number_to_choose(self, violating: int) -> int:
        return number_to_choose(violating, self.settings.noise.epsilon, self.rng)

    def _noisy_zeros(self, size: int) -> np.ndarray:
        """Counts of chosen candidates that no case has; without relations, noise is drawn until it is positive."""
        if self.settings.semantic:
            return self.settings.noise.noisy(np.zeros(size, dtype=np.int64), self.rng)
        return self.settings.noise.reaching(1, size, self.rng)

    def _thresholds(self, numbers: np.ndarray, conforming: np.ndarray, last: bool) -> np.ndarray:
        """Smallest counts that keep some candidates; those that end, or cannot go on, are kept from 1 on."""
        whole = last | ((numbers + 1) % self.width == 0)
        return np.where(whole, 1, np.where(conforming, self.settings.pruning_conforming, self.settings.pruning))

    def _draw_absent(self, conforming: np.ndarray, last: bool) -> tuple[np.ndarray, np.ndarray]:
        """Of conforming candidates that no case has, those that are kept, and their counts."""
        drawn = []
        for sets, threshold in (
            (conforming & ~self.rules.end, 1 if last else self.settings.pruning_conforming),
            (conforming & self.rules.end, 1),
        ):
            chosen, counts = draw_absent(int(sizes(sets).sum()), threshold, self.settings.noise, self.cap, self.rng)
            parents, symbols = members(sets, chosen)
            drawn.append((parents * self.width + symbols, counts))
        numbers, counts = zip(*drawn, strict=True)
        return np.concatenate(numbers), np.concatenate(counts)


def number_to_choose(violating: int, epsilon: float, rng: np.random.Generator) -> int:
    """How many violating candidates get noise: j = 0, 1, ... with probability proportional to e^(-epsilon j / 2).

    By inversion, in logarithms. The weights of the published code overflow; pm4py exponentiates them twice.

    Parameters
    ----------
    violating : int
        How many there are.
    epsilon : float
    rng : numpy.random.Generator
    """
    within = -math.expm1(-(violating + 1) * epsilon / 2)
    return min(violating, math.floor(math.log1p(-rng.random() * within) / (-epsilon / 2)))
