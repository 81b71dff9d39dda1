"""The wrapper of a run: it records whatever a command does, ends its whole tree, and leaves nothing half-written."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs are measured through /proc, which Linux has")

ROOT = Path(__file__).resolve().parents[2]
FIELDS = set(
    """mechanism parameters parameters_id log repeat seed status reason timeouts exit_code wall_s cpu_s peak_rss_mb
    phases limit_s memory_limit_mb started host core load versions code input_sha256 release_sha256 diagnostics
    notes_error leftover_processes command""".split()  # noqa: SIM905
)
PARQUET = b"PAR1 any content PAR1"
WRITE = "printf 'PAR1 any content PAR1' > $RELEASE"
PATIENCE_S = 60


class Run:
    """A run in a folder of its own; `RELEASE` and a mark by which its processes are found are in its environment."""

    def __init__(self, folder: Path):
        self.folder = folder / "runs" / "amun" / "delta=0.3,mode=sampling" / "sepsis" / "3"
        self.record = self.folder / "run.json"
        self.release = self.folder / "release.parquet"
        self.input = folder / "log.parquet"
        self.input.write_bytes(PARQUET)
        self.mark = f"MARK={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        self.environment = {**os.environ, "RELEASE": str(self.release), name: value, "TMPDIR": str(folder)}

    def line(self, *command: str, **options: object) -> list[str]:
        """The command line of the wrapper."""
        options = {"release": self.release, "input": self.input, "seed": 7, "limit_s": 30, "grace_s": 0.3, **options}
        named = [text for key, value in options.items() for text in (f"--{key.replace('_', '-')}", str(value))]
        script = ROOT / "mechanisms" / "measure.py"
        return [sys.executable, "-S", str(script), str(self.record), *named, "--", *command]

    def start(self, *command: str, **options: object) -> subprocess.Popen:
        return subprocess.Popen(
            self.line(*command, **options), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __call__(self, *command: str, **options: object) -> dict:
        """Measure the command to its end; its record."""
        with self.start(*command, **options) as process:
            self.stdout, self.stderr = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, self.stderr.decode()
        assert self.processes() == []
        return self.read_record()

    def sh(self, script: str, **options: object) -> dict:
        return self("sh", "-c", script, **options)

    def python(self, script: str, **options: object) -> dict:
        return self(sys.executable, "-S", "-c", script, **options)

    def read_record(self) -> dict:
        """The record, checked for what holds of every record."""
        record = json.loads(self.record.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert set(record) == FIELDS
        assert {path.name for path in self.folder.iterdir()} == {"run.json", "release.parquet", "origins.parquet"}
        if record["status"] == "ok":
            assert record["reason"] is None
            assert record["release_sha256"] == hashlib.sha256(self.release.read_bytes()).hexdigest()
        else:
            assert record["reason"].isprintable()
            assert self.release.stat().st_size == 0
        return record

    def processes(self) -> list[int]:
        """Living processes of this run, the wrapper's included."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.mark.encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
        return found


@pytest.fixture
def run(tmp_path):
    run = Run(tmp_path)
    yield run
    for pid in run.processes():
        os.kill(pid, signal.SIGKILL)


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


# What a command may do


def test_a_run_that_succeeds(run):
    record = run.sh(f"echo out; echo err >&2; {WRITE}", limit_mb=500)
    assert record["status"] == "ok"
    assert (record["mechanism"], record["parameters_id"]) == ("amun", "delta=0.3,mode=sampling")
    assert record["parameters"] == {"delta": 0.3, "mode": "sampling"}
    assert (record["log"], record["repeat"], record["seed"], record["exit_code"]) == ("sepsis", 3, 7, 0)
    assert (record["limit_s"], record["memory_limit_mb"], record["timeouts"]) == (30, 500, 0)
    assert record["input_sha256"] == hashlib.sha256(PARQUET).hexdigest()
    assert record["command"] == ["sh", "-c", f"echo out; echo err >&2; {WRITE}"]
    assert 0 < record["wall_s"] < PATIENCE_S
    assert set(record["host"]) == {"cpu", "cores", "memory_mb", "id"}
    assert {"python", "harness"} <= set(record["versions"])
    assert record["code"]["lock_sha256"] == hashlib.sha256((ROOT / "requirements.lock").read_bytes()).hexdigest()
    assert len(record["code"]["sha256"]) == 64
    assert (run.stdout, run.stderr) == (b"out\n", b"err\n")


def test_a_command_keeps_its_own_double_dash(run):
    assert run("sh", "-c", f'test "$1 $2" = "-- --seed" && {WRITE}', "sh", "--", "--seed")["status"] == "ok"


@pytest.mark.parametrize(
    ("script", "status", "reason"),
    [
        ("exit 0", "error", "wrote no release"),
        ("mkdir $RELEASE; touch $RELEASE/part", "error", "wrote no release"),
        ("printf PAR1 > $RELEASE", "error", "half-written release: not a whole Parquet file"),
        ("printf 'PAR1 any' > $RELEASE", "error", "half-written release: not a whole Parquet file"),
        (f"{WRITE}; echo oh; echo no >&2; echo >&2; exit 1", "error", "no (exit code 1)"),
        (f"{WRITE}; exit 4", "error", "exit code 4"),
        ("echo 'k is too large' >&2; exit 3", "infeasible", "k is too large"),
        ("exit 3", "infeasible", "refused without a reason"),
        ("kill -SEGV $$", "error", "signal 11, Segmentation fault"),
        ("kill -KILL $$", "error", "signal 9, Killed"),
        ("echo 'MemoryError' >&2; exit 1", "memory", "MemoryError"),
        ("echo 'numpy._ArrayMemoryError: 9 GB' >&2; exit 1", "memory", "numpy._ArrayMemoryError: 9 GB"),
        ("echo '  what():  std::bad_alloc' >&2; kill -ABRT $$", "memory", "what():  std::bad_alloc"),
        ("echo 'no MemoryError' >&2; exit 1", "error", "no MemoryError (exit code 1)"),
    ],
)
def test_a_run_that_fails(run, script, status, reason):
    record = run.sh(script)
    assert (record["status"], record["reason"]) == (status, reason)


def test_a_traceback_gives_its_last_line(run):
    record = run.python("raise ValueError('boom')")
    assert (record["status"], record["reason"]) == ("error", "ValueError: boom (exit code 1)")


def test_a_command_that_is_not_there(run):
    record = run("no-such-program")
    assert (record["status"], record["exit_code"]) == ("error", 127)
    assert record["reason"].startswith("cannot start no-such-program: ")


def test_other_kinds_of_release_are_not_parquet(run):
    run.release = run.folder / "release.xes.gz"
    with run.start("sh", "-c", f"echo x > {run.release}") as process:
        assert process.wait(PATIENCE_S) == 0
    assert json.loads(run.record.read_text())["status"] == "ok"


def test_what_an_earlier_run_left_is_gone(run):
    run.sh(WRITE)
    record = run.sh("test -e $RELEASE || test -e ${RELEASE%/*}/run.json || exit 3")
    assert record["status"] == "infeasible"


def test_a_link_to_the_input_is_emptied_without_the_input(run):
    run.sh(f"ln -s {run.input} $RELEASE; exit 1")
    assert run.input.read_bytes() == PARQUET


def test_a_link_is_no_release(run):
    record = run.sh(f"ln -s {run.input} $RELEASE")
    assert (record["status"], record["reason"]) == ("error", "wrote no release but a link to another file")
    assert run.input.read_bytes() == PARQUET


@pytest.mark.parametrize("change", ["echo more >> {input}", "cp {input} x && mv x {input}", "rm {input}"])
def test_a_command_that_changes_its_input_has_failed(run, change):
    """Other runs read the same log."""
    record = run.sh(f"cd {run.folder}; {change.format(input=run.input)}; {WRITE}")
    assert record["status"] == "error"
    assert record["reason"].startswith("changed its input")


def test_parts_of_files_and_a_lost_folder(run):
    run.sh("touch ${RELEASE%/*}/.17.part.release.parquet; exit 1")
    run.sh("rm -r ${RELEASE%/*}; exit 1")


def test_closed_streams(run):
    assert run.sh(f"exec 1>&- 2>&-; sleep 0.2; {WRITE}")["status"] == "ok"


def test_a_flood_on_stderr(run):
    record = run.python("import sys\nfor _ in range(400): sys.stderr.write('x' * 50_000)\nsys.exit('\\n' + 'y' * 9999)")
    assert record["status"] == "error"
    assert record["reason"] == "y" * 300 + " (exit code 1)"
    assert len(run.stderr) > 20_000_000


def test_limits_hold_though_nobody_reads_stderr(run):
    with run.start("sh", "-c", "yes >&2", limit_s=0.5) as process:
        assert process.wait(PATIENCE_S) == 0
    assert run.read_record()["status"] == "timeout"


@pytest.mark.parametrize(
    ("code", "oom_killed", "status"),
    [(-9, True, "memory"), (137, True, "memory"), (-9, False, "error"), (1, True, "error")],
)
def test_a_kill_by_the_kernel_for_lack_of_memory(code, oom_killed, status):
    judged = f"""
from types import SimpleNamespace
import measure
ended = SimpleNamespace(exit_code={code}, stopped=None, oom_killed={oom_killed}, stderr="")
print(measure.judge(ended, None)[0])
"""
    command = [sys.executable, "-S", "-c", judged]
    assert subprocess.check_output(command, cwd=ROOT / "mechanisms", text=True).strip() == status


# Trees of processes

TREES = {
    "plain": "sleep 60",
    "ignores SIGTERM": "trap '' TERM; sleep 60 & sleep 60; sleep 60",
    "stopped": "kill -STOP $$",
    "other session": "setsid sleep 60 & wait",
    "daemon": "(setsid sh -c 'sleep 60 & sleep 60' &) ; (sleep 60 &) ; sleep 60",
    "chain": "sh -c 'sh -c \"trap : TERM; setsid setsid sleep 60; sleep 60; sleep 60\"; sleep 60'; sleep 60",
}


@pytest.mark.parametrize("tree", TREES)
def test_a_timeout_ends_the_tree(run, tree):
    record = run.sh(f"{WRITE}; {TREES[tree]}", limit_s=0.4)
    assert (record["status"], record["timeouts"]) == ("timeout", 1)
    assert record["reason"] == "stopped at the limit of 0.4 s"
    assert 0.4 <= record["wall_s"] < 5
    assert record["exit_code"] in (-signal.SIGTERM, -signal.SIGKILL, 128 + signal.SIGTERM)


def test_the_grace_lets_a_command_tidy_up(run):
    script = "trap 'echo tidied >&2; exit 0' TERM; sleep 60 & wait"
    assert run.sh(script, limit_s=0.4, grace_s=10)["exit_code"] == 0
    assert run.stderr == b"tidied\n"


def test_processes_left_over_are_ended_and_counted(run):
    record = run.sh(f"sleep 60 & (setsid sleep 60 &) ; {WRITE}")  # both hold the pipe of stderr
    assert (record["status"], record["leftover_processes"]) == ("ok", 2)
    assert record["wall_s"] < 5


# Three trees that use memory: one process, a grandchild in another session, four children that share the use.
GROW = """
blocks = []
while True:
    blocks.append(bytes([1]) * 5_000_000)
"""
GROW_BELOW = f"""
import os
if os.fork():
    os.wait()
os.setsid()
{GROW}
"""
GROW_TOGETHER = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        block = bytes([1]) * 60_000_000
        time.sleep(60)
os.wait()
"""


@pytest.mark.parametrize("script", [GROW, GROW_BELOW, GROW_TOGETHER], ids=["command", "grandchild", "together"])
def test_the_memory_limit_is_that_of_the_tree(run, script):
    record = run.python(script, limit_mb=200)
    assert record["status"] == "memory"
    assert record["peak_rss_mb"] > 200
    assert record["reason"].endswith("beyond the limit of 200 MB")


SHARE = """
import os, time
block = bytes([1]) * 100_000_000
for _ in range(3):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
for _ in range(3):
    os.wait()
"""


def test_shared_memory_counts_once(run):
    record = run.python(SHARE, limit_mb=200)
    assert record["reason"] == "wrote no release"
    assert record["peak_rss_mb"] == pytest.approx(110, rel=0.1)


# Measures


def test_peak_memory(run):
    interpreter = run.python("")["peak_rss_mb"]
    assert run.python("block = bytes([1]) * 200_000_000")["peak_rss_mb"] == pytest.approx(200 + interpreter, rel=0.05)


BURN = """
import time
while time.process_time() < 0.5:
    pass
"""
# The command ends when its orphans have closed the pipe, which the kernel does at their end.
BURN_AS_ORPHANS = """
import os, time
source, sink = os.pipe()
for _ in range(2):
    if os.fork() == 0:
        if os.fork() == 0:
            while time.process_time() < 0.5:
                pass
        os._exit(0)
os.close(sink)
os.read(source, 1)
"""


def test_cpu_time(run):
    assert run.python(BURN)["cpu_s"] == pytest.approx(0.5, rel=0.1)


def test_cpu_time_is_that_of_the_tree(run):
    assert run.python(BURN_AS_ORPHANS)["cpu_s"] == pytest.approx(1.0, rel=0.1)


SETTLED = f"""
import os
import mechanisms
assert os.path.dirname(mechanisms.__file__) == {str(ROOT / "mechanisms")!r}
assert {{os.environ[name] for name in os.environ if name.endswith("_NUM_THREADS")}} == {{"1"}}
assert os.environ["PYTHONHASHSEED"] == "0"
raise SystemExit(3)
"""


def test_one_thread_and_a_fixed_hash_seed_from_any_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(sys.executable, "-c", SETTLED)["status"] == "infeasible", run.stderr.decode()


def test_a_core_of_its_own(run, tmp_path):
    script = "import os, sys; print(*os.sched_getaffinity(0)); sys.exit(3)"
    free = run.python(script)
    assert free["core"]["leased"]
    assert run.stdout.split() == [b"%d" % core for core in free["core"]["numbers"]]
    assert len(free["core"]["numbers"]) == 1

    with contextlib.ExitStack() as locks:
        for core in os.sched_getaffinity(0):
            lock = locks.enter_context((tmp_path / f"measure-cores-{os.getuid()}" / str(core)).open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        busy = run.python(script)
    assert busy["core"] == {"leased": False, "numbers": []}
    assert len(run.stdout.split()) == len(os.sched_getaffinity(0))


# Notes


def test_notes_enter_the_record(run):
    notes = {
        "parameters": {"delta": 0.25},
        "phases": {"read_s": 0.1},
        "versions": {"numpy": "2"},
        "diagnostics": {"epsilon": 1},
    }
    record = run.sh(f"echo '{json.dumps(notes)}' > $RUN_NOTES; {WRITE}")
    assert record["parameters"] == {"delta": 0.25, "mode": "sampling"}
    assert (record["phases"], record["diagnostics"]) == (notes["phases"], notes["diagnostics"])
    assert {"python", "harness", "numpy"} == set(record["versions"])
    assert record["notes_error"] is None


def test_notes_that_are_a_pipe_do_not_hold_the_run_up(run):
    record = run.sh(f"mkfifo $RUN_NOTES; {WRITE}")
    assert (record["status"], record["notes_error"][:25]) == ("ok", "notes ignored: not a file")


def test_numbers_beyond_json_are_kept_as_text(run):
    record = run.sh(f"""echo '{{"phases": {{"read_s": 1e999}}}}' > $RUN_NOTES; {WRITE}""")
    assert record["phases"] == {"read_s": "1e999"}


@pytest.mark.parametrize("notes", ['{"phases": ', "[]", '{"phases": 1}', '{"phases": {"read_s": NaN}}', "\\377"])
def test_notes_that_are_broken_do_no_harm(run, notes):
    record = run.sh(f"printf '{notes}' > $RUN_NOTES; {WRITE}")
    assert record["status"] == "ok"
    assert (record["notes_error"] or "").startswith("notes ignored: ") != (record["phases"] == {"read_s": "NaN"})


def test_origins_are_kept_beside_the_record(run):
    run.sh(f"printf origins > $RUN_ORIGINS; {WRITE}")
    assert (run.folder / "origins.parquet").read_bytes() == b"origins"


@pytest.mark.parametrize("script", [WRITE, f"ln -s $RELEASE $RUN_ORIGINS; {WRITE}", f"mkfifo $RUN_ORIGINS; {WRITE}",
                                    f"printf origins > $RUN_ORIGINS; {WRITE}; exit 1"])  # fmt: skip
def test_without_origins_a_file_of_0_bytes_stands_in_their_place(run, script):
    run.sh(script)
    assert (run.folder / "origins.parquet").stat().st_size == 0
    assert not (run.folder / "origins.parquet").is_symlink()


# The chain of repeats


@pytest.mark.parametrize(
    ("timeouts", "stop_after", "status"),
    [(1, 1, "timeout"), (3, 2, "timeout"), (1, 2, "ok"), (5, 0, "ok"), (0, 1, "ok")],
)
def test_a_hopeless_cell_is_not_tried_again(run, tmp_path, timeouts, stop_after, status):
    previous = tmp_path / "previous.json"
    previous.write_text(json.dumps({"timeouts": timeouts}))
    record = run.sh(f"echo ran; {WRITE}", previous=previous, stop_after=stop_after)
    assert record["status"] == status
    assert run.stdout == (b"ran\n" if status == "ok" else b"")
    if status == "timeout":
        assert record["reason"] == f"skipped after {timeouts} timeout{'s' if timeouts > 1 else ''}"
        assert (record["wall_s"], record["cpu_s"], record["peak_rss_mb"], record["exit_code"]) == (None,) * 4
    assert record["timeouts"] == (timeouts if status == "timeout" else 0)


def test_timeouts_in_a_row_add_up(run, tmp_path):
    previous = tmp_path / "previous.json"
    previous.write_text(json.dumps({"timeouts": 1}))
    assert run("sleep", "60", previous=previous, stop_after=2, limit_s=0.2)["timeouts"] == 2


def test_the_first_repeat_has_no_previous_one(run):
    assert run.sh(WRITE, previous="")["status"] == "ok"


# Misuse and interruption: no record


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"timeouts": "many"}'])
def test_a_previous_record_that_cannot_be_read(run, tmp_path, content):
    previous = tmp_path / "previous.json"
    if content is not None:
        previous.write_text(content)
    run.sh(WRITE)
    with run.start("sh", "-c", WRITE, previous=previous) as process:
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert stderr.decode().startswith(f"measure: --previous {previous} is not a run record")
    assert list(run.folder.iterdir()) == []


def test_an_input_that_is_not_there(run):
    run.input.unlink()
    with run.start("sh", "-c", WRITE) as process:
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert stderr.decode().startswith(f"measure: --input {run.input}: No such file or directory")
    assert list(run.folder.iterdir()) == []


def test_a_record_that_names_no_run(run):
    run.record = run.folder / "first" / "run.json"
    with run.start("sh", "-c", WRITE) as process:
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "does not end in mechanism/parameters/log/repeat/run.json" in stderr.decode()


def interrupted(run: Run, strike) -> subprocess.Popen:
    """Start a tree that resists, `strike` at the caller of the wrapper once it stands, and wait for its end."""
    script = f"{WRITE}; trap '' TERM; setsid sleep 60 & (sleep 60 &) ; echo up; sleep 60"
    with run.start("sh", "-c", script) as process:
        process.stdout.readline()
        wait_for(lambda: len(run.processes()) == 6)  # guard, keeper, sh, three sleeps
        strike(process.pid)
        process.wait(PATIENCE_S)
        wait_for(lambda: run.processes() == [])
    assert list(run.folder.iterdir()) == []
    return process


def keeper_of(guard: int) -> int:
    return int(Path(f"/proc/{guard}/task/{guard}/children").read_text())


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interruption(run, signum):
    process = interrupted(run, lambda guard: os.kill(guard, signum))
    assert process.returncode == 1


def test_kill_9_of_the_wrapper(run):
    interrupted(run, lambda guard: os.kill(guard, signal.SIGKILL))


def test_kill_9_of_the_keeper(run):
    process = interrupted(run, lambda guard: os.kill(keeper_of(guard), signal.SIGKILL))
    assert process.returncode == 1


def test_kill_9_of_the_caller(run):
    line = run.line("sh", "-c", f"{WRITE}; setsid sleep 60 & echo up; sleep 60")
    caller = f"import subprocess; subprocess.run({line!r})"
    with subprocess.Popen([sys.executable, "-c", caller], env=run.environment, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.kill()
        wait_for(lambda: run.processes() == [])
    assert list(run.folder.iterdir()) == []


def test_a_signal_that_the_caller_ignores_stays_ignored(run):
    line = run.line("sh", "-c", f"echo up; sleep 0.5; {WRITE}")
    with subprocess.Popen(["nohup", *line], env=run.environment, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
    assert run.read_record()["status"] == "ok"
