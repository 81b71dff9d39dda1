"""What the harness itself costs a run: all CPU of Snakemake and of process starts on the quickstart grid.

All runs are made again, and what they spent on reading, anonymising and writing is subtracted.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.process import ROOT, run, spread

SNAKEMAKE = [sys.executable, "-m", "snakemake", "--quiet", "--cores", "2", "--configfile", "config/quickstart.yaml"]
IGNORED = shutil.ignore_patterns(".*", "__pycache__", "results", "raw")


def table(rounds: int) -> list[dict[str, str]]:
    """One line: CPU seconds of the harness a run."""
    with tempfile.TemporaryDirectory() as folder:
        project = shutil.copytree(ROOT, Path(folder, "project"), ignore=IGNORED)
        local = {"PYTHONPATH": str(project)}
        run([*SNAKEMAKE, "--until", "score"], local, project)
        targets = [str(path.relative_to(project)) for path in project.glob("results/runs/**/run.json")]
        costs, starts = [], []
        for _ in range(rounds):
            shutil.rmtree(project / "results/runs")
            total = run([*SNAKEMAKE, "--", *targets], local, project).cpu_s
            records = [json.loads((project / target).read_text()) for target in targets]
            inside = sum(sum(record["phases"].values()) for record in records)
            costs.append((total - inside) / len(records))
            starts.append(sum(record["cpu_s"] for record in records) / len(records) - inside / len(records))
    return [
        {
            "runs": str(len(records)),
            "harness CPU s a run": spread(costs),
            "of which process start of the mechanism": spread(starts),
        }
    ]
