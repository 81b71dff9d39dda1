"""Synthetic logs in the shapes of large ones, and what is run on them."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

from benchmarks import big, errors
from benchmarks.shapes import HOUR, SHAPES, Shape, frequencies, generate, part, with_addresses
from data.held_out import MEMBERS, split
from data.io import write_log
from metrics import linkage

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


def test_the_error_of_drawn_cases_is_that_of_half_of_a_small_log():
    log = part(generate(SMALL, seed=3), 1 / 64)
    lines = {line["value"]: line for line in errors.victims(log)}
    assert {line["limit"] for line in lines.values()} == {f"{log.n_cases // 2} of {log.n_cases} cases"}
    assert float(lines["candidate_alone_timed"]["exact"]) > 0.9
    found, _, half_width = lines["linkage_sequence_3"]["found"].split()
    assert abs(float(found) - float(lines["linkage_sequence_3"]["exact"])) < 2 * float(half_width)
    assert linkage.VICTIMS == 2_000


def test_every_rule_of_a_mechanism_is_found_with_its_grid():
    grids = big.grids(big.ROOT)
    assert len(grids) == len(list(big.ROOT.glob("*/*/rule.smk")))
    assert grids["identity"] == (["log"], {})
    assert "delta" in grids["amun"][1]
    assert grids["mondrian"][0] == ["relation", "log"]


@pytest.mark.parametrize("end", ["", MEMBERS])
def test_metrics_that_compare_with_cases_held_out_are_measured_on_runs_without_them_and_no_others(tmp_path, end):
    logs, folder = tmp_path / f"results/logs/small{end}", tmp_path / f"results/runs/shuffle/default/small{end}/0"
    assert big.MEMBERS == MEMBERS
    for created in (logs, folder):
        created.mkdir(parents=True)
    members, outsiders = split(generate(SMALL, seed=3), np.random.default_rng(1))
    for path in (logs / "log.parquet", folder / "release.parquet"):
        write_log(members, path)
    if end:
        write_log(outsiders, logs / "held_out.parquet")
    (folder / "run.json").write_text(json.dumps({"mechanism": "shuffle", "seed": 1}))
    found = {line["name"]: line for line in big.scored(tmp_path, folder, ["volume", "membership"])}
    [name] = found
    assert name == ("membership" if end else "volume")
    assert (found[name]["parameters"], found[name]["status"]) == ("release=shuffle", "ok")


def test_metrics_that_cannot_be_measured_are_an_error(tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        list(big.scored(tmp_path, tmp_path / "results/runs/amun/default/missing/0"))
