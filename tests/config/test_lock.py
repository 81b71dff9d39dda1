"""One list of versions: environment.yml, the lock and what is installed agree."""

from __future__ import annotations

import importlib.metadata
import re

import pytest
from packaging.requirements import Requirement

from config.lock import locked, pins
from conftest import ROOT

ENVIRONMENT = (ROOT / "environment.yml").read_text()
LOCK = (ROOT / "requirements.lock").read_text()


def test_the_lock_holds_the_versions_of_the_environment():
    assert sorted(pins(ENVIRONMENT)) == sorted(locked(LOCK))


def test_every_pin_is_exact_and_hashed():
    assert all(re.match(r"[\w.-]+==[\w.]+( ;|$)", pin) for pin in pins(ENVIRONMENT))
    blocks = re.split(r"\n(?=[A-Za-z0-9])", LOCK)
    assert all("--hash=sha256:" in block for block in blocks if not block.startswith("#"))


def test_no_file_names_an_index():
    assert not re.search(r"https?://|index-url|find-links", ENVIRONMENT + LOCK)


@pytest.mark.parametrize("pin", pins(ENVIRONMENT))
def test_what_is_installed_is_pinned(pin):
    requirement = Requirement(pin)
    if requirement.marker is None or requirement.marker.evaluate():
        assert importlib.metadata.version(requirement.name) in requirement.specifier


def test_nothing_unpinned_is_needed():
    """Walk the dependencies of what is pinned: all of them are pinned."""
    names = {re.sub(r"[-_.]+", "-", Requirement(pin).name).lower() for pin in pins(ENVIRONMENT)}
    for name in names:
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:  # for another platform
            continue
        for requirement in map(Requirement, requires):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert re.sub(r"[-_.]+", "-", requirement.name).lower() in names | {"setuptools", "pip"}, name
