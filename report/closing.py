"""What a finished workflow says on the console: how the runs ended, and what quality control found.

`python -m report.closing results/EXPERIMENT...`
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from metrics.table import read_scores


def closing(folder: Path) -> str:
    """One line on an experiment.

    Parameters
    ----------
    folder : path
        The results of the experiment.
    """
    statuses = Counter(row.status for row in read_scores(folder / "scores.csv") if row.metric == "cpu_s")
    with open(folder / "qc.csv", newline="") as file:
        errors = sum(finding["severity"] == "error" for finding in csv.DictReader(file))
    runs = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    remark = f"{errors} errors in {folder}/qc.csv" if errors else "quality control found no error"
    return f"{folder.name}: {runs} of {statuses.total()} runs; {remark}; tables in {folder}/tables"


def main() -> None:
    """The command line."""
    for folder in map(Path, sys.argv[1:]):
        if (folder / "qc.csv").exists():
            print(closing(folder))


if __name__ == "__main__":
    main()
