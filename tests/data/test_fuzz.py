"""Mutated files of every format: a log or a clear error, within a time limit, whatever the mutation.

The mutations are cuts, repeats, swaps, overwritten bytes and inserted pieces that parsers stumble over. The large
runs take 24,000 files through the import, 3000 more inside sound gzip files, 4800 through the whole command line and
2000 through the reader of canonical logs; the same seeds always give the same files.
"""

from __future__ import annotations

import gzip
import io
import signal
import sys
import warnings
import zipfile
from collections.abc import Callable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from data import convert, unpack
from data.importing import import_log
from data.io import LogError, read_log, write_log
from data.log import LIFECYCLE, EventLog
from data.options import ImportOptions

SECONDS = 5  # for a file that takes milliseconds
TOKENS = [
    *b"<event> </event> <trace> </trace> <log> <!-- --> <![CDATA[ ]]> &#0; &lt; &x; & <string /> x: <?pi ?>".split(),
    *b'\' " "" , ; PK\x03\x04 1e999 NaN -0001-01-01 99999-12-31T00:00:00Z +99:99 <event/>'.split(),
    *b'key="time:timestamp" key="concept:name" key="x" value=" key="meta_general:events_total"'.split(),
    *b"\xff\xfe \xef\xbb\xbf \xed\xa0\x80 \xef\xbf\xbf \xf0\x9f\x92\xa9 \x1f\x8b".split(),
    *[b"\x00", b"\r", b"\n", b"\v", b"<!DOCTYPE log [<!ENTITY x 'y'>]>", b"<?xml version='1.0' encoding='utf-16'?>"],
]


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> dict[str, bytes]:
    """A small valid log in every format, by file name."""
    folder = tmp_path_factory.mktemp("originals")
    transitions = np.array(["start", "complete", None] * 4, dtype=object)
    cases = ["1", "NA", "é", " 7"] * 3
    labels = ["a", "b,c", 'say "x"', "line\nbreak", "", "T&E"] * 2
    log = EventLog.from_rows(cases, labels, np.arange(12) * 10**9 + 7, {LIFECYCLE: transitions})
    for name in ("log.xes", "log.xes.gz", "log.csv", "log.csv.gz", "log.parquet"):
        write_log(log, folder / name)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.xes", files["log.xes"])
    return files | {"log.zip": packed.getvalue()}


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    for _ in range(rng.integers(1, 5)):
        start, stop = sorted(rng.integers(0, len(content) + 1, 2).tolist())
        stop = min(stop, start + 200)
        kind = rng.integers(6)
        if kind == 0:
            content = content[:start] + content[stop:]
        elif kind == 1:
            content = content[:stop] + content[start:]
        elif kind == 2:
            content = content[:start] + TOKENS[rng.integers(len(TOKENS))] + content[start:]
        elif kind == 3:
            content = content[:start] + TOKENS[rng.integers(len(TOKENS))] + content[stop:]
        elif kind == 4:
            content = content[:start] + rng.bytes(int(rng.integers(1, 9))) + content[start + 4 :]
        elif rng.random() < 0.3:
            content = content[:start]
    return content


@contextmanager
def limited(seconds: int):
    """Raise TimeoutError where the block takes longer."""

    def late(*_):
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def imported(path: Path, seed: int) -> None:
    import_log(path, ImportOptions(strict=seed % 5 == 0, attributes=seed % 3 == 0, allow_totals=seed % 2 == 0))


def converted(path: Path, seed: int) -> None:
    """The command line in this process; its one line and exit code 1 as the error that they tell of."""
    flags = [flag for flag, every in (("--strict", 5), ("--attributes", 3), ("--allow-totals", 2)) if seed % every == 0]
    further = ["--lifecycle", ("all", "complete", "pairs")[seed % 3], "--repeated", ("merge", "apart")[seed % 2]]
    target = path.with_name("out" + (".parquet", ".csv", ".csv.gz", ".xes", ".xes.gz")[seed % 5])
    arguments = ["convert", str(path), str(target), str(path.with_name("statistics.json")), *flags, *further]
    reason = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", arguments)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as printed:
            try:
                convert.main()
            except SystemExit as ended:
                reason = ended.code
    assert not printed.getvalue()
    assert {*path.parent.iterdir()} <= {path, target, path.with_name("statistics.json")}
    target.unlink(missing_ok=True)
    if reason is not None:
        assert isinstance(reason, str), reason  # which Python prints, and exits with 1
        assert len(reason.splitlines()) == 1, reason
        raise LogError(reason)


Reader = Callable[[Path, int], object]


def refused(files: dict[str, bytes], folder: Path, count: int, read: Reader = imported, pack: bool = False) -> int:
    """Read mutated files, `count` of each; how many were refused. Whatever else goes wrong is raised."""
    total = 0
    for name, content in files.items():
        for seed in range(count):
            rng = np.random.default_rng([seed, len(name)])
            content_now = mutated(content, rng)
            path = folder / name
            path.write_bytes(gzip.compress(content_now, 1) if pack else content_now)
            try:
                with limited(SECONDS), warnings.catch_warnings(action="error"):
                    read(path, seed)
            except LogError as error:
                total += str(path) in str(error)
            except BaseException as error:
                error.add_note(f"{name}, seed {seed}: {content_now[:3000]!r}")
                raise
            path.unlink()
    return total


def outcome(path) -> object:
    """What the import of a file gives, or that it is refused."""
    try:
        with limited(SECONDS):
            log, counters = import_log(path)
    except LogError:
        return "refused"
    columns = (log.case_ids, log.labels, log.offsets.tolist(), log.activities.tolist(), log.timestamps.tolist())
    return columns, counters, {key: values.tolist() for key, values in log.attributes.items()}


def disagreements(content: bytes, path, count: int, monkeypatch) -> list[int]:
    """Seeds whose mutation of XES is read otherwise with the short cut for plain events than by expat alone."""
    differing = []
    for seed in range(count):
        path.write_bytes(mutated(content, np.random.default_rng([seed, 1])))
        monkeypatch.setattr(unpack, "BYTES_AT_ONCE", 1 << 20)
        by_expat = outcome(path)
        monkeypatch.setattr(unpack, "BYTES_AT_ONCE", 700)
        if outcome(path) != by_expat:
            differing.append(seed)
    return differing


def test_mutated_files(originals, tmp_path):
    count = 60
    assert 0 < refused(originals, tmp_path, count) < count * len(originals)


def test_mutated_files_through_the_command_line(originals, tmp_path):
    count = 25
    assert 0 < refused(originals, tmp_path, count, converted) < count * len(originals)


def test_mutated_canonical_logs(originals, tmp_path):
    files = {"log.parquet": originals["log.parquet"]}
    assert 0 < refused(files, tmp_path, 100, lambda path, _: read_log(path)) < 100


@pytest.mark.slow
def test_many_mutated_files_through_the_command_line(originals, tmp_path):
    assert refused(originals, tmp_path, 800, converted) > 2000


@pytest.mark.slow
def test_many_mutated_canonical_logs(originals, tmp_path):
    files = {"log.parquet": originals["log.parquet"]}
    assert refused(files, tmp_path, 2000, lambda path, _: read_log(path)) > 1000


@pytest.mark.slow
def test_many_mutated_files(originals, tmp_path):
    assert refused(originals, tmp_path, 4000) > 10_000


@pytest.mark.slow
def test_many_mutated_texts_in_sound_gzip(originals, tmp_path):
    """Beyond the checksum of gzip, which few mutations get past."""
    texts = {"log.xes": originals["log.xes"], "log.csv": originals["log.csv"]}
    assert refused(texts, tmp_path, 1500, pack=True) > 1000


def test_short_cut_agrees_with_expat(originals, tmp_path, monkeypatch):
    assert not disagreements(originals["log.xes"], tmp_path / "log.xes", 150, monkeypatch)


@pytest.mark.slow
def test_short_cut_agrees_with_expat_on_many_files(originals, tmp_path, monkeypatch):
    assert not disagreements(originals["log.xes"], tmp_path / "log.xes", 10_000, monkeypatch)
