"""Files that are written whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary path beside `path`, of the same suffixes, that replaces it when the block ends without an error."""
    path = Path(path)
    temporary = path.with_name(f".{os.getpid()}.part.{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def locked(path: str | os.PathLike) -> Iterator[None]:
    """Hold the right to make the file `path`, against other processes too; waits for whoever holds it.

    The right ends with the process, however that ends. The lock file beside `path` is removed, so one that was
    waited for may be gone: then it is asked for again.
    """
    path = Path(path)
    lock = path.with_name(f".{path.name}.lock")
    while True:
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not _is_at(lock, file.fileno()):
                continue
            try:
                yield
            finally:
                lock.unlink()
            return


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file still has that path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def write_json(value: dict, path: str | os.PathLike) -> None:
    """Write JSON, whole or not at all (temporary name, then rename).

    Raises
    ------
    ValueError
        If a number is not finite, which JSON does not know.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
