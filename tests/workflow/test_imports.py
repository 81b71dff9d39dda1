"""What may import what."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conftest import ROOT

MODULES = {
    folder: sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in ("__main__.py", "__init__.py", "measure.py")
    )
    for folder in ("data", "mechanisms", "baselines", "metrics", "report", "config")
}


def loaded(modules: list[str]) -> set[str]:
    """Top-level names and folders of the project that importing some modules loads, in a fresh process."""
    code = "import importlib, sys; [importlib.import_module(m) for m in sys.argv[1:]]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, *modules], cwd=ROOT, text=True, capture_output=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("data", {"mechanisms", "baselines", "metrics", "report", "snakemake", "pm4py", "pandas"}),
        ("mechanisms", {"metrics", "report", "snakemake", "pm4py", "pandas", "scipy", "matplotlib"}),
        ("baselines", {"metrics", "report", "snakemake", "pm4py", "pandas", "scipy", "matplotlib"}),
        ("metrics", {"mechanisms", "baselines", "report", "snakemake", "pm4py"}),
        ("report", {"snakemake", "pm4py"}),
        ("config", {"data", "mechanisms", "metrics", "report", "pm4py"}),
    ],
)
def test_a_folder_does_not_load_what_it_must_not(folder, forbidden):
    assert loaded(MODULES[folder]).isdisjoint(forbidden)
