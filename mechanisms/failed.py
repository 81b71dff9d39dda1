"""Name the records of runs that did not succeed, to make these runs again.

A failure is a result, so Snakemake keeps it. After a disk was freed or a limit raised:

    snakemake --cores 16 --forcerun $(python -m mechanisms.failed)
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

STATUSES = ("timeout", "memory", "infeasible", "error")


def failed(results: Path, statuses: tuple[str, ...]) -> Iterator[Path]:
    """The records of runs with one of some statuses, in order of their paths.

    Parameters
    ----------
    results : path
        The folder of results.
    statuses : tuple of str
    """
    for path in sorted(results.glob("runs/*/*/*/*/run.json")):
        if json.loads(path.read_text())["status"] in statuses:
            yield path


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("statuses", nargs="*", help=f"any of {', '.join(STATUSES)}; all but infeasible by default")
    parser.add_argument("--results", type=Path, default=Path("results"))
    options = parser.parse_args()
    unknown = set(options.statuses) - set(STATUSES)
    if unknown:
        parser.error(f"unknown status {', '.join(sorted(unknown))}; known: {', '.join(STATUSES)}")
    print(*failed(options.results, tuple(options.statuses) or ("timeout", "memory", "error")), sep="\n")


if __name__ == "__main__":
    main()
