"""PRETSA as a data owner calls it: parameters, refusals, repeatable files, embeddings."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from pretsa_logs import log_of, variants

from conftest import ROOT
from data.files import write_json
from data.io import read_log, write_log
from data.log import EventLog, empty_log
from mechanisms import Infeasible, ParameterError
from mechanisms.pretsa import anonymize, embedding
from mechanisms.pretsa.embedding import Embedding, measures, read_embedding, train

CASES = variants("ABCD*8 ABDC*7 ACBD*3 ABD*2 ABCCD AB")

TRAINING = "mechanisms.pretsa.embedding"
KERNELS = ("Prescott", "Sandybridge")  # of OpenBLAS, for kinds of CPU; left to them, trainings differ


def run(*arguments, module="mechanisms.pretsa", hash_seed="0", **variables) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)


@pytest.fixture
def log_file(tmp_path):
    path = tmp_path / "log.parquet"
    log = log_of(CASES)
    write_log(EventLog(log.activities, log.timestamps**2 // 10**5, log.offsets, log.labels, log.case_ids), path)
    return path


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be at least 1; it is 0"),
        ({"t": -0.1}, "t must be at least 0"),
        ({"t": float("nan")}, "t must be at least 0"),
        ({"diversity": 0}, "l must be at least 1"),
        ({"duration_epsilon": 0.0}, "duration_epsilon must be positive"),
        ({"profile": "r20"}, "profile must be one of sound, r19, r21"),
        ({"form": "square", "distance": "embedding"}, "form must be one of linear"),
        ({"form": "linear"}, "form needs distance embedding"),
        ({"embedding": "x.json"}, "needs distance embedding"),
        ({"profile": "r19", "variant_k": True}, "variant_k is of profile sound"),
        ({"profile": "r21", "t_on_release": True}, "t_on_release is of profile sound"),
        ({"imputation": "ref_normal"}, "ref_normal is of profiles"),
        ({"t_on_release": True, "duration_epsilon": 1.0}, "choose one"),
        ({"duration_bounds": "x.json"}, "need a duration_epsilon"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        anonymize(log_of(CASES), **{"k": 2, "t": 1.0} | parameters, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    ("log", "parameters", "message"),
    [
        (empty_log(), {}, "0 cases, fewer than k = 2"),
        (log_of(variants("A")), {}, "1 cases, fewer than k = 2"),
        (log_of(variants("AB*2 C@")), {"profile": "r19"}, "activity '@' has an '@'"),
        (log_of([(("A", "B"), (0, 10)), (("Z", "B"), (0, 0))] * 2), {"t": 0.4}, "no case is left"),
    ],
)
def test_logs_that_cannot_be_released(log, parameters, message):
    with pytest.raises(Infeasible, match=message):
        anonymize(log, **{"k": 2, "t": 1.0} | parameters, rng=np.random.default_rng(1))


def test_sound_takes_labels_with_the_separator():
    """ "A@B" and "A", "B" have the same key, and stay apart."""
    cases = [(("X", "A@B"), (0, 0))] * 2 + [(("X", "A", "B"), (0, 0, 0))] * 2 + [(("X",), (0,))]
    outcome = anonymize(log_of(cases), k=2, t=1.0, rng=np.random.default_rng(1))
    assert outcome.release.variants.counts.tolist() in ([3, 2], [2, 3])
    assert "A@B" in outcome.release.labels


@pytest.mark.parametrize("parameters", [{"profile": "r21"}, {"distance": "embedding"}])
def test_labels_without_an_event_do_not_count(parameters, tmp_path):
    log = log_of(variants("AB*3 B@"))
    kept = log.take(np.array([0, 1, 2]), ["a", "b", "c"])
    if "distance" in parameters:
        parameters["embedding"] = str(tmp_path / "embedding.json")
        write_json({"labels": ["A", "B"], "distances": [[0, 1], [1, 0]]}, parameters["embedding"])
    outcome = anonymize(kept, k=2, t=1.0, rng=np.random.default_rng(1), **parameters)
    assert outcome.release.labels == ("A", "B")


@pytest.mark.parametrize(
    "options", [["--distance", "embedding", "--duration-epsilon", 1], ["--profile", "r19"], ["--profile", "r21"]]
)
def test_the_same_bytes_whatever_the_hash_seed(log_file, tmp_path, options):
    contents = set()
    for hash_seed in "012":
        out = tmp_path / f"{hash_seed}.parquet"
        done = run(log_file, out, "--k", 4, "--t", 0.3, "--l", "off", "--seed", 7, *options, hash_seed=hash_seed)
        assert done.returncode == 0, done.stderr
        contents.add(out.read_bytes())
    assert len(contents) == 1


def test_the_owner_gets_the_mapping_and_the_release_does_not(log_file, tmp_path):
    out, mapping = tmp_path / "out.csv", tmp_path / "mapping.json"
    done = run(log_file, out, "--k", 4, "--t", 1, "--mapping", mapping, "--seed", 1)
    assert done.returncode == 0, done.stderr
    found = json.loads(mapping.read_text())
    released = read_log(out)
    assert list(found) == [f"c{case}" for case in range(len(CASES))]
    assert set(found.values()) == set(released.case_ids)
    assert not set(found) & set(released.case_ids)
    assert "exact durations" in done.stdout


def test_lost_cases_map_to_nothing(log_file, tmp_path):
    write_log(log_of(variants("AXY AXZ BBB*3")), log_file)
    mapping = tmp_path / "mapping.json"
    out = tmp_path / "out.parquet"
    done = run(log_file, out, "--k", 3, "--t", 1, "--profile", "r19", "--mapping", mapping, "--order", "file")
    assert "2 cases were suppressed" in done.stdout
    assert [new is None for new in json.loads(mapping.read_text()).values()] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--k", 99, "--t", 1], 3, "fewer than k = 99"),
        (["--k", 2, "--t", -1], 2, "t must be at least 0"),
        (["--k", 2, "--t", 1, "--distance", "embedding", "--embedding", "none.json"], 2, "none.json: not an embedding"),
        (["--k", 2, "--t", 1, "--l", "few"], 2, "--l: invalid whole value"),
    ],
)
def test_exit_codes(log_file, tmp_path, options, code, message):
    done = run(log_file, tmp_path / "out.parquet", *options)
    assert done.returncode == code
    assert message in done.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_a_run_without_embedding_does_not_load_it(log_file, tmp_path):
    code = (
        "import sys, runpy; sys.argv[0] = 'x'\n"
        "try: runpy.run_module('mechanisms.pretsa', run_name='__main__')\n"
        "except SystemExit: print(sorted({'gensim', 'scipy', 'pandas', 'numba'} & set(sys.modules)))"
    )
    arguments = [log_file, tmp_path / "out.parquet", "--k", "4", "--t", "0.25"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, text=True, capture_output=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_embedding_is_trained_once_and_read(tmp_path):
    log_file, contents = ROOT / "data/embedded/structured.xes.gz", set()
    for hash_seed, kernel in zip("01", KERNELS, strict=True):
        out, found = tmp_path / f"{hash_seed}.json", tmp_path / "measures.json"
        options = ["--seed", 2, "--epochs", 30, "--measures", found]
        done = run(log_file, out, *options, module=TRAINING, hash_seed=hash_seed, OPENBLAS_CORETYPE=kernel)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        contents.add(out.read_bytes())
    assert len(contents) == 1
    embedding, log = read_embedding(out), read_log(log_file)
    trained = train(log, seed=2, epochs=30)
    assert embedding.distances == pytest.approx(trained.distances, abs=1e-3)  # by the kernel of this CPU
    assert (np.diag(embedding.distances) == 0).all()
    assert (embedding.distances != train(log, seed=3, epochs=30).distances).any()
    assert {"mean", "std", "activities", "median_follower_share_1"} <= json.loads(found.read_text()).keys()
    outcome = anonymize(log, k=4, t=1.0, distance="embedding", embedding=str(out), rng=np.random.default_rng(1))
    assert outcome.resolved["form"] == "linear"


def test_a_large_log_is_trained_for_fewer_epochs(monkeypatch):
    log = log_of(variants("ABC*2 AB AC"))
    assert embedding.epochs_of(log) == 1000
    monkeypatch.setattr(embedding, "MOST_EVENTS", 300)
    assert embedding.epochs_of(log) == 30
    assert (train(log, seed=2).distances == train(log, seed=2, epochs=30).distances).all()
    monkeypatch.setattr(embedding, "MOST_EVENTS", 10)
    assert embedding.epochs_of(log) == embedding.FEWEST_EPOCHS


def test_the_internal_measures_by_hand():
    """A is followed by B three times and by C once, B by C twice; C by nothing."""
    log = log_of(variants("ABC*2 AB AC"))
    found = measures(log, Embedding(("A", "B", "C"), np.array([[0, 1, 2], [1, 0, 0.5], [2, 0.5, 0]])))
    assert found["mean"] == pytest.approx(7 / 9)
    assert found["std"] == pytest.approx(np.sqrt(10.5 / 9 - (7 / 9) ** 2))
    assert found["median_follower_share_1"] == pytest.approx((3 / 4 + 1) / 2)
    assert found["median_follower_share_2"] == found["median_follower_share_5"] == 1


def test_an_embedding_of_another_log_is_refused():
    with pytest.raises(ParameterError, match="no activity 'B'"):
        Embedding(("A",), np.zeros((1, 1))).of(("A", "B"))


@pytest.mark.parametrize("text", ["", "[]", '{"labels": ["A"]}', '{"labels": ["A"], "distances": [[0, 1]]}'])
def test_what_is_no_embedding_is_refused(tmp_path, text):
    file = tmp_path / "embedding.json"
    file.write_text(text)
    with pytest.raises(ParameterError, match="not an embedding"):
        read_embedding(str(file))
