"""A public set of activities: what is left out, what is then covered, and what is refused."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import numpy as np
import pytest
from query_logs import log_of, traces

from baselines import dfg_query, tvq
from baselines.prefix_query.alphabet import read_alphabet, with_alphabet
from data.graph import directly_follows
from data.io import write_log
from data.log import empty_log
from mechanisms import ParameterError
from metrics.flags import score

LOG = log_of({"ab": 3, "b": 2, "abz": 1, "z": 2})
PUBLIC = ("c", "b", "a")
ASKED = {"epsilon": "inf", "max_length": 5, "rng": np.random.default_rng(1)}


def test_cases_with_other_activities_are_left_out():
    known = with_alphabet(LOG, PUBLIC)
    assert known.labels == PUBLIC
    assert traces(known) == {tuple("ab"): 3, ("b",): 2}
    assert with_alphabet(LOG, None) is LOG
    assert with_alphabet(empty_log(), PUBLIC).n_cases == 0
    released = tvq.release(LOG, pruning=1, alphabet=PUBLIC, **ASKED)
    assert traces(released) == {tuple("ab"): 3, ("b",): 2}


@pytest.mark.parametrize("profile", dfg_query.PROFILES)
def test_pairs_of_other_activities_are_left_out(profile):
    found = dfg_query.release(LOG, profile=profile, alphabet=PUBLIC, **ASKED)
    assert found.labels == PUBLIC
    assert found.frequencies.tolist() == directly_follows(with_alphabet(LOG, PUBLIC)).frequencies.tolist()


def test_noise_puts_activities_into_a_release_that_no_case_has():
    rng = np.random.default_rng(1)
    found = [tvq.release(LOG, epsilon=0.1, max_length=2, pruning=1, alphabet=PUBLIC, rng=rng) for _ in range(20)]
    assert {label for log in found for trace in traces(log) for label in trace} == set(PUBLIC)


def test_with_all_parameters_public_nothing_is_taken_from_the_log():
    """The flag A is raised where the alphabet, the length or the threshold is the log's."""

    def flag(**parameters) -> float:
        given = {"epsilon": 1, "max_length": 3, "pruning": 2, "profile": "accounted"} | parameters
        outcome = tvq.anonymize(LOG, **given, rng=np.random.default_rng(1))
        return score({"diagnostics": outcome.diagnostics})["flag_parameters_from_data"]

    assert flag(alphabet=PUBLIC) == 0
    assert flag() == flag(alphabet=PUBLIC, max_length="mean") == flag(alphabet=PUBLIC, pruning="1%") == 1
    graph = {"epsilon": 1, "profile": "accounted", "rng": np.random.default_rng(1)}
    assert dfg_query.anonymize(LOG, max_length=3, alphabet=PUBLIC, **graph).diagnostics["not_covered"] == []
    assert "max_length" in dfg_query.anonymize(LOG, alphabet=PUBLIC, **graph).diagnostics["not_covered"]


@pytest.mark.parametrize("alphabet", [(), ("a", "a")])
def test_an_alphabet_has_each_of_its_activities_once(alphabet):
    with pytest.raises(ParameterError, match="alphabet"):
        with_alphabet(LOG, alphabet)


def test_the_command_reads_it_from_a_file(tmp_path):
    write_log(LOG, tmp_path / "log.parquet")
    (tmp_path / "activities.txt").write_text("c\nb\n\na\n")
    assert read_alphabet(str(tmp_path / "activities.txt")) == PUBLIC
    with pytest.raises(argparse.ArgumentTypeError, match=r"missing\.txt"):
        read_alphabet(str(tmp_path / "missing.txt"))
    notes = tmp_path / "notes.json"
    subprocess.run(
        [sys.executable, "-m", "baselines.tvq", tmp_path / "log.parquet", tmp_path / "out.parquet", "--epsilon", "1",
         "--max-length", "3", "--pruning", "2", "--alphabet", tmp_path / "activities.txt", "--seed", "1"],
        check=True, env={"RUN_NOTES": str(notes), "PYTHONPATH": ":".join(sys.path)}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert json.loads(notes.read_text())["diagnostics"]["not_covered"] == []
