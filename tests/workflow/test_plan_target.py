"""The plan of a study, against what Snakemake then does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest
import yaml
from projects import copy_project, jobs, snakemake

FACTOR = 4  # between predicted and spent CPU of a small study on any machine of today
OTHERS = "tables, figures, report"
QUICKSTART = ["--cores", "2", "--configfile", "config/quickstart.yaml", "--"]


def planned(text: str) -> dict[str, tuple[int, int]]:
    """Jobs and jobs done by line of the plan."""
    [start] = re.findall(r"^jobs +all +done +to do.*\n[- ]+\n((?:.+\n)+)", text, re.MULTILINE)
    lines = [re.match(r"(.+?)  +([\d,]+) +([\d,]+) ", line).groups() for line in start.splitlines()]
    return {name: (int(all_.replace(",", "")), int(done.replace(",", ""))) for name, all_, done in lines}


def of_snakemake(counts: dict[str, int], lines: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Snakemake's numbers of jobs by line of the plan."""
    found = dict.fromkeys(lines, 0)
    for rule, count in counts.items():
        if rule != "all":
            found[rule if rule in lines else OTHERS] += count
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("plan") / "project")


def test_the_plan_of_the_quickstart_is_what_snakemake_makes(project):
    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "snakemake", *arguments]
        return subprocess.run(command, cwd=project, text=True, capture_output=True, check=True).stdout

    lines = planned(run(*QUICKSTART, "plan"))
    dry = subprocess.run([sys.executable, "-m", "snakemake", "-n", "--quiet", "rules", *QUICKSTART, "all"],
                         cwd=project, text=True, capture_output=True, check=True)  # fmt: skip
    assert {name: number for name, (number, _) in lines.items()} == of_snakemake(jobs(dry.stdout + dry.stderr), lines)
    assert not any(done for _, done in lines.values())
    assert not (project / "results/runs").exists()


def test_predicted_and_spent_of_a_small_study_are_near(finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    text = snakemake(project, "--", "plan")
    lines = planned(text)
    assert all(number == done for number, done in lines.values())
    ratios = {row[0]: float(row[-1]) for row in map(str.split, text.splitlines()) if row and row[0] in lines}
    assert {"amun", "pretsa", "shuffle", "tvq"} <= ratios.keys()
    assert all(1 / FACTOR < ratio < FACTOR for name, ratio in ratios.items() if name in ("amun", "pretsa", "tvq"))
    assert "To do: 0 of" in text

    config = yaml.safe_load((project / "test.yaml").read_text())
    (project / "test.yaml").write_text(yaml.safe_dump(config | {"repeats": 3}))
    lines = planned(snakemake(project, "--", "plan"))
    to_do = {name: number - done for name, (number, done) in lines.items()}
    assert to_do == of_snakemake(jobs(snakemake(project, "-n")), lines)
