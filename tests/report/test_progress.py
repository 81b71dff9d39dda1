"""What a running workflow says on a terminal."""

from __future__ import annotations

import io
import json
import logging

import pytest

from report import progress


class Terminal(io.StringIO):
    """Takes what is written, as a terminal of 80 columns."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def terminal(monkeypatch) -> Terminal:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(progress, "_width", lambda stream: 79)
    return Terminal()


def tell(handler: logging.Handler, event: str | None, text: str = "", **facts: object) -> None:
    record = logging.makeLogRecord({"msg": text, "event": event, **facts})
    handler.handle(record)


def jobs(*rules: str) -> list[tuple[str, dict[str, str]]]:
    return [(rule, {}) for rule in rules]


def alike(rule: str, values: dict[str, str]) -> float:
    return 1.0


def start(handler, number: int, rule: str, outputs: tuple[str, ...] = (), **values: str) -> None:
    tell(handler, "job_info", jobid=number, rule_name=rule, output=outputs, wildcards=values)


def run_job(handler, clock, number: int, rule: str, seconds: float, outputs: tuple[str, ...] = ()) -> None:
    start(handler, number, rule, outputs)
    clock.now += seconds
    tell(handler, "job_finished", job_id=number)


def test_time_left_is_that_of_jobs_of_the_same_rule(terminal):
    clock = Clock()
    handler = progress.Progress(terminal, jobs(*["fast"] * 10, *["slow"] * 4), alike, clock)
    assert handler.line() == "0 of 14 jobs done"
    run_job(handler, clock, 1, "fast", 1)
    run_job(handler, clock, 2, "slow", 100)
    start(handler, 3, "slow")
    assert handler.left() == pytest.approx(9 * 1 + 3 * 100)  # one at a time
    assert handler.line() == "2 of 14 jobs done, 1 running, about 5 min left"
    start(handler, 4, "slow")
    clock.now += 100
    tell(handler, "job_finished", job_id=3)
    tell(handler, "job_finished", job_id=4)
    start(handler, 5, "fast")
    # Two at once for half of the time: 301 s of jobs in 201 s.
    assert handler.left() == pytest.approx((9 + 100) * 201 / 301)


def test_long_jobs_are_told_from_short_ones_by_their_weight(terminal):
    clock = Clock()
    wanted = [("run", {"log": "small"})] * 2 + [("run", {"log": "large"})]
    handler = progress.Progress(terminal, wanted, lambda rule, values: 50.0 if values["log"] == "large" else 0.5, clock)
    start(handler, 1, "run", log="small")
    clock.now += 2
    tell(handler, "job_finished", job_id=1)
    start(handler, 2, "run", log="small")
    assert handler.left() == pytest.approx(2 + 200)


def test_runs_that_failed_are_read_from_their_records(terminal, tmp_path):
    clock = Clock()
    handler = progress.Progress(terminal, jobs(*["shuffle"] * 4), alike, clock)
    for number, status in enumerate(["ok", "timeout", "timeout"]):
        record = tmp_path / str(number) / "run.json"
        record.parent.mkdir()
        record.write_text(json.dumps({"status": status}))
        run_job(handler, clock, number, "shuffle", 1, (str(record.with_name("release.parquet")), str(record)))
    start(handler, 9, "shuffle")
    assert "3 of 4 jobs done, 1 running, 2 runs failed (2 timeout), about 1 s left" in terminal.getvalue()
    tell(handler, "job_error", jobid=9)
    handler.close()
    assert terminal.getvalue().endswith("3 of 4 jobs done, 2 runs failed (2 timeout), 1 jobs failed\n")


def test_one_line_that_makes_way_for_others(terminal):
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(terminal))
    progress.show(logger, jobs("a", "a"), alike)
    for number in range(2):
        logger.info(
            "rule a", extra={"event": "job_info", "jobid": number, "rule_name": "a", "output": (), "wildcards": {}}
        )
        logger.info("Select jobs to execute...")
        logger.info("done", extra={"event": "job_finished", "job_id": number})
    logger.error("Error in rule a", extra={"event": "job_error", "jobid": 7})
    shown = terminal.getvalue()
    assert "rule a\n" in shown.split(progress.CLEAR)[-1]  # the error alone, on a line of its own
    assert "2 of 2 jobs done\n" in shown
    assert "Select" not in shown
    assert shown.count("\n") == 2


@pytest.mark.parametrize(
    ("stream", "environment"), [(Terminal(), {"CI": "true"}), (io.StringIO(), {}), (io.StringIO(), {"CI": "1"})]
)
def test_quiet_without_a_terminal_and_in_ci(stream, environment, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    progress.show(logger, jobs("a"), alike)
    assert len(logger.handlers) == 1
    logger.info("rule a", extra={"event": "job_info", "jobid": 1, "rule_name": "a", "output": (), "wildcards": {}})
    assert "rule a" in stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (119, "119 s"), (600, "10 min"), (7200, "2.0 h"), (10 * 86400, "10.0 days")]
)
def test_durations(seconds, text):
    assert progress.duration(seconds) == text
