"""Synthetic logs in the shapes of large ones, and the growth of costs."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from benchmarks import big, growth
from benchmarks.shapes import HOUR, SHAPES, Shape, frequencies, generate, part, with_addresses

SMALL = Shape(
    cases=4000, events=60_000, activities=20, variants=1500, shortest=2, longest=150, usual=5, commonest=0.1,
    spread=0.6, days=100, mean_days=10, resolution=1000, start="2020-01-01",
)  # fmt: skip


@pytest.fixture(scope="module")
def log():
    return generate(SMALL, seed=3)


def test_counts_are_those_of_the_shape(log):
    assert (log.n_cases, log.n_events, len(log.variants)) == (4000, 60_000, 1500)
    assert len(np.unique(log.activities)) == len(log.labels) == 20
    assert (log.lengths.min(), log.lengths.max()) == (2, 150)


@pytest.mark.parametrize("name", SHAPES)
def test_the_published_counts_of_the_large_logs_are_met(name):
    shape, log = SHAPES[name], generate(SHAPES[name])
    assert (log.n_cases, log.n_events, len(log.variants)) == (shape.cases, shape.events, shape.variants)
    assert len(np.unique(log.activities)) == shape.activities
    assert (log.lengths.min(), log.lengths.max()) == (shape.shortest, shape.longest)


def test_variants_are_heavy_tailed_and_loop(log):
    counts = -np.sort(-log.variants.counts)
    assert counts[0] == 400
    assert (counts == 1).mean() > 0.5
    assert counts[:15].sum() > 0.3 * log.n_cases  # 1 % of the variants
    repeats = [len(np.unique(log.variants.sequence(v))) < len(log.variants.sequence(v)) for v in range(200)]
    assert np.mean(repeats) > 0.3


def test_times_rise_within_cases_and_have_the_wanted_mean(log):
    assert (log.gaps >= 0).all()
    durations = log.timestamps[log.offsets[1:] - 1] - log.timestamps[log.offsets[:-1]]
    assert durations.mean() / (24 * HOUR) == pytest.approx(10, rel=0.01)
    assert (log.timestamps % SMALL.resolution == 0).all()


def test_the_same_seed_gives_the_same_log_and_another_another(log):
    again, other = generate(SMALL, seed=3), generate(SMALL, seed=4)
    for name in ("activities", "timestamps", "offsets"):
        assert np.array_equal(getattr(log, name), getattr(again, name))
    assert not np.array_equal(log.activities, other.activities)


def test_parts_are_nested_and_keep_cases_whole(log):
    parts = [part(log, share) for share in (1 / 16, 1 / 4, 1)]
    assert [p.n_cases for p in parts] == [250, 1000, 4000]
    assert set(parts[0].case_ids) < set(parts[1].case_ids) < set(parts[2].case_ids)
    case = parts[0].case_ids.index(parts[0].case_ids[7])
    origin = log.case_ids.index(parts[0].case_ids[7])
    own, whole = (slice(*p.offsets[c : c + 2]) for p, c in ((parts[0], case), (log, origin)))
    assert np.array_equal(parts[0].activities[own], log.activities[whole])
    assert len(parts[0].variants) < len(parts[1].variants) < len(log.variants)


def test_addresses_are_those_of_cases(log):
    attributes = with_addresses(log).attributes
    for values in attributes.values():
        assert (values == values[log.offsets[:-1]][log.case_of_event]).all()
    octets = np.array([address.split(".") for address in np.unique(attributes["org:resource"])]).astype(int)
    assert octets.shape[1] == 4
    assert octets.min() >= 0
    assert octets.max() < 256


def test_frequencies_fall_as_a_power_of_the_rank():
    counts = frequencies(3_000, 500, 1_000)
    assert (counts.sum(), len(counts), counts[0], counts[-1]) == (3_000, 500, 1_000, 1)
    slope = np.polyfit(np.log(np.arange(1, 11)), np.log(counts[:10]), 1)[0]
    assert np.allclose(np.log(counts[:10]), np.log(1_000) + slope * np.log(np.arange(1, 11)), atol=0.1)
    with pytest.raises(ValueError, match="cannot make 100 cases"):
        frequencies(100, 500, 10)


def test_the_exponent_of_a_power_is_found():
    events = np.array([10.0, 100, 1000])
    assert growth.exponent(events, 3 * events**1.5) == pytest.approx(1.5)


def row(share, cpu, status="ok", **other):
    events = 1000 * share
    given = {"kind": "metric", "name": "m", "parameters": "release=r", "log": "bpic2017", "share": share, **other}
    return dict.fromkeys(big.COLUMNS, 1) | given | {"events": events, "cpu_s": cpu, "status": status, "reason": ""}


def test_runs_replace_their_former_lines_and_failures_have_no_exponent(tmp_path):
    path = tmp_path / "growth.csv"
    big.keep([row(0.25, 9), row(0.5, 2), row(1, 4), row(0.25, 1)], path)
    assert [line["cpu_s"] for line in big.read(path)] == ["1", "2", "4"]
    assert growth.lines(path)[0]["CPU exponents"].startswith("1.00 (1.00)")
    big.keep([row(1, 4, "timeout")], path)
    [line] = growth.lines(path)
    assert line["bpic2017"] == "4.00 s, 1 MB, timeout"
    assert line["CPU exponents"].startswith("-")


def test_the_committed_measurements_have_known_columns_and_figure(tmp_path):
    with open(big.GROWTH, newline="") as file:
        assert tuple(next(csv.reader(file))) == big.COLUMNS
    copy = tmp_path / "growth.csv"
    copy.write_bytes(big.GROWTH.read_bytes())
    growth.draw(copy)
    assert (tmp_path / "growth.png").stat().st_size > 10_000


def test_every_rule_of_a_mechanism_is_found_with_its_grid():
    grids = big._grids(big.ROOT)
    assert len(grids) == len(list(big.ROOT.glob("*/*/rule.smk")))
    assert grids["identity"] == (["log"], {})
    assert "delta" in grids["amun"][1]
    assert grids["mondrian"][0] == ["relation", "log"]
