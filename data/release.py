"""What a mechanism may release: an event log, a directly-follows graph, or a relation."""

from __future__ import annotations

import os
from pathlib import Path

from data.graph import COLUMNS, DirectlyFollowsGraph, read_graph, write_graph
from data.io import check_present, naming, read_log, write_log
from data.log import EventLog
from data.relation_release import RelationRelease, is_relation_release, read_relation_release, write_relation_release

Release = EventLog | DirectlyFollowsGraph | RelationRelease


def write_release(release: Release, path: str | os.PathLike) -> None:
    """Write a release as what it is.

    See `data.io.write_log`, `data.graph.write_graph` and `data.relation_release.write_relation_release`.
    """
    writers = {DirectlyFollowsGraph: write_graph, RelationRelease: write_relation_release}
    writers.get(type(release), write_log)(release, path)


def read_release(path: str | os.PathLike) -> Release:
    """Read a Parquet file that `write_release` wrote; its marks or its columns tell what it is.

    Raises
    ------
    LogError
        If it is missing, empty or none of them.
    """
    import pyarrow.parquet as pq

    check_present(Path(path))
    with naming(Path(path)):
        schema = pq.read_schema(path)
    if is_relation_release(schema):
        return read_relation_release(path)
    return read_graph(path) if schema.names == COLUMNS else read_log(path)
