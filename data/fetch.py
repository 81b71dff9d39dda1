"""Fetch the published file of a dataset and verify it: `python -m data.fetch sepsis data/raw/sepsis/...`.

A repository in maintenance may answer any address with status 200 and a page that says so, therefore nothing
counts as the file before its size, checksum and first bytes have been compared.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from time import sleep as _wait

import requests
from urllib3.exceptions import HTTPError

from data.datasets import Dataset, DatasetError, dataset, mismatch

ATTEMPTS = 4
LONGEST_WAIT = 120  # seconds
TIMEOUT = (20, 60)  # seconds to connect, and between two pieces
WORTH_RETRYING = {408, 429, 500, 502, 503, 504}
MAGIC = {".gz": b"\x1f\x8b", ".zip": b"PK"}


class _TemporaryError(Exception):
    """A failure that may pass; `wait` is what the server asked for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def fetch(wanted: Dataset, target: Path) -> None:
    """Download the file of a dataset to `target`, whole and verified or not at all.

    Parameters
    ----------
    wanted : Dataset
    target : path

    Raises
    ------
    DatasetError
        If no address gives the published file, with the reason of each and the way to supply it by hand.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    reasons = []
    for url in filter(None, (wanted.url, wanted.fallback_url)):
        try:
            _persist(url, part)
            _verify(wanted, part)
        except (DatasetError, requests.RequestException) as error:
            reasons.append(f"  {url}: {error}")
        else:
            os.replace(part, target)
            return
        finally:
            part.unlink(missing_ok=True)
    raise DatasetError(
        f"dataset {wanted.key!r} ({wanted.title}) could not be fetched:\n"
        + "\n".join(reasons or ["  no address is known"])
        + f"\n{wanted.by_hand}"
    )


def _persist(url: str, part: Path) -> None:
    """Download with a few more attempts after failures that may pass."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _download(url, part)
        except (_TemporaryError, requests.ConnectionError, requests.Timeout) as error:
            if attempt == ATTEMPTS:
                raise DatasetError(f"{error} ({ATTEMPTS} attempts)") from error
            asked = getattr(error, "wait", None)
            _wait(min(2.0**attempt if asked is None else asked, LONGEST_WAIT))


def _download(url: str, part: Path) -> None:
    # The bytes as they are stored: a server that unpacks on the way would break the checksum.
    with requests.get(url, stream=True, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}) as answer:
        if answer.status_code in WORTH_RETRYING:
            wait = answer.headers.get("Retry-After", "")
            raise _TemporaryError(f"status {answer.status_code}", float(wait) if wait.isdigit() else None)
        if not answer.ok:
            raise DatasetError(f"status {answer.status_code}")
        try:
            with part.open("wb") as sink:
                for piece in answer.raw.stream(1 << 16, decode_content=False):
                    sink.write(piece)
        except HTTPError as error:
            raise _TemporaryError(f"broken off after {part.stat().st_size} bytes: {error}") from error


def _verify(wanted: Dataset, part: Path) -> None:
    with part.open("rb") as content:
        start = content.read(1 << 16)
    kind = Path(wanted.file_name).suffix.lower()
    if not start.startswith(MAGIC.get(kind, b"")) or (kind == ".xes" and b"<log" not in start):
        raise DatasetError(f"the answer is not a {kind} file but begins {start[:60]!r} (maintenance?)")
    if wanted.size_bytes and part.stat().st_size != int(wanted.size_bytes):
        raise DatasetError(f"{part.stat().st_size} bytes instead of {wanted.size_bytes}")
    if differs := mismatch(wanted, part):
        raise DatasetError(differs)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fetch the published file of a dataset and verify it.")
    parser.add_argument("key", help="key in config/datasets.csv")
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    try:
        fetch(dataset(options.key), options.target)
    except DatasetError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
