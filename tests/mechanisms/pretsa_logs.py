"""Small logs for the tests of PRETSA, and the published algorithm again: case by case, as literal as can be."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from scipy.stats import wasserstein_distance

from data.log import DURATION, EventLog
from mechanisms import Infeasible
from mechanisms.pretsa import anonymize

Case = tuple[tuple[str, ...], tuple[float, ...]]  # activities and durations
Path = tuple[str, ...]


def log_of(cases: list[Case]) -> EventLog:
    """A log of cases "c0", "c1", ... with given durations."""
    activities = [activity for trace, _ in cases for activity in trace]
    return EventLog.from_rows(
        [f"c{case}" for case, (trace, _) in enumerate(cases) for _ in trace],
        activities,
        np.arange(len(activities)) * 1_000_000,
        {DURATION: np.array([seconds for _, durations in cases for seconds in durations], dtype=float)},
    )


def variants(text: str) -> list[Case]:
    """Cases like "AXY*2 BB" of one-letter activities, without durations."""
    cases = []
    for word in text.split():
        trace, _, times = word.partition("*")
        cases += [(tuple(trace), (0.0,) * len(trace))] * int(times or 1)
    return cases


def random_cases(seed: int) -> list:
    rng = random.Random(seed)
    labels = rng.choice([("A", "B", "C", "D"), ("X", "A", "A1", "B"), ("A", "B")])
    cases = []
    for _ in range(rng.randint(2, 12)):
        length = rng.randint(1, 5)
        trace = tuple(rng.choice(labels) for _ in range(length))
        cases.append((trace, tuple(float(rng.choice((0, 1, 2, 5, 10))) for _ in range(length))))
    return cases


def released(cases: list[Case], **parameters) -> list[Path]:
    """What becomes of each case, in file order: its released trace, empty if it is lost."""
    parameters = {"t": 1.0, "order": "file", "rng": np.random.default_rng(1)} | parameters
    try:
        outcome = anonymize(log_of(cases), **parameters)
    except Infeasible:
        return [()] * len(cases)
    log, traces = outcome.release, [()] * len(cases)
    for case, origin in enumerate(outcome.origins.tolist()):
        events = log.activities[log.offsets[case] : log.offsets[case + 1]]
        traces[origin] = tuple(log.labels[activity] for activity in events)
    return traces


def levenshtein(source: Path, target: Path) -> float:
    row = list(range(len(target) + 1))
    for i, one in enumerate(source, start=1):
        above, row = row, [i]
        for j, other in enumerate(target, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (one != other)))
    return row[-1]


class Literal:
    """PRETSA on single cases, nodes being prefixes; all is computed anew in every pass."""

    def __init__(self, cases: list[Case], profile: str, k: int, t: float, distance: Callable, **options) -> None:
        self.cases, self.profile, self.k, self.t, self.distance = cases, profile, k, t, distance
        self.diversity = options.get("diversity")
        self.empty_pass = options.get("empty_classes") == "pass"
        self.variant_k = options.get("variant_k", profile == "sound")
        self.children: dict[Path, list[Path]] = {(): []}
        self.inside: dict[Path, set[int]] = {(): set()}
        for case, (trace, _) in enumerate(cases):
            for depth in range(1, len(trace) + 1):
                node = trace[:depth]
                if node not in self.children:
                    self.children[node] = []
                    self.children[node[:-1]].append(node)
                self.inside.setdefault(node, set()).add(case)
        self.at: list[Path] = [trace for trace, _ in cases]
        self.dead_ends: set[Path] = set()

    def run(self) -> list[Path]:
        while violation := self.first_violation(()):
            node, cut = violation
            if not cut:
                break  # only r19 has nodes without cases
            whole = cut == self.inside[node]
            for depth in range(1, len(node) + 1):
                self.inside[node[:depth]] -= cut
            if whole:
                self.detach(node)
                self.dead_ends.add(node)
            if self.profile != "r19":
                for depth in range(1, len(node)):
                    if node[:depth] in self.children and not self.inside[node[:depth]]:
                        self.detach(node[:depth])
            targets = sorted(self.targets(), key=lambda target: "".join("@" + activity for activity in target))
            for case, place in [(case, self.place(case, targets)) for case in sorted(cut)]:
                self.at[case] = place
                for depth in range(1, len(place) + 1):
                    self.inside[place[:depth]].add(case)
        return self.at

    def first_violation(self, node: Path):
        for child in self.children[node]:
            inside, ending = self.inside[child], self.ending(child)
            if len(inside) < self.k or self.class_violates(child):
                return child, set(inside)
            if self.variant_k and 0 < len(ending) < self.k:
                return child, ending
            if found := self.first_violation(child):
                return found
        return None

    def ending(self, node: Path) -> set[int]:
        return self.inside[node].difference(*(self.inside[child] for child in self.children[node]))

    def class_violates(self, node: Path) -> bool:
        population = [
            seconds
            for trace, durations in self.cases
            for activity, seconds in zip(trace, durations, strict=True)
            if activity == node[-1]
        ]
        spread = max(population) - min(population)
        own = [
            self.cases[case][1][len(node) - 1] for case in self.inside[node] if self.cases[case][0][: len(node)] == node
        ]
        if not spread:
            return False
        if own and wasserstein_distance(population, own) / spread >= self.t:
            return True
        if self.diversity is None or (not own and self.empty_pass):
            return False
        return len(set(own)) < self.diversity

    def detach(self, node: Path) -> None:
        self.children[node[:-1]].remove(node)
        for gone in [other for other in self.children if other[: len(node)] == node]:
            del self.children[gone], self.inside[gone]

    def targets(self) -> set[Path]:
        originals = {trace for trace, _ in self.cases}
        if self.profile == "sound":
            return {trace for trace in originals if trace in self.children and self.ending(trace)}
        if self.profile == "r21":
            return originals - self.dead_ends
        return {()} | {
            node
            for node in self.children
            if node and (self.ending(node) or not any(self.inside[child] for child in self.children[node]))
        }

    def place(self, case: int, targets: list[Path]) -> Path:
        original, best = self.cases[case][0], None
        for target in targets:
            if target != original and (best is None or self.distance(original, target) < self.distance(original, best)):
                best = target
        path: Path = ()
        for activity in best or ():
            if (*path, activity) in self.children:
                path = (*path, activity)
        return path
