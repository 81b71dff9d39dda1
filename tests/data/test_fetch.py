"""Downloads from a server that misbehaves as real ones do."""

from __future__ import annotations

import gzip
import hashlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat

import pytest

from data import fetch as module
from data.datasets import Dataset, DatasetError
from data.fetch import fetch

FILE = gzip.compress(b"<log/>" * 1000, mtime=0)
MAINTENANCE = b'{"message": "This repository is in maintenance."}'


def ok(handler: BaseHTTPRequestHandler, body: bytes = FILE, length: int | None = None, encoding: str = "") -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(length or len(body)))
    if encoding:
        handler.send_header("Content-Encoding", encoding)
    handler.end_headers()
    handler.wfile.write(body)


def slow(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(FILE)))
    handler.end_headers()
    try:
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
    """Serve answers one after the other, the last for ever; the address and the requests so far."""
    servers = []

    def serve(*answers) -> tuple[str, list[str]]:
        script, requests = chain(answers, repeat(answers[-1])), []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                requests.append(self.path)
                next(script)(self)

            def log_message(self, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
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
    url, _ = serve(lambda handler: ok(handler, encoding="gzip"))
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE


@pytest.mark.parametrize(
    ("answer", "changes", "reason"),
    [
        (lambda handler: ok(handler, MAINTENANCE), {}, 'not a .gz file but begins b\'{"message"'),
        (lambda handler: ok(handler, b"<html></html>"), {"file_name": "log.xes"}, "not a .xes file"),
        (lambda handler: ok(handler, FILE[:-5]), {}, f"{len(FILE) - 5} bytes instead of {len(FILE)}"),
        (ok, {"md5": "0" * 32}, "0" * 32),
        (ok, {"sha256": "0" * 64}, "0" * 64),
        (status(403), {}, "status 403"),
        (status(404), {}, "status 404"),
    ],
)
def test_what_is_not_the_file_is_refused_with_advice(serve, tmp_path, answer, changes, reason):
    url, requests = serve(answer)
    with pytest.raises(DatasetError) as error:
        fetch(wanted(url, **changes), tmp_path / "log.xes.gz")
    message = str(error.value)
    facts = [reason, url, "'mine' (A log)", "https://example.org/page", "md5", "raw_dirs", "data/raw/mine/"]
    assert all(fact in message for fact in facts), message
    assert not list(tmp_path.iterdir())
    assert len(requests) == 1


def test_maintenance_is_waited_for_as_long_as_asked(serve, tmp_path, waits):
    url, _ = serve(status(503, Retry_After="7"), status(503), status(429, Retry_After="99999"), ok)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert waits == [7, 4, module.LONGEST_WAIT]


def test_broken_off_download_is_tried_again(serve, tmp_path):
    url, requests = serve(lambda handler: ok(handler, FILE[:20], len(FILE)), ok)
    fetch(wanted(url), tmp_path / "log.xes.gz")
    assert len(requests) == 2


def test_attempts_are_bounded(serve, tmp_path):
    url, requests = serve(status(503))
    with pytest.raises(DatasetError, match=f"status 503 .{module.ATTEMPTS} attempts"):
        fetch(wanted(url), tmp_path / "log.xes.gz")
    assert len(requests) == module.ATTEMPTS


def test_a_server_that_stops_sending_is_given_up(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", (1, 0.1))
    url, _ = serve(slow)
    with pytest.raises(DatasetError, match="broken off"):
        fetch(wanted(url), tmp_path / "log.xes.gz")


def test_fallback_address(serve, tmp_path):
    first, second = serve(status(404))[0], serve(ok)[0]
    fetch(wanted(first, fallback_url=second), tmp_path / "log.xes.gz")
    assert (tmp_path / "log.xes.gz").read_bytes() == FILE


def test_no_server(tmp_path):
    with pytest.raises(DatasetError, match="attempts"):
        fetch(wanted("http://127.0.0.1:9/file"), tmp_path / "log.xes.gz")
