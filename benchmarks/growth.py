"""How costs grow with the log, from benchmarks/growth.csv: fitted exponents, tables, and a figure.

`python -m benchmarks.growth` writes benchmarks/GROWTH.md and draws benchmarks/growth.png. The reasons of what grows
faster than the log, or was stopped, stand in benchmarks/README.md, written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tabulate import tabulate

from benchmarks.big import GROWTH, JOBS, LIMIT_MB, LOGS, VARIED, grids, read
from benchmarks.process import ROOT
from benchmarks.suite import digits
from metrics.registry import metric_modules
from report.prediction import FAILED

DOCUMENT = ROOT / "benchmarks/GROWTH.md"
KINDS = {"import": "Import", "rule": "Training", "mechanism": "Mechanisms", "metric": "Metrics"}
QUANTITIES = {"cpu_s": ("CPU", "s"), "peak_mb": ("memory", "MB")}
FASTER = 1.1  # the exponent from which on costs are said to grow faster than the log
MATTERS = {"cpu_s": 5.0, "peak_mb": 1000.0}  # the costs from which on that is said
SHOWN = 10  # curves with a colour and a name: those that cost most
FEWEST = 3  # points of a fit
Name = tuple[str, str, str]  # kind, name and parameters of what was measured
Runs = list[dict[str, str]]  # of one thing on one log, by rising size
HEAD = f"""# How costs grow with the log

`python -m benchmarks.growth` writes this of the runs in [growth.csv](growth.csv); what was measured, and the reasons of
what grows fast, are in [README.md](README.md#big-logs).

Costs are those of one run on the whole log or, if none is, on the largest part of its cases that was measured; a status
is shown unless it is plainly ok. An exponent is the power of the number of events that fits the costs of all parts
(least squares of logarithms, of {FEWEST} runs at least that came to their end) and, in brackets, that of the last two.
The start of a process, some 0.25 s, is part of the CPU of imports and mechanisms: exponents of cheap ones are too low.
Parameters are named where several values were measured, and releases that metrics are of where they are not Amun's.
"""
FAST = f"""## What grows faster than the log

From {MATTERS["cpu_s"]:g} s of CPU or {MATTERS["peak_mb"]:g} MB on, all whose last two parts have an exponent
above {FASTER:g} or that came to its end on a part of a log alone; and all that was stopped or failed.
"""


class Finding(NamedTuple):
    """What grows faster than its log or came to no end: kind, name and parameters, on which log, why, at which cost."""

    name: Name
    log: str
    why: str
    cost: str


def exponent(events: np.ndarray, costs: np.ndarray) -> float:
    """The power of the number of events that fits the costs best, least squares of logarithms; both positive."""
    return float(np.polyfit(np.log(events), np.log(costs), 1)[0])


def series(path: Path = GROWTH) -> dict[Name, dict[str, Runs]]:
    """The runs by kind, name and parameters, then by log."""
    found: dict[Name, dict[str, Runs]] = {}
    for row in sorted(read(path), key=lambda row: (_name(row), float(row["share"]))):
        found.setdefault(_name(row), {}).setdefault(row["log"], []).append(row)
    return found


def _name(row: dict[str, str]) -> Name:
    return row["kind"], row["name"], row["parameters"]


def findings(path: Path = GROWTH) -> Iterator[Finding]:
    """What grows faster than the log, where that matters, what was stopped or failed, and what may well grow so."""
    for name, by_log in series(path).items():
        for log, runs in by_log.items():
            if runs[-1]["status"] in FAILED:
                yield Finding(name, log, runs[-1]["reason"] or runs[-1]["status"], _cost(runs, "cpu_s", " s"))
            ended = [run for run in runs if run["status"] not in FAILED]
            for quantity, (what, unit) in QUANTITIES.items():
                if ended and (why := _why(ended, quantity)):
                    yield Finding(name, log, f"{what}: {why}", _cost(ended, quantity, f" {unit}"))


def _why(runs: Runs, quantity: str) -> str:
    """Why a cost is to be explained; empty if it need not be."""
    events, costs = _curve(runs, quantity)
    if float(runs[-1][quantity]) < MATTERS[quantity]:
        return ""
    if len(costs) > 1 and (last := exponent(events[-2:], costs[-2:])) > FASTER:
        return f"exponent {last:.2f}"
    return "larger parts not measured" if float(runs[-1]["share"]) < 1 else ""


def document(path: Path = GROWTH) -> str:
    """The text of benchmarks/GROWTH.md, of what was measured."""
    rows = [
        {"kind": of[0], "name": label(of), "log": log, "why": why, "cost": cost}
        for of, log, why, cost in findings(path)
    ]
    parts = [HEAD, _measured(path), FAST, _table(rows)]
    for kind, title in KINDS.items():
        for quantity, (what, unit) in QUANTITIES.items():
            if found := lines(kind, quantity, path):
                parts += [f"## {title}: {what} in {unit}", _table(found)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def lines(kind: str, quantity: str, path: Path = GROWTH) -> list[dict[str, str]]:
    """A line of each thing of a kind: a cost on each log, as in the columns `cpu_s` or `peak_mb`, and its exponents."""
    return [
        {kind: label(name)}
        | {log: _cost(runs.get(log, []), quantity) for log in LOGS}
        | {f"{log}, exponent": _exponents(runs.get(log, []), quantity) for log in LOGS}
        for name, runs in series(path).items()
        if name[0] == kind
    ]


def unmeasured(path: Path = GROWTH) -> list[str]:
    """The jobs, mechanisms and metric files of event logs of which there is no run."""
    mechanisms = {name for name, (reads, _) in grids(ROOT).items() if "log" in reads}
    files = {module.__name__.removeprefix("metrics.") for module in metric_modules() if module.METRICS[0].of == "log"}
    return sorted({*JOBS, *mechanisms, *files} - {row["name"] for row in read(path)})


def label(name: Name) -> str:
    """What was measured, without parameters that are never varied and without the usual release."""
    _, module, parameters = name
    named = ("release", *VARIED.get(module, ()))
    varied = [part for part in parameters.split(",") if part.partition("=")[0] in named and part != "release=amun"]
    return " ".join([module, *varied])


def _measured(path: Path) -> str:
    """When and where the runs were made, which needed the most memory, and what was not run."""
    rows = read(path)
    days, machines = ({row[name] for row in rows} for name in ("date", "machine"))
    most = max(rows, key=lambda row: float(row["peak_mb"]))
    when = " to ".join(dict.fromkeys((min(days), max(days))))
    memory = f"{float(most['peak_mb']):,.0f} of {LIMIT_MB:,} MB"
    return (
        f"Measured on {when}; {' and '.join(sorted(machines))}, one thread.\n\n"
        f"- Most memory: {label(_name(most))} on {most['log']}, {memory}.\n"
        f"- Not measured at all: {', '.join(unmeasured(path)) or 'nothing'}."
    )


def _cost(runs: Runs, quantity: str, unit: str = "") -> str:
    """A cost of the largest run, with its part of the log and its status where they are not 1 and ok."""
    if not runs:
        return "not measured"
    run = runs[-1]
    part = f" at {Fraction(run['share'])}" if float(run["share"]) < 1 else ""
    return digits(float(run[quantity])) + unit + part + (f", {run['status']}" if run["status"] != "ok" else "")


def _curve(runs: Runs, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Events and costs of the runs that came to an end, float arrays."""
    kept = [(float(run["events"]), float(run[key])) for run in runs if run["status"] not in FAILED]
    points = np.array(kept).reshape(-1, 2)
    return tuple(points[points[:, 1] > 0].T)


def _exponents(runs: Runs, quantity: str) -> str:
    """The fitted exponent and that of the last two parts."""
    events, costs = _curve(runs, quantity)
    if len(events) < FEWEST:
        return "not measured"
    return f"{exponent(events, costs):.2f} ({exponent(events[-2:], costs[-2:]):.2f})"


def _table(rows: list[dict[str, str]]) -> str:
    return tabulate(rows, headers="keys", tablefmt="pipe", disable_numparse=True)


def draw(path: Path = GROWTH) -> None:
    """Write the figure beside the table: events against CPU and memory, a column a log."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = series(path)
    figure, axes = pyplot.subplots(2, len(LOGS), figsize=(13, 8), sharex="col", sharey="row", squeeze=False)
    dearest = sorted(found, key=lambda name: -max(_costs(found[name])))[:SHOWN]
    colours = dict(zip(dearest, pyplot.get_cmap("tab10").colors, strict=False))
    for row, (key, title) in zip(axes, (("cpu_s", "CPU, s"), ("peak_mb", "peak memory, MB")), strict=True):
        for panel, log in zip(row, LOGS, strict=True):
            for name in sorted(found, key=colours.__contains__):
                style = {
                    "color": colours.get(name, "0.8"),
                    "label": f"{label(name)} ({name[0]})" if name in colours else None,
                }
                panel.plot(*_curve(found[name].get(log, []), key), marker="o", ms=3, lw=1, **style)
            panel.set(xscale="log", yscale="log", xlabel="events")
            panel.xaxis.set_minor_formatter("")
            panel.grid(alpha=0.3)
        row[0].set_ylabel(title)
    for top, bottom, log in zip(*axes, LOGS, strict=True):
        top.set_title(log)
        bottom.axhline(LIMIT_MB, color="black", lw=0.8, ls=":")
    for panel in axes.flat:
        _slope(panel)
    named = {label: line for panel in axes.flat for line, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    figure.legend(named.values(), named.keys(), loc="lower center", ncols=3, fontsize=8, frameon=False)
    figure.suptitle("Costs of mechanisms and metrics by events; dashed: linear growth; dotted: 4 GB")
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.savefig(path.with_suffix(".png"), dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def _costs(runs: dict[str, Runs]) -> Iterator[float]:
    return (float(run["cpu_s"]) for of_log in runs.values() for run in of_log)


def _slope(panel) -> None:
    """Dashed lines of slope 1 through the panel, behind the curves and without a part in its limits."""
    (left, right), (bottom, top) = panel.get_xlim(), panel.get_ylim()
    for end in (top, (top * bottom) ** 0.5):
        panel.plot([right * bottom / end, right], [bottom, end], color="black", lw=0.8, ls="--", zorder=1)
    panel.set(xlim=(left, right), ylim=(bottom, top))


def main() -> None:
    """Write the document and draw the figure."""
    DOCUMENT.write_text(document())
    draw()


if __name__ == "__main__":
    main()
