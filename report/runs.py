"""What is known of the runs behind the cells of a score table, from their records."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

TAIL_LINES, TAIL_LENGTH = 20, 2000  # of what a run that failed has printed
COPIED = ("status", "reason", "wall_s", "cpu_s", "peak_rss_mb", "started", "input_sha256", "release_sha256")


def runs_of(cells: Iterable[str], repeats: Sequence[str], snakemake: str) -> dict:
    """The runs of cells, what many of them share kept once.

    Parameters
    ----------
    cells : each ``mechanism/parameters/log``
    repeats : numbers of the repeats
    snakemake : the command to which the name of a file is added to make it again

    Returns
    -------
    dict
        `hosts` and `versions`, lists; and `cells`: for every cell a list of runs, each a dict of what the record
        tells, with the places of its host and versions in these lists. A run without a record is left out.
    """
    hosts: dict[str, int] = {}
    versions: dict[str, int] = {}
    found = {}
    for cell in cells:
        paths = [Path("results/runs", cell, repeat, "run.json") for repeat in repeats]
        found[cell] = [_run(path, hosts, versions, snakemake) for path in paths if path.exists()]
    return {"hosts": [json.loads(text) for text in hosts], "versions": list(versions), "cells": found}


def _run(path: Path, hosts: dict[str, int], versions: dict[str, int], snakemake: str) -> dict:
    record = json.loads(path.read_text())
    host = json.dumps(record["host"], sort_keys=True)
    code = [f"{name} {value[:12]}" for name, value in record.get("code", {}).items() if value]
    used = ", ".join([*(f"{name} {version}" for name, version in record["versions"].items()), *code])
    run = {name: record[name] for name in COPIED} | {
        "repeat": record["repeat"],
        "seed": str(record["seed"]),  # beyond what a number in JavaScript can hold
        "host": hosts.setdefault(host, len(hosts)),
        "versions": versions.setdefault(used, len(versions)),
        "own_core": record["core"]["leased"],
        "program": shlex.join(record["command"]),
        "command": f"{snakemake} {shlex.quote(str(path))}",
    }
    return run if record["status"] == "ok" else run | {"printed": tail(path.with_name("messages.txt"))}


def tail(path: Path) -> str:
    """The last lines of what a run has printed, its standard error among it."""
    if not path.exists():
        return ""
    text = path.read_text(errors="replace")[-TAIL_LENGTH:]
    return "\n".join(text.splitlines()[-TAIL_LINES:])
