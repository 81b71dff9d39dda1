"""How costs grow with the log, from benchmarks/growth.csv: fitted exponents, a table, and a figure.

`python -m benchmarks.growth` prints the table and draws benchmarks/growth.png.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tabulate import tabulate

from benchmarks.big import GROWTH, LIMIT_MB, LOGS, VARIED, read

FAILED = ("timeout", "memory", "error", "infeasible")
SHOWN = 10  # curves with a colour and a name: those that cost most
FEWEST = 3  # points of a fit
Series = dict[str, list[dict[str, str]]]  # the runs of one thing on a log, by log, by rising size


def exponent(events: np.ndarray, costs: np.ndarray) -> float:
    """The power of the number of events that fits the costs best, least squares of logarithms; both positive."""
    return float(np.polyfit(np.log(events), np.log(costs), 1)[0])


def series(path: Path = GROWTH) -> dict[tuple[str, str, str], Series]:
    """The runs by kind, name and parameters, then by log."""
    found: dict[tuple[str, str, str], Series] = {}
    for row in sorted(read(path), key=lambda row: float(row["share"])):
        found.setdefault((row["kind"], row["name"], row["parameters"]), {}).setdefault(row["log"], []).append(row)
    return found


def lines(path: Path = GROWTH) -> list[dict[str, str]]:
    """A line a mechanism, metric file or import: costs at full size, and exponents of CPU and memory on each log."""
    return [
        {"kind": kind, "name": name, "parameters": parameters}
        | {log: _full(runs.get(log, [])) for log in LOGS}
        | {f"{title} exponents": _exponents(runs, key) for title, key in (("CPU", "cpu_s"), ("memory", "peak_mb"))}
        for (kind, name, parameters), runs in series(path).items()
    ]


def _full(runs: list[dict[str, str]]) -> str:
    """Costs of the largest run and, where it is no plain value, its status."""
    if not runs or float(runs[-1]["share"]) < 1:
        return ""
    run = runs[-1]
    costs = f"{float(run['cpu_s']):.2f} s, {float(run['peak_mb']):.0f} MB"
    return costs if run["status"] == "ok" else f"{costs}, {run['status']}"


def _curve(runs: list[dict[str, str]], key: str) -> tuple[np.ndarray, np.ndarray]:
    """Events and costs of the runs that came to an end, float arrays."""
    kept = [(float(run["events"]), float(run[key])) for run in runs if run["status"] not in FAILED]
    points = np.array(kept).reshape(-1, 2)
    return tuple(points[points[:, 1] > 0].T)


def _exponents(runs: Series, key: str) -> str:
    """The fitted exponent and that of the last doubling, of each log."""
    found = []
    for log in LOGS:
        events, costs = _curve(runs.get(log, []), key)
        enough = len(events) >= FEWEST
        found.append(f"{exponent(events, costs):.2f} ({exponent(events[-2:], costs[-2:]):.2f})" if enough else "-")
    return ", ".join(found)


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
                style = {"color": colours.get(name, "0.8"), "label": _label(name) if name in colours else None}
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


def _label(name: tuple[str, str, str]) -> str:
    """What a curve is of, without parameters that are never varied."""
    kind, module, parameters = name
    varied = [part for part in parameters.split(",") if part.partition("=")[0] in ("release", *VARIED.get(module, ()))]
    return " ".join([module, *varied, *([kind] if kind != module else [])])


def _costs(runs: Series) -> Iterator[float]:
    return (float(run["cpu_s"]) for of_log in runs.values() for run in of_log)


def _slope(panel) -> None:
    """Dashed lines of slope 1 through the panel, behind the curves and without a part in its limits."""
    (left, right), (bottom, top) = panel.get_xlim(), panel.get_ylim()
    for end in (top, (top * bottom) ** 0.5):
        panel.plot([right * bottom / end, right], [bottom, end], color="black", lw=0.8, ls="--", zorder=1)
    panel.set(xlim=(left, right), ylim=(bottom, top))


def main() -> None:
    """Print the table and draw the figure."""
    print(tabulate(lines(), headers="keys", tablefmt="pipe", disable_numparse=True))
    draw()


if __name__ == "__main__":
    main()
