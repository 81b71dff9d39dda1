"""The classes of one released relation, each with what is behind it: what the figures of classes are drawn from.

``python -m metrics.class_profile --log LOG --out profile.csv RUN``, where RUN is the folder of a run. One line a class,
the suppressed rows as one, and one an interval of addresses that is published, which several classes may share:

========= =============================================================
kind      ``class``, ``suppressed`` or ``address``
rows      released rows
users     distinct users behind them; empty if that cannot be told
addresses distinct addresses behind them; likewise
low, high ends of the interval of addresses, if addresses are published as one number
========= =============================================================

A run that did not succeed has no line.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from data.origins import read_origins
from data.relation import Relation
from data.relation_io import read_relation
from data.relation_release import RelationRelease, read_relation_release
from metrics.recoded import USER, address_of, bounds_of, distinct_values, published
from metrics.relation_users import address_intervals
from metrics.table import write_csv

HEADER = ("kind", "rows", "users", "addresses", "low", "high")
CLASS, SUPPRESSED, ADDRESS = "class", "suppressed", "address"


def profile(original: Relation, release: RelationRelease, origins: np.ndarray | None) -> Iterator[Sequence]:
    """The lines.

    Parameters
    ----------
    original : Relation
    release : RelationRelease
    origins : int64 array (rows,), optional
        The original row of each released one.
    """
    address = address_of(original, release)
    bounds = [] if address is None else bounds_of(release, address)
    classes, n = release.classes[: published(release)], len(release.published_sizes)
    known = None if origins is None else origins[: published(release)]
    ends = [end.tolist() for end in bounds[0]] if len(bounds) == 1 else [[None] * n] * 2  # octets have four
    yield from _lines(CLASS, classes, n, original, address, known, ends)
    if release.suppressed:
        yield SUPPRESSED, release.suppressed, None, None, None, None
    if bounds and n:
        intervals = address_intervals(bounds)
        first = np.unique(intervals, return_index=True)[1].tolist()
        ends = [[end[c] for c in first] for end in ends]
        yield from _lines(ADDRESS, intervals[classes], len(first), original, address, known, ends)


def _lines(
    kind: str,
    groups: np.ndarray,
    n: int,
    original: Relation,
    address: str | None,
    origins: np.ndarray | None,
    ends: list[list],
) -> Iterator[Sequence]:
    behind = []
    for column in (USER if USER in original.names else None, address):
        known = column is not None and origins is not None
        behind.append(distinct_values(groups, original[column].values[origins], n).tolist() if known else [None] * n)
    for line in zip(np.bincount(groups, minlength=n).tolist(), *behind, *ends, strict=True):
        yield kind, *line


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m metrics.class_profile", description=__doc__.split("\n\n")[0])
    parser.add_argument("--log", required=True, type=Path, help="the original relation")
    parser.add_argument("--out", required=True, type=Path, help="the CSV file to write")
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a run")
    options = parser.parse_args()
    lines = []
    if json.loads((options.run / "run.json").read_text())["status"] == "ok":
        original = read_relation(options.log)
        release = read_relation_release(options.run / "release.parquet")
        origins = read_origins(options.run / "origins.parquet", original.n_rows, release.n_rows)
        lines = list(profile(original, release, origins))
    write_csv(HEADER, lines, options.out)


if __name__ == "__main__":
    main()
