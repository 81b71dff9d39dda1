"""The content of a file piece by piece: plain, gzip or zip, told by its first bytes, within limits.

A decompression bomb is a small file with enormous content. Unpacking stops at a limit on the size of the content and
one on its ratio to the packed size, so it costs neither memory nor more time than the limits allow.
"""

from __future__ import annotations

import codecs
import gzip
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from data.log import LogError
from data.options import ImportOptions

BYTES_AT_ONCE = 1 << 18
UNSUSPICIOUS = 64 << 20  # content up to this size is not worth a bomb
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
BROKEN = (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError)


def pieces(path: Path, options: ImportOptions) -> Iterator[bytes]:
    """The content of a file, unpacked, in pieces.

    Raises
    ------
    LogError
        If the packed file is broken or cut off, exceeds the limits of the options, or is a zip archive without a
        member that can be read.
    """
    with ExitStack() as opened:
        raw = opened.enter_context(path.open("rb"))
        try:
            content = _unpacked(raw, path, options.member, opened)
            total = 0
            while piece := content.read(BYTES_AT_ONCE):
                total += len(piece)
                if content is not raw:
                    check_size(path, total, options)
                yield piece
        except BROKEN as error:
            raise LogError(f"{path}: broken gzip file or archive: {error}; fetch or copy it again") from error


def content_name(path: Path, member: str) -> str:
    """The name that tells the kind of a file: its own without ``.gz``, or that of the member of a zip archive.

    Raises
    ------
    LogError
        As `pieces`.
    """
    name = path.name
    with path.open("rb") as raw:
        if raw.peek(4).startswith(ZIP):
            try:
                with zipfile.ZipFile(raw) as archive:
                    name = _member(archive, path, member).filename
            except (*BROKEN, ValueError, OSError) as error:
                raise error if isinstance(error, LogError) else LogError(f"{path}: broken zip file: {error}") from error
    return name.lower().removesuffix(".gz")


def decoded(parts: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The parts of a text in UTF-8 and without byte order mark.

    Raises
    ------
    LookupError
        If there is no such encoding of text.
    UnicodeError
        If the text is not in that encoding.
    """
    "x".encode(encoding)  # refuses what is no encoding of text, as `zip`
    decoder = codecs.getincrementaldecoder(encoding)()
    start = True
    for part in parts:
        text = decoder.decode(part)
        yield (text.removeprefix("\ufeff") if start else text).encode()
        start = start and not text
    yield decoder.decode(b"", True).encode()


def check_size(path: Path, total: int, options: ImportOptions) -> None:
    """Refuse a packed file whose content, of so many bytes, exceeds the limits."""
    if total > options.max_bytes:
        raise LogError(f"{path}: unpacks to more than {options.max_bytes} bytes; raise --max-bytes if that is right")
    if total > max(UNSUSPICIOUS, options.max_ratio * path.stat().st_size):
        raise LogError(
            f"{path}: unpacks to more than {options.max_ratio:g} times its size, as decompression bombs do; "
            f"raise --max-ratio if that is right"
        )


def _unpacked(raw: BinaryIO, path: Path, member: str, opened: ExitStack) -> BinaryIO:
    content = raw
    if raw.peek(4).startswith(ZIP):
        try:
            archive = opened.enter_context(zipfile.ZipFile(raw))
            content = opened.enter_context(archive.open(_member(archive, path, member)))
        except (ValueError, OSError) as error:
            raise error if isinstance(error, LogError) else zipfile.BadZipFile(str(error)) from error
    return gzip.GzipFile(fileobj=content) if content.peek(2).startswith(GZIP) else content


def _member(archive: zipfile.ZipFile, path: Path, wanted: str) -> zipfile.ZipInfo:
    names = archive.namelist()
    logs = [name for name in names if name.lower().removesuffix(".gz").endswith((".xes", ".csv"))]
    chosen = wanted or (logs[0] if len(logs) == 1 else "")
    if chosen not in names:
        raise LogError(f"{path}: name the member to read (--member), one of {', '.join(logs or names)}")
    info = archive.getinfo(chosen)
    # Of the others zipfile unpacks at least 4 KB in one go, which may hold 5 GB in bzip2.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise LogError(
            f"{path}: {chosen} is packed by another method than deflate, which could fill the memory; unpack the "
            f"archive first"
        )
    return info
