"""What a mechanism may release: an event log, or a directly-follows graph."""

from __future__ import annotations

import os
from pathlib import Path

from data.graph import COLUMNS, DirectlyFollowsGraph, read_graph, write_graph
from data.io import check_present, naming, read_log, write_log
from data.log import EventLog

Release = EventLog | DirectlyFollowsGraph


def write_release(release: Release, path: str | os.PathLike) -> None:
    """Write a release as what it is; see `data.io.write_log` and `data.graph.write_graph`."""
    write = write_graph if isinstance(release, DirectlyFollowsGraph) else write_log
    write(release, path)


def read_release(path: str | os.PathLike) -> Release:
    """Read a Parquet file that `write_release` wrote; the columns tell what it is.

    Raises
    ------
    LogError
        If it is missing, empty or neither.
    """
    import pyarrow.parquet as pq

    check_present(Path(path))
    with naming(Path(path)):
        names = pq.read_schema(path).names
    return read_graph(path) if names == COLUMNS else read_log(path)
