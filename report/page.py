"""The report: one page with everything, which needs no network and no other file.

`python -m report.page results/EXPERIMENT... --out results/report.html`

The tables are plain HTML, so that they can be read, printed and read out without any script; DataTables, which itables
brings along, makes them sortable and searchable.
"""

from __future__ import annotations

import argparse
import base64
import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import itables.options
import jinja2
import pandas as pd
from markupsafe import Markup
from PIL import Image

from data.files import replacing
from mechanisms.cells import NO_PARAMETERS, parse
from metrics.metric import Metric
from metrics.registry import declarations
from report.judge import VERDICTS, printed
from report.runs import runs_of
from report.summary import BETTER, log_names, read_scores, read_statistics, summarise
from report.table import STATUSES

HERE = Path(__file__).parent
OVERVIEWS = (
    "logs",
    "comparison",
    "guarantees",
    "attacks",
    "epsilons",
    "embeddings",
    "differences",
    "reported",
)  # tables that are no metric's
FIGURES = ("figures/*.png", "heatmaps/*.png", "classes/*/*.png")
OTHER_FIGURES = {"ranks": "Ranks of methods", "tradeoff": "Privacy and utility"}
SHARED = "a run shared its core or the machine was busy"
KEY = ("mechanism", "parameters", "log")  # of a cell, as paths have them


@dataclass(frozen=True)
class Entry:
    """One entry of a table.

    Attributes
    ----------
    text : str
    order : float or str
        What the table is sorted by.
    best : bool
    """

    text: str
    order: float | str = ""
    best: bool = False


@dataclass(frozen=True)
class Cell:
    """One line of the score table: a cell and its metrics.

    Attributes
    ----------
    key : str
        ``mechanism/parameters/log``.
    filters : dict of str to str
        What the lists above the table choose by.
    log : str
        As printed.
    entries : list of Entry
    runs : int
    failed : int
        Of these runs.
    """

    key: str
    filters: dict[str, str]
    log: str
    entries: list[Entry]
    runs: int
    failed: int

    @property
    def settings(self) -> str:
        """The parameters as text."""
        return " ".join(f"{name}={value}" for name, value in parse(self.key.split("/")[1]).items())


@dataclass(frozen=True)
class Printed:
    """A table as the Markdown file of `report.write` has it."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str]


def score_table(scores: pd.DataFrame, metrics: Sequence[Metric], names: dict[str, str]) -> list[Cell]:
    """The cells of an experiment with all their metrics, in the order of the scores.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metrics : declarations
    names : printed name of each log
    """
    entries = {
        (metric.name, *(line[name] for name in KEY)): Entry(line["text"], _order(line["mean"]), line["best"])
        for metric in metrics
        for line in summarise(scores, metric, ()).to_dict("records")
    }
    statuses = scores[scores["metric"] == "cpu_s"].groupby(list(KEY), sort=False)["status"].agg(list)
    cells = []
    for key, found in statuses.items():
        mechanism, parameters, log = key
        cells.append(
            Cell(
                "/".join(key),
                {"log": names[log], "mechanism": mechanism} | parse(parameters),
                names[log],
                [entries.get((metric.name, *key), Entry("")) for metric in metrics],
                len(found),
                sum(status != "ok" for status in found),
            )
        )
    return cells


def _order(mean: float) -> float | str:
    return "" if math.isnan(mean) else mean


def choices(cells: Sequence[Cell]) -> dict[str, list[str]]:
    """The lists above a table: what differs between its lines, by name."""
    values: dict[str, dict[str, None]] = {}
    for cell in cells:
        for name, value in cell.filters.items():
            values.setdefault(name, {})[value] = None
    return {name: list(found) for name, found in values.items() if len(found) > 1}


def read_printed(path: Path) -> Printed:
    """A table of `report.write` in Markdown, taken apart again; bold stays as ``**``."""
    lines = path.read_text().splitlines()
    table = [[text.strip().replace(r"\|", "|") for text in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]
    rows = [row for row in table if row]
    notes = [line.removeprefix("- ") for line in lines[2:] if line.startswith("- ")]
    header, _rule, *body = rows or [[], []]
    return Printed(path.stem, lines[0].strip("*"), header, body, notes)


def picture(path: Path) -> Markup:
    """An image as a data address, packed without loss."""
    with Image.open(path) as image, io.BytesIO() as packed:
        image.save(packed, "WEBP", lossless=True)
        text = base64.b64encode(packed.getvalue()).decode()
        size = image.size
    return Markup(f'src="data:image/webp;base64,{text}" width="{size[0] // 2}" height="{size[1] // 2}"')


def experiment(folder: Path) -> dict:
    """Everything of one experiment that the page shows, from the folder of its results."""
    scores = read_scores(folder / "scores.csv")
    logs = list(dict.fromkeys(scores["log"]))
    names = log_names(read_statistics(f"results/logs/{log}/statistics.json" for log in logs))
    found = {path.stem: read_printed(path) for path in sorted((folder / "tables").glob("*.md"))}
    declared = declarations()
    metrics = [declared[name] for name in dict.fromkeys([*_defaults(scores), *found]) if name in declared]
    cells = score_table(scores, metrics, names)
    figures = [path for kind in FIGURES for path in sorted(folder.glob(kind))]
    with open(folder / "qc.csv", newline="") as file:
        findings = list(csv.DictReader(file))
    statuses = Counter(scores.loc[scores["metric"] == "cpu_s", "status"])
    return {
        "name": folder.name,
        "title": found["logs"].title.rpartition(": ")[0],
        "metrics": metrics,
        "cells": cells,
        "choices": choices(cells),
        "overviews": [found[name] for name in OVERVIEWS if name in found],
        "tables": [table for name, table in found.items() if name not in OVERVIEWS],
        "figures": [{"title": _figure_title(path), "image": picture(path)} for path in figures],
        "findings": findings,
        "statuses": statuses,
        "legend": {status: meaning for status, meaning in STATUSES.items() if status in set(scores["status"])}
        | ({"*": SHARED} if any(entry.text.endswith("*") for cell in cells for entry in cell.entries) else {}),
        "repeats": list(dict.fromkeys(scores["repeat"])),
    }


def _defaults(scores: pd.DataFrame) -> list[str]:
    """The default metrics that have been scored."""
    known = set(scores["metric"])
    return [name for name, metric in declarations().items() if metric.group == "default" and name in known]


def _figure_title(path: Path) -> str:
    declared = declarations().get(path.stem)
    title = declared.title if declared else OTHER_FIGURES.get(path.stem, path.stem)
    if path.parent.name == "heatmaps":
        return f"{title}, heat maps"
    return title if path.parent.name == "figures" else f"Classes of {path.parent.name}: {title}"


def claims(path: Path) -> dict:
    """The claims with their verdicts, as `report.judge` found them."""
    table = pd.read_csv(path, dtype={"reported": str, "repeats": int}, keep_default_na=False)
    numbers = ["mean", "low", "high", "detectable"]
    table[numbers] = table[numbers].apply(pd.to_numeric)
    lines = printed(table).reset_index().to_dict("records")
    for line, claim in zip(lines, table.to_dict("records"), strict=True):
        line["filters"] = {name: claim[name] for name in ("source", "log", "verdict")}
        key = "/".join((claim["mechanism"], claim["parameters"] or NO_PARAMETERS, claim["log"]))
        line["cell"] = key if claim["repeats"] and Path("results/runs", key).is_dir() else ""
    return {
        "lines": lines,
        "choices": {name: list(dict.fromkeys(table[name])) for name in ("source", "log", "verdict")},
        "counts": {name: count for name in VERDICTS if (count := int((table["verdict"] == name).sum()))},
    }


def page(folders: Sequence[Path], claimed: Path | None, snakemake: str) -> str:
    """The page.

    Parameters
    ----------
    folders : the results of each experiment
    claimed : the table of claims, if there are any
    snakemake : the command that makes again what is named after it
    """
    experiments = [experiment(folder) for folder in folders]
    reviewed = claims(claimed) if claimed else None
    keys = [cell.key for found in experiments for cell in found["cells"]]
    keys += [line["cell"] for line in reviewed["lines"] if line["cell"]] if reviewed else []
    repeats = dict.fromkeys(repeat for found in experiments for repeat in found["repeats"])
    runs = runs_of(dict.fromkeys(keys), list(repeats), snakemake)
    bundle = Path(itables.options.dt_bundle)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["bold"] = _bold
    return environment.get_template("page.html").render(
        experiments=experiments,
        claims=reviewed,
        failed=[(key, run) for key, found in runs["cells"].items() for run in found if run["status"] != "ok"],
        better=BETTER,
        runs=_script_safe(json.dumps(runs)),
        style=Markup(f"{bundle.with_suffix('.css').read_text()}\n{(HERE / 'page.css').read_text()}"),
        script=Markup((HERE / "page.js").read_text()),
        library=base64.b64encode(bundle.read_bytes()).decode(),
    )


def _bold(text: str) -> Markup:
    """Text with `**` as emphasis."""
    bold = re.fullmatch(r"\*\*(.*)\*\*", text)
    return Markup("<strong>{}</strong>").format(bold[1]) if bold else Markup.escape(text)


def _script_safe(text: str) -> Markup:
    """JSON inside a script element, in which nothing ends that element."""
    return Markup(text.replace("<", r"\u003c"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="+", type=Path, help="folders of results")
    parser.add_argument("--claims", type=Path, help="the table of claims")
    parser.add_argument("--snakemake", default="snakemake --cores 1 --force", help="command that makes a run again")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with replacing(options.out) as temporary:
        temporary.write_text(page(options.experiments, options.claims, options.snakemake))


if __name__ == "__main__":
    main()
