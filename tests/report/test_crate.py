"""The RO-Crate of results."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest
from rocrate.rocrate import ROCrate
from study_results import write_results

from conftest import ROOT
from report import crate


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A folder of results that has become a crate."""
    folder = write_results(tmp_path_factory.mktemp("crate")) / "results"
    further = {"configuration": ROOT / "config/quickstart.yaml", "versions": ROOT / "requirements.lock"}
    made = crate.crate_of(folder, ROOT / "Snakefile", further)
    (folder / "ro-crate-metadata.json").write_text(json.dumps(made.metadata.generate()))
    return folder


def test_the_library_reads_it_back_and_every_file_is_there(exported):
    read = ROCrate(exported)
    assert read.mainEntity.id == "workflow/Snakefile"
    files = [entity.id for entity in read.data_entities if "File" in entity.type]
    assert {"trial/scores.csv", "trial/tables/logs.md", "workflow/requirements.lock"} <= set(files)
    assert [name for name in files if not (exported / unquote(name)).is_file()] == []
    assert len(files) == len(set(files))
    assert read.root_dataset["datePublished"]
    assert {profile.id for profile in read.root_dataset["conformsTo"]} == set(crate.PROFILES)


def test_a_run_can_be_traced(exported):
    read = ROCrate(exported)
    run = read.dereference("#run/walker/speed=2,gait=%3Cfast%3E/first/1")
    values = {entity["name"]: entity["value"] for entity in run["object"] if entity.type == "PropertyValue"}
    assert values["seed"] == str(2**62 + 1)
    assert values["speed"] == "2"
    assert values["code sha256"] == "ef" * 32
    assert "machine 0123456789ab" in run["description"]
    log = next(entity for entity in run["object"] if entity.id == "logs/first/log.parquet")
    assert log["isBasedOn"]["identifier"] == "sha256:" + "23" * 32
    [release] = run["result"]
    assert release["sha256"] == "cd" * 32
    assert (run["startTime"], run["endTime"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500000+00:00")
    failed = read.dereference("#run/walker/speed=3,gait=%3Cfast%3E/second/0")
    assert failed["actionStatus"] == crate.FAILED
    assert failed["error"] == "error: exit code 1"
    assert failed.get("result") is None
    whole = read.dereference("#workflow-run")
    assert whole["instrument"].id == "workflow/Snakefile"


def test_a_log_without_some_of_its_cases_is_based_on_the_whole(exported, tmp_path):
    (tmp_path / "logs").symlink_to(exported / "logs")
    made = crate.Crate(tmp_path)
    path = tmp_path / "logs" / "first@members" / "log.parquet"
    path.parent.mkdir()
    path.write_bytes(b"members")
    assert made.add_log(path)["isBasedOn"].id == "logs/first/log.parquet"
    path.unlink()
    path.parent.rmdir()


def test_it_satisfies_the_profile(exported):
    services = pytest.importorskip("rocrate_validator.services", reason="roc-validator is not installed")
    models = pytest.importorskip("rocrate_validator.models")
    settings = services.ValidationSettings(
        rocrate_uri=str(exported), profile_identifier="workflow-run-crate",
        requirement_severity=models.Severity.REQUIRED, offline=True,
    )  # fmt: skip
    found = services.validate(settings)
    assert not found.has_issues(), [issue.message for issue in found.get_issues()]
