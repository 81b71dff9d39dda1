"""Files that are written whole or not at all."""

from __future__ import annotations

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
