"""Download from one address into an unfinished file, which a later attempt or a later run continues.

Beside the unfinished file stand its address and what the server calls this state of it (strong ETag, else
Last-Modified). The rest is asked for on the condition that the state is still the same (RFC 9110, sections 13.1.5
If-Range and 14 Range Requests); a server that holds another file by now sends that one whole.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from pathlib import Path
from time import monotonic
from time import sleep as _wait
from urllib.parse import urlsplit

import requests
from tqdm import tqdm
from urllib3.exceptions import HTTPError

from data.datasets import DatasetError

ATTEMPTS = 4
LONGEST_WAIT = 300  # seconds
TIMEOUT = (20, 60)  # seconds to connect, and between two pieces
WINDOW, SLOWEST = 60, 1000  # a download that falls below SLOWEST bytes a second during WINDOW seconds is given up
PROGRESS_AFTER = 2  # seconds
PIECE = 1 << 16  # bytes
WORTH_RETRYING = {408, 425, 429, 500, 502, 503, 504}
PAGES = {"text/html", "application/xhtml+xml", "application/json"}  # kinds of content that are never a log


class _TemporaryError(Exception):
    """A failure that may pass; `wait` is what the server asked for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class Part:
    """The unfinished download of a file, and beside it what tells whether the rest still belongs to it.

    Attributes
    ----------
    path : path
        ``<file>.part``; never taken for the file.
    """

    path: Path

    @property
    def state(self) -> Path:
        return self.path.with_name(self.path.name + ".json")

    def begin(self, url: str, state: str) -> None:
        """Empty the file for a download from an address; without a `state` it cannot be continued."""
        self.discard()
        self.path.touch()
        if state:
            self.state.write_text(json.dumps({"url": url, "state": state}), encoding="utf-8")

    def resumable(self, url: str) -> tuple[int, str]:
        """Bytes that are there and the state of the file they belong to, or 0 and nothing."""
        try:
            known = json.loads(self.state.read_text(encoding="utf-8"))
            size = self.path.stat().st_size
        except (FileNotFoundError, ValueError):  # a run that ended while it wrote
            return 0, ""
        return (size, known["state"]) if size and known["url"] == url else (0, "")

    def tidy(self) -> None:
        """Remove what no later run can continue."""
        if not (self.state.exists() and self.path.exists() and self.path.stat().st_size):
            self.discard()

    def discard(self) -> None:
        self.state.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def download(url: str, part: Part, trusted: bool, name: str) -> str:
    """Download with a few attempts, each going on where the last broke off; the address that answered in the end.

    Parameters
    ----------
    url : str
    part : Part
    trusted : bool
        Whether a checksum will tell the right file, so that a redirection to another host does no harm.
    name : str
        Stands before the progress bar.

    Raises
    ------
    DatasetError
        If the address gives no file.
    OSError
        If the file cannot be written.
    """
    for attempt in count(1):
        try:
            return _attempt(url, part, trusted, name)
        except (_TemporaryError, requests.ConnectionError, requests.Timeout) as error:
            asked = getattr(error, "wait", None)
            if asked is not None and asked > LONGEST_WAIT:
                raise DatasetError(f"{error}; it asks to come back in {asked:.0f} s") from error
            if attempt == ATTEMPTS:
                raise DatasetError(f"{_cause(error)} ({ATTEMPTS} attempts)") from error
            _wait(2.0**attempt if asked is None else asked)
        except requests.RequestException as error:
            raise DatasetError(str(error)) from error


def _cause(error: Exception) -> object:
    """What lies under a failed connection, without the layers of libraries above it."""
    return getattr(next(iter(error.args), None), "reason", error)


def _attempt(url: str, part: Part, trusted: bool, name: str) -> str:
    present, state = part.resumable(url)
    # The bytes as they are stored: a server that packs on the way would break the checksum.
    headers = {"Accept-Encoding": "identity"}
    if present:
        headers |= {"Range": f"bytes={present}-", "If-Range": state}
    with requests.get(url, stream=True, timeout=TIMEOUT, headers=headers) as answer:
        final = address(answer.url)
        _check_status(answer, part)
        _check_origin(answer, trusted)
        if present and answer.status_code == requests.codes.partial_content:
            if not re.match(rf"bytes {present}-", answer.headers.get("Content-Range", "")):
                part.discard()
                raise _TemporaryError(f"{final} answered another range than the one asked for")
        else:
            part.begin(url, _state(answer.headers))
            present = 0
        _receive(answer, part.path, present, name)
    return final


def _check_status(answer: requests.Response, part: Part) -> None:
    status = f"{address(answer.url)} answered with status {answer.status_code} {answer.reason or ''}".rstrip()
    if answer.status_code == requests.codes.requested_range_not_satisfiable:
        part.discard()
        raise _TemporaryError(status)
    if answer.status_code in WORTH_RETRYING:
        raise _TemporaryError(status, _retry_after(answer.headers.get("Retry-After", "")))
    if answer.status_code not in (requests.codes.ok, requests.codes.partial_content):
        raise DatasetError(status)


def _check_origin(answer: requests.Response, trusted: bool) -> None:
    """Refuse pages, and files from elsewhere that no checksum would tell from others."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in PAGES:
        start = _piece(answer)[:60]
        raise DatasetError(f"{address(answer.url)} answered with a page ({kind}), not a file: {start!r} (maintenance?)")
    steps = [urlsplit(step.url) for step in (*answer.history, answer)]
    if steps[0].scheme == "https" and any(step.scheme != "https" for step in steps):
        raise DatasetError(f"redirected to {address(answer.url)}, over a connection that is not encrypted")
    if not trusted and _site(steps[-1].hostname) != _site(steps[0].hostname):
        raise DatasetError(
            f"redirected to {address(answer.url)}, another host, and no checksum is published to know the file by"
        )


def _site(host: str | None) -> str:
    """The last two labels of a host name, which a repository and its storage share; an address in numbers whole."""
    host = host or ""
    return host if host.rpartition(".")[2].isdigit() else ".".join(host.split(".")[-2:])


def _receive(answer: requests.Response, path: Path, present: int, name: str) -> None:
    length = answer.headers.get("Content-Length", "")
    total = present + int(length) if length.isdecimal() else None
    bar = tqdm(
        desc=name,
        total=total,
        initial=present,
        unit="B",
        unit_scale=True,
        delay=PROGRESS_AFTER,
        leave=False,
        disable=None,  # but on a terminal
    )
    began, size = monotonic(), 0
    with bar, path.open("ab") as sink:
        while piece := _piece(answer):
            sink.write(piece)
            bar.update(len(piece))
            size += len(piece)
            if (passed := monotonic() - began) > WINDOW:
                if size < SLOWEST * passed:
                    raise _TemporaryError(f"{address(answer.url)} sends {size / passed:.0f} bytes a second only")
                began, size = monotonic(), 0


def _piece(answer: requests.Response) -> bytes:
    try:
        return answer.raw.read1(PIECE, decode_content=False)
    except HTTPError as error:
        raise _TemporaryError(f"{address(answer.url)} broke off: {error}") from error


def _state(headers: requests.structures.CaseInsensitiveDict) -> str:
    """What If-Range may name: a strong ETag, else the date of the last change."""
    tag = headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")


def _retry_after(value: str) -> float | None:
    """Seconds that a server asks to wait, given as such or as a date (RFC 9110, section 10.2.3)."""
    if value.isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def address(url: str) -> str:
    """An address without its query, which may hold a key to a storage."""
    return url.partition("?")[0]
