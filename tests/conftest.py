"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Whether examples come slowly says how busy the machine is.
settings.register_profile("default", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("default")

# What nohup or a shell's background has the tests ignore, the programs that they interrupt must not ignore: these
# inherit that it is ignored, but no handler.
for interruption in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(interruption) is signal.SIG_IGN:
        signal.signal(interruption, lambda *_: None)

ROOT = Path(__file__).resolve().parent.parent


def _shared() -> Path:
    """The folder of reference material (`data/logs`, `reported`, ...), which is not part of the project."""
    return Path(os.environ.get("PPM_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The reference material; skips where it is absent."""
    if not _shared().is_dir():
        pytest.skip(f"no reference material at {_shared()}; set PPM_SHARED to its folder")
    return _shared()


@pytest.fixture(scope="session")
def real_log():
    """Path of a real log by file name; skips where it is absent (set PPM_LOGS to the folder that holds them)."""
    folder = Path(os.environ.get("PPM_LOGS", _shared() / "data" / "logs"))

    def find(name: str) -> Path:
        path = folder / name
        if not path.is_file():
            pytest.skip(f"real log {path} is absent; set PPM_LOGS to a folder that holds it")
        return path

    return find


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """A copy of the project whose test configuration has been run; who changes something works on a copy of it."""
    from workflow.projects import configure, copy_project, snakemake

    project = copy_project(tmp_path_factory.mktemp("workflow") / "finished")
    configure(project)
    snakemake(project)
    return project
