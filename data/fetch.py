"""Fetch the published file of a dataset and verify it: `python -m data.fetch sepsis data/raw/sepsis/...`.

A repository in maintenance may answer any address with status 200 and a page that says so, therefore nothing
counts as the file before its first bytes, size and checksum have been compared; without a published checksum the
file is at least read to its end.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
import shutil
import sys
import zipfile
import zlib
from pathlib import Path

from data.datasets import Dataset, DatasetError, dataset, mismatch
from data.download import Part, address, download
from data.files import locked, replacing

BEGINNINGS = {".gz": rb"\x1f\x8b", ".zip": rb"PK", ".xes": rb".*<log", ".csv": rb"\s*[^\s<{]"}
BLOCK = 1 << 16  # bytes


def fetch(wanted: Dataset, target: Path) -> None:
    """Bring the file of a dataset, or its member of the published archive, to `target`, whole or not at all.

    Jobs that want the same file wait for the one that fetches it. An archive is kept in ``archives`` beside the
    folder of the target, for the other datasets that are members of it.

    Parameters
    ----------
    wanted : Dataset
    target : path

    Raises
    ------
    DatasetError
        If no address gives the published file, with the reason of each and the way to supply it by hand.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if wanted.member:
            archive = target.parent.parent / "archives" / _archive_name(wanted)
            archive.parent.mkdir(exist_ok=True)
            _supply(wanted, archive)
            _take_out(wanted, archive, target)
        else:
            _supply(wanted, target)
    except OSError as error:
        raise DatasetError(
            f"dataset {wanted.key!r} ({wanted.title}) could not be written to {target.parent}: "
            f"{error.strerror or error}. Make room or choose another place (`snakemake --directory`). {wanted.by_hand}"
        ) from error


def _archive_name(wanted: Dataset) -> str:
    """Many archives have the same name, so the address tells them apart."""
    return f"{hashlib.md5(wanted.url.encode(), usedforsecurity=False).hexdigest()}-{wanted.file_name}"


def _supply(wanted: Dataset, target: Path) -> None:
    """Download the published file from the first address that gives it, unless another job has done so."""
    part = Part(target.with_name(target.name + ".part"))
    reasons = []
    with locked(target):
        if target.is_file() and not _flaw(wanted, target):
            return
        for url in filter(None, (wanted.url, wanted.fallback_url)):
            try:
                _download_verified(wanted, url, part)
            except DatasetError as error:
                reasons.append(f"  {url}: {error}")
            except OSError:
                part.discard()
                raise
            else:
                os.replace(part.path, target)
                part.discard()
                return
        part.tidy()
    raise DatasetError(
        f"dataset {wanted.key!r} ({wanted.title}) could not be fetched:\n"
        + "\n".join(reasons or ["  no address is known"])
        + f"\n{wanted.by_hand}"
    )


def _download_verified(wanted: Dataset, url: str, part: Part) -> None:
    final = download(url, part, trusted=bool(wanted.md5 or wanted.sha256), name=wanted.key)
    if flaw := _flaw(wanted, part.path):
        part.discard()
        raise DatasetError(flaw if final == address(url) else f"redirected to {final}: {flaw}")


def _flaw(wanted: Dataset, path: Path) -> str:
    """What shows that a file is not the published one; empty if nothing does."""
    with path.open("rb") as content:
        start = content.read(BLOCK)
        content.seek(max(0, path.stat().st_size - BLOCK))
        end = content.read()
    kind = Path(wanted.file_name).suffix.lower()
    if not re.match(BEGINNINGS.get(kind, b""), start, re.DOTALL):
        return f"the answer is not a {kind} file but begins {start[:60]!r} (maintenance?)"
    if wanted.size_bytes and path.stat().st_size != int(wanted.size_bytes):
        return f"{path.stat().st_size} bytes instead of {wanted.size_bytes}"
    if wanted.md5 or wanted.sha256:
        return mismatch(wanted, path)
    if kind == ".xes" and b"</log" not in end:
        return f"the file is cut off after {path.stat().st_size} bytes"
    return _damage(path, kind)


def _damage(path: Path, kind: str) -> str:
    """What is wrong inside a packed file without published checksum, by the checksums of its own."""
    try:
        if kind == ".gz":
            with gzip.open(path) as content:
                while content.read(BLOCK):
                    pass
        elif kind == ".zip":
            with zipfile.ZipFile(path):
                pass  # the directory stands at the end; members are checked as they are taken out
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        return f"the {kind} file is damaged or cut off: {error}"
    return ""


def _take_out(wanted: Dataset, archive: Path, target: Path) -> None:
    """Copy a member of an archive, found by its name in whatever folder, to `target`, whole or not at all."""
    try:
        with zipfile.ZipFile(archive) as content:
            found = [entry for entry in content.infolist() if Path(entry.filename).name == wanted.member]
            if len(found) != 1:
                raise DatasetError(
                    f"dataset {wanted.key!r}: {wanted.file_name} holds {len(found)} members named {wanted.member!r}, "
                    f"but {', '.join(content.namelist())}. Name the right one as `member` in config/datasets.csv."
                )
            with replacing(target) as temporary, content.open(found[0]) as source, temporary.open("wb") as sink:
                shutil.copyfileobj(source, sink)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        archive.unlink(missing_ok=True)
        raise DatasetError(
            f"dataset {wanted.key!r}: {wanted.member} cannot be taken out of {wanted.file_name}: {error}. "
            f"{wanted.by_hand}"
        ) from error


def main() -> None:
    parser = argparse.ArgumentParser(description="Fetch the published file of a dataset and verify it.")
    parser.add_argument("key", help="key in config/datasets.csv")
    parser.add_argument("target", type=Path)
    parser.add_argument("--log", type=Path, help="write the reason of a failure here instead of to standard error")
    options = parser.parse_args()
    try:
        fetch(dataset(options.key), options.target)
    except DatasetError as error:
        if options.log:
            options.log.write_text(f"{error}\n", encoding="utf-8")
            sys.exit(1)
        sys.exit(str(error))


if __name__ == "__main__":
    main()
