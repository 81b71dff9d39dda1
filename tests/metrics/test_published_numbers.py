"""The metrics of the embedding study on releases of PRETSA, whose values were measured with the published code."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from small_logs import scores

from data.io import read_log
from mechanisms import pretsa

FILES = {"coselog": "receipt.xes.gz", "sepsis": "Sepsis_Cases_-_Event_Log.xes.gz"}


@pytest.fixture(scope="module")
def logs(real_log):
    return {name: read_log(real_log(file)) for name, file in FILES.items()}


def released(log, **parameters):
    return pretsa.release(log, order="file", rng=np.random.default_rng(1), **parameters)


@pytest.mark.parametrize("k", [8, 32])
@pytest.mark.parametrize("name", FILES)
def test_appropriateness_and_sampling_are_as_measured(shared_dir, logs, name, k):
    table = pd.read_csv(shared_dir / "reported" / "pretsa" / "fdm_vs_lev_case_order.csv")
    [line] = table.query("log == @name and k == @k and order == 0 and dist == 'lev'").to_dict("records")
    values = scores(logs[name], released(logs[name], k=k, t=1.0, variant_k=False))
    assert values["aba_code"] == pytest.approx(line["aba_code"], abs=1e-12)
    assert values["aba_s_recall"] == pytest.approx(line["aba_rvda_orig"], abs=1e-12)
    assert values["truly_sampled"] == pytest.approx(line["tss"], abs=1e-9)


def test_the_release_of_2021_invents_and_exposes_as_measured(logs):
    values = scores(logs["sepsis"], released(logs["sepsis"], k=8, t=1.0, profile="r21"))
    assert (values["variants"], values["novel_variants"]) == (115, 55 / 115)
    receipt = scores(logs["coselog"], released(logs["coselog"], k=8, t=0.25, profile="r21"))
    assert (receipt["prefix_k_min"], receipt["variant_k_min"]) == (8, 1)
    # 1295 cases keep an exact duration of their own; imputed values that fit another case come on top.
    assert 1295 <= receipt["exact_durations"] * 1434 <= 1295 * 1.02


@pytest.mark.parametrize(("name", "file"), [("coselog", "coselog_v3"), ("sepsis", "sepsis_v3")])
def test_classes_of_who_knows_an_end_or_a_set_are_as_measured(shared_dir, logs, name, file):
    """Prefixes, and what windows of at most three activities tell, are of eight cases; of the rest next to nothing."""
    table = pd.read_csv(shared_dir / "reported" / "pretsa" / "attack_sets.csv")
    [line] = table[table["file"] == f"{file}_k8_t0.25_s0_h0.csv"].to_dict("records")
    release = released(logs[name], k=8, t=0.25, profile="r21")
    values = scores(logs[name], release)
    columns = {
        "prefix_k_min": "min_prefix", "variant_k_min": "full_trace_min", "length_k_min": "length_min",
        "last_k_min": "last_activity_min", "last_two_k_min": "last2_min", "multiset_k_min": "activity_multiset_min",
        "set_k_min": "activity_set_min",
    }  # fmt: skip
    assert {metric: values[metric] for metric in columns} == {
        metric: line[column] for metric, column in columns.items()
    }
    variants = release.variants
    cases = Counter()
    for variant, count in enumerate(variants.counts.tolist()):
        trace = variants.sequence(variant).tolist()
        windows = {tuple(trace[i : i + n]) for n in (1, 2, 3) for i in range(len(trace) - n + 1)}
        cases.update(dict.fromkeys(windows, count))
    assert min(cases.values()) == line["min_contiguous_upto3"]
