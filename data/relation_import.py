"""Canonical relations from tables as they are found: which columns are kept, and which one tells persons apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from data.log import LogError
from data.options import DEFAULTS, ImportOptions
from data.relation import Relation
from data.relation_io import read_relation

USER = "user"  # the column of persons


def import_relation(path: Path, options: ImportOptions = DEFAULTS) -> tuple[Relation, dict[str, int]]:
    """Read a table, keep what the options ask for, and count what is lost.

    Parameters
    ----------
    path : path
    options : ImportOptions
        Its `user` names the column of persons, which becomes `user`; of the columns in `distinct`, if it names any,
        the distinct rows are kept.

    Returns
    -------
    relation : Relation
    counters : dict
        ``rows`` read and ``rows_repeated``, which are dropped.

    Raises
    ------
    LogError
        As `data.relation_io.read_relation`, or if a column is missing or the table has no row.
    """
    relation = read_relation(path, options)
    if not relation.n_rows:
        raise LogError(f"{path}: the table holds no row; fetch or export it again")
    named = [*options.distinct, *([options.user] if options.user else [])]
    if missing := [name for name in named if name not in relation.names]:
        raise LogError(f"{path}: column {missing[0]!r} is missing; the file has {', '.join(relation.names)}")
    kept = relation.distinct(options.distinct)[0] if options.distinct else relation
    if options.user not in ("", USER) and options.user in kept.names:
        if USER in kept.names:
            raise LogError(f"{path}: {options.user!r} is to be the column {USER!r}, of which there is one; rename that")
        kept = Relation({USER if name == options.user else name: kept[name] for name in kept.names})
    return kept, {"rows": relation.n_rows, "rows_repeated": relation.n_rows - kept.n_rows}


def describe_relation(relation: Relation) -> dict[str, object]:
    """Size of a relation: rows, and the kind and the number of distinct values of each column."""
    columns = {
        name: {"kind": column.kind, "distinct": len(np.unique(column.values))}
        for name, column in relation.columns.items()
    }
    return {"rows": relation.n_rows, "columns": columns}
