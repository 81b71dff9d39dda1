"""The suite: its tasks measured in paired rounds and kept, and the table and the figure of what was measured.

Every line of benchmarks/suite.csv is one process. Parts can be measured apart, on other days and machines; the lines of
the others stay.
"""

from __future__ import annotations

import csv
import datetime
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from benchmarks import harness, importer, mechanisms, queries, relational
from benchmarks.process import ROOT, machine
from benchmarks.task import Inputs, Measured, Task
from metrics.table import write_csv

PARTS = {
    "Import": importer,
    "Queries": queries,
    "Mechanisms": mechanisms,
    "Tables": relational,
    "Harness": harness,
}
MEASURED = ROOT / "benchmarks/suite.csv"
FIGURE = ROOT / "benchmarks/suite.png"
OURS = "ours"
COLUMNS = (
    "part", "task", "input", "peer", "round", "program", "cpu_s", "process_cpu_s", "peak_mb", "size", "date", "machine",
)  # fmt: skip
Line = dict[str, str]


def measure(part: str, logs: Path, rounds: int) -> None:
    """Measure the tasks of a part, each kept as soon as it is measured.

    Parameters
    ----------
    part : str
        A key of `PARTS`.
    logs : path
        The folder of the real logs.
    rounds : int
        Each runs ours and the peer one after the other, every other round the peer first.
    """
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        for task in PARTS[part].tasks(Inputs(logs, Path(folder))):
            lines += _lines(part, task, rounds)
            _keep(part, lines)
            print(f"{part}: {task.name}, {task.given} {task.peer}".rstrip(), flush=True)


def read() -> list[Line]:
    """What was measured before."""
    if not MEASURED.exists():
        return []
    with open(MEASURED, newline="") as file:
        return list(csv.DictReader(file))


def _keep(part: str, lines: Iterable[Line]) -> None:
    order = [*PARTS]
    kept = [line for line in read() if line["part"] != part]
    found = sorted([*kept, *lines], key=lambda line: order.index(line["part"]))
    write_csv(COLUMNS, ([line[name] for name in COLUMNS] for line in found), MEASURED)


def _lines(part: str, task: Task, rounds: int) -> list[Line]:
    known = {"part": part, "task": task.name, "input": task.given, "peer": task.peer}
    known |= {"date": str(datetime.date.today()), "machine": machine()}
    programs = {OURS: task.ours} | ({task.peer: task.theirs} if task.theirs else {})
    lines = []
    for number in range(rounds):
        for program in list(programs) if number % 2 == 0 else reversed(programs):
            lines.append({**known, "round": str(number), "program": program, **_figures(programs[program](number))})
    return lines


def _figures(measured: Measured) -> Line:
    figures = {name: f"{getattr(measured, name):.4f}" for name in ("cpu_s", "process_cpu_s")}
    return figures | {"peak_mb": f"{measured.peak_mb:.0f}", "size": str(measured.size)}


def tasks(lines: Iterable[Line]) -> dict[tuple[str, ...], dict[str, list[Line]]]:
    """The lines by task (part, task, input, peer) and program, in order of the rounds."""
    found: dict[tuple[str, ...], dict[str, list[Line]]] = {}
    for line in lines:
        programs = found.setdefault(tuple(line[name] for name in COLUMNS[:4]), {})
        programs.setdefault(line["program"], []).append(line)
    return found


def ratios(programs: dict[str, list[Line]], peer: str) -> list[float]:
    """The CPU of the peer over ours, round by round; none without a peer."""
    if not peer:
        return []
    pairs = zip(programs[peer], programs[OURS], strict=True)
    return [float(theirs["cpu_s"]) / max(float(ours["cpu_s"]), 1e-4) for theirs, ours in pairs]


def table(lines: Iterable[Line]) -> list[dict[str, str]]:
    """A line a task: medians, and the ratio with its range."""
    rows = []
    for (part, task, given, peer), programs in tasks(lines).items():
        row = {"part": part, "task": task, "input": given, **_medians("", programs[OURS])}
        row |= _medians("peer ", programs[peer], peer) if peer else {}
        rows.append(row | ({"peer / ours": spread(ratios(programs, peer))} if peer else {}))
    return rows


def _medians(who: str, lines: list[Line], name: str = "") -> dict[str, str]:
    cpu, process, peak, size = (
        median(float(line[key]) for line in lines) for key in ("cpu_s", "process_cpu_s", "peak_mb", "size")
    )
    named = {"peer": name} if name else {}
    figures = {
        "CPU s": digits(cpu),
        "process CPU s": digits(process),
        "MB": f"{peak:.0f}",
        "size": f"{size:,.0f}" if size else "-",
    }
    return named | {who + key: value for key, value in figures.items()}


def digits(value: float) -> str:
    """A number with three digits, as far as they are worth it.

    >>> digits(0.01234), digits(1.234), digits(1234.5)
    ('0.0123', '1.23', '1234')
    """
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def spread(values: Sequence[float]) -> str:
    """Median and range, like ``1.23 (1.2 to 1.31)``."""
    return f"{digits(median(values))} ({digits(min(values))} to {digits(max(values))})"


def draw(lines: Iterable[Line]) -> None:
    """How many times as much CPU the peers need: median and range of every task that has a peer."""
    import matplotlib.pyplot as plt

    found = [(key, ratios(programs, key[3])) for key, programs in tasks(lines).items() if key[3]]
    names = list(dict.fromkeys(key[3] for key, _ in found))
    figure, axis = plt.subplots(figsize=(8, 0.28 * len(found) + 1.2))
    for place, ((_, _, _, peer), values) in enumerate(found):
        colour = f"C{names.index(peer)}"
        axis.plot([min(values), max(values)], [place, place], color=colour, linewidth=2)
        axis.plot(median(values), place, "o", color=colour, label=peer)
    axis.set_yticks(range(len(found)), [f"{task}: {given}" for (_, task, given, _), _ in found])
    axis.invert_yaxis()
    axis.set_xscale("log")
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xlabel("CPU of the peer / CPU of this project (median and range of paired rounds)")
    axis.grid(axis="x", alpha=0.3)
    handles = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    axis.legend(handles.values(), handles.keys(), loc="upper right")
    figure.savefig(FIGURE, dpi=120, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
