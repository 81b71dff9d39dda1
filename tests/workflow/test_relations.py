"""A table of one's own through the workflow, with hierarchies of its columns."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml
from test_workflow import copy_project, snakemake

from data.origins import read_origins
from data.release import read_release

ROLES = {"nurse": "care", "surgeon": "care", "porter": "house", "cook": "house"}
GRIDS = {
    "datafly": {"attributes": ["role", "ip"], "k": [10], "suppression": ["10%"]},
    "incognito": {"attributes": ["role+ip"], "k": [10]},
    "mondrian": {"attributes": ["ip+role"], "k": [10], "rule": ["lhs_rhs"], "unit": ["person"]},
    "truncation": {"attributes": ["ip"], "prefix": [16]},
}


def configure(project, **dataset) -> None:
    experiment = {"title": "T", "logs": ["mine"], "metrics": ["classes", "discernibility"], "grids": GRIDS}
    mine = {"path": "mine.csv", "kind": "relation", "hierarchies": "hierarchies", **dataset}
    config = {"repeats": 1, "timeout": 60, "datasets": {"mine": mine}, "experiments": {"test": experiment}}
    (project / "test.yaml").write_text(yaml.safe_dump(config))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with a table of 200 rows."""
    project = copy_project(tmp_path_factory.mktemp("relations") / "project")
    rng = np.random.default_rng(2)
    rows = [
        f"{rng.integers(60)},{rng.choice([*ROLES])},10.{rng.integers(2)}.{rng.integers(4)}.{rng.integers(256)}"
        for _ in range(200)
    ]
    (project / "mine.csv").write_text("\n".join(["person,role,ip", *rows]))
    (project / "hierarchies").mkdir()
    lines = [f"{role};{group};*" for role, group in ROLES.items()]
    (project / "hierarchies" / "role.csv").write_text("\n".join(lines))
    configure(project)
    return project


def test_mechanisms_of_tables_run_on_tables_and_no_others(project):
    snakemake(project)
    folders = sorted(path.parent for path in project.glob("results/runs/*/*/mine/0/run.json"))
    assert {folder.parts[-4] for folder in folders} == set(GRIDS)
    for folder in folders:
        record = json.loads((folder / "run.json").read_text())
        assert (record["status"], record["reason"]) == ("ok", None)
        release = read_release(folder / "release.parquet")
        assert sorted(read_origins(folder / "origins.parquet", 200, 200).tolist()) == list(range(200))
        if record["mechanism"] != "truncation":
            assert release.published_sizes.min() >= 10
        if record["parameters"]["attributes"] == "role":
            assert set(release.recoded["role"].texts) <= {*ROLES, *ROLES.values(), "*"}
            assert record["parameters"]["hierarchies"] == "hierarchies"
            assert record["diagnostics"]["heights"] == {"role": 2}
    table = (project / "results" / "test" / "tables" / "classes.csv").read_text()
    assert all(name in table for name in GRIDS)


def test_a_missing_folder_of_hierarchies_is_named(project):
    configure(project, hierarchies="absent")
    assert "dataset 'mine': no folder of hierarchies 'absent'" in snakemake(project, "--dry-run", code=1)
