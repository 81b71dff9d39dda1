"""The workflow from logs to tables, run by Snakemake in a copy of the project."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from projects import (
    LOG,
    MAPS,
    MECHANISMS,
    QUERY,
    add_mechanism,
    command,
    configure,
    copy_project,
    edit,
    jobs,
    planned,
    record,
    running,
    snakemake,
    wait_for,
)

from conftest import ROOT
from data.io import read_log
from data.origins import read_origins
from data.release import read_release
from metrics import run_record
from wording import forbidden

SCORES = "results/test/scores.csv"
TABLES = "results/test/tables"
FAILING = {
    "sleeper": "sleep 61",
    "refuser": "sh -c 'echo epsilon is too small >&2; exit 3'",
    "crasher": "python -c 1/0",
    "halfwriter": "sh -c 'echo PAR1 half > {output.release}'",
    "eater": "python -c 'b = [bytearray(10**7) for _ in iter(int, 1)]'",
}


@pytest.fixture
def project(finished, tmp_path) -> Path:
    """A copy of the finished project with all dates kept."""
    return shutil.copytree(finished, tmp_path / "project")


def test_one_command_makes_every_table_and_figure(finished):
    results = finished / "results/test"
    for name in ("logs", "utility", "emd_variants", "cpu_s"):
        assert "structured†" in (results / "tables" / f"{name}.md").read_text()
        assert r"structured\textdagger{}" in (results / "tables" / f"{name}.tex").read_text()
        with open(results / "tables" / f"{name}.csv") as file:
            assert {row["synthetic"] for row in csv.DictReader(file)} == {"True"}
    for name in ("emd_variants.png", "emd_variants.pdf", "cpu_s.png", "ranks.png"):
        assert (results / "figures" / name).stat().st_size > 1000
    with open(results / "scores.csv") as file:
        rows = list(csv.DictReader(file))
    assert {row["mechanism"] for row in rows} == MECHANISMS
    assert {float(r["value"]) for r in rows if (r["mechanism"], r["metric"]) == ("identity", "emd_variants")} == {0.0}
    page = (finished / "results/report.html").read_text()
    assert all(f'data-cell="{name}/' in page for name in MECHANISMS)
    statuses = {row["mechanism"]: row["status"] for row in rows if row["metric"] == "emd_variants"}
    assert statuses.pop("dfg_query") == "n/a", "a graph has no variants"
    assert set(statuses.values()) == {"ok"}


def test_no_text_says_more_than_was_measured(finished):
    texts = [path for path in (finished / "results").rglob("*") if path.suffix in (".md", ".tex", ".html")]
    assert len(texts) > 10
    assert not {path.name: found for path in texts if (found := forbidden(path.read_text()))}


def test_a_fresh_clone_beside_the_results_reruns_nothing(finished, tmp_path):
    """Nothing is left to do, and that all files of the project have new dates does not matter."""
    clone = copy_project(tmp_path / "clone")
    for name in ("results", ".snakemake", "test.yaml"):
        (shutil.copytree if (finished / name).is_dir() else shutil.copy2)(finished / name, clone / name)
    assert planned(clone) == {}


def test_editing_a_mechanism_reruns_its_cells_only(project):
    edit(project, "mechanisms/shuffle/__init__.py")
    plan = planned(project)
    assert plan["shuffle"] == 2
    assert {"amun", "identity", "convert"}.isdisjoint(plan)
    snakemake(project, "--", SCORES)
    assert planned(project, "--", SCORES) == {}


def test_editing_a_metric_reruns_scores_only(project):
    edit(project, "metrics/volume.py")
    assert {"amun", "identity", "shuffle", "convert"}.isdisjoint(planned(project))
    assert planned(project)["score"] == len(list(project.glob("results/scores/runs/*/*/*.csv")))


def test_raising_the_repeats_runs_the_new_ones_only(project):
    before = (project / "results/runs/shuffle/default/structured/1/run.json").stat().st_mtime_ns
    configure(project, repeats=3)
    plan = planned(project)
    assert {rule: plan[rule] for rule in ("amun", "identity", "shuffle")} == {"amun": 1, "identity": 1, "shuffle": 1}
    snakemake(project, "--until", "shuffle")
    assert (project / "results/runs/shuffle/default/structured/1/run.json").stat().st_mtime_ns == before
    assert record(project, "shuffle", 2)["seed"] != record(project, "shuffle", 1)["seed"]


def test_changing_the_limits_reruns_nothing(project):
    configure(project, timeout=61, memory_mb=999, stop_after=0)
    assert planned(project) == {}


def test_changing_the_seed_reruns_every_run(project):
    configure(project, seed=7)
    assert planned(project)["amun"] == 2


def test_releases_do_not_depend_on_cores_or_order(project):
    releases = {path: path.read_bytes() for path in project.glob("results/runs/**/release.parquet")}
    shutil.rmtree(project / "results/runs")
    targets = [str(path.relative_to(project)) for path in sorted(releases, reverse=True)]
    snakemake(project, "--cores", "1", "--", *targets)
    assert releases == {path: path.read_bytes() for path in project.glob("results/runs/**/release.parquet")}


def test_every_mechanism_keeps_the_contract(finished):
    """Whatever has a rule: a whole record, a canonical release, and nothing in it that names a case."""
    log = read_log(finished / LOG)
    originals = set(log.case_ids)
    paths = sorted(finished.glob("results/runs/**/run.json"))
    assert {path.parts[-5] for path in paths} == MECHANISMS
    for path in paths:
        run, file = json.loads(path.read_text()), path.with_name("release.parquet")
        assert run["status"] == "ok", run["reason"]
        assert run["release_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert (run["mechanism"], run["log"]) == (path.parts[-5], "structured")
        assert run["cpu_s"] > 0
        assert run["peak_rss_mb"] > 1
        assert run["input_sha256"] == hashlib.sha256((finished / LOG).read_bytes()).hexdigest()
        release = read_release(file)
        if run["mechanism"] == "dfg_query":
            assert set(release.labels) <= set(log.labels), path
        else:
            assert originals.isdisjoint(release.case_ids), path
        assert not pq.read_schema(file).metadata, path


def test_which_case_a_release_stems_from_is_kept_beside_it(finished):
    log = read_log(finished / LOG)
    told = set()
    for path in finished.glob("results/runs/**/origins.parquet"):
        if path.stat().st_size:
            told.add(path.parts[-5])
            release = read_release(path.with_name("release.parquet"))
            assert read_origins(path, log.n_cases, release.n_cases) is not None
    assert told == {"amun", "identity", "pretsa", "pripel", "shuffle"}, "counts have no origins, nor has a graph"


@pytest.fixture(scope="module")
def extended(finished, tmp_path_factory) -> Path:
    """The finished project with mechanisms of one's own: one that copies, and one for every way to fail."""
    project = shutil.copytree(finished, tmp_path_factory.mktemp("extended") / "project")
    add_mechanism(project, "copycat", "cp {input.log} {output.release} # {wildcards.speed}", "speed=[1, 2]")
    for name, shell in FAILING.items():
        add_mechanism(project, name, shell)
    configure(
        project, timeout=2, memory_mb=300, repeats=3, experiment={"mechanisms": [*FAILING, "copycat", "identity"]}
    )
    snakemake(project)
    return project


def test_a_new_mechanism_in_any_language_stands_in_every_table(extended):
    for name in ("emd_variants.md", "cpu_s.tex", "guarantees.md", "attacks.md"):
        table = (extended / "results/test/tables" / name).read_text()
        assert "copycat speed=1" in table, table
        assert "copycat speed=2" in table, table
    with open(extended / "results/test/tables/attacks.csv") as file:
        gained = {(a["mechanism"], a["attack"]): a["advantage"] for a in csv.DictReader(file)}
    assert float(gained["copycat", "gaps"]) == float(gained["identity", "gaps"]) > 0.9


def test_failures_are_results(extended):
    """Every way to fail leaves a record and a status in the tables, and the command succeeds."""
    statuses = {name: record(extended, name)["status"] for name in FAILING}
    assert statuses == {
        "sleeper": "timeout", "refuser": "infeasible", "crasher": "error", "halfwriter": "error", "eater": "memory",
    }  # fmt: skip
    assert record(extended, "refuser")["reason"] == "epsilon is too small"
    assert record(extended, "sleeper", 2)["reason"].startswith("skipped after")
    assert record(extended, "sleeper", 2)["wall_s"] is None
    with open(extended / "results/test/tables/emd_variants.csv") as file:
        cells = {row["mechanism"]: row for row in csv.DictReader(file)}
    assert {name: cells[name]["statuses"] for name in FAILING} == {
        "sleeper": "TO:3", "refuser": "INF:3", "crasher": "ERR:3", "halfwriter": "ERR:3", "eater": "OOM:3",
    }  # fmt: skip
    assert {cells[name]["mean"] for name in FAILING} == {""}
    page = (extended / "results/report.html").read_text()
    for told in ("ZeroDivisionError: division by zero", "epsilon is too small", "half-written release"):
        assert told in page, "the report tells why"
    assert all(status in (extended / "results/test/tables/cpu_s.md").read_text() for status in ("TO", "OOM", "INF"))


def test_a_new_mechanism_that_declares_it_is_audited(project):
    """Beside all others, in a target of its own; nothing else is edited."""
    add_mechanism(project, "copycat", "cp {input.log} {output.release}", "")
    (project / "mechanisms/copycat/__init__.py").write_text(
        "from mechanisms import Outcome\n"
        "def anonymize(log, *, rng):\n"
        "    return Outcome(log, {'nominal_epsilon': 1.0})\n"
    )
    (project / "mechanisms/copycat/audits.py").write_text(
        "from mechanisms.audit import Audit\n"
        "from mechanisms.copycat import anonymize\n"
        "from mechanisms.neighbours import isolated\n"
        "AUDITS = (Audit(name='all', parameters={}, pair=isolated(), anonymize=anonymize),)\n"
    )
    configure(project, audit_draws=1000, experiment={"mechanisms": ["identity"]})
    output = snakemake(project, "--cores", "2", "audit")
    assert "identity" not in jobs(output), "an audit needs no run"
    with open(project / "results/audit/audit.csv") as file:
        findings = list(csv.DictReader(file))
    assert {finding["mechanism"] for finding in findings} == {
        path.parent.name for path in ROOT.glob("*/*/audits.py")
    } | {"copycat"}
    assert [f["verdict"] for f in findings if f["mechanism"] == "copycat"] == ["violated"]
    assert "| copycat" in (project / "results/audit/tables/audit.md").read_text()
    again = project / "results/audit/redraws"
    assert {path.stem for path in again.glob("*.npz")} == {finding["mechanism"] for finding in findings}
    assert all((finding["attempts"] == "2") == ("Z" in finding["flags"]) for finding in findings)
    assert "audit" not in planned(project)


def test_presence_is_played_for_where_an_experiment_says_so(project):
    query = {"epsilon": [4], "pruning": [5], "max_length": [6], "profile": ["published", "accounted"]}
    configure(
        project, presence_targets=3, presence_draws=4,
        experiment={"mechanisms": ["identity", "tvq"], "grids": {"tvq": query}, "presence": ["tvq"]},
    )  # fmt: skip
    snakemake(project, "--", "results/test/tables/attacks.csv")
    with open(project / "results/test/tables/attacks.csv") as file:
        played = [a for a in csv.DictReader(file) if a["attack"] == "presence_game"]
    assert {a["mechanism"] for a in played} == {"tvq"}
    assert [(float(a["targets"]), a["seeds"]) for a in played] == [(3, "2")] * 2
    assert len(list(project.glob("results/presence/tvq/*/structured.csv"))) == 2


def test_failed_runs_are_made_again_when_asked(project, tmp_path):
    """After the cause is gone, by the command of the README."""
    mark, table = tmp_path / "gone", f"{TABLES}/emd_variants.md"
    add_mechanism(project, "flaky", f"sh -c 'test -e {mark} && cp {{input.log}} {{output.release}}'", "")
    configure(project, experiment={"mechanisms": ["identity", "flaky"]})
    snakemake(project, "--", table)
    assert record(project, "flaky")["status"] == "error"
    mark.touch()
    assert planned(project, "--", table) == {}
    readme = (ROOT / "README.md").read_text()
    assert "--forcerun $(python -m mechanisms.failed)" in readme
    paths = subprocess.run(
        [sys.executable, "-m", "mechanisms.failed"], cwd=project, text=True, capture_output=True, check=True
    ).stdout.split()
    assert len(paths) == 2
    done = jobs(snakemake(project, "--forcerun", *paths, "--", table))
    assert (done["flaky"], "identity" in done) == (2, False)
    assert {record(project, "flaky", repeat)["status"] for repeat in (0, 1)} == {"ok"}
    assert "ERR" not in (project / table).read_text()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_snakemake_leaves_no_process_and_resumes(project, tmp_path, sent):
    mark = f"{tmp_path}/slow-{sent.name}"
    slow = f"sh -c 'test -e {mark} || {{{{ touch {mark}; printf PAR1 > {{output.release}}; sleep 77 # {mark}\n}}}}; "
    add_mechanism(project, "slow", slow + "cp {input.log} {output.release}'", "")
    configure(project, repeats=1, experiment={"mechanisms": ["identity", "slow"]})
    process = subprocess.Popen(
        command(), cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_for(lambda: os.path.exists(mark))
    if sent is signal.SIGKILL:
        process.kill()
    else:  # as a terminal does
        os.killpg(process.pid, sent)
    process.wait(60)
    wait_for(lambda: not running(mark))
    assert not list(project.glob("results/runs/slow/**/run.json"))
    if sent is signal.SIGKILL:
        snakemake(project, "--unlock")
    snakemake(project, "--until", "slow")
    assert record(project, "slow")["status"] == "ok"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"experiment": {"metrics": ["emd_variant"]}}, "emd_variants"),
        ({"experiment": {"grids": {"amun": {"epsilon": [1]}}}}, "'epsilon' is no parameter of amun"),
        ({"experiment": {"rows": ["detla"]}}, "no mechanism has a parameter 'detla'"),
        ({"experiment": {"heatmaps": MAPS | {"panels": "mood"}}}, "no mechanism has a parameter 'mood'"),
        ({"experiment": {"heatmaps": MAPS | {"metrics": ["dfg_tv"]}}}, "list its metrics under `metrics` too"),
        ({"repeets": 1}, "repeets"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(project, changes, named):
    configure(project, **changes)
    output = snakemake(project, code=1)
    assert named in output
    assert "Traceback" not in output


def test_a_missing_file_is_named_with_page_checksum_and_place(project):
    """Without internet: the address is one that refuses connections at once."""
    registry = project / "config/datasets.csv"
    text = re.sub(r"https://data\.4tu\.nl/file/", "http://127.0.0.1:9/", registry.read_text())
    registry.write_text(text)
    configure(project, experiment={"logs": ["sepsis"]})
    output = snakemake(project, code=1)
    checksum = "b5671166ac71eb20680d3c74616c43d2"
    for part in ("Sepsis Cases - Event Log.xes.gz", "data.4tu.nl/datasets/", checksum, "data/raw"):
        assert part in output


def test_public_bounds_reach_the_mechanism(project):
    (project / "bounds.json").write_text(json.dumps({label: [0, 86400] for label in read_log(project / LOG).labels}))
    public = {"dates": ["2024-01-01", "2024-12-31"], "max_length": 12, "max_duration": 30}
    grids = {
        "amun": {"delta": [0.3], "mode": ["sampling"], "profile": ["hardened"]},
        "pretsa": {"k": [2], "t": [1], "distance": ["levenshtein"], "duration_epsilon": ["off", 1]},
        "tvq": {"epsilon": [2], "pruning": [5], "max_length": [6], "profile": ["accounted"]},
    }
    metrics = ["composed_epsilon", "emd_variants"]
    experiment = {"mechanisms": ["amun", "pretsa", "tvq"], "grids": grids, "metrics": metrics}
    (project / "activities.txt").write_text("\n".join(read_log(project / LOG).labels))
    bounds = {"structured": public | {"duration_bounds": "bounds.json", "alphabet": "activities.txt"}}
    configure(project, repeats=1, public_bounds=bounds, experiment=experiment)
    table = f"{TABLES}/composed_epsilon.md"
    snakemake(project, "--", table)
    hardened, noisy, query = (
        json.loads(path.read_text())["diagnostics"]
        for cell in ("amun/*hardened*", "pretsa/*duration_epsilon=1", "tvq/*profile=accounted")
        for path in project.glob(f"results/runs/{cell}/*/0/run.json")
    )
    assert hardened["bounds_from_data"] == []
    assert noisy["bounds_from_data"] is False
    assert query["not_covered"] == []
    assert "2.48" in (project / table).read_text()  # twice 2 ln(1.3 / 0.7)


def test_the_best_value_of_a_parameter_is_shown_alone_and_named(project):
    grids = {"tvq": QUERY | {"pruning": ["1%", "60%"]}}
    best_of = {"parameter": "pruning", "metric": "emd_variants"}
    experiment = {"mechanisms": ["identity", "tvq"], "rows": ["delta"], "grids": grids, "best_of": best_of}
    (project / "test.yaml").write_text(
        yaml.safe_dump(
            {
                "repeats": 2,
                "experiments": {"test": {"title": "T", "logs": ["structured"], "metrics": ["cpu_s"]} | experiment},
            }
        )
    )
    shown = f"{TABLES}/cpu_s.md"
    snakemake(project, "--", shown)
    with open(project / "results/test/chosen.csv") as file:
        [chosen] = csv.DictReader(file)
    assert chosen["value"] == "1%"
    assert re.fullmatch(r"1%: .+; 60%: EMPTY", chosen["tried"])
    table = (project / shown).read_text()
    assert "pruning=best: chosen" in table
    assert "| 0.3 " in table, "a baseline stands at the delta that its epsilon is taken from"


def test_heat_maps_stand_in_place_of_figures(project):
    grids = {"amun": {"delta": [0.2, 0.3], "mode": ["sampling"], "profile": ["code", "paper"]}}
    configure(project, experiment={"mechanisms": ["identity", "amun"], "grids": grids, "heatmaps": MAPS})
    counts = planned(project)
    assert (counts["draw_heatmap"], counts["draw"], counts["tabulate_differences"]) == (1, 1, 1)
    heatmap, differences = "results/test/heatmaps/emd_variants.pdf", f"{TABLES}/differences.md"
    snakemake(project, "--", heatmap, differences)
    assert (project / heatmap).stat().st_size > 1000
    assert "paper − code" in (project / differences).read_text()


def test_metrics_that_take_long_are_computed_where_they_are_shown(project):
    configure(project, experiment={"mechanisms": ["identity"], "metrics": ["emd_variants", "im_simplicity_dev"]})
    table = f"{TABLES}/im_simplicity_dev.md"
    assert jobs(snakemake(project, "--", table))["score"] == 1
    assert "identity" in (project / table).read_text()
    assert planned(project, "--", table) == {}
    configure(project, experiment={"mechanisms": ["identity"]})
    assert planned(project)["score"] == 1


def test_timing_repeats_the_runs_alone(project, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where cores are leased: other runs on this machine hold none of these
    configure(project, repeats=1, experiment={"mechanisms": ["identity"]})
    snakemake(project, "--cores", "1", "timing")
    (path,) = project.glob("results/timing/identity/default/structured/0/run.json")
    run = json.loads(path.read_text())
    assert run["core"]["leased"]
    table = (project / "results/test_timing/tables/cpu_s.md").read_text()
    assert "identity" in table
    busy = run_record.score(run)["shared_core"]  # other programs may keep the machine busy while this test runs
    assert ("shared" in table) == bool(busy)


def test_unavailable_logs_are_left_out_and_named(project):
    configure(project, experiment={"logs": ["structured", "unrineweginfectie"]})
    tables = [f"{TABLES}/{name}" for name in ("logs.md", "emd_variants.md", "cpu_s.tex")]
    output = snakemake(project, "--", *tables)
    assert "Left out: dataset 'unrineweginfectie': no public source is known" in output
    for table in tables:
        assert "left out: unrineweginfectie" in (project / table).read_text()


def test_lint_and_format():
    scripts = [str(path) for path in [ROOT / "Snakefile", *ROOT.glob("*/*.smk"), *ROOT.glob("*/*/*.smk")]]
    for tool in (
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", *scripts],
        ["snakemake", "--lint"],
    ):
        done = subprocess.run([sys.executable, "-m", *tool], cwd=ROOT, text=True, capture_output=True)
        assert done.returncode == 0, f"{tool[0]}: {done.stdout}{done.stderr}"
