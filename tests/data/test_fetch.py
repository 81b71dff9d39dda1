"""Downloads from a server that misbehaves as real ones do."""

from __future__ import annotations

import gzip
import hashlib
import io
import random
import resource
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from pathlib import Path

import pytest

from conftest import ROOT
from data import download as module
from data.datasets import Dataset, DatasetError, find
from data.fetch import fetch

FILE = gzip.compress(b"<log/>" * 1000, mtime=0)
BIG = gzip.compress(random.Random(1).randbytes(200_000), mtime=0)
MAINTENANCE = b'{"message": "This repository is in maintenance."}'


def ok(handler: BaseHTTPRequestHandler, body: bytes = FILE, length: int | None = None, **headers: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(length or len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def answer(*arguments, **headers):
    """`ok` with another body, length or headers."""
    return lambda handler: ok(handler, *arguments, **headers)


def breaking_off(sent: int, **headers: str):
    """Send the first bytes of the file only."""
    return answer(FILE[:sent], len(FILE), **headers)


def rest(handler: BaseHTTPRequestHandler, body: bytes = FILE) -> None:
    """Send the part of the file that is asked for."""
    first = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
    handler.send_header("Content-Length", str(len(body) - first))
    handler.end_headers()
    handler.wfile.write(body[first:])


def without_length(body: bytes):
    """Send a body that ends with the connection."""

    def answer(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def chunked(body: bytes, whole: bool = True):
    """Send a body in pieces, the last of which may be missing."""

    def answer(handler):
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(body), body) + b"0\r\n\r\n" * whole)

    return answer


def slow(handler: BaseHTTPRequestHandler, **headers: str) -> None:
    """Send the file a byte at a time."""
    try:
        ok(handler, b"", len(FILE), **headers)
        for byte in FILE:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.2)
    except OSError:  # the client has gone
        pass


def status(code: int, **headers: str):
    def answer(handler):
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@pytest.fixture
def serve():
    """Serve answers one after the other, the last for ever; the address and the headers of the requests so far."""
    servers = []

    def serve(*answers) -> tuple[str, list[Message]]:
        script, requests = chain(answers, repeat(answers[-1])), []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                requests.append(self.headers)
                next(script)(self)

            def log_message(self, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/file", requests

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def waits(monkeypatch) -> list[float]:
    """The waits between attempts, none of them waited."""
    waits: list[float] = []
    monkeypatch.setattr(module, "_wait", waits.append)
    return waits


def wanted(url: str, **changes: str) -> Dataset:
    facts = {
        "title": "A log",
        "page": "https://example.org/page",
        "file_name": "log.xes.gz",
        "size_bytes": str(len(FILE)),
        "md5": hashlib.md5(FILE).hexdigest(),
    }
    return Dataset("mine", url=url, **(facts | changes))


def test_fetched_whole(serve, tmp_path):
    url, requests = serve(ok)
    fetch(wanted(url), tmp_path / "raw" / "log.xes.gz")
    assert [path.name for path in (tmp_path / "raw").iterdir()] == ["log.xes.gz"]
    assert (tmp_path / "raw" / "log.xes.gz").read_bytes() == FILE
    assert len(requests) == 1


def test_stored_bytes_even_if_the_server_calls_gzip_an_encoding(serve, tmp_path):
    url, _ = serve(answer(Content_Encoding="gzip"))
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE


PAGE = {"Content_Type": "text/html; charset=utf-8"}


@pytest.mark.parametrize(
    ("answer", "changes", "reason"),
    [
        (answer(MAINTENANCE), {}, 'not a .gz file but begins b\'{"message"'),
        (answer(MAINTENANCE, Content_Type="application/json"), {}, "answered with a page (application/json)"),
        (answer(b"<html>Sorry", **PAGE), {"file_name": "x.csv"}, "a page (text/html), not a file: b'<html>Sorry'"),
        (answer(b"\n<!doctype html>"), {"file_name": "x.csv"}, "not a .csv file"),
        (answer(b"<html></html>"), {"file_name": "log.xes"}, "not a .xes file"),
        (without_length(b""), {"file_name": "x.csv", "size_bytes": "", "md5": ""}, "not a .csv file but begins b''"),
        (answer(FILE[:-5]), {}, f"{len(FILE) - 5} bytes instead of {len(FILE)}"),
        (without_length(FILE[:-5]), {"size_bytes": "", "md5": ""}, "damaged or cut off"),
        (answer(b"<log><trace>"), {"file_name": "log.xes", "size_bytes": "", "md5": ""}, "cut off after 12 bytes"),
        (answer(b"PK\x03\x04"), {"file_name": "data.zip", "size_bytes": "", "md5": ""}, "damaged or cut off"),
        (ok, {"md5": "0" * 32}, "0" * 32),
        (ok, {"sha256": "0" * 64}, "0" * 64),
        (status(403), {}, "status 403 Forbidden"),
        (status(404), {}, "status 404"),
        (status(204), {}, "status 204"),
    ],
)
def test_what_is_not_the_file_is_refused_with_advice(serve, tmp_path, answer, changes, reason):
    url, requests = serve(answer)
    with pytest.raises(DatasetError) as error:
        fetch(wanted(url, **changes), tmp_path / "log.xes.gz")
    message = str(error.value)
    advice = "md5" if changes.get("md5", "?") else "no checksum published"
    facts = [reason, url, "'mine' (A log)", "https://example.org/page", advice, "raw_dirs", "data/raw/mine/"]
    assert all(fact in message for fact in facts), message
    assert not list(tmp_path.iterdir())
    assert len(requests) == 1


def test_maintenance_is_waited_for_as_long_as_asked(serve, tmp_path, waits):
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    url, _ = serve(status(503, Retry_After="7"), status(503), status(429, Retry_After=soon), ok)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert waits[:2] == [7, 4]
    assert 80 < waits[2] <= 90


@pytest.mark.parametrize(("asked", "wait"), [("Thu, 01 Jan 2015 00:00:00 GMT", 0), ("soon", 2)])
def test_a_past_or_unreadable_time_to_wait(serve, tmp_path, waits, asked, wait):
    fetch(wanted(serve(status(503, Retry_After=asked), ok)[0]), tmp_path / "log.xes.gz")
    assert waits == [wait]


def test_a_long_maintenance_is_not_waited_for(serve, tmp_path, waits):
    url, requests = serve(status(503, Retry_After="86400"))
    with pytest.raises(DatasetError, match="status 503 Service Unavailable; it asks to come back in 86400 s"):
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (waits, len(requests)) == ([], 1)


def test_attempts_are_bounded(serve, tmp_path):
    url, requests = serve(status(503))
    with pytest.raises(DatasetError, match=f"status 503 .*{module.ATTEMPTS} attempts"):
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert len(requests) == module.ATTEMPTS


@pytest.mark.parametrize("state", [{"ETag": '"1"'}, {"Last_Modified": "Thu, 01 Jan 2015 00:00:00 GMT"}])
def test_broken_off_download_is_continued(serve, tmp_path, state):
    url, requests = serve(breaking_off(20, **state), rest)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE
    assert [request["Range"] for request in requests] == [None, "bytes=20-"]
    assert requests[1]["If-Range"] == next(iter(state.values()))


@pytest.mark.parametrize("state", [{}, {"ETag": 'W/"1"'}])
def test_broken_off_download_of_unknown_state_starts_over(serve, tmp_path, state):
    url, requests = serve(breaking_off(20, **state), ok)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert [request["Range"] for request in requests] == [None, None]


@pytest.mark.parametrize(
    "second",
    [
        ok,  # what a server does that holds another file by now
        status(416),
        status(206, Content_Range="bytes 7-52/53"),
        status(206),
    ],
)
def test_changed_file_starts_over(serve, tmp_path, second):
    url, _ = serve(answer(b"other bytes of an older file", len(FILE), ETag='"1"'), second, ok)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE
    assert len(list(tmp_path.iterdir())) == 1


def test_a_later_run_continues(serve, tmp_path):
    url, requests = serve(breaking_off(20, ETag='"1"'), *[status(503)] * 3, rest)
    with pytest.raises(DatasetError, match="status 503"):
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.xes.gz.part", "log.xes.gz.part.json"]
    assert find(wanted(url), [tmp_path]) is None
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE
    assert requests[-1]["Range"] == "bytes=20-"
    assert len(list(tmp_path.iterdir())) == 1


def test_killed_while_downloading(serve, tmp_path):
    """The next run waits for no lock, continues, and makes the file."""

    def stalls(handler):
        ok(handler, BIG[:100_000], len(BIG), ETag='"1"')
        time.sleep(60)

    url, requests = serve(stalls, partial(rest, body=BIG))
    code = (
        "import sys; from pathlib import Path; from data.datasets import Dataset; from data.fetch import fetch;"
        "fetch(Dataset('mine', url=sys.argv[1], file_name='log.xes.gz'), Path(sys.argv[2]))"
    )
    target, part = tmp_path / "log.xes.gz", tmp_path / "log.xes.gz.part"
    process = subprocess.Popen([sys.executable, "-c", code, url, str(target)], cwd=ROOT)
    while not (part.exists() and part.stat().st_size > 50_000):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    present = part.stat().st_size
    fetch(wanted(url, size_bytes="", md5=""), target)
    assert target.read_bytes() == BIG
    assert requests[-1]["Range"] == f"bytes={present}-"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("content", ["", "{", '{"url": "http://elsewhere/", "state": "1"}'])
def test_remains_that_belong_to_nothing_are_not_continued(serve, tmp_path, content):
    (tmp_path / "log.xes.gz.part").write_bytes(b"remains")
    (tmp_path / "log.xes.gz.part.json").write_text(content)
    url, requests = serve(ok)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE
    assert requests[0]["Range"] is None


def test_in_chunks(serve, tmp_path):
    fetch(wanted(serve(chunked(FILE[:-5], whole=False), chunked(FILE))[0]), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE


def test_a_server_that_stops_sending_is_given_up(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", (1, 0.1))
    url, _ = serve(slow)
    with pytest.raises(DatasetError, match="broke off"):
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert not list(tmp_path.iterdir())


def test_a_server_that_trickles_is_given_up(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WINDOW", 0.3)
    url, requests = serve(slow)
    with pytest.raises(DatasetError, match=r"sends \d+ bytes a second only \(4 attempts\)"):
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert len(requests) == 4


def test_fallback_address(serve, tmp_path):
    first, second = serve(status(404))[0], serve(ok)[0]
    fetch(wanted(first, fallback_url=second), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE


def test_both_addresses_are_named_if_neither_gives_the_file(serve, tmp_path):
    first, second = serve(answer(b"<html>", **PAGE))[0], serve(status(403))[0]
    with pytest.raises(DatasetError) as error:
        fetch(wanted(first, fallback_url=second), tmp_path / "log.xes.gz")
    assert f"  {first}: " in str(error.value)
    assert f"  {second}: " in str(error.value)


def test_redirected_to_the_file(serve, tmp_path):
    url, _ = serve(status(302, Location=serve(ok)[0]))
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE


@pytest.mark.parametrize("elsewhere", [answer(b"<html>Log in", **PAGE), status(403), answer(FILE[:-1] + b"x")])
def test_redirected_to_something_else_names_the_final_address(serve, tmp_path, elsewhere):
    final = serve(elsewhere)[0]
    url, _ = serve(status(302, Location=f"{final}?key=secret"))
    with pytest.raises(DatasetError) as error:
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert url in str(error.value)
    assert final in str(error.value)
    assert "secret" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_redirected_to_another_host_without_a_checksum_to_know_the_file_by(serve, tmp_path):
    url, _ = serve(status(302, Location=serve(ok)[0].replace("127.0.0.1", "localhost")))
    fetch(wanted(url), tmp_path / "log.xes.gz")
    with pytest.raises(DatasetError, match=r"redirected to http://localhost:\d+/file, another host, and no checksum"):
        fetch(wanted(url, md5=""), tmp_path / "other.xes.gz")


def test_redirected_in_circles(serve, tmp_path):
    url, _ = serve(status(302, Location="/file"))
    with pytest.raises(DatasetError, match="redirects"):
        fetch(wanted(url), tmp_path / "log.xes.gz")


def test_no_server(tmp_path):
    with pytest.raises(DatasetError, match=r"file: .*refused.*4 attempts"):
        fetch(wanted("http://127.0.0.1:9/file"), tmp_path / "log.xes.gz")


@pytest.mark.parametrize("count", [2, 6])
def test_parallel_jobs_fetch_once(serve, tmp_path, count):
    url, requests = serve(lambda handler: (time.sleep(0.2), ok(handler)))
    with ThreadPoolExecutor(count) as jobs:
        list(jobs.map(lambda _: fetch(wanted(url), tmp_path / "log.xes.gz"), range(count)))
    assert len(requests) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["log.xes.gz"]


def test_a_file_in_place_is_kept_only_if_it_is_the_published_one(serve, tmp_path):
    url, requests = serve(ok)
    (tmp_path / "log.xes.gz").write_bytes(FILE[:-1])
    for _ in range(2):
        fetch(wanted(url), tmp_path / "log.xes.gz")
        assert (tmp_path / "log.xes.gz").read_bytes() == FILE
    assert len(requests) == 1


def full_disk(error: DatasetError, folder: Path) -> None:
    for fact in ("'mine' (A log) could not be written to", "Make room", "https://example.org/page", "data/raw/mine/"):
        assert fact in str(error)
    assert not list(folder.iterdir())


def test_file_size_limit(serve, tmp_path):
    """What a full disk or quota does, by a limit that the system enforces."""
    url, requests = serve(answer(BIG, ETag='"1"'))
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
    try:
        with pytest.raises(DatasetError, match="File too large") as error:
            fetch(wanted(url, size_bytes="", md5="", fallback_url=url), tmp_path / "log.xes.gz")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    full_disk(error.value, tmp_path)
    assert len(requests) == 1


def test_full_disk(serve, tmp_path):
    url, _ = serve(answer(BIG, ETag='"1"'))
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk")
    try:
        with pytest.raises(DatasetError, match="No space left on device") as error:
            fetch(wanted(url, size_bytes="", md5=""), tmp_path / "log.xes.gz")
        full_disk(error.value, tmp_path)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_folder_that_cannot_be_written(serve, tmp_path):
    (tmp_path / "raw").write_text("a file in the way")
    with pytest.raises(DatasetError, match="could not be written to"):
        fetch(wanted(serve(ok)[0]), tmp_path / "raw" / "log.xes.gz")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_shown_on_a_terminal_only(serve, tmp_path, monkeypatch, stream, shown):
    monkeypatch.setattr(module, "PROGRESS_AFTER", 0)
    monkeypatch.setattr(sys, "stderr", stream)
    fetch(wanted(serve(answer(BIG))[0], size_bytes="", md5=""), tmp_path / "log.xes.gz")
    assert ("mine" in stream.getvalue() and "200k" in stream.getvalue()) == shown
    assert shown or not stream.getvalue()


def test_no_progress_on_short_downloads(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    fetch(wanted(serve(ok)[0]), tmp_path / "log.xes.gz")
    assert "mine" not in stream.getvalue()


def archive(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name, text)
    return content.getvalue()


def member(url: str, name: str, **changes: str) -> Dataset:
    return replace(wanted(url, file_name="data.zip", size_bytes="", md5=""), member=name, **changes)


def test_members_are_taken_out_by_name_and_their_archive_fetched_once(serve, tmp_path):
    content = archive({"read me.txt": b"", "a log.xes": b"<log>a", "inner/b.xes.gz": FILE, "../../evil.xes": b"<log>"})
    url, requests = serve(lambda handler: (time.sleep(0.2), ok(handler, content)))
    raw = tmp_path / "work" / "raw"
    targets = {"a log.xes": raw / "a" / "a log.xes", "b.xes.gz": raw / "b" / "b.xes.gz"}
    with ThreadPoolExecutor(2) as jobs:
        list(jobs.map(lambda item: fetch(member(url, item[0]), item[1]), targets.items()))
    assert [path.read_bytes() for path in targets.values()] == [b"<log>a", FILE]
    assert len(requests) == 1
    assert sorted(path.name for path in raw.iterdir()) == ["a", "archives", "b"]
    assert [path.name for path in tmp_path.iterdir()] == ["work"]


def test_archives_of_the_same_name_are_told_apart(serve, tmp_path):
    first, second = (serve(answer(archive({"log.xes": text})))[0] for text in (b"<log>1", b"<log>2"))
    fetch(member(first, "log.xes"), tmp_path / "1" / "log.xes")
    fetch(member(second, "log.xes"), tmp_path / "2" / "log.xes")
    assert (tmp_path / "2" / "log.xes").read_bytes() == b"<log>2"


@pytest.mark.parametrize(
    ("members", "count"), [({"other.xes": b""}, 0), ({"a/log.xes": b"<log>", "b/log.xes": b"<log>"}, 2)]
)
def test_member_that_is_absent_or_ambiguous(serve, tmp_path, members, count):
    url, _ = serve(answer(archive(members)))
    with pytest.raises(DatasetError) as error:
        fetch(member(url, "log.xes"), tmp_path / "mine" / "log.xes")
    assert f"'mine': data.zip holds {count} members named 'log.xes', but {next(iter(members))}" in str(error.value)
    assert not list((tmp_path / "mine").iterdir())


def test_damaged_member_is_refused_and_its_archive_not_kept(serve, tmp_path):
    content = bytearray(archive({"log.xes": b"<log>" * 100}))
    content[40:44] = b"\0\0\0\0"
    url, _ = serve(answer(bytes(content)))
    with pytest.raises(DatasetError, match=r"log\.xes cannot be taken out of data\.zip: .*take log\.xes out of it"):
        fetch(member(url, "log.xes"), tmp_path / "mine" / "log.xes")
    assert not list((tmp_path / "mine").iterdir())
    assert not list((tmp_path / "archives").iterdir())


def test_member_from_an_archive_that_fails_its_checksum(serve, tmp_path):
    url, _ = serve(answer(archive({"log.xes": b"<log>"})))
    with pytest.raises(DatasetError, match="md5"):
        fetch(member(url, "log.xes", md5="0" * 32), tmp_path / "mine" / "log.xes")
    assert not list((tmp_path / "archives").iterdir())
