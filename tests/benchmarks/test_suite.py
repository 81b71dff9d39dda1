"""The suite of benchmarks: paired rounds, parts measured apart, and the document of what was measured."""

from __future__ import annotations

import sys
import types

import pytest

from benchmarks import __main__ as command
from benchmarks import peers, suite
from benchmarks.task import Measured, Task

ORDER: list[str] = []


def done_by(program: str, cpu_s: float):
    def run(number: int) -> Measured:
        ORDER.append(program)
        return Measured(cpu_s * (number + 1), 1.0, 100.0, 7)

    return run


@pytest.fixture
def parts(monkeypatch, tmp_path):
    """Two parts that measure nothing real."""
    ORDER.clear()
    one = types.SimpleNamespace(
        tasks=lambda inputs: [
            Task("sort", "log", done_by("ours", 0.5), "other", done_by("other", 2.0)),
            Task("alone", "log", done_by("ours", 1.0)),
        ],
        __doc__="Sorting.",
    )
    two = types.SimpleNamespace(tasks=lambda inputs: [Task("wait", "log", done_by("ours", 3.0))], __doc__="Waiting.")
    monkeypatch.setattr(suite, "PARTS", {"One": one, "Two": two})
    monkeypatch.setattr(suite, "MEASURED", tmp_path / "suite.csv")
    return tmp_path


def test_rounds_are_paired_and_take_turns(parts):
    suite.measure("One", parts, rounds=3)
    assert ORDER == ["ours", "other", "other", "ours", "ours", "other", "ours", "ours", "ours"]
    found = suite.tasks(suite.read())
    paired = found["One", "sort", "log", "other"]
    assert suite.ratios(paired, "other") == [4.0, 4.0, 4.0]
    assert [line["round"] for line in paired["other"]] == ["0", "1", "2"]


def test_the_table_has_medians_and_ratios_with_their_range(parts):
    suite.measure("One", parts, rounds=3)
    paired, alone = suite.table(suite.read())
    assert (paired["CPU s"], paired["peer CPU s"], paired["peer / ours"]) == ("1", "4", "4 (4 to 4)")
    assert (paired["size"], paired["peer size"], paired["peer"]) == ("7", "7", "other")
    assert (alone["CPU s"], "peer" in alone) == ("2", False)


def test_a_part_measured_anew_leaves_the_others(parts):
    suite.measure("Two", parts, rounds=2)
    suite.measure("One", parts, rounds=1)
    before = suite.read()
    suite.measure("One", parts, rounds=2)
    after = suite.read()
    assert [line for line in after if line["part"] == "Two"] == [line for line in before if line["part"] == "Two"]
    assert {line["round"] for line in after if line["part"] == "One"} == {"0", "1"}
    assert [line["part"] for line in after] == ["One"] * 6 + ["Two"] * 2


def test_the_document_keeps_what_is_not_of_the_suite(parts):
    suite.measure("One", parts, rounds=1)
    text = command.document(suite.read())
    assert "Sorting." in text
    assert "Waiting." not in text
    assert "in 1 rounds" in text
    assert command.kept(text) == ""
    assert command.kept(f"{text}\n## Big logs\n\nA text.\n") == "\n## Big logs\n\nA text.\n"


def test_every_peer_is_pinned_to_exact_versions():
    for peer in peers.PEERS:
        lines = (peers.ROOT / "benchmarks/peers" / f"{peer}.txt").read_text().splitlines()
        assert all("==" in line for line in lines if not line.startswith("#"))
        assert any(line.startswith(f"{peer}==") for line in lines)


def create(folder, **_) -> None:
    """In place of an environment of its own, which takes seconds to make: the one that runs the tests."""
    python = folder / "bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def test_a_peer_that_cannot_be_installed_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(peers.venv, "create", create)
    pins = tmp_path / "benchmarks/peers"
    pins.mkdir(parents=True)
    (pins / "none.txt").write_text("not a requirement\n")
    monkeypatch.setattr(peers, "ROOT", tmp_path)
    with pytest.raises(peers.PeerError, match="none cannot be installed from"):
        peers.interpreter("none")
