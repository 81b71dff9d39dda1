"""The command lines of Datafly, Incognito, Mondrian and truncation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from baselines import mondrian
from baselines.relational import command
from conftest import ROOT
from data.origins import read_origins
from data.relation import CATEGORY, IPV4, Column, Relation
from data.relation_io import read_relation, write_relation
from data.release import read_release

MECHANISMS = {
    "datafly": ["--suppression", "1%"],
    "incognito": ["--suppression", "10", "--octet-levels", "0234"],
    "mondrian": ["--rule", "lhs_rhs"],
    "truncation": ["--prefix", "16"],
}


@pytest.fixture
def table(tmp_path) -> Path:
    """300 pairs of user and address."""
    rng = np.random.default_rng(5)
    addresses = (rng.integers(1, 4, 300) << 24) + (rng.integers(0, 30, 300) << 16) + rng.integers(0, 1 << 16, 300)
    users = Column(rng.permutation(300) % 15, CATEGORY, tuple(f"secret{user}" for user in range(15)))
    columns = {"user": users, "ip": Column(addresses, IPV4), "n": Column(np.arange(300) % 3)}
    path = tmp_path / "in.csv"
    write_relation(Relation(columns), path)
    return path


def process(name: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
    outer = {key: value for key, value in os.environ.items() if key not in ("RUN_NOTES", "RUN_ORIGINS")}
    return subprocess.run(
        [sys.executable, "-m", f"baselines.{name}", *map(str, arguments)],
        cwd=ROOT,
        env={**outer, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", MECHANISMS)
def test_release_classes_origins_and_account(table, tmp_path, name):
    files = ("out.parquet", "classes.csv", "notes.json", "origins.parquet")
    out, classes, notes, origins = (tmp_path / file for file in files)
    arguments = (table, out, "--attributes", "ip", "--k", 10, *MECHANISMS[name], "--classes", classes, "--seed", 7)
    run = process(name, *arguments, RUN_NOTES=str(notes), RUN_ORIGINS=str(origins), PYTHONPROFILEIMPORTTIME="1")
    assert run.returncode == 0, run.stderr
    release, record = read_release(out), json.loads(notes.read_text())
    found = record["diagnostics"]
    assert "in:  300 rows, columns user, ip, n" in run.stdout
    sizes = release.published_sizes
    line = f"out: 300 rows, {len(sizes)} classes of {sizes.min()} to {sizes.max()} rows, {release.suppressed} rows"
    assert line in run.stdout
    assert f"discernibility: {found['discernibility']}" in run.stdout
    assert ("levels: ip.1 " in run.stdout) == (name in ("datafly", "incognito"))
    assert "seed" not in run.stdout  # nothing is drawn
    # The class of every row of the input holds its address.
    table_of = read_relation(classes)
    assert table_of["row"].values.tolist() == list(range(1, 301))
    ip = read_relation(table)["ip"].values
    values = {"ip": ip} | {f"ip.{i}": ip >> shift & 255 for i, shift in enumerate((24, 16, 8, 0), start=1)}
    number = table_of["class"].values - 1
    assert (number < 0).sum() == release.suppressed
    for attribute, recoded in release.recoded.items():
        inside = values[attribute][number >= 0]
        assert (recoded.low[number[number >= 0]] <= inside).all()
        assert (inside <= recoded.high[number[number >= 0]]).all()
    assert np.bincount(number[number >= 0]).tolist() == sizes.tolist()
    # The private link, beside the record.
    origin = read_origins(origins, 300, 300)
    assert sorted(origin.tolist()) == list(range(300))
    assert (np.where(number < 0, release.n_classes - 1, number)[origin] == release.classes).all()
    assert b"secret" not in out.read_bytes()
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in run.stderr.splitlines()}
    assert "numpy" in loaded
    assert not {"scipy", "pm4py", "matplotlib"} & loaded


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_run_of_the_harness_loads_no_heavy_library(table, tmp_path, name):
    write_relation(read_relation(table), tmp_path / "in.parquet")
    arguments = (tmp_path / "in.parquet", tmp_path / "out.parquet", "--attributes", "ip", "--k", 10, *MECHANISMS[name])
    run = process(name, *arguments, PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in run.stderr.splitlines()}
    assert run.returncode == 0
    assert not {"pandas", "scipy", "pm4py", "matplotlib", "numba"} & loaded


def test_rows_of_a_release_stand_in_the_order_of_their_classes(table, tmp_path):
    process("mondrian", table, tmp_path / "one.csv", "--attributes", "ip,user", "--k", 5)
    lines = table.read_text().splitlines()
    (tmp_path / "again.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]))
    process("mondrian", tmp_path / "again.csv", tmp_path / "two.csv", "--attributes", "ip,user", "--k", 5)
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    assert (tmp_path / "one.csv").read_text().startswith('"ip","ip_lo","ip_hi","user"\n')


def test_users_as_the_unit_and_columns_to_keep(table, tmp_path):
    arguments = ("--attributes", "ip", "--k", 10, "--unit", "user", "--keep", "n")
    run = process("mondrian", table, tmp_path / "out.parquet", *arguments)
    assert run.returncode == 0, run.stderr
    release = read_release(tmp_path / "out.parquet")
    assert list(release.kept) == ["n"]
    by_rows = mondrian.release(read_relation(table), k=10, attributes="ip", rng=np.random.default_rng(1))
    assert release.n_classes < by_rows.n_classes
    assert sorted(release.kept["n"].values.tolist()) == [0] * 100 + [1] * 100 + [2] * 100


def test_files_without_names_and_a_folder_of_hierarchies(tmp_path):
    (tmp_path / "in.txt").write_text("31;nurse\n32;nurse\n44;surgeon\n47;porter\n")
    (tmp_path / "role.csv").write_text("nurse;care;*\nsurgeon;care;*\nporter;house;*\n")
    arguments = ("--columns", "age,role", "--separator", ";", "--attributes", "role", "--k", 3, "--suppression", "25%")
    run = process("datafly", tmp_path / "in.txt", tmp_path / "out.csv", *arguments, "--hierarchies", tmp_path)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "out.csv").read_text() == '"role"\n' + '"care"\n' * 3 + '"*"\n'
    assert "levels: role 1" in run.stdout


def test_what_is_drawn_is_remarked_on(table, tmp_path):
    arguments = (table, tmp_path / "out.parquet", "--attributes", "ip", "--k", 10, "--rule", "relaxed", "--seed", 3)
    first = process("mondrian", *arguments)
    assert "seed 3: repeatable, for experiments only" in first.stdout
    content = (tmp_path / "out.parquet").read_bytes()
    process("mondrian", *arguments)
    assert (tmp_path / "out.parquet").read_bytes() == content


@pytest.mark.parametrize(
    ("name", "arguments", "code", "message"),
    [
        ("mondrian", ["--attributes", "ip", "--k", "301"], 3, "the input has 300 rows, fewer than k = 301"),
        ("mondrian", ["--attributes", "address", "--k", "2"], 2, "no column 'address'; the input has user, ip, n"),
        ("mondrian", ["--attributes", "ip", "--k", "2", "--unit", "who"], 2, "unit: no column 'who'"),
        ("datafly", ["--attributes", "ip", "--k", "2", "--suppression", "-3"], 2, "suppression"),
        ("datafly", ["--attributes", "ip", "--k", "2", "--hierarchies", "absent"], 1, "holds no hierarchy of ip.1"),
        ("incognito", ["--attributes", "ip", "--k", "2", "--octet-levels", "4"], 2, "octet_levels must be rising"),
        ("truncation", ["--attributes", "n", "--prefix", "8"], 2, "'n' holds no IPv4 addresses"),
        ("mondrian", ["--attributes", "", "--k", "2"], 2, "attributes must name at least one column"),
    ],
)
def test_bad_usage_and_refusals(table, tmp_path, name, arguments, code, message):
    run = process(name, table, tmp_path / "out.csv", *arguments)
    assert (run.returncode, message in run.stderr) == (code, True), run.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "user,ip\n1,10.0.0.1\n2,2001:db8::7\n",
            "row 2: '2001:db8::7' in column 'ip' is an IPv6 address, which is not",
        ),
        ("user,ip\n1,10.0.0.1\n2,10.0.0.999\n", "row 2: '10.0.0.999' in column 'ip' is no IPv4 address"),
        ("user,ip\n1,10.0.0.1\n,10.0.0.9\n", "row 2: column 'user' is empty; fill or drop such rows"),
        ("user,ip\n", "the input has 0 rows, fewer than k = 2"),
    ],
)
def test_bad_tables_are_refused(tmp_path, capsys, content, message):
    (tmp_path / "in.csv").write_text(content)
    options = command.parser("mondrian", "")
    options.add_argument("--k", type=int)
    arguments = [str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), "--attributes", "ip", "--k", "2"]
    assert command.run(options, mondrian.anonymize, arguments) in (1, 3)
    assert message in capsys.readouterr().err
