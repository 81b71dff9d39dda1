"""Cells summarised over their repeats: mean, standard deviation, number of repeats, statuses, best."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mechanisms.cells import settings
from metrics.metric import CONTROLS, Metric
from metrics.registry import declarations

NO_ROW = "–"
STEP = re.compile(r"(?:.*@)?(\d+(?:\.\d+)?)%?")  # a value that makes one step of a sweep
BETTER = {
    "lower": "lower is better",
    "higher": "higher is better",
    "one": "1 is best",
    "none": "no value is better by itself",
}


def read_scores(path: str | Path) -> pd.DataFrame:
    """The score table: text columns as text (a log may be named ``NA``), values as floats, missing as NaN."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame.assign(value=pd.to_numeric(frame["value"]))


def metric_of(name: str) -> Metric:
    """The declaration of a metric.

    Raises
    ------
    SystemExit
        If no metric has that name.
    """
    known = declarations()
    if name not in known:
        raise SystemExit(f"unknown metric {name!r}; known: {', '.join(known)}")
    return known[name]


def read_statistics(paths: Iterable[str | Path]) -> dict[str, dict]:
    """The statistics of logs by log key, in the order of the paths."""
    return {Path(path).parent.name: json.loads(Path(path).read_text()) for path in paths}


def log_names(statistics: dict[str, dict]) -> dict[str, str]:
    """How each log is named in tables and figures; a dagger marks a synthetic one."""
    return {key: f"{key}†" if entry["synthetic"] else key for key, entry in statistics.items()}


def with_synthetic(data: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Data of a table with the column `synthetic`, which marks what the dagger marks in print."""
    marks = [names[log].endswith("†") for log in data["log"]]
    return pd.concat([data[["log"]].assign(synthetic=marks), data.drop(columns="log")], axis=1)


def summarise(scores: pd.DataFrame, metric: Metric, rows: Sequence[str]) -> pd.DataFrame:
    """One line a cell, in the order of the scores.

    Parameters
    ----------
    scores : frame with columns log, mechanism, parameters, repeat, metric, value, status
    metric : declaration of the metric to summarise
    rows : names of the parameters that make rows of a table

    Returns
    -------
    frame
        Columns log, `rows`, method, mechanism, parameters, mean, sd, n, statuses, text, best. A cell in which
        a run failed has its mean over the others in `mean` and the failures in `statuses`; it is never best.
    """
    chosen = scores[scores["metric"] == metric.name]
    labels = method_labels(chosen, rows)
    shared = shared_cells(scores) if metric.unit == "s" else set()
    half_widths = (
        scores[scores["metric"] == f"{metric.name}_gap"].groupby(["log", "mechanism", "parameters"])["value"].max()
    )
    lines = []
    for (log, mechanism, parameters), cell in chosen.groupby(["log", "mechanism", "parameters"], sort=False):
        values = cell["value"].dropna()
        statuses = Counter(cell.loc[cell["value"].isna(), "status"])
        lines.append(
            {
                "log": log,
                **{name: settings(parameters).get(name, NO_ROW) for name in rows},
                "method": labels[mechanism, parameters],
                "mechanism": mechanism,
                "parameters": parameters,
                "mean": values.mean(),
                "sd": values.std(ddof=1),
                "n": len(values),
                "statuses": " ".join(f"{status}:{count}" for status, count in statuses.items()),
                "text": cell_text(values, statuses, _bracket(cell, half_widths))
                + "*" * ((log, mechanism, parameters) in shared),
            }
        )
    summary = pd.DataFrame(lines)
    return summary.assign(best=best(summary, metric, rows))


def _bracket(cell: pd.DataFrame, half_widths: pd.Series) -> str:
    """What follows the mean of values that are not exact: ~, and of midpoints of a bracket the largest half-width."""
    if "bracket" not in set(cell["status"]):
        return " ~" if "sampled" in set(cell["status"]) else ""
    key = tuple(cell[["log", "mechanism", "parameters"]].iloc[0])
    return f" ~{half_widths[key]:.2g}"


def method_labels(scores: pd.DataFrame, rows: Sequence[str]) -> dict[tuple[str, str], str]:
    """A name for each (mechanism, parameters): the mechanism and what varies of it besides the rows."""
    pairs = list(dict.fromkeys(zip(scores["mechanism"], scores["parameters"], strict=True)))
    varying = {(mechanism, name) for mechanism, name, values in _values(pairs) if len(values) > 1}
    return {
        (mechanism, parameters): " ".join(
            [mechanism]
            + [
                value_label(name, value)
                for name, value in settings(parameters).items()
                if name not in rows and (mechanism, name) in varying
            ]
        )
        for mechanism, parameters in pairs
    }


def sweeps(scores: pd.DataFrame, together: bool = False) -> pd.DataFrame:
    """Which cells of a mechanism make a series: those that differ in a parameter alone whose values are numbers.

    Parameters
    ----------
    scores : frame
    together : bool
        Cells that differ in several such parameters are one series, too.

    Returns
    -------
    frame
        Index mechanism, parameters; columns series (as printed) and step, the number of the first such parameter.
    """
    lines = {}
    pairs = list(dict.fromkeys(zip(scores["mechanism"], scores["parameters"], strict=True)))
    for mechanism, parameters in pairs:
        values = settings(parameters)
        others = [settings(text) for name, text in pairs if name == mechanism]
        varied = [name for name in values if len({other.get(name) for other in others}) > 1]
        stepped = [name for name in varied if all(STEP.fullmatch(other.get(name, "")) for other in others)]
        swept = stepped if together else stepped[:1]
        named = [value_label(name, values[name]) for name in varied if name not in swept]
        step = float(STEP.fullmatch(values[stepped[0]])[1]) if stepped else 0.0
        lines[mechanism, parameters] = (" ".join([mechanism, *named]), step)
    index = pd.MultiIndex.from_tuples(lines, names=["mechanism", "parameters"])
    return pd.DataFrame(lines.values(), index=index, columns=["series", "step"])


def fixed_parameters(scores: pd.DataFrame) -> list[str]:
    """The parameters with one value throughout, like ``amun: profile=code``; names do not repeat them."""
    pairs = list(dict.fromkeys(zip(scores["mechanism"], scores["parameters"], strict=True)))
    single: dict[str, list[str]] = {}
    for mechanism, name, values in _values(pairs):
        if len(values) == 1:
            single.setdefault(mechanism, []).append(f"{name}={next(iter(values))}")
    return [f"{mechanism}: {', '.join(fixed)}" for mechanism, fixed in single.items()]


def _values(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str, dict[str, None]]]:
    """The values that each parameter of each mechanism takes, in order."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for mechanism, parameters in pairs:
        for name, value in settings(parameters).items():
            found.setdefault((mechanism, name), {})[value] = None
    return [(mechanism, name, values) for (mechanism, name), values in found.items()]


def value_label(name: str, value: str) -> str:
    """A parameter's value as printed: with its name, unless it speaks for itself, as numbers and `off` do not."""
    return value if value[0].isalpha() and value != "off" else f"{name}={value}"


def shared_cells(scores: pd.DataFrame) -> set[tuple[str, str, str]]:
    """The cells (log, mechanism, parameters) of which some run shared its core with others."""
    shared = scores[(scores["metric"] == "shared_core") & (scores["value"] > 0)]
    return set(shared[["log", "mechanism", "parameters"]].itertuples(index=False, name=None))


def cell_text(values: pd.Series, statuses: Counter, mark: str = "") -> str:
    """A cell as it is printed: ``0.41 ± 0.02``, ``TO``, or ``0.41 ± 0.02 (7), 3 TO``."""
    if not len(values):
        return ", ".join(statuses)
    text = number_text(values.mean(), values.std(ddof=1)) + mark
    if not statuses:
        return text
    return ", ".join([f"{text} ({len(values)})"] + [f"{count} {status}" for status, count in statuses.items()])


def number_text(mean: float, sd: float) -> str:
    """Mean and standard deviation, with two significant digits of the deviation, or three of the mean alone."""
    if sd < 1e-12 * abs(mean):  # equal values, but for the last digit of their mean
        sd = 0.0
    size = max(abs(mean), 0 if np.isnan(sd) else sd)
    digits = decimals(sd, 2) if sd > 0 else decimals(mean, 3)
    form = ".2e" if 0 < size < 1e-4 else f".{min(digits, decimals(mean, 6))}f"
    return f"{mean:{form}}" + ("" if np.isnan(sd) else f" ± {sd:{form}}")


def decimals(value: float, digits: int) -> int:
    """Decimals that show so many significant digits of a number."""
    return max(0, digits - 1 - int(np.floor(np.log10(abs(value))))) if value else 0


def best(summary: pd.DataFrame, metric: Metric, rows: Sequence[str]) -> pd.Series:
    """Whether a cell has the best mean of its table row; controls and cells with failures do not compete.

    Nor does a ratio of 0, as of the cases of an empty release, which is infinitely far from 1.
    """
    if metric.direction == "none":
        return pd.Series(False, index=summary.index)
    fit = (summary["statuses"] == "") & ~summary["mechanism"].isin(CONTROLS)
    bad = badness(summary["mean"], metric).where(fit)
    least = bad.groupby([summary[name] for name in ["log", *rows]]).transform("min")
    return fit & np.isfinite(bad) & np.isclose(bad, least, rtol=1e-12, atol=0)


def badness(values: pd.Series, metric: Metric) -> pd.Series:
    """Values of a metric on a scale on which lower is better."""
    if metric.direction == "one":
        with np.errstate(divide="ignore"):  # a ratio of 0 is infinitely far from 1
            return np.log(values).abs()
    return values * (1 if metric.direction == "lower" else -1)
