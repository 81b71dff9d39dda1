"""The shared command line, as a data owner meets it: files, exit codes, sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from data.files import write_json
from data.io import read_log, write_log
from data.log import EventLog, empty_log
from data.origins import read_origins
from mechanisms import Infeasible, Outcome, ParameterError, cli

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def log_file(tmp_path) -> Path:
    n = 120
    cases = np.repeat([f"secret {i}" for i in range(n)], 2)
    times = np.arange(n).repeat(2) * 86_400_000_000 + np.tile([0, 3_600_000_000], n)
    path = tmp_path / "in.xes.gz"
    write_log(EventLog.from_rows(cases, ["A", "B"] * n, times), path)
    return path


def process(*arguments: object, notes: Path | None = None) -> subprocess.CompletedProcess:
    environment = {key: value for key, value in os.environ.items() if key != "RUN_NOTES"}
    if notes:
        environment["RUN_NOTES"] = str(notes)
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def options():
    parsed = cli.parser("example", "An example.")
    parsed.add_argument("--size", type=int, default=3)
    return parsed


def keep(log, *, size, rng):
    """A mechanism that keeps the first cases, and draws something."""
    rng.random()
    release = log.take(np.arange(size), [f"new {case}" for case in range(size)])
    return Outcome(release, diagnostics={"private": size}, resolved={"size": size + 0.5})


def refuse(log, *, size, rng):
    raise Infeasible("the log is too small; use a larger one")


def reject(log, *, size, rng):
    raise ParameterError("size must be even")


def test_release_and_account(log_file, tmp_path, capsys):
    assert cli.run(options(), keep, [str(log_file), str(tmp_path / "out.csv"), "--size", "5"]) == 0
    assert read_log(tmp_path / "out.csv").case_ids == tuple(f"new {i}" for i in range(5))
    printed = capsys.readouterr().out
    assert "in:  120 cases, 240 events, 1 variants" in printed
    assert "out: 5 cases, 10 events, 1 variants" in printed
    assert "fresh entropy" in printed


def test_notes_hold_resolved_parameters_phases_versions_and_private_figures(log_file, tmp_path, monkeypatch):
    monkeypatch.setenv("RUN_NOTES", str(tmp_path / "notes.json"))
    cli.run(options(), keep, [str(log_file), str(tmp_path / "out.csv"), "--seed", "1"])
    notes = json.loads((tmp_path / "notes.json").read_text())
    assert notes["parameters"] == {"size": 3.5}
    assert set(notes["phases"]) == {"read_s", "mechanism_s", "write_s"}
    assert notes["versions"]["numpy"] == np.__version__
    assert notes["diagnostics"] == {"private": 3, "import_warnings": [], "generator": "PCG64", "seeded": True}


def test_origins_are_written_where_they_are_asked_for_and_never_into_the_release(log_file, tmp_path, monkeypatch):
    def backwards(log, *, size, rng):
        order = np.arange(log.n_cases)[::-1]
        return Outcome(log.take(order, [f"new {case}" for case in order]), origins=order)

    cli.run(options(), backwards, [str(log_file), str(tmp_path / "out.parquet")])
    monkeypatch.setenv("RUN_ORIGINS", str(tmp_path / "origins.parquet"))
    cli.run(options(), backwards, [str(log_file), str(tmp_path / "again.parquet")])
    assert (tmp_path / "out.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    assert read_origins(tmp_path / "origins.parquet", 120, 120).tolist() == list(range(119, -1, -1))


def test_what_the_import_changed_is_a_note_and_no_raw_warning(tmp_path):
    event = '<event><string key="concept:name" value="A"/>{}</event>'
    dated = event.format('<date key="time:timestamp" value="2020-01-01T00:00:00Z"/>')
    case = '<string key="concept:name" value="1"/>'
    (tmp_path / "in.xes").write_text(f"<log><trace>{case}{dated}{event.format('')}</trace></log>")
    notes = tmp_path / "notes.json"
    run = process("mechanisms.identity", tmp_path / "in.xes", tmp_path / "out.csv", notes=notes)
    assert (run.returncode, run.stderr) == (0, "")
    (warning,) = json.loads(notes.read_text())["diagnostics"]["import_warnings"]
    assert "events_without_time = 1" in warning
    assert f"note: {warning}" in run.stdout


@pytest.mark.filterwarnings("error")
def test_versions_are_read_without_deprecated_attributes(monkeypatch):
    class Deprecated(ModuleType):
        def __getattr__(self, name):
            warnings.warn(f"{name} is deprecated", DeprecationWarning, stacklevel=2)
            return "1.0"

    monkeypatch.setitem(sys.modules, "deprecated_example", Deprecated("deprecated_example"))
    versions = cli.loaded_versions()
    assert "deprecated_example" not in versions
    assert versions["numpy"] == np.__version__


def test_a_small_log_and_a_seed_are_remarked_on(tmp_path, capsys):
    write_log(EventLog.from_rows(["1", "2", "3"], ["A"] * 3, np.arange(3)), tmp_path / "in.parquet")
    cli.run(options(), keep, [str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet"), "--seed", "1"])
    printed = capsys.readouterr().out
    assert "only 3 cases" in printed
    assert "for experiments only" in printed


def test_a_refusal_is_exit_3_with_its_reason_and_no_file(log_file, tmp_path, capsys):
    assert cli.run(options(), refuse, [str(log_file), str(tmp_path / "out.csv")]) == 3
    assert capsys.readouterr().err == "the log is too small; use a larger one\n"
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("arguments", [["--size", "many"], ["--seed", "-1"], ["--seed", "x"], ["--unknown", "1"]])
def test_bad_usage_is_exit_2(log_file, tmp_path, arguments):
    with pytest.raises(SystemExit, match="2"):
        cli.run(options(), keep, [str(log_file), str(tmp_path / "out.csv"), *arguments])


def test_a_parameter_that_the_mechanism_rejects_is_exit_2_with_its_sentence(log_file, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.run(options(), reject, [str(log_file), str(tmp_path / "out.csv")])
    assert "size must be even" in capsys.readouterr().err


def test_an_unreadable_log_and_an_unwritable_release_are_exit_1(log_file, tmp_path, capsys):
    (tmp_path / "broken.parquet").write_bytes(b"nothing")
    assert cli.run(options(), keep, [str(tmp_path / "broken.parquet"), str(tmp_path / "out.csv")]) == 1
    assert "broken.parquet" in capsys.readouterr().err
    assert cli.run(options(), keep, [str(log_file), str(tmp_path / "out.unknown")]) == 1
    assert "unknown kind of file" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_bytes(log_file, tmp_path):
    for name in ("one", "two"):
        arguments = ("--delta", 0.3, "--mode", "sampling", "--seed", 7)
        run = process("mechanisms.amun", log_file, tmp_path / f"{name}.parquet", *arguments)
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_data_owner_gets_the_defensible_profile_without_asking(log_file, tmp_path):
    arguments = ("--delta", 0.3, "--mode", "sampling", "--seed", 7)
    notes = tmp_path / "notes.json"
    run = process("mechanisms.amun", log_file, tmp_path / "out.xes.gz", *arguments, notes=notes)
    assert run.returncode == 0, run.stderr
    assert "nominal epsilon: 1.23808" in run.stdout
    assert "composed" not in run.stdout
    assert "not public, which breaks the guarantee: dates, max_length, max_duration" in run.stdout
    assert json.loads(notes.read_text())["parameters"]["profile"] == "hardened"
    assert not any("secret" in case for case in read_log(tmp_path / "out.xes.gz").case_ids)
    bounds = ("--dates", "2000-01-01", "2030-01-01", "--max-length", 5)
    run = process("mechanisms.amun", log_file, tmp_path / "out.xes.gz", *arguments, *bounds)
    assert "composed epsilon: 2.47616" in run.stdout


def test_amun_refuses_by_exit_code(log_file, tmp_path):
    run = process("mechanisms.amun", log_file, tmp_path / "out.csv", "--delta", 0.3, "--mode", "filtering")
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr.startswith("profile hardened has no mode filtering")
    run = process("mechanisms.amun", log_file, tmp_path / "out.csv", "--delta", 1.5)
    assert run.returncode == 2
    assert "delta must lie between 0 and 1, both excluded; it is 1.5" in run.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("identity", []),
        ("shuffle", []),
        ("amun", ["--delta", 0.3]),
        ("amun", ["--delta", 0.3, "--profile", "code", "--mode", "filtering"]),
    ],
)
def test_a_run_loads_no_heavy_library(log_file, tmp_path, monkeypatch, name, arguments):
    parquet = tmp_path / "in.parquet"
    write_log(read_log(log_file), parquet)
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")  # every imported module on standard error
    run = process(f"mechanisms.{name}", parquet, tmp_path / "out.parquet", *arguments)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in run.stderr.splitlines()}
    assert run.returncode == 0
    assert "numpy" in loaded
    assert not {"pandas", "scipy", "pm4py", "matplotlib", "ot", "numba"} & loaded


def test_epsilons_of_a_log_as_an_input_for_others(log_file, tmp_path):
    out = tmp_path / "epsilons.json"
    run = process("mechanisms.amun.epsilons", log_file, out, "--delta", 0.2, "--delta", 0.3, "--profile", "code")
    assert run.returncode == 0, run.stderr
    rows = json.loads(out.read_text())["epsilons"]
    assert [(row["delta"], row["filtered"]) for row in rows] == [(0.2, False), (0.2, True), (0.3, False), (0.3, True)]
    # One constant group: durations have eps_d; starts lie on days of their own, P_k = 1/120.
    assert [rows[2]["minimum"], rows[2]["eps_d"]] == pytest.approx([1.238078, 1.238078], abs=1e-6)
    assert rows[2]["maximum"] == pytest.approx(np.log((119 / 120) * (1 / 120 + 0.3) / ((1 / 120) * (0.7 - 1 / 120))))
    assert run.stdout == ""
    run = process("mechanisms.amun.epsilons", log_file, out, "--delta", 2)
    assert (run.returncode, "delta must lie" in run.stderr) == (2, True)
    run = process("mechanisms.amun.epsilons", tmp_path / "absent.csv", out, "--delta", 0.2)
    assert (run.returncode, "no such file" in run.stderr) == (1, True)


def test_json_is_written_whole_or_not_at_all(tmp_path):
    write_json({"old": 1}, tmp_path / "file.json")
    with pytest.raises(ValueError, match="JSON"):
        write_json({"new": float("nan")}, tmp_path / "file.json")
    assert json.loads((tmp_path / "file.json").read_text()) == {"old": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["file.json"]


def test_an_empty_release_is_written(log_file, tmp_path):
    def drop(log, *, size, rng):
        return Outcome(empty_log())

    assert cli.run(options(), drop, [str(log_file), str(tmp_path / "out.parquet")]) == 0
    assert read_log(tmp_path / "out.parquet").n_cases == 0
