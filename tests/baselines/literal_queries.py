"""The prefix queries word for word: every candidate is made and gets its own noise. Slow; only for tiny logs.

Logs are counts of traces, traces are tuples of activities. Nothing of the code under test is used.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

Log = dict[tuple[str, ...], int]
END = "$"


def noise(law: str, epsilon: float, rng: np.random.Generator):
    """A function from a count to its noisy count of at least 0."""

    def trunc(count):
        return max(0, count + int(rng.laplace(0, 1 / epsilon)))

    def geom(count):
        p = 1 - math.exp(-epsilon)
        return max(0, int(count + rng.geometric(p) - rng.geometric(p)))

    def absolute(count):
        return round(abs(count + rng.laplace(0, 1 / epsilon)))

    return {"trunc": trunc, "geom": geom, "abs": absolute}[law]


def prefix_counts(log: Log) -> Counter:
    """Number of cases of each prefix, the end being a symbol of its own."""
    counts = Counter()
    for trace, cases in log.items():
        symbols = (*trace, END)
        for length in range(1, len(symbols) + 1):
            counts[symbols[:length]] += cases
    return counts


def alphabet(log: Log) -> list[str]:
    """The activities of a log."""
    return sorted({activity for trace in log for activity in trace})


def trace_variants(log: Log, law: str, epsilon: float, levels: int, pruning: int, style: str, rng) -> Counter:
    """The Laplace trace-variant query."""
    noisy, known, symbols = noise(law, epsilon, rng), prefix_counts(log), [*alphabet(log), END]
    alive, output = [()], Counter()
    for level in range(1, levels + 1):
        kept = []
        for prefix in [(*parent, symbol) for parent in alive for symbol in symbols]:
            count = noisy(known[prefix])
            ended, last = prefix[-1] == END, level == levels
            least = 1 if style == "keep-end" and (ended or last) else pruning
            if count < least:
                continue
            if ended:
                output[prefix[:-1]] += count
            elif style == "keep-end" and last:
                output[prefix] += count
            else:
                kept.append(prefix)
        alive = kept
    return output


def violations(prefix: tuple[str, ...], log: Log) -> int:
    """Violations of the relations of a log by a prefix, which may have ended."""
    if len(prefix) == 1:
        return int(prefix[0] not in {trace[0] for trace in log})
    trace = tuple(symbol for symbol in prefix if symbol != END)
    found = 0
    for x in set(trace):
        having = [case for case in log if x in case]
        follow, precede = _followers(x, trace), _predecessors(x, trace)
        found += sum(all(y not in _followers(x, case) for case in having) for y in follow)
        found += sum(all(y not in _predecessors(x, case) for case in having) for y in precede)
        for y in alphabet(log):
            found += y not in precede and all(y in _predecessors(x, case) for case in having)
            found += prefix[-1] == END and y not in follow and all(y in _followers(x, case) for case in having)
    return found


def _followers(x: str, trace: tuple[str, ...]) -> set[str]:
    return set(trace[trace.index(x) + 1 :])


def _predecessors(x: str, trace: tuple[str, ...]) -> set[str]:
    return set(trace[: len(trace) - 1 - trace[::-1].index(x)])


def semantic(log: Log, mode: str, epsilon: float, levels: int, pruning: int, conforming: int, rng) -> Counter:
    """SaCoFa, with j drawn from its probabilities."""
    sensitivity = 3 if mode == "ba_multi" else 1
    epsilon /= sensitivity
    noisy, known, symbols = noise("trunc", epsilon, rng), prefix_counts(log), [*alphabet(log), END]
    alive, output = [()], Counter()
    for level in range(1, levels + 1):
        counts = {(*parent, symbol): known[(*parent, symbol)] for parent in alive for symbol in symbols}
        costs = {prefix: violations(prefix, log) if mode != "occured" else known[prefix] == 0 for prefix in counts}
        violating = [prefix for prefix in counts if costs[prefix]]
        keeping = {prefix for prefix in counts if not costs[prefix]}
        weights = np.exp(-epsilon * np.arange(len(violating) + 1) / 2)
        wanted = rng.choice(len(weights), p=weights / weights.sum())
        noised = set(keeping)
        while wanted > 0:
            prefix = violating.pop(rng.integers(len(violating)))
            wanted -= min(costs[prefix], sensitivity)
            noised.add(prefix)
        for prefix in noised:
            count = noisy(counts[prefix])
            while mode == "occured" and known[prefix] == 0 and count == 0:
                count = noisy(0)
            counts[prefix] = count
        alive = []
        for prefix, count in counts.items():
            if prefix[-1] == END or level == levels:
                if count >= 1:
                    output[tuple(symbol for symbol in prefix if symbol != END)] += count
            elif count >= (conforming if prefix in keeping else pruning):
                alive.append(prefix)
    return output
