"""Claims checked by the workflow itself, from the raw log to the verdict."""

from __future__ import annotations

import csv

import pytest
import yaml
from projects import copy_project, snakemake

from report.claims import COLUMNS

CLAIMS = {
    "true": {"mechanism": "identity", "metric": "emd_variants", "kind": "value", "reported": "0.00"},
    "false": {"mechanism": "identity", "metric": "cases_ratio", "kind": "value", "reported": "2.0"},
    "order": {"mechanism": "identity", "metric": "emd_variants", "kind": "order", "reported": "better",
              "than": "mechanism=shuffle"},
    "wrong-order": {"mechanism": "identity", "metric": "variant_overlap", "kind": "order", "reported": "worse",
                    "than": "mechanism=shuffle"},
    "fact": {"metric": "statistics.cases", "kind": "value", "reported": "100"},
    "epsilon": {"parameters": "delta=0.3,profile=code", "metric": "epsilons.0.eps_d", "kind": "value",
                "reported": "1.238"},
    "time": {"mechanism": "identity", "metric": "wall_s", "kind": "value", "reported": "100000"},
    "undefined": {"mechanism": "identity", "metric": "claim_k", "kind": "value", "reported": "1"},
    "unlike": {"mechanism": "amun", "parameters": "delta=0.3,mode=sampling,profile=code", "metric": "emd_variants",
               "kind": "value", "reported": "1", "unlike": "another log"},
    "absent": {"log": "unrineweginfectie", "metric": "statistics.cases", "kind": "value", "reported": "1650"},
}  # fmt: skip


def write_claims(path, claims) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows({"id": name, "source": "test", "log": "structured"} | claim for name, claim in claims.items())


@pytest.fixture(scope="module")
def claimed(tmp_path_factory):
    """A project with claims of its own."""
    project = copy_project(tmp_path_factory.mktemp("claims") / "project")
    experiment = {"title": "T", "logs": ["structured"], "metrics": ["cpu_s"], "mechanisms": ["identity"]}
    config = {"repeats": 2, "timeout": 60, "claims": ["mine.csv"], "experiments": {"test": experiment}}
    (project / "test.yaml").write_text(yaml.safe_dump(config))
    write_claims(project / "mine.csv", CLAIMS)
    return project


def test_one_claim_from_the_raw_log_with_every_step(claimed):
    output = snakemake(claimed, "--config", "id=false", "--", "claim")
    for part in (
        "raw file structured.xes.gz, sha256",
        "results/logs/structured/log.parquet",
        "run results/runs/identity/default/structured/1/run.json: ok, seed",
        "values of results/scores/runs/identity/default/structured.csv: 1, 1",
        "verdict: differs",
    ):
        assert part in output
    assert not list(claimed.glob("results/runs/shuffle")), "nothing else was run"
    assert "name a claim of mine.csv, like false" in snakemake(claimed, "--config", "id=fals", "--", "claim", code=1)


def test_all_claims_with_their_verdicts(claimed):
    output = snakemake(claimed, "--", "claims")
    with open(claimed / "results/claims/claims.csv") as file:
        lines = {line["id"]: line for line in csv.DictReader(file)}
    assert {name: line["verdict"] for name, line in lines.items()} == {
        "true": "reproduced",
        "false": "differs",
        "order": "reproduced",
        "wrong-order": "differs",
        "fact": "reproduced" if float(lines["fact"]["mean"]) == 100 else "differs",
        "epsilon": "reproduced",
        "time": "other machine",
        "undefined": "not comparable",
        "unlike": "not comparable",
        "absent": "not run",
    }
    assert lines["undefined"]["reason"] == "2 of 2 runs have no value: 2 n/a"
    assert not list(claimed.glob("results/runs/amun")), "what cannot be compared is not run"
    assert "These differ:" in output
    assert "false: cases_ratio of identity on structured: reported 2.0, found 1" in output


def test_a_wrong_claim_stops_the_workflow_with_its_line(claimed):
    write_claims(claimed / "wrong.csv", CLAIMS | {"odd": {"mechanism": "amun", "metric": "cpu_s", "kind": "value",
                                                          "parameters": "delta=1", "reported": "1"}})  # fmt: skip
    output = snakemake(claimed, "--config", "claims=['wrong.csv']", "--", "claims", code=1)
    assert f"wrong.csv:{len(CLAIMS) + 2}: parameters: amun needs, in this order: delta, mode, profile" in output
    assert "Traceback" not in output
