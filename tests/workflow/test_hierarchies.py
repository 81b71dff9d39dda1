"""Hierarchies of the columns of a table of one's own, through the workflow."""

from __future__ import annotations

import json

import pytest
import yaml
from projects import copy_project, snakemake

from data.release import read_release

ROLES = {"nurse": "care", "surgeon": "care", "porter": "house", "cook": "house"}
GRIDS = {"datafly": {"attributes": ["role", "age"], "k": [15], "suppression": [0]}}


def configure(project, hierarchies: str) -> None:
    mine = {"path": "mine.csv", "kind": "relation", "hierarchies": hierarchies}
    experiment = {"title": "T", "logs": ["mine"], "mechanisms": [*GRIDS], "metrics": ["classes"], "grids": GRIDS}
    config = {"repeats": 1, "timeout": 60, "datasets": {"mine": mine}, "experiments": {"test": experiment}}
    (project / "test.yaml").write_text(yaml.safe_dump(config))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with a table of ten rows a role, and the hierarchy of one of its columns."""
    project = copy_project(tmp_path_factory.mktemp("hierarchies") / "project")
    rows = [f"{role},{age}" for age in range(10) for role in ROLES]
    (project / "mine.csv").write_text("\n".join(["role,age", *rows]))
    (project / "groups").mkdir()
    lines = [f"{role};{group};*" for role, group in ROLES.items()]
    (project / "groups" / "role.csv").write_text("\n".join(lines))
    return project


def test_columns_with_a_file_are_recoded_by_it_and_others_by_default(project):
    configure(project, "groups")
    snakemake(project, "--until", "datafly")
    records = [json.loads(path.read_text()) for path in project.glob("results/runs/datafly/*/mine/0/run.json")]
    of = {record["parameters"]["attributes"]: record for record in records}
    assert {name: record["parameters"]["hierarchies"] for name, record in of.items()} == {"role": "groups", "age": None}
    assert of["role"]["diagnostics"]["levels"] == {"role": 1}
    assert of["age"]["diagnostics"]["heights"] == {"age": 1}
    (path,) = project.glob("results/runs/datafly/attributes=role,*/mine/0/release.parquet")
    release = read_release(path)
    assert (release.recoded["role"].texts, release.sizes.tolist()) == (("care", "house"), [20, 20])


def test_a_missing_folder_is_named(project):
    configure(project, "absent")
    assert "dataset 'mine': no folder of hierarchies 'absent'" in snakemake(project, "--dry-run", code=1)
