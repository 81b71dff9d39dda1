"""A release of a query of variants that has many times the cases of its log is scored by its variants."""

from __future__ import annotations

import tracemalloc

import numpy as np
import ot  # noqa: F401 - so that its import counts for no metric
import pytest
from small_logs import log_of

from data.log import EventLog
from metrics.pair import align
from metrics.registry import metric_modules
from metrics.score import wanted_of
from metrics.verification import claims

VARIANTS, CASES, LENGTH = 20, 10_000, 100
COLUMN = CASES * LENGTH * 8  # bytes of one number an event
RECORD = {
    "diagnostics": {"k": 2}, "parameters": {}, "seed": 1, "phases": {}, "core": {"leased": True}, "load": 0.0,
    "host": {"cores": 1, "id": "a"}, "wall_s": 1.0, "cpu_s": 1.0, "peak_rss_mb": 1.0,
}  # fmt: skip
FILES = [module for module in metric_modules() if module.METRICS[0].of == "log" and not module.METRICS[0].costly]


@pytest.fixture(scope="module")
def logs():
    """A log, and a release without times whose variants have thousands of cases each."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, (VARIANTS, LENGTH))
    released = codes[rng.integers(0, VARIANTS, CASES)].ravel()
    offsets, ids = np.arange(CASES + 1) * LENGTH, [f"{case}" for case in range(CASES)]
    release = EventLog(released, np.zeros(len(released)), offsets, tuple("bcdae"), ids)
    return log_of(*("".join("abcdef"[code] for code in trace) for trace in codes[:10])), release


def peak(function, *arguments):
    """Most bytes that a call takes."""
    tracemalloc.start()
    function(*arguments)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def scored(module, known):
    return module.score(**wanted_of(known, module.score))


def checked(*arguments):
    return list(claims(*arguments))


def test_no_metric_takes_a_number_an_event(logs):
    original, release = logs
    assert peak(align, original, release) < 0.9 * COLUMN
    known = {"original": original, "release": release, "origins": None, "record": RECORD}
    taken = {module.__name__: peak(scored, module, known) for module in FILES}
    assert {name for name, size in taken.items() if size >= 0.9 * COLUMN} == set()
    run = "x", "tvq", "epsilon=1", "0"
    assert peak(checked, original, release, None, RECORD, run) < 0.9 * COLUMN
