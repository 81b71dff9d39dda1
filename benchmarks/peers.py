"""The public programs that are measured beside this project, each in an environment of its own.

`benchmarks/peers/NAME.txt` pins everything that is installed; what was installed once is kept in `.peers`.
"""

from __future__ import annotations

import hashlib
import subprocess
import venv

from benchmarks.process import ROOT

PEERS = ("pm4py", "anjana", "anonypy")


class PeerError(Exception):
    """A peer cannot be installed; the message tells why."""


def interpreter(peer: str) -> str:
    """The Python of a peer's environment, which is made if there is none.

    Raises
    ------
    PeerError
        If pip cannot install what is pinned.
    """
    pins = ROOT / "benchmarks/peers" / f"{peer}.txt"
    folder = ROOT / ".peers" / f"{peer}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:8]}"
    python, done = folder / "bin/python", folder / ".installed"
    if not done.exists():
        venv.create(folder, clear=True, with_pip=True)
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", pins]
        failed = subprocess.run(command, text=True, stderr=subprocess.PIPE)
        if failed.returncode:
            reason = failed.stderr.strip().splitlines()[-1:] or ["pip failed"]
            raise PeerError(f"{peer} cannot be installed from {pins}: {reason[0]}")
        done.touch()
    return str(python)
