"""Directly-follows graphs: how often each activity directly follows each other, a release that is no log."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from data.arrow import from_integers, from_texts, is_text, to_integers
from data.io import by_suffix, check_present, naming, parquet_batches, write_whole
from data.log import EventLog, LogError

SOURCE, TARGET, FREQUENCY = "source", "target", "frequency"
COLUMNS = [SOURCE, TARGET, FREQUENCY]
OUTSIDE = -1  # code of what is before the first and after the last event of a case


@dataclass(frozen=True, eq=False)
class DirectlyFollowsGraph:
    """A weighted graph of activities, with the start and the end of cases.

    Attributes
    ----------
    labels : tuple of str
        Distinct activity labels.
    sources, targets : int64 arrays (edges,)
        Activity codes, indices into `labels`. Source `OUTSIDE` is the start of a case, target `OUTSIDE` its end.
    frequencies : int64 array (edges,)
        Positive.

    Raises
    ------
    ValueError
        If a frequency is not positive, a code has no label, or an edge appears twice or leads from the start to the
        end.
    """

    labels: tuple[str, ...]
    sources: np.ndarray
    targets: np.ndarray
    frequencies: np.ndarray

    def __post_init__(self) -> None:
        if not len(self.sources) == len(self.targets) == len(self.frequencies):
            raise ValueError("sources, targets and frequencies differ in number")
        for codes in (self.sources, self.targets):
            if len(codes) and not OUTSIDE <= codes.min() <= codes.max() < len(self.labels):
                raise ValueError("an activity code has no label")
        if (self.frequencies <= 0).any():
            raise ValueError("a frequency is not positive")
        if ((self.sources == OUTSIDE) & (self.targets == OUTSIDE)).any():
            raise ValueError("an edge leads from the start to the end of a case")
        if len(np.unique(edge_numbers(self.sources, self.targets, len(self.labels)))) < len(self):
            raise ValueError("an edge appears twice")

    def __len__(self) -> int:
        return len(self.frequencies)


def edge_numbers(sources: np.ndarray, targets: np.ndarray, labels: int) -> np.ndarray:
    """Edges as numbers below ``(labels + 1) ** 2``, start and end coming first; int64 (edges,)."""
    return (sources.astype(np.int64) + 1) * (labels + 1) + targets + 1


def directly_follows(log: EventLog, max_pairs: int | None = None) -> DirectlyFollowsGraph:
    """The graph of a log.

    Parameters
    ----------
    log : EventLog
    max_pairs : int, optional
        Count only so many pairs of each case, its start being in the first and its end in the last one.
    """
    n = len(log.labels) + 1
    # Every event once as the target of a pair, and every end.
    last = np.cumsum(log.lengths + 1) - 1
    targets = np.insert(log.activities.astype(np.int64), log.offsets[1:], OUTSIDE)
    sources = np.concatenate(([OUTSIDE], targets[:-1]))[: len(targets)]
    if max_pairs is not None:
        places = np.arange(len(targets)) - np.repeat(last - log.lengths, log.lengths + 1)
        sources, targets = sources[places < max_pairs], targets[places < max_pairs]
    numbers, frequencies = np.unique(edge_numbers(sources, targets, n - 1), return_counts=True)
    return DirectlyFollowsGraph(log.labels, numbers // n - 1, numbers % n - 1, frequencies)


def write_graph(graph: DirectlyFollowsGraph, path: str | os.PathLike) -> None:
    """Write a graph, whole or not at all: a table of edges by their labels, null where a case starts or ends.

    Raises
    ------
    LogError
        If the suffix is neither .parquet nor .csv, or the folder does not exist.
    """
    write_whole(_to_table(graph), path, WRITERS)


def read_graph(path: str | os.PathLike) -> DirectlyFollowsGraph:
    """Read a graph that `write_graph` wrote.

    Raises
    ------
    LogError
        If the file is missing, of an unknown kind, or no graph.
    """
    path = Path(path)
    check_present(path)
    with naming(path):
        table = by_suffix(path, READERS)(path)
        if table.column_names != COLUMNS or not all(is_text(table[key].type) for key in (SOURCE, TARGET)):
            raise LogError(f"{path}: no directly-follows graph; its columns are {table.column_names}, not {COLUMNS}")
        ends = [text for key in (SOURCE, TARGET) for text in table[key].to_pylist()]
        labels = dict.fromkeys(text for text in ends if text is not None)
        codes = {None: OUTSIDE} | {text: code for code, text in enumerate(labels)}
        sources, targets = np.array([codes[text] for text in ends], dtype=np.int64).reshape(2, -1)
        frequencies = to_integers(table[FREQUENCY].cast(pa.int64()).combine_chunks(), np.int64)
        return DirectlyFollowsGraph(tuple(labels), sources, targets, frequencies)


def _to_table(graph: DirectlyFollowsGraph) -> pa.Table:
    """Edges in the order of their texts: that of the codes may tell of the log that a release was made from."""
    by_text = sorted(range(len(graph.labels)), key=graph.labels.__getitem__)
    places = np.argsort([OUTSIDE, *by_text])  # 0 of the start or end, then of each label
    sources, targets = places[graph.sources + 1], places[graph.targets + 1]
    order = np.lexsort((targets, sources))
    texts = from_texts([graph.labels[code] for code in by_text])
    columns = [
        texts.take(from_integers(ends - 1, pa.int64(), valid=ends > 0)) for ends in (sources[order], targets[order])
    ]
    return pa.table([*columns, from_integers(graph.frequencies[order], pa.int64())], names=COLUMNS)


def _write_parquet(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd")


def _write_csv(table: pa.Table, path: Path) -> None:
    import pyarrow.csv as csv

    csv.write_csv(table, path)


def _read_parquet(path: Path) -> pa.Table:
    return pa.Table.from_batches(parquet_batches(path))


def _read_csv(path: Path) -> pa.Table:
    import pyarrow.csv as csv

    texts = dict.fromkeys((SOURCE, TARGET), pa.string())
    options = csv.ConvertOptions(
        column_types=texts, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return csv.read_csv(path, convert_options=options, parse_options=csv.ParseOptions(newlines_in_values=True))


WRITERS = {".parquet": _write_parquet, ".csv": _write_csv}
READERS = {".parquet": _read_parquet, ".csv": _read_csv}
