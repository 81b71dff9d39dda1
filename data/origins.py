"""The private link of a release to its original: which case each released case stems from.

It is kept beside the run record, never in a release.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import from_integers, to_integers
from data.files import replacing
from data.log import LogError

ORIGIN = "origin"
NOWHERE = -1  # of a released case that stems from none


def write_origins(origins: np.ndarray, path: str | os.PathLike) -> None:
    """Write origins as a Parquet file of one column, whole or not at all.

    Parameters
    ----------
    origins : int array (released cases,)
        Place of a case in the original log, `NOWHERE` for none; in the order of the release.
    path : path
    """
    import pyarrow.parquet as pq

    column = from_integers(np.asarray(origins, dtype=np.int64), pa.int64())
    with replacing(path) as temporary:
        pq.write_table(pa.table([column], names=[ORIGIN]), temporary, compression="zstd", store_schema=False)


def read_origins(path: str | os.PathLike, original_cases: int, released_cases: int) -> np.ndarray | None:
    """Read what `write_origins`, or a program in another language, wrote; null is as good as `NOWHERE`.

    Parameters
    ----------
    path : path
    original_cases, released_cases : int
        What the origins must fit.

    Returns
    -------
    int64 array (released cases,), or None
        None if the file is absent or of 0 bytes: the mechanism tells of no origins.

    Raises
    ------
    LogError
        If it holds anything else than one origin a released case.
    """
    import pyarrow.parquet as pq

    path = Path(path)
    if not path.exists() or not path.stat().st_size:
        return None
    try:
        column = pq.read_table(path, columns=[ORIGIN])[ORIGIN].cast(pa.int64()).combine_chunks()
    except (pa.ArrowException, KeyError, OSError) as error:
        raise LogError(f"{path}: no Parquet file with an integer column {ORIGIN!r} ({error})") from error
    origins = to_integers(pc.fill_null(column, NOWHERE), np.int64)
    if len(origins) != released_cases:
        raise LogError(f"{path}: {len(origins)} origins of {released_cases} released cases; write one a case")
    if len(origins) and not NOWHERE <= origins.min() <= origins.max() < original_cases:
        raise LogError(f"{path}: origins must lie between {NOWHERE} and {original_cases - 1}, places in the original")
    return origins
