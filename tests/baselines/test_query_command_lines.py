"""The command lines of the queries, as a data owner meets them, and their releases in users' tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from query_logs import log_of, traces

from conftest import ROOT
from data.graph import read_graph
from data.io import read_log, write_log
from data.log import EventLog

QUERIES = ("tvq", "sacofa")
OPTIONS = {
    "tvq": ["--max-length", "mean+1", "--pruning", "5%"],
    "sacofa": ["--max-length", "mean", "--pruning", "5%"],
    "dfg_query": [],
}


@pytest.fixture
def log_file(tmp_path):
    path = tmp_path / "in.parquet"
    write_log(log_of({"abc": 150, "acb": 60, "aabc": 40}), path)
    return path


def process(name: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", f"baselines.{name}", *map(str, arguments)]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", OPTIONS)
def test_a_run_releases_and_loads_nothing_heavy_and_no_other_mechanism(name, log_file, tmp_path):
    out, notes = tmp_path / "out.parquet", tmp_path / "notes.json"
    environment = {"PYTHONPROFILEIMPORTTIME": "1", "RUN_NOTES": str(notes)}  # modules on standard error
    run = process(name, log_file, out, "--epsilon", 1, "--seed", 7, *OPTIONS[name], **environment)
    assert run.returncode == 0, run.stderr
    assert "nominal epsilon: 1" in run.stdout
    assert "composed epsilon: " in run.stdout
    modules = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
    assert not {"pandas", "scipy", "pm4py", "matplotlib", "ot", "numba"} & {module.split(".")[0] for module in modules}
    others = {"mechanisms.amun", *(f"baselines.{other}" for other in (*OPTIONS, "pripel") if other != name)}
    assert not others & modules
    assert json.loads(notes.read_text())["parameters"]["epsilon"] == 1


def test_epsilons_of_a_file_or_none(log_file, tmp_path):
    out, epsilons, notes = tmp_path / "out.parquet", tmp_path / "epsilons.json", tmp_path / "notes.json"
    command = [sys.executable, "-m", "mechanisms.amun.epsilons", str(log_file), str(epsilons), "--delta", "0.3"]
    subprocess.run(command, cwd=ROOT, check=True)
    given = ["--epsilon", "amun-max@0.3", "--epsilons", epsilons]
    assert process("tvq", log_file, out, *given, RUN_NOTES=str(notes)).returncode == 0
    row = json.loads(epsilons.read_text())["epsilons"][0]
    assert json.loads(notes.read_text())["parameters"]["epsilon"] == row["maximum"]
    run = process("tvq", log_file, out, "--epsilon", "amun-max@0.2", "--epsilons", epsilons)
    assert (run.returncode, "has no maximum of Amun's epsilons at delta 0.2" in run.stderr) == (2, True)
    # As a rule writes it whose input has no such file.
    assert process("tvq", log_file, out, "--epsilons", "--epsilon", 1).returncode == 0
    run = process("tvq", log_file, out, "--epsilon", "amun-max@0.3", "--epsilons")
    assert (run.returncode, "needs their file" in run.stderr) == (2, True)


def test_an_explosion_is_exit_3(tmp_path):
    path = tmp_path / "in.parquet"
    write_log(log_of({"abcdefghijklmnopqrst": 30}), path)
    run = process("tvq", path, tmp_path / "out.parquet", "--epsilon", 0.1, "--pruning", 5)
    assert (run.returncode, run.stdout) == (3, "")
    assert "prefixes are to be expected, 5000000 are allowed" in run.stderr
    assert "Traceback" not in run.stderr


def test_names_of_programs():
    for name in OPTIONS:
        assert process(name, "--help").stdout.startswith(f"usage: python -m baselines.{name} ")


def test_a_graph_is_written_as_a_table(log_file, tmp_path):
    run = process("dfg_query", log_file, tmp_path / "out.csv", "--epsilon", 2, "--profile", "accounted")
    assert run.returncode == 0, run.stderr
    assert "out: 3 activities, " in run.stdout
    assert len(read_graph(tmp_path / "out.csv")) > 3
    run = process("dfg_query", log_file, tmp_path / "out.xes", "--epsilon", 2)
    assert (run.returncode, "use one of .parquet, .csv" in run.stderr) == (1, True)


@pytest.fixture(scope="module")
def pm4py():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pm4py")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("suffix", ["xes.gz", "csv", "parquet"])
def test_pm4py_opens_a_release_in_order_and_discovers_a_model(name, suffix, pm4py, log_file, tmp_path):
    import pandas as pd

    out = tmp_path / f"out.{suffix}"
    run = process(name, log_file, out, "--epsilon", 1, "--seed", 7, *OPTIONS[name])
    assert run.returncode == 0, run.stderr
    readers = {"xes.gz": pm4py.read_xes, "csv": pd.read_csv, "parquet": pd.read_parquet}
    frame = pm4py.format_dataframe(readers[suffix](str(out)))
    assert Counter(pm4py.get_variants(frame)) == traces(read_log(out))
    assert (pd.to_datetime(frame["time:timestamp"]) == pd.Timestamp(0, tz="UTC")).all()
    tree = pm4py.discover_process_tree_inductive(frame)
    assert set("abc") >= {leaf.label for leaf in leaves(tree) if leaf.label} != set()


def leaves(tree) -> list:
    return [leaf for child in tree.children for leaf in leaves(child)] or [tree]


def test_order_survives_sorting_by_time():
    """All times of a release are equal: a stable sort by case and time keeps the order."""
    log = log_of({"cab": 1, "bca": 2})
    untimed = EventLog(log.activities, np.zeros(log.n_events), log.offsets, log.labels, log.case_ids)
    frame = untimed.to_frame().sort_values(["case:concept:name", "time:timestamp"], kind="stable")
    assert traces(EventLog.from_frame(frame)) == traces(log)
