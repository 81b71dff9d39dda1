"""Runs on logs from which cases are held out, made for the metrics that compare with these."""

from __future__ import annotations

import csv
import json

from projects import add_mechanism, configure, copy_project, planned, snakemake

from data.io import read_log


def test_a_mechanism_that_tells_nothing_of_its_cases_is_attacked_with_held_out_ones(tmp_path):
    project = copy_project(tmp_path / "project")
    add_mechanism(project, "copy", "cp {input.log} {output.release}")
    experiment = {"mechanisms": ["copy"], "metrics": ["cases_ratio", "member_advantage_sequence_day"]}
    configure(project, repeats=1, experiment=experiment)
    assert planned(project) | {"hold_out": 1, "copy": 2, "score": 2} == planned(project)
    snakemake(project, "--", "results/test/scores.csv", "results/test/tables/attacks.md")
    with open(project / "results/test/scores.csv") as file:
        rows = {row["metric"]: row for row in csv.DictReader(file)}
    assert {row["log"] for row in rows.values()} == {"structured"}
    assert float(rows["cases_ratio"]["value"]) == 1
    assert float(rows["member_advantage_sequence_day"]["value"]) > 0.3
    assert "Membership" in (project / "results/test/tables/attacks.md").read_text()
    logs = {name: read_log(project / f"results/logs/structured{name}.parquet")
            for name in ("/log", "@members/log", "@members/held_out")}  # fmt: skip
    members, outsiders = logs["@members/log"].case_ids, logs["@members/held_out"].case_ids
    assert set(members) | set(outsiders) == set(logs["/log"].case_ids)
    assert not set(members) & set(outsiders)
    assert len(outsiders) == max(50, -(-logs["/log"].n_cases // 10))
    (record,) = project.glob("results/runs/copy/default/structured@members/0/run.json")
    assert json.loads(record.read_text())["status"] == "ok"


def test_nothing_is_held_out_where_no_experiment_asks(finished):
    assert [path.name for path in finished.glob("results/logs/*")] == ["structured"]
