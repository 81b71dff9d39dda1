"""Measure the suite and write benchmarks/README.md: `python -m benchmarks [--part Import] [--rounds 5]`.

The real logs are found in a folder; without it, the embedded synthetic ones stand in. `--rounds 0` measures nothing and
writes the document of what was measured before.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tabulate import tabulate

from benchmarks import suite
from benchmarks.peers import PEERS, PeerError, interpreter
from benchmarks.process import LOGS, ROOT

README = ROOT / "benchmarks/README.md"
FOLLOWS = "## Big logs"
HEAD = """# Benchmarks

`make benchmark` measures every mechanism, the import and the harness beside the public programs that do the same, each
in an environment of its own (`benchmarks/peers`), and writes this document; `make benchmark PART=Tables` measures one
part anew. All run on one thread. A round runs ours and the peer one after the other, so ratios hold on a busy machine
too; figures are medians, ratios have their range. † marks synthetic data. Every process: [suite.csv](suite.csv).

`CPU s` is that of the task, without imports, reading and writing; `process CPU s` and `MB` are of the whole process;
`size` of the outcome (events of logs, classes of tables, activities of an embedding, runs; - for a graph), by which one
sees whether both did the same. All parts together take 15 minutes of CPU.

`snakemake plan` predicts from [growth.csv](growth.csv), see below, and [small.csv](small.csv), which
`python -m benchmarks.small` writes in ten minutes of CPU.
"""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--logs", type=Path, default=LOGS)
    parser.add_argument("--part", choices=suite.PARTS, nargs="+", default=suite.PARTS, help="measure these parts alone")
    options = parser.parse_args()
    if options.rounds:
        try:
            for peer in PEERS:
                interpreter(peer)
        except PeerError as error:
            sys.exit(str(error))
        for part in options.part:
            suite.measure(part, options.logs, options.rounds)
    lines = suite.read()
    suite.draw(lines)
    README.write_text(document(lines) + kept(README.read_text()))


def kept(text: str) -> str:
    """What follows in the document, which is not of the suite."""
    return "".join(text.partition(f"\n{FOLLOWS}")[1:])


def document(lines: list[suite.Line]) -> str:
    """The part of benchmarks/README.md that is of the suite."""
    text = [HEAD, "![How many times as much CPU the peers need](suite.png)", ""]
    text.append(tabulate(suite.table(lines), headers="keys", tablefmt="pipe", disable_numparse=True))
    for part, module in suite.PARTS.items():
        of = [line for line in lines if line["part"] == part]
        if of:
            rounds = len({line["round"] for line in of})
            when = f"Measured on {of[-1]['date']} in {rounds} rounds; {of[-1]['machine']}."
            text += ["", f"## {part}", "", module.__doc__.strip(), "", when]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    main()
