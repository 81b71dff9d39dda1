"""Tables of rows through the workflow, and event logs through the mechanisms of tables."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from projects import copy_project, edit, jobs, snakemake

from conftest import ROOT
from data.io import read_log
from data.relation_io import read_relation
from data.release import read_release

OF_TABLES = {path.parent.name for path in ROOT.glob("*/*/rule.smk") if 'reads="relation' in path.read_text()}
SMALL = {"k": [5]}
TABLES = {
    "tables": {
        "title": "Tables",
        "logs": ["access_small", "mine"],
        "grids": {
            "datafly": {**SMALL, "suppression": [10]},
            "incognito": SMALL,
            "mondrian": {**SMALL, "attributes": ["ip"], "rule": ["lhs_rhs"], "unit": ["user"]},
            "truncation": {"prefix": [16]},
        },
        "metrics": ["discernibility"],
        "class_figures": ["sizes", "intervals"],
        "reported": "claims.csv",
    }
}
SESSIONS = {
    "sessions": {
        "title": "Sessions",
        "logs": ["access_sessions_small"],
        "mechanisms": ["identity", "mondrian"],
        "grids": {"mondrian": {**SMALL, "attributes": ["org:resource"], "rule": ["lhs_rhs"], "unit": ["user"]}},
        "metrics": ["isolated_hour"],
    }
}
MONDRIAN = "attributes=ip,k=5,rule=lhs_rhs,scope=dimension,width=region,encoding=integer,rendering=cidr,unit=user"


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A project whose experiment on tables has been run."""
    project = copy_project(tmp_path_factory.mktemp("relations") / "project")
    rows = "\n".join(f"{n % 40};10.0.{n % 7}.{n};x" for n in range(60))
    (project / "mine.csv").write_text(f"customer;ip;note\n{rows}\n{rows}\n")
    columns = "id,source,log,mechanism,parameters,metric,kind,reported,tolerance,runs,than,unlike,note"
    claim = f'1,S,access_small,mondrian,"{MONDRIAN}",classes,value,240,,,,,'
    (project / "claims.csv").write_text(f"{columns}\n{claim}\n")
    options = {"separator": ";", "user": "customer", "distinct": ["customer", "ip"]}
    datasets = {"mine": {"path": "mine.csv", "kind": "relation", "options": options}}
    config = {"repeats": 1, "timeout": 60, "datasets": datasets, "experiments": TABLES}
    (project / "test.yaml").write_text(yaml.safe_dump(config))
    snakemake(project)
    return project


@pytest.fixture(scope="module")
def sessions(finished) -> Path:
    """The same project in which the mechanisms of tables have also run on an event log."""
    (finished / "sessions.yaml").write_text(yaml.safe_dump({"repeats": 1, "timeout": 60, "experiments": SESSIONS}))
    snakemake(finished, "--configfile", "sessions.yaml", "--", "results/sessions/scores.csv")
    return finished


def runs(project: Path, log: str) -> dict[str, dict]:
    """The record of the first repeat by mechanism."""
    found = {path: json.loads(path.read_text()) for path in project.glob(f"results/runs/*/*/{log}/0/run.json")}
    return {record["mechanism"]: {**record, "folder": path.parent} for path, record in found.items()}


def test_every_mechanism_of_tables_keeps_the_contract(finished):
    for log in ("access_small", "mine"):
        original = read_relation(finished / f"results/logs/{log}/log.parquet")
        assert original.names == ("user", "ip")
        assert runs(finished, log).keys() == OF_TABLES
        for record in runs(finished, log).values():
            assert record["status"] == "ok", record["reason"]
            file = record["folder"] / "release.parquet"
            assert record["release_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
            release = read_release(file)
            assert release.n_rows == original.n_rows
            names = {name.partition(".")[0] for name in pq.read_schema(file).names}
            assert names <= {"ip", "ip_lo", "ip_hi"}, "the user is not released"
            origins = pq.read_table(record["folder"] / "origins.parquet")["origin"].to_numpy()
            assert sorted(origins.tolist()) == list(range(original.n_rows))
            if record["mechanism"] != "truncation":
                assert release.published_sizes.min() >= record["parameters"]["k"] == 5


def test_a_table_of_ones_own_is_projected_and_freed_of_repeated_rows(finished):
    statistics = json.loads((finished / "results/logs/mine/statistics.json").read_text())
    assert (statistics["rows"], statistics["import"]) == (60, {"rows": 120, "rows_repeated": 60})


def test_tables_and_figures(finished):
    results = finished / "results/tables"
    for name in ("logs", "utility", "discernibility", "reported"):
        assert "access_small†" in (results / "tables" / f"{name}.md").read_text()
    assert re.search(r"\d+ \(240\)", (results / "tables/reported.md").read_text())
    assert "confirms nothing" in (results / "tables/reported.md").read_text()
    for log in ("access_small", "mine"):
        for figure in ("sizes.png", "sizes.pdf", "intervals.png"):
            assert (results / "classes" / log / figure).stat().st_size > 1000
    with open(results / "scores.csv") as file:
        rows = list(csv.DictReader(file))
    assert {row["mechanism"] for row in rows} == OF_TABLES
    claims = {row["value"] for row in rows if row["metric"] in ("claim_k_rows", "claim_k_unit") and row["value"]}
    assert claims == {"1.0"}
    assert "emd_variants" not in {row["metric"] for row in rows}
    with open(results / "qc.csv") as file:
        assert "error" not in {row["severity"] for row in csv.DictReader(file)}


def test_an_event_log_is_released_with_its_resource_recoded(sessions):
    log = read_log(sessions / "results/logs/access_sessions_small/log.parquet")
    record = runs(sessions, "access_sessions_small")["mondrian"]
    release = read_log(record["folder"] / "release.parquet")
    assert set(release.attributes) == {"org:resource"}
    assert set(release.case_ids).isdisjoint(log.case_ids)
    assert set(release.attributes["org:resource"]).isdisjoint(log.attributes["org:resource"])
    with open(sessions / "results/sessions/scores.csv") as file:
        scores = {(row["mechanism"], row["metric"]): row["value"] for row in csv.DictReader(file)}
    assert float(scores["mondrian", "resource_users_min"]) >= 5
    assert float(scores["identity", "isolated_hour"]) > 0.9 > float(scores["mondrian", "isolated_hour"])
    assert float(scores["mondrian", "dfg_tv"]) == 0
    assert np.array_equal(np.sort(release.timestamps), np.sort(log.timestamps))


def test_nothing_is_left_to_do(finished):
    assert jobs(snakemake(finished, "--dry-run")) == {}


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        ({"logs": ["access_small", "structured"]}, "structured is an event log and access_small a table"),
        ({"logs": ["access_small"], "mechanisms": ["amun"]}, "amun does not read access_small, which is a relation"),
    ],
)
def test_what_does_not_fit_is_refused(finished, experiment, message):
    config = yaml.safe_load((finished / "test.yaml").read_text())
    config["experiments"] = {"wrong": {"title": "W", "metrics": ["cpu_s"], **experiment}}
    (finished / "wrong.yaml").write_text(yaml.safe_dump(config))
    assert message in snakemake(finished, "--dry-run", "--configfile", "wrong.yaml", code=1)


def test_a_generated_table_is_made_anew_where_its_generator_changes(finished):
    config = {"experiments": {"made": {"title": "M", "logs": ["access"], "metrics": ["classes"]}}}
    (finished / "made.yaml").write_text(yaml.safe_dump(config))
    asked = ("--configfile", "made.yaml", "--", "results/logs/access/statistics.json")
    assert jobs(snakemake(finished, *asked)).keys() == {"generate", "convert"}
    assert read_relation(finished / "results/logs/access/log.parquet").n_rows == 14_430
    assert jobs(snakemake(finished, "--dry-run", *asked)) == {}
    edit(finished, "data/access.py")
    assert "generate" in jobs(snakemake(finished, "--dry-run", *asked))
