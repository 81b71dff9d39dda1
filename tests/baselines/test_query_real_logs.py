"""Real logs: the published code's answers, and what a run may cost."""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
import time

import numpy as np
import pytest

from baselines import sacofa, tvq
from conftest import ROOT
from data.io import read_log
from mechanisms import Infeasible

FILES = {
    "08_receipt.xes.gz": "receipt.xes.gz",
    "Sepsis.xes": "Sepsis_Cases_-_Event_Log.xes.gz",
    "bpic2012.xes.gz": "BPI_Challenge_2012.xes.gz",
}
REPEATS = 40
# Implementation and method of a reference run, log, epsilon, levels, pruning; and the mechanism that it is.
SETTINGS = [
    ("pm4py", "laplace", "08_receipt.xes.gz", 1, 6, 14, tvq, {}),
    ("pm4py", "laplace", "08_receipt.xes.gz", 0.5, 6, 7, tvq, {}),
    ("pm4py", "laplace", "08_receipt.xes.gz", 0.1, 6, 14, tvq, {}),
    ("pm4py", "laplace", "08_receipt.xes.gz", 1, 10, 20, tvq, {}),
    ("pm4py", "laplace", "Sepsis.xes", 1, 14, 10, tvq, {}),
    ("sacofa_repo", "laplace", "08_receipt.xes.gz", 0.1, 6, 14, tvq, {"style": "keep-end"}),
    ("sacofa_repo", "laplace", "08_receipt.xes.gz", 1, 6, 14, tvq, {"style": "keep-end"}),
    ("sacofa_repo", "ba", "Sepsis.xes", 0.1, 14, 10, sacofa, {}),
    ("sacofa_repo", "ba", "Sepsis.xes", 1, 14, 10, sacofa, {}),
    ("sacofa_repo", "ba", "Sepsis.xes", 0.1, 14, 52, sacofa, {}),
    ("sacofa_repo", "occured", "Sepsis.xes", 0.1, 14, 10, sacofa, {"mode": "occured"}),
    ("sacofa_repo", "occured", "Sepsis.xes", 1, 14, 10, sacofa, {"mode": "occured"}),
]


@pytest.fixture(scope="module")
def logs(real_log):
    known = {}

    def load(name):
        if name not in known:
            known[name] = read_log(real_log(FILES[name]))
        return known[name]

    return load


@pytest.fixture(scope="module")
def reference(shared_dir):
    with (shared_dir / "reported" / "dp_baselines" / "reference_runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        (row["impl"], row["method"], row["log"], float(row["eps"]), int(row["N"]), int(row["P"])): row for row in rows
    }


@pytest.mark.parametrize("setting", SETTINGS, ids=["-".join(map(str, setting[:6])) for setting in SETTINGS])
def test_a_run_of_the_published_code_could_be_one_of_ours(setting, logs, reference):
    *key, mechanism, parameters = setting
    row, log = reference[tuple(key)], logs(key[2])
    parameters = {"epsilon": key[3], "max_length": key[4], "pruning": key[5], **parameters}
    found = []
    for seed in range(REPEATS):
        outcome = mechanism.anonymize(log, rng=np.random.default_rng(seed), **parameters)
        cases = outcome.release.n_cases + outcome.diagnostics["empty_cases"]
        found.append((cases, outcome.diagnostics["variants"]))
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0) + 0.5
    published = np.array([int(row["tvq_cases"]), int(row["tvq_variants"])])
    assert (np.abs(published - mean) < 4 * spread).all(), (published, mean, spread)


def test_explosions_are_refused_within_a_second(logs):
    started = time.process_time()
    with pytest.raises(Infeasible, match=r"about 8\.58e\+06 prefixes are to be expected, 5000000 are allowed"):
        tvq.release(logs("Sepsis.xes"), epsilon=0.1, max_length=14, pruning=10, rng=np.random.default_rng(1))
    with pytest.raises(Infeasible, match="prefixes are to be expected"):
        tvq.release(logs("08_receipt.xes.gz"), epsilon=0.1, max_length=10, pruning=2, rng=np.random.default_rng(1))
    assert time.process_time() - started < 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tvq", "sacofa"])
@pytest.mark.parametrize("file", ["BPI_Challenge_2012.xes.gz", "RTFMP_reexport.xes.gz"])
def test_a_run_on_a_large_log_stays_within_3_seconds_and_1_gb(name, file, real_log, tmp_path):
    parquet = tmp_path / "log.parquet"
    convert = [sys.executable, "-m", "data.convert", str(real_log(file)), str(parquet)]
    subprocess.run(convert, cwd=ROOT, check=True, capture_output=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", f"baselines.{name}", str(parquet), str(tmp_path / "out.parquet")]
    subprocess.run([*command, "--epsilon", "1", "--pruning", "1%"], cwd=ROOT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3
    assert after.ru_maxrss < 1_000_000  # kB, of the conversion too
