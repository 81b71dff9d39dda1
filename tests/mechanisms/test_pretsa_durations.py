"""Durations under PRETSA: distances of classes, what is released, and noise."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretsa_logs import log_of, random_cases, variants
from scipy.stats import kstest, wasserstein_distance

from data.log import DURATION, EventLog
from mechanisms import Infeasible, ParameterError
from mechanisms.pretsa import anonymize
from mechanisms.pretsa.durations import durations
from mechanisms.pretsa.noise import bounded_laplace, read_bounds
from mechanisms.pretsa.wasserstein import Population

RNG = np.random.default_rng


def run(cases, seed=1, **parameters):
    log = cases if isinstance(cases, EventLog) else log_of(cases)
    return anonymize(log, **{"k": 1, "t": 1.0, "rng": RNG(seed)} | parameters)


def test_durations_are_the_times_since_the_last_event():
    log = EventLog.from_rows(["a", "a", "a", "b", "b"], list("XYZXY"), np.array([5, 8, 8, 1, 11]) * 1_000_000)
    assert durations(log).tolist() == [0, 3, 0, 0, 10]


def test_a_stated_duration_counts():
    cases = [(("X", "Y"), (4, 6)), (("X",), (0.5,))]
    assert durations(log_of(cases)).tolist() == [4, 6, 0.5]


@pytest.mark.parametrize("wrong", [np.nan, -1.0, np.inf])
def test_missing_and_negative_durations_are_refused(wrong):
    with pytest.raises(Infeasible, match=r"event 2 of case 'c0' has duration_s .*1 such events"):
        run([(("X", "Y"), (4, wrong))])


def test_durations_that_are_texts_are_refused():
    log = log_of(variants("AB"))
    with pytest.raises(Infeasible, match="duration_s is not a number everywhere"):
        run(replace(log, attributes={DURATION: np.array(["1", "soon"], dtype=object)}))


@pytest.mark.parametrize(
    ("population", "sample", "distance"),
    [([0, 0, 10, 10], [10, 10], 0.5), ([0, 1, 5], [5], 0.6), ([0, 2, 4, 6], [2, 6], 1 / 6)],
)
def test_worked_distances(population, sample, distance):
    assert Population(np.array(population, dtype=float)).distance(np.array(sample, float)) == pytest.approx(distance)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=2, max_size=40), st.data())
def test_the_distance_is_that_of_scipy(values, data):
    population = np.sort(np.array(values, dtype=float)) * data.draw(st.sampled_from([1, 1e-6, 12345.678, 1e8]))
    if population[0] == population[-1]:
        return
    chosen = data.draw(st.lists(st.sampled_from(range(len(values))), min_size=1, max_size=60))
    sample = np.sort(population[chosen])
    expected = wasserstein_distance(population, sample) / (population[-1] - population[0])
    ours = Population(population)
    assert ours.distance(sample) == pytest.approx(expected, abs=1e-12)
    assert ours.reaches(sample, expected)  # equality violates
    assert not ours.reaches(sample, np.nextafter(expected, 2))


def test_values_below_the_population_are_as_far_as_they_lie():
    ours = Population(np.array([100.0, 101, 102, 110]))
    assert ours.distance(np.array([0.0, 0, 50])) == pytest.approx(8.6583, abs=1e-4)
    assert ours.reaches(np.array([0.0, 0, 50]), 0.25)


def test_a_class_at_exactly_t_violates():
    """Both B lie 0.5 from all."""
    cases = [(tuple("AB"), (0, 10))] * 2 + [(tuple("ZB"), (0, 0))] * 2 + variants("Q*2")
    assert run(cases, k=2, t=0.5).diagnostics["modified_cases"] == 4
    assert run(cases, k=2, t=0.51).diagnostics["modified_cases"] == 0


def test_the_release():
    """XYs are changed into XZ: X keeps its duration, Z gets one of those of Z, and times add up from 1970."""
    cases = [(("X", "Y"), (1, 2)), *[(("X", "Z"), (3, 7 + case)) for case in range(3)]]
    outcome = run(cases, k=2)
    log = outcome.release
    assert outcome.diagnostics["imputed_values"] == 1
    assert outcome.diagnostics["edit_distance"] == outcome.diagnostics["move_distance"] == 1
    assert [log.labels[activity] for activity in log.activities] == ["X", "Z"] * 4
    assert list(log.attributes) == [DURATION]
    seconds = log.attributes[DURATION].reshape(4, 2)
    for case, origin in enumerate(outcome.origins):
        own = cases[origin][1]
        assert seconds[case, 0] == own[0]
        assert seconds[case, 1] in ([7, 8, 9] if origin == 0 else [own[1]])
    times = log.timestamps.reshape(4, 2)
    assert (times[:, 0] == seconds[:, 0] * 10**6 + 1).all()
    assert (times[:, 1] - times[:, 0] == seconds[:, 1] * 10**6 + 1).all()
    assert not {"c0", "c1", "c2", "c3"} & set(log.case_ids)


def test_equal_times_stay_in_order():
    log = run(variants("ABCABC*30")).release
    assert (np.diff(log.timestamps)[~log.first_events[1:]] == 1).all()
    assert log.timestamps[log.first_events].tolist() == [1] * 30


def test_the_order_of_the_release_is_not_that_of_the_log():
    outcome = run(variants("AB*30"), order="file")
    assert sorted(outcome.origins) == list(range(30))
    assert outcome.origins.tolist() != list(range(30))


def test_durations_beyond_all_dates_are_refused():
    with pytest.raises(Infeasible, match="year 9999"):
        run([(("A", "B"), (2e11, 2e11))])


RARE = [(("X", f"Y{case}"), (0.0, 0.0)) for case in range(40)]
SKEWED = [(("X", "Z"), (0.0, float(value))) for value in [0] * 90 + [1000] * 10]


def drawn(seed: int, **parameters) -> np.ndarray:
    """The durations of Z that the rare cases get: 40 draws."""
    outcome = run(RARE + SKEWED, seed, k=50, order="file", **parameters)
    assert outcome.diagnostics["imputed_values"] == 40
    return outcome.release.attributes[DURATION].reshape(-1, 2)[outcome.origins < 40, 1]


def test_resampling_draws_from_all_durations_of_the_activity():
    draws = np.concatenate([drawn(seed) for seed in range(50)])
    assert set(draws) == {0.0, 1000.0}
    assert (draws == 1000).mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / len(draws)))


def test_r19_draws_from_a_normal_distribution_what_is_not_normal():
    draws = np.concatenate([drawn(seed, profile="r19", imputation="ref_normal") for seed in range(20)])
    assert kstest(draws, "norm", args=(100, 300)).pvalue > 1e-3
    assert draws.min() < 0


def test_r21_does_so_the_first_time_and_cuts_at_zero():
    draws = [drawn(seed, profile="r21", imputation="ref_normal") for seed in range(20)]
    odd = [np.flatnonzero(~np.isin(one, [0, 1000])).tolist() for one in draws]
    assert [] in odd  # a negative first one became 0
    assert [0] in odd
    assert all(found in ([], [0]) for found in odd)


def farthest(cases, log: EventLog) -> float:
    """The largest distance of a released class to its activity's original durations, as a share of their range."""
    population, classes = defaultdict(list), defaultdict(list)
    for trace, seconds in cases:
        for activity, value in zip(trace, seconds, strict=True):
            population[activity].append(value)
    names = [log.labels[activity] for activity in log.activities]
    for start, stop in pairwise(log.offsets.tolist()):
        for event in range(start, stop):
            classes[tuple(names[start : event + 1])].append(log.attributes[DURATION][event])
    spread = {activity: np.ptp(values) for activity, values in population.items()}
    distances = [
        wasserstein_distance(population[node[-1]], values) / spread[node[-1]]
        for node, values in classes.items()
        if spread[node[-1]]
    ]
    return max(distances, default=0.0)


def test_t_on_release_holds_for_what_is_released():
    plain, checked = [], []
    for seed in range(60):
        cases = random_cases(seed)
        try:
            plain.append(farthest(cases, run(cases, seed, k=2, t=0.45).release))
            checked.append(farthest(cases, run(cases, seed, k=2, t=0.45, t_on_release=True).release))
        except Infeasible:
            continue
    assert max(plain) >= 0.45
    assert len(checked) >= 20
    assert max(checked) < 0.45


@pytest.mark.parametrize(
    ("value", "low", "high", "epsilon"), [(0, 0, 10, 1), (10, 0, 10, 1), (3, 2, 50, 0.1), (7, 0, 8, 9)]
)
def test_noise_follows_the_formula(value, low, high, epsilon):
    """The distribution function, by numerical integration of the density."""
    draws = bounded_laplace(*(np.full(20_000, float(x)) for x in (value, low, high)), epsilon, RNG(3))
    grid = np.linspace(low, high, 20_001)
    density = np.exp(-epsilon * np.abs(grid - value) / (high - low))
    mass = np.concatenate(([0], np.cumsum((density[1:] + density[:-1]) / 2)))
    assert kstest(draws, lambda x: np.interp(x, grid, mass / mass[-1])).pvalue > 1e-3
    assert low <= draws.min() <= draws.max() <= high


def test_noise_has_the_worked_mean():
    """[0, 10], epsilon 1, value 0: 10 - 10 / (e - 1)."""
    draws = bounded_laplace(np.zeros(40_000), np.zeros(40_000), np.full(40_000, 10.0), 1.0, RNG(1))
    assert draws.mean() == pytest.approx(10 - 10 / (np.e - 1), abs=3 * draws.std() / 200)


def test_noise_at_the_limits():
    same = np.full(5, 3.0)
    assert bounded_laplace(same, same, same, 1.0, RNG(1)).tolist() == [3] * 5
    outside = bounded_laplace(np.full(1000, 99.0), np.zeros(1000), np.full(1000, 1.0), 1e9, RNG(1))
    assert outside.min() > 0.999  # clamped first
    flat = bounded_laplace(np.zeros(10_000), np.zeros(10_000), np.ones(10_000), 1e-9, RNG(1))
    assert kstest(flat, "uniform").pvalue > 1e-3


def test_noise_on_a_release():
    cases = [(("A", "B", "B"), (0.0, float(case), 10.0)) for case in range(30)]
    outcome = run(cases, duration_epsilon=0.5)
    seconds = outcome.release.attributes[DURATION].reshape(30, 3)
    assert (seconds[:, 0] == 0).all()
    assert len(set(seconds[:, 2])) == 30
    assert seconds.min() >= 0
    assert seconds.max() <= 29
    assert outcome.diagnostics["duration_epsilon_event"] == outcome.diagnostics["nominal_epsilon"] == 0.5
    assert outcome.diagnostics["duration_epsilon_case"] is None
    assert outcome.diagnostics["bounds_from_data"]
    assert any("bounds" in note for note in outcome.notes)


def test_declared_bounds(tmp_path):
    file = tmp_path / "bounds.json"
    file.write_text(json.dumps({"A": [0, 0], "B": [5, 6], "unused": [0, 1]}))
    outcome = run([(("A", "B"), (0.0, 100.0))] * 4, duration_epsilon=2, duration_bounds=str(file))
    seconds = outcome.release.attributes[DURATION].reshape(4, 2)
    assert (seconds[:, 0] == 0).all()
    assert ((seconds[:, 1] >= 5) & (seconds[:, 1] <= 6)).all()
    assert outcome.diagnostics["duration_epsilon_case"] == 4
    assert not outcome.diagnostics["bounds_from_data"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"A": [0, 1]}', "no duration bounds of activity 'B'"),
        ('{"A": [0, 1], "B": [2, 1]}', "bounds of 'B' are"),
        ('{"A": [-1, 1], "B": [2, 3]}', "bounds of 'A' are"),
        ('{"A": [0], "B": [2, 3]}', "not JSON of duration bounds"),
        ("A: 1", "not JSON of duration bounds"),
    ],
)
def test_wrong_bounds_are_refused(tmp_path, text, message):
    file = tmp_path / "bounds.json"
    file.write_text(text)
    with pytest.raises(ParameterError, match=message):
        read_bounds(str(file), ("A", "B"))


def test_missing_bounds_are_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"none\.json"):
        read_bounds(str(tmp_path / "none.json"), ("A",))
