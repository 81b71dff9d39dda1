"""Derive the pins of indirect dependencies in environment.yml, and requirements.lock with hashes: `make lock`.

The versions under the first comment of environment.yml's pip list are written by hand; those under the second,
and the lock, follow from them for every platform and every Python from 3.11 on.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "environment.yml"
LOCK = ROOT / "requirements.lock"
INDIRECT = "      # needed by the above\n"
HEADER = "# Derived from environment.yml by `make lock`; do not edit.\n"


def pins(environment: str) -> list[str]:
    """The pip requirements in the text of an environment file."""
    (pip,) = [entry["pip"] for entry in yaml.safe_load(environment)["dependencies"] if isinstance(entry, dict)]
    return pip


def locked(lock: str) -> list[str]:
    """The requirements in the text of a lock file, without their hashes."""
    return [line.removesuffix("\\").strip() for line in lock.splitlines() if re.match(r"[a-z0-9]", line, re.IGNORECASE)]


def resolve(requirements: list[str]) -> str:
    """The lock of some requirements, by uv."""
    options = ["--universal", "--generate-hashes", "--python-version=3.11", "--no-emit-index-url", "--no-header"]
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", *options, "--no-annotate", "-"]
    return subprocess.run(command, input="\n".join(requirements), text=True, check=True, capture_output=True).stdout


def name_of(pin: str) -> str:
    return pin.split("==")[0]


def main() -> None:
    direct_text = ENVIRONMENT.read_text().split(INDIRECT)[0]
    direct = pins(direct_text)
    lock = resolve(direct)
    indirect = [pin for pin in locked(lock) if name_of(pin) not in set(map(name_of, direct))]
    lines = "".join(f'      - "{pin}"\n' if ";" in pin else f"      - {pin}\n" for pin in indirect)
    ENVIRONMENT.write_text(direct_text + INDIRECT + lines)
    LOCK.write_text(HEADER + lock)


if __name__ == "__main__":
    main()
