"""The table of what runs claim: one line a claim, with a verdict and its witness."""

from __future__ import annotations

import ast
import csv
import json

import numpy as np
import pytest
from small_logs import log_of, take

from conftest import ROOT
from data.io import write_log
from data.log import empty_log
from data.origins import write_origins
from data.relation import IPV4, Column, Relation
from data.relation_release import Recoded, RelationRelease
from mechanisms import amun, pretsa
from metrics import score
from metrics.verification import claims

RUN = ("log", "m", "k=2", "0")
LOG = log_of(*["AB"] * 9, "A", "AC")
CHECKERS = ("checker", "verdicts", "verification", "relation_verdicts", "prefix_classes", "duration_classes", "alike",
            "anonymity", "exposed_identifiers", "exposed_durations", "novelty", "relation_users")  # fmt: skip


def verified(original, release, origins=None, parameters=None, **stated) -> dict:
    record = {"parameters": parameters or {}, "diagnostics": stated}
    return {line.claim: line for line in claims(original, release, origins, record, RUN)}


def test_what_is_claimed_is_judged_and_the_rest_is_measured():
    found = verified(LOG, take(LOG, np.arange(11)), np.arange(11), {"variant_k": True}, k=2, no_new_variants=True)
    prefixes = found["k on prefixes"]
    assert (prefixes.claimed, prefixes.verdict, prefixes.worst, prefixes.breaking) == (2, "FAIL", 1, 1)
    assert prefixes.witness == "A > C"
    assert (found["k on variants"].verdict, found["k on variants"].witness) == ("FAIL", "A")
    assert (found["no novel variant"].claimed, found["no novel variant"].verdict) == ("yes", "PASS")
    assert (found["no original case id"].verdict, found["no original case id"].worst) == ("PASS", 0)
    alone = found["k on the last activity"]
    assert (alone.claimed, alone.verdict, alone.worst, alone.breaking, alone.witness) == ("", "N.A.", 1, None, "A")
    assert (found["t by value"].verdict, found["l"].verdict) == ("N.A.", "N.A.")
    assert found["k on prefixes, of persons"].worst == 1
    assert found["no shifted timestamps"].verdict == "N.A."


def test_a_run_that_claims_nothing_gets_the_numbers_all_the_same():
    claiming = verified(LOG, take(LOG, np.arange(11)), None, {"variant_k": True}, k=2)
    found = verified(LOG, take(LOG, np.arange(11)))
    assert found.keys() == claiming.keys()
    assert {name: line.worst for name, line in found.items()} == {name: line.worst for name, line in claiming.items()}
    assert {line.verdict for name, line in found.items() if line.claimed == ""} <= {"N.A.", "UNKNOWN"}
    assert "t of surviving durations" not in found, "nobody tells which case each stems from"


def test_an_epsilon_is_left_to_the_audit():
    stated = {"nominal_epsilon": 0.5, "composed_epsilon": 4.0, "bounds_from_data": ["max_length"]}
    found = verified(LOG, LOG, epsilon_unit="one count", **stated)["epsilon of one count"]
    assert verified(LOG, LOG, **stated)["epsilon"].claimed == 0.5
    assert (found.claimed, found.verdict, found.worst, found.witness) == (0.5, "N.A.", 4.0, "bounds_from_data")


def test_an_empty_release_breaks_nothing():
    found = verified(LOG, empty_log(), np.empty(0, dtype=np.int64), k=2, t=0.5, l=2, no_new_variants=True)
    assert {line.verdict for line in found.values()} <= {"PASS", "N.A.", "UNKNOWN"}
    assert found["k on prefixes"].worst is None


def test_mechanisms_state_what_they_claim():
    rng = np.random.default_rng(1)
    log = log_of(*["abc"] * 20, *["abd"] * 20, "axd")
    sound = pretsa.anonymize(log, k=4, t=1.0, rng=rng)
    found = verified(log, sound.release, sound.origins, dict(sound.resolved), **sound.diagnostics)
    for claim in ("k on prefixes", "k on variants", "t by value", "no novel variant", "no original case id"):
        assert found[claim].claimed != "", claim
        assert found[claim].verdict == "PASS", claim
    kept = amun.anonymize(log, delta=0.3, profile="code", mode="sampling", rng=rng)
    found = verified(log, kept.release, kept.origins, **kept.diagnostics)
    assert (found["no novel variant"].claimed, found["no novel variant"].verdict) == ("yes", "PASS")
    epsilon = found["epsilon of one count"]
    assert epsilon.claimed == pytest.approx(kept.diagnostics["nominal_epsilon"])
    assert "bounds_from_data" in epsilon.witness or "bounds_from_data" in kept.diagnostics["flags"]


def test_tables_are_counted_by_rows_and_by_persons_and_lone_addresses_are_listed():
    original = Relation({"user": Column(np.array([1, 1, 2, 3, 4, 5])),
                         "ip": Column(np.array([1, 2, 3, 9, 9, 9]), IPV4)})  # fmt: skip
    ends = np.array([1, 9]), np.array([3, 9])
    release = RelationRelease(np.repeat([0, 1], 3), {"ip": Recoded(("0.0.0.0/30", "0.0.0.9/32"), *ends, IPV4)})
    found = verified(original, release, np.arange(6), k=3, unit="user")
    assert (found["k on rows"].verdict, found["k on rows"].worst) == ("PASS", 3)
    users = found["k on values of user"]
    assert (users.verdict, users.worst, users.breaking, users.witness) == ("FAIL", 2, 1, "ip 0.0.0.0/30")
    alone = found["no class of one address"]
    assert (alone.verdict, alone.worst, alone.witness) == ("N.A.", 1, "0.0.0.9")
    rows = verified(original, release, np.arange(6), k=4, unit="rows")
    assert (rows["k on rows"].verdict, rows["k on values of user"].verdict) == ("FAIL", "N.A.")
    assert verified(original, release, None, k=3)["no class of one address"].verdict == "UNKNOWN"


def test_the_scoring_job_writes_them(tmp_path):
    write_log(LOG, tmp_path / "log.parquet")
    for name, status in (("0", "ok"), ("1", "error")):
        run = tmp_path / name
        run.mkdir()
        write_log(take(LOG, np.arange(11)), run / "release.parquet")
        write_origins(np.arange(11), run / "origins.parquet")
        record = {
            "log": "x", "mechanism": "m", "parameters_id": "k=2", "repeat": int(name), "status": status, "phases": {},
            "parameters": {}, "diagnostics": {"k": 2}, "core": {"leased": True}, "load": 0.0, "wall_s": 1.0, "seed": 1,
            "host": {"cores": 1, "id": "a"},
        }  # fmt: skip
        (run / "run.json").write_text(json.dumps(record))
    arguments = ["--log", tmp_path / "log.parquet", "--out", tmp_path / "scores.csv", tmp_path / "0", tmp_path / "1"]
    score.main(list(map(str, [*arguments, "--verdicts", tmp_path / "verdicts.csv"])))
    with open(tmp_path / "verdicts.csv") as file:
        lines = list(csv.DictReader(file))
    assert {line["repeat"] for line in lines} == {"0"}, "a run that failed has released nothing"
    [line] = [line for line in lines if line["claim"] == "k on prefixes"]
    assert (line["claimed"], line["verdict"], line["witness"]) == ("2", "FAIL", "A > C")


@pytest.mark.parametrize("name", CHECKERS)
def test_a_checker_uses_no_code_of_a_mechanism(name):
    """Nor does anything that it imports."""
    seen, wanted = set(), [f"metrics.{name}"]
    while wanted:
        module = wanted.pop()
        path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        if module in seen or not path.exists():
            continue
        seen.add(module)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                wanted += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                wanted += [alias.name for alias in node.names]
        assert not [each for each in wanted if each.split(".")[0] in ("mechanisms", "baselines")], module
    assert f"metrics.{name}" in seen
