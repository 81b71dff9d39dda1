"""Read event logs of the world, with an account of what was found, dropped and changed.

A file is read once, block by block. Beside libraries and blocks, which together take up to 150 MB, an import needs at
most twice the memory of the log that it gives: as much when the events of a file stand in the order of the log, twice
as much when its cases are mingled. A trace of XES counts as 20 bytes of the log even where several are one case. Of
Parquet a block is a row group, however large its writer made it; of CSV there are up to 35 blocks, each of 256 KB but
larger, up to 16 MB (`max_record`), where a record is.
"""

from __future__ import annotations

import os
from pathlib import Path

from data.csv_log import import_csv
from data.io import by_suffix, check_present, naming, parquet_batches
from data.log import EventLog
from data.memory import give_back
from data.options import DEFAULTS, ImportOptions
from data.tabular import import_tables, wanted_columns
from data.unpack import check_size, content_name
from data.xes import import_xes

BYTES_A_ROW = 16  # of a log in memory: time, and codes of case and activity
# Counters of an import that tell of no loss or change.
UNREMARKABLE = {"rows", "traces", "events", "traces_declared", "events_declared", "events_out_of_order"}


def import_log(path: str | os.PathLike, options: ImportOptions = DEFAULTS) -> tuple[EventLog, dict[str, int | None]]:
    """Read a log as it was published: XES, CSV or Parquet; XES and CSV also in gzip and zip.

    Parameters
    ----------
    path : path
    options : ImportOptions

    Returns
    -------
    log, counters
        As `data.xes.import_xes` or `data.tabular.import_tables`.

    Raises
    ------
    LogError
        As these, or if the file is missing, empty or of an unknown kind.
    """
    path = Path(path)
    check_present(path)
    give_back()
    kind = by_suffix(path, IMPORTERS, content_name(path, options.member))
    with naming(path):
        return kind(path, options)


def repairs(counters: dict[str, int | None]) -> list[str]:
    """The counters of an import that tell of a loss or change."""
    changed = [name for name, count in counters.items() if count and name not in UNREMARKABLE]
    totals = ((f"{total}_declared", total) for total in ("traces", "events"))
    return changed + [name for name, total in totals if counters.get(name) not in (None, counters.get(total))]


def _import_parquet(path: Path, options: ImportOptions) -> tuple[EventLog, dict[str, int | None]]:
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    # A run of equal values takes next to nothing in the file, and its rows take memory.
    check_size(path, sum(max(group.total_byte_size, group.num_rows * BYTES_A_ROW) for group in groups), options)
    columns = wanted_columns(metadata.schema.to_arrow_schema().names, path, options)
    return import_tables(parquet_batches(path, columns), path, options)


IMPORTERS = {".parquet": _import_parquet, ".csv": import_csv, ".xes": import_xes}
