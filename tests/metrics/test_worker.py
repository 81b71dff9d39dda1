"""Answers under limits, each in a process that is ended beyond them."""

from __future__ import annotations

import math
import os
import signal
import time

import pytest
from forked import forked_mb

from metrics.worker import Worker

MB = 1_000_000
kept = []


def answered(question):
    """Do what is asked for, in the worker, and tell which process did it."""
    what, amount = question
    if what == "sleep":
        time.sleep(amount)
    elif what == "take":
        taken = bytearray(b"x") * (amount * MB)
        time.sleep(0.1)  # so that it is seen
        del taken
    elif what == "keep":
        kept.append(bytearray(b"x") * (amount * MB))
    elif what == "raise":
        raise amount
    elif what == "lack" and len(kept) == amount:
        raise MemoryError("no room beside what is kept")
    elif what == "die":
        os.kill(os.getpid(), amount)
    return os.getpid()


@pytest.fixture
def worker():
    worker = Worker(answered, limit_s=30, limit_mb=forked_mb() + 120)
    yield worker
    worker.close()


def test_one_process_answers_until_it_is_ended(worker):
    first = worker.ask(("sleep", 0))
    assert first == worker.ask(("take", 1)) != os.getpid()
    worker.close()
    assert not os.path.exists(f"/proc/{first}")
    assert worker.ask(("sleep", 0)) != first


def test_what_takes_too_long_is_refused():
    worker = Worker(answered, limit_s=0.5, limit_mb=math.inf)
    with pytest.raises(TimeoutError, match=r"stopped at the limit of 0\.5 s"):
        worker.ask(("sleep", 60))


def test_too_much_memory_is_refused_where_the_process_is_fresh_or_not(worker):
    for _ in range(2):
        with pytest.raises(MemoryError, match=r"stopped at \d+ MB, beyond the limit of"):
            worker.ask(("take", 150))
        worker.ask(("take", 1))


def test_what_earlier_answers_keep_does_not_count(worker):
    first = worker.ask(("keep", 80))
    assert worker.ask(("take", 80)) != first


@pytest.mark.parametrize(
    ("signum", "error", "reason"),
    [(signal.SIGTERM, ChildProcessError, "exit code -15"), (signal.SIGKILL, MemoryError, "killed from outside")],
)
def test_a_process_that_dies_takes_one_answer_along(worker, signum, error, reason):
    with pytest.raises(error, match=reason):
        worker.ask(("die", signum))
    assert worker.ask(("sleep", 0))


def test_what_is_raised_is_told(worker):
    first = worker.ask(("sleep", 0))
    with pytest.raises(ChildProcessError, match="ValueError: no number"):
        worker.ask(("raise", ValueError("no number")))
    assert worker.ask(("sleep", 0)) == first


def test_what_finds_no_memory_is_tried_in_a_fresh_process(worker):
    first = worker.ask(("keep", 1))
    assert worker.ask(("lack", len(kept) + 1)) != first
    with pytest.raises(MemoryError, match="no room"):
        worker.ask(("lack", len(kept)))


def test_no_process_outlives_the_one_that_asks():
    source, sink = os.pipe()
    asking = os.fork()
    if not asking:
        os.write(sink, str(Worker(answered, 60, 1000).ask(("sleep", 0))).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(asking, 0)
    answering = int(os.read(source, 20))
    for _ in range(100):
        if not os.path.exists(f"/proc/{answering}"):
            break
        with open(f"/proc/{answering}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.05)
    else:
        pytest.fail("it is still there")
