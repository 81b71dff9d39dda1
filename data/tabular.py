"""A canonical log from tables of events: the columns named by the options, rows in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import TIME_TYPE, is_text, to_microseconds
from data.columns import Codes, Events
from data.log import DURATION, LIFECYCLE, EventLog, LogError
from data.options import ImportOptions
from data.times import Instants, in_years, in_zone, instants


def import_tables(
    tables: Iterable[pa.RecordBatch], path: Path, options: ImportOptions, types: frozenset[str] = frozenset()
) -> tuple[EventLog, dict[str, int]]:
    """The log of the blocks of a table, and an account of what was found.

    A null in the case, activity or time column drops the event. With a start column, events carry their duration.

    Parameters
    ----------
    tables : record batches of the same schema
        Cases and activities are text; times are text or timestamps.
    path : path
        For messages.
    options : ImportOptions
    types : set of str
        What further columns of text may turn out to be; as `data.columns.Texts`.

    Returns
    -------
    log : EventLog
        With the lifecycle transitions, durations and (with `attributes`) further columns as attributes.
    counters : dict
        ``rows``; events dropped, and why: ``events_without_case``, ``events_without_activity``,
        ``events_without_time``; ``events_without_zone``, ``events_in_clock_change``, ``events_cut_to_microseconds``,
        ``events_out_of_order`` as in `data.xes.import_xes`; with a start column ``events_without_start``.

    Raises
    ------
    LogError
        If a column is missing or not of its kind, a time is unreadable, no event can be kept or, if strict, one
        would be dropped.
    """
    reading = _Reading(path, options, types)
    for table in tables:
        reading.add(table)
    return reading.log()


class _Reading:
    """What has been read of a table so far.

    Attributes
    ----------
    cases : Codes
        Of the events kept.
    events : Events
        Those kept.
    counters : dict
    unkept : str
        The first row that was dropped, and what it lacks.
    """

    def __init__(self, path: Path, options: ImportOptions, types: frozenset[str]) -> None:
        self.path = path
        self.options = options
        self.types = types
        self.cases = Codes()
        self.events = Events(options.decimal)
        self.unkept = ""
        self.counters = {
            "rows": 0,
            "events_without_case": 0,
            "events_without_activity": 0,
            "events_without_time": 0,
            "events_without_zone": 0,
            "events_in_clock_change": 0,
            "events_cut_to_microseconds": 0,
        }
        if options.start:
            self.counters["events_without_start"] = 0

    def add(self, table: pa.RecordBatch) -> None:
        cases, activities = self.texts(table, self.options.case), self.texts(table, self.options.activity)
        found = self.instants(table, self.options.time)
        times = found.values
        self.counters["events_without_zone"] += found.zoneless
        self.counters["events_in_clock_change"] += found.in_clock_change
        self.counters["events_cut_to_microseconds"] += found.cut
        missing = {"case": cases, "activity": activities, "time": times}
        for name, column in missing.items():
            self.counters[f"events_without_{name}"] += column.null_count
        keep = pc.and_(pc.and_(cases.is_valid(), activities.is_valid()), times.is_valid())
        if not self.unkept and (row := pc.index(keep, False).as_py()) >= 0:
            lacking = next(name for name, column in missing.items() if not column[row].is_valid)
            self.unkept = f"row {self.counters['rows'] + row + 1} has no {lacking}"
        if self.unkept and self.options.strict:
            raise LogError(f"{self.path}: {self.unkept}; without --strict it is dropped")
        attributes = {key: column.filter(keep) for key, column in self.attributes(table, times)}
        types = dict.fromkeys(attributes.keys() - {LIFECYCLE}, self.types)
        self.events.add(activities.filter(keep), times.filter(keep), attributes, types)
        self.cases.add(cases.filter(keep))
        self.counters["rows"] += table.num_rows

    def log(self) -> tuple[EventLog, dict[str, int]]:
        if self.counters["rows"] and not self.events:
            raise LogError(f"{self.path}: {self.unkept}; none of the events can be kept")
        log, self.counters["events_out_of_order"] = self.events.log(self.cases.taken, tuple(self.cases.known))
        return log, self.counters

    def attributes(self, table: pa.RecordBatch, times: pa.Array) -> Iterator[tuple[str, pa.Array]]:
        options = self.options
        if options.transition in table.schema.names:
            yield LIFECYCLE, self.texts(table, options.transition)
        if options.start:
            starts = self.instants(table, options.start).values
            self.counters["events_without_start"] += starts.null_count
            yield DURATION, pc.divide(pc.subtract(times, starts).cast(pa.int64()).cast(pa.float64()), 1e6)
        if options.attributes:
            used = {options.case, options.activity, options.time, options.transition, options.start}
            yield from ((name, table[name]) for name in table.schema.names if name not in used)

    def texts(self, table: pa.RecordBatch, name: str) -> pa.Array:
        column = table[name]
        if not is_text(column.type):
            raise LogError(f"{self.path}: column {name!r} holds {column.type}, not text; convert it to text first")
        return column

    def instants(self, table: pa.RecordBatch, name: str) -> Instants:
        if pa.types.is_timestamp(table[name].type):
            return self.moments(table[name], name)
        column = self.texts(table, name)
        texts = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        found = instants(texts, self.options.zone, self.options.time_format)
        if found.values.null_count > texts.null_count:
            bad = pc.index(pc.and_(found.values.is_null(), texts.is_valid()), True).as_py()
            raise LogError(
                f"{self.path}: row {self.counters['rows'] + bad + 1}: {texts[bad].as_py()!r} in column {name!r} is no "
                f"time in {self.options.time_format or 'ISO 8601'} of the years 1 to 9999; declare its format "
                f"(--time-format)"
            )
        return found

    def moments(self, column: pa.Array, name: str) -> Instants:
        values, cut = to_microseconds(column)
        found = in_zone(values, self.options.zone) if values.type.tz is None else Instants(values.cast(TIME_TYPE))
        if found.values.null_count > column.null_count or not in_years(found.values):
            raise LogError(f"{self.path}: column {name!r} holds times outside the years 1 to 9999; correct them first")
        return replace(found, cut=cut)


def wanted_columns(names: list[str], path: Path, options: ImportOptions) -> list[str]:
    """The columns of a table to read.

    Raises
    ------
    LogError
        If a declared column is missing, or a column to read appears twice.
    """
    declared = [name for name in (options.case, options.activity, options.time, options.start) if name]
    if absent := [name for name in declared if name not in names]:
        raise LogError(f"{path}: column {absent[0]!r} is missing; the file has {', '.join(names)}")
    wanted = [name for name in names if options.attributes or name in (*declared, options.transition)]
    if twice := [name for name in wanted if wanted.count(name) > 1]:
        raise LogError(f"{path}: column {twice[0]!r} appears twice; the file has {', '.join(names)}")
    return wanted
