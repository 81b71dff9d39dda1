"""A canonical log from a table of events: the columns named by the options, rows in file order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import TIME_TYPE, codes, integers, is_text, to_integers
from data.log import DURATION, LIFECYCLE, EventLog, LogError
from data.options import ImportOptions
from data.times import in_years, in_zone, instants


def import_table(table: pa.Table, path: Path, options: ImportOptions) -> tuple[EventLog, dict[str, int]]:
    """The log of a table and an account of what was found.

    A null in the case, activity or time column drops the event. With a start column, events carry their duration.

    Parameters
    ----------
    table : Arrow table
        Cases and activities are text; times are text or timestamps.
    path : path
        For messages.
    options : ImportOptions

    Returns
    -------
    log : EventLog
        With the lifecycle transitions, durations and (with `attributes`) further columns as attributes.
    counters : dict
        ``rows``; events dropped, and why: ``events_without_case``, ``events_without_activity``,
        ``events_without_time``; ``events_without_zone``, ``events_in_clock_change``, ``events_out_of_order`` as in
        `data.xes.import_xes`; with a start column ``events_without_start``.

    Raises
    ------
    LogError
        If a column is missing or not of its kind, a time is unreadable, no event can be kept or, if strict, one
        would be dropped.
    """
    check_columns(table.column_names, path, options)
    counters = {"rows": table.num_rows, "events_without_zone": 0, "events_in_clock_change": 0}
    cases, activities = (_texts(table, name, path) for name in (options.case, options.activity))
    times = _times(table, options.time, path, options, counters)
    missing = {"case": cases, "activity": activities, "time": times}
    counters |= {f"events_without_{name}": column.null_count for name, column in missing.items()}
    keep = pc.and_(pc.and_(cases.is_valid(), activities.is_valid()), times.is_valid())
    dropped = table.num_rows - pc.sum(keep, min_count=0).as_py()
    if dropped and (options.strict or dropped == table.num_rows):
        row = pc.index(keep, False).as_py()
        lacking = next(name for name, column in missing.items() if not column[row].is_valid)
        advice = "none of the events can be kept" if dropped == table.num_rows else "without --strict it is dropped"
        raise LogError(f"{path}: row {row + 1} has no {lacking}; {advice}")
    attributes = {}
    if options.transition in table.column_names:
        attributes[LIFECYCLE] = text_objects(_texts(table, options.transition, path).filter(keep))
    if options.start:
        starts = _times(table, options.start, path, options, dict.fromkeys(counters, 0))
        counters["events_without_start"] = starts.null_count
        seconds = pc.divide(pc.subtract(times, starts).cast(pa.int64()).cast(pa.float64()), 1e6)
        attributes[DURATION] = _floats(seconds.filter(keep))
    if options.attributes:
        used = {options.case, options.activity, options.time, options.transition, options.start}
        further = [name for name in table.column_names if name not in used]
        attributes |= {name: table[name].filter(keep).to_numpy() for name in further}
    case_codes, case_ids = codes(cases.filter(keep))
    activity_codes, labels = codes(activities.filter(keep))
    moments = integers(times.filter(keep).cast(pa.int64()))
    in_file = np.argsort(case_codes, kind="stable")
    backwards = (np.diff(moments[in_file]) < 0) & (np.diff(case_codes[in_file]) == 0)
    counters["events_out_of_order"] = int(backwards.sum())
    return EventLog.from_codes(case_codes, case_ids, activity_codes, labels, moments, attributes), counters


def check_columns(names: list[str], path: Path, options: ImportOptions) -> None:
    """Refuse a table of which a declared column is missing or appears twice."""
    for name in filter(None, (options.case, options.activity, options.time, options.start)):
        if names.count(name) != 1:
            state = "appears twice" if name in names else "is missing"
            raise LogError(f"{path}: column {name!r} {state}; the file has {', '.join(names)}")


def _texts(table: pa.Table, name: str, path: Path) -> pa.ChunkedArray:
    column = table[name]
    if not is_text(column.type):
        raise LogError(f"{path}: column {name!r} holds {column.type}, not text; convert it to text first")
    return column


def _times(table: pa.Table, name: str, path: Path, options: ImportOptions, counters: dict) -> pa.ChunkedArray:
    column = table[name]
    if pa.types.is_timestamp(column.type):
        return _moments(column, name, path, options.zone, counters)
    blocks, row = [], 0
    for chunk in _texts(table, name, path).chunks:
        texts = chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk
        found = instants(texts, options.zone, options.time_format)
        if found.values.null_count > texts.null_count:
            bad = pc.index(pc.and_(found.values.is_null(), texts.is_valid()), True).as_py()
            raise LogError(
                f"{path}: row {row + bad + 1}: {texts[bad].as_py()!r} in column {name!r} is no time in "
                f"{options.time_format or 'ISO 8601'} of the years 1 to 9999; declare its format (--time-format)"
            )
        counters["events_without_zone"] += found.zoneless
        counters["events_in_clock_change"] += found.in_clock_change
        blocks.append(found.values)
        row += len(chunk)
    return pa.chunked_array(blocks, TIME_TYPE)


def _moments(column: pa.ChunkedArray, name: str, path: Path, zone: str, counters: dict) -> pa.ChunkedArray:
    nulls = column.null_count
    # Nanoseconds are cut; from coarser units nothing is lost, or the cast fails.
    column = column.cast(pa.timestamp("us", column.type.tz), safe=column.type.unit != "ns")
    if column.type.tz is None:
        placed = [in_zone(chunk, zone) for chunk in column.chunks]
        counters["events_without_zone"] += sum(found.zoneless for found in placed)
        counters["events_in_clock_change"] += sum(found.in_clock_change for found in placed)
        column = pa.chunked_array([found.values for found in placed], TIME_TYPE)
    column = column.cast(TIME_TYPE)
    if column.null_count > nulls or not in_years(column):
        raise LogError(f"{path}: column {name!r} holds times outside the years 1 to 9999; correct them first")
    return column


def text_objects(column: pa.ChunkedArray) -> np.ndarray:
    """The texts of a column, None where null, each distinct text one object."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    values = np.array([*(chunks[0].dictionary.to_pylist() if chunks else ()), None], dtype=object)
    indices = [to_integers(chunk.indices.fill_null(-1).cast(pa.int32()), np.int32) for chunk in chunks]
    return values[np.concatenate([np.empty(0, np.int32), *indices])]


def _floats(column: pa.ChunkedArray) -> np.ndarray:
    filled = pc.fill_null(column, float("nan"))
    return np.concatenate([np.empty(0), *(to_integers(chunk, np.float64) for chunk in filled.chunks)])
