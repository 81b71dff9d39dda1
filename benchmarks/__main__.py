"""Measure everything and write benchmarks/README.md: `python -m benchmarks [--rounds 5] [--logs FOLDER]`.

The real logs are found in the folder; without it, or where one is missing, the embedded logs stand in. One part alone
is measured and printed by `python -m benchmarks --part PRIPEL`.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
from pathlib import Path

from tabulate import tabulate

from benchmarks import big, dag, harness, importer, mechanisms, prefix_queries, pripel, relational
from benchmarks.process import ROOT

REAL = {
    "Sepsis": "Sepsis_Cases_-_Event_Log.xes.gz",
    "CoSeLoG": "receipt.xes.gz",
    "BPIC 2012": "BPI_Challenge_2012.xes.gz",
    "Road Traffic": "RTFMP_reexport.xes.gz",
}
IMPORTED = {**REAL, "BPIC 2015-1": "BPIC15_1.xes.gz"}
PARTS = {
    "Import": (importer, IMPORTED),
    "Mechanisms": (mechanisms, REAL),
    "Prefix queries": (prefix_queries, prefix_queries.LOGS),
    "PRIPEL": (pripel, pripel.LOGS),
    "Tables": (relational, None),
    "Harness": (harness, None),
    "Graph of jobs": (dag, None),
    "Big logs": (big, None),
}


def found_logs(folder: Path, wanted: dict[str, str]) -> dict[str, Path]:
    """The wanted real logs that are in the folder, else the embedded ones."""
    real = {name: folder / file for name, file in wanted.items() if (folder / file).is_file()}
    return real or {path.name.split(".")[0] + "†": path for path in sorted((ROOT / "data/embedded").glob("*.xes.gz"))}


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0] if names else platform.machine()}"


def main() -> None:
    shared = Path(os.environ.get("PPM_SHARED", ROOT.parent / "shared"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--logs", type=Path, default=Path(os.environ.get("PPM_LOGS", shared / "data" / "logs")))
    parser.add_argument("--part", choices=PARTS, help="measure this part alone, and print it")
    options = parser.parse_args()
    if options.part:
        print("\n".join(section(options.part, options)))
        return
    text = [
        "# Benchmarks",
        "",
        f"Written by `make benchmark` on {datetime.date.today()}; {processor()}, Python {platform.python_version()}; "
        f"median (range) of {options.rounds} rounds, one thread. † marks synthetic logs.",
    ]
    for title in PARTS:
        text += ["", *section(title, options)]
    (ROOT / "benchmarks" / "README.md").write_text("\n".join(text) + "\n")


def section(title: str, options: argparse.Namespace) -> list[str]:
    """The lines of one part, measured."""
    module, wanted = PARTS[title]
    logs = [found_logs(options.logs, wanted)] if wanted else []
    lines = module.table(*logs, options.rounds)
    table = tabulate(lines, headers="keys", tablefmt="pipe", disable_numparse=True)
    return [f"## {title}", "", module.__doc__.strip(), "", table]


if __name__ == "__main__":
    main()
