"""How costs grow: exponents, tables, what stands out, and the document of the committed measurements."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks import big, growth

README = big.ROOT / "benchmarks/README.md"


def row(share: float, cpu: float, status: str = "ok", **other) -> dict[str, object]:
    events = 1000 * share
    given = {"kind": "metric", "name": "m", "parameters": "release=r", "log": "bpic2017", "share": share, **other}
    return dict.fromkeys(big.COLUMNS, 1) | given | {"events": events, "cpu_s": cpu, "status": status, "reason": ""}


@pytest.fixture
def kept(tmp_path):
    """Keep runs in a table of their own and return it."""

    def keep(*rows: dict[str, object]) -> Path:
        big.keep(rows, tmp_path / "growth.csv")
        return tmp_path / "growth.csv"

    return keep


def test_the_exponent_of_a_power_is_found():
    events = np.array([10.0, 100, 1000])
    assert growth.exponent(events, 3 * events**1.5) == pytest.approx(1.5)


def test_runs_replace_their_former_lines_and_failures_have_no_exponent(kept):
    path = kept(row(0.25, 9), row(0.5, 2), row(1, 4), row(0.25, 1))
    assert [line["cpu_s"] for line in big.read(path)] == ["1", "2", "4"]
    [line] = growth.lines("metric", "cpu_s", path)
    assert line == {
        "metric": "m release=r",
        "bpic2017": "4", "bpic2018": "not measured", "bpic2019": "not measured",
        "bpic2017, exponent": "1.00 (1.00)",
        "bpic2018, exponent": "not measured", "bpic2019, exponent": "not measured",
    }  # fmt: skip
    kept(row(1, 4, "timeout"))
    [line] = growth.lines("metric", "cpu_s", path)
    assert (line["bpic2017"], line["bpic2017, exponent"]) == ("4, timeout", "not measured")
    assert growth.lines("mechanism", "cpu_s", path) == []


def test_a_part_of_a_log_is_named_where_the_whole_was_not_measured(kept):
    [line] = growth.lines("metric", "peak_mb", kept(row(1 / 16, 3, peak_mb=70), row(0.25, 3, peak_mb=90.4)))
    assert line["bpic2017"] == "90.4 at 1/4"


def test_what_grows_fast_and_costs_much_stands_out(kept):
    path = kept(
        *(row(share, 16 * share**1.5, name="fast") for share in (0.25, 0.5, 1)),
        *(row(share, 4 * share**1.5, name="cheap") for share in (0.25, 0.5, 1)),
        *(row(share, 16 * share, name="linear") for share in (0.25, 0.5, 1)),
        *(row(share, cost, name="tamed") for share, cost in ((0.25, 2), (0.5, 20), (1, 21))),
        *(row(share, 1, name="large", peak_mb=4000 * share**1.2) for share in (0.5, 1)),
    )
    assert [(of[1], log, why, cost) for of, log, why, cost in growth.findings(path)] == [
        ("fast", "bpic2017", "CPU: exponent 1.50", "16 s"),
        ("large", "bpic2017", "memory: exponent 1.20", "4000 MB"),
    ]


def test_what_was_stopped_or_not_measured_to_its_end_on_the_whole_log_stands_out(kept):
    path = kept(
        row(1 / 16, 7, name="part"),
        row(0.5, 8, name="stopped"), row(1, 300, "timeout", name="stopped"),
        row(1, 1, "memory", name="fat"),
    )  # fmt: skip
    assert [(of[1], why, cost) for of, _, why, cost in growth.findings(path)] == [
        ("fat", "memory", "1 s, memory"),
        ("part", "CPU: larger parts not measured", "7 s at 1/16"),
        ("stopped", "timeout", "300 s, timeout"),
        ("stopped", "CPU: larger parts not measured", "8 s at 1/2"),
    ]


def test_labels_name_what_is_varied():
    grid = "delta=0.2,mode=filtering,profile=code"
    assert growth.label(("mechanism", "amun", grid)) == "amun mode=filtering"
    assert growth.label(("metric", "emsc", "release=amun")) == "emsc"
    assert growth.label(("metric", "emsc", "release=shuffle")) == "emsc release=shuffle"


def test_what_was_never_measured_is_named(kept):
    path = kept(row(1, 1, name="volume"))
    assert "volume" not in growth.unmeasured(path)
    assert {"amun", "emsc", "membership", "mondrian"} <= {*growth.unmeasured(path)}


def test_the_committed_document_is_that_of_the_committed_measurements():
    assert growth.DOCUMENT.read_text() == growth.document(), "run python -m benchmarks.growth"
    labels = Counter((kind, growth.label((kind, *rest))) for kind, *rest in growth.series())
    assert max(labels.values()) == 1


def test_the_text_explains_all_that_stands_out():
    text = README.read_text().partition("\n## Big logs")[2]
    assert [name for (_, name, _), *_ in growth.findings() if f"`{name}`" not in text] == []


def test_the_committed_measurements_have_known_columns_and_figure(tmp_path):
    with open(big.GROWTH, newline="") as file:
        assert tuple(next(csv.reader(file))) == big.COLUMNS
    copy = tmp_path / "growth.csv"
    copy.write_bytes(big.GROWTH.read_bytes())
    growth.draw(copy)
    assert (tmp_path / "growth.png").stat().st_size > 10_000
