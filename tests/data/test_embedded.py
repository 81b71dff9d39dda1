"""The synthetic logs: what they hold, and that the kept files are the generator's."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from data.embedded import FOLDER, PROCESSES, generate
from data.io import write_log

VARIANTS = {"structured": (15, 30), "semi_structured": (150, 250), "unstructured": (600, 800)}


@pytest.mark.parametrize("name", PROCESSES)
def test_kept_file_is_the_generators(name, tmp_path):
    path = FOLDER / f"{name}.xes.gz"
    write_log(generate(PROCESSES[name]), tmp_path / path.name)
    # The packed bytes also depend on the version of zlib.
    assert gzip.decompress((tmp_path / path.name).read_bytes()) == gzip.decompress(path.read_bytes())
    assert path.stat().st_size < 150_000


@pytest.mark.parametrize("name", PROCESSES)
def test_what_a_synthetic_log_holds(name):
    log = generate(PROCESSES[name])
    low, high = VARIANTS[name]
    assert log.n_cases == 1000
    assert low <= len(log.variants) <= high
    assert {"NA", "007"} <= set(log.case_ids)
    assert any("," in label for label in log.labels)
    same_case = np.diff(log.case_of_event) == 0
    tie = same_case & (np.diff(log.timestamps) == 0)
    assert 0.005 < tie.mean() < 0.1
    assert (tie & (np.diff(log.activities) == 0)).any(), "exact duplicates"
    assert (log.timestamps % 10**6 != 0).any(), "parts of seconds"
    assert (log.timestamps % 10**6 == 0).any()
    moments = log.timestamps.astype("datetime64[us]")
    assert np.is_busday(moments.astype("datetime64[D]")).all()
    hours = (moments - moments.astype("datetime64[D]")).astype(np.int64) / 3.6e9
    assert hours.min() >= 8
    assert hours.max() < 16


def test_some_label_is_beyond_ascii():
    assert not all(label.isascii() for label in generate(PROCESSES["unstructured"]).labels)
