"""Read and write XES event logs: IEEE Std 1849-2016 and -2023, and the earlier versions 1.0 and 2.0.

The reader makes one pass with expat and keeps what process mining needs of an event: the name of its
trace, its activity, its time and its lifecycle transition. Only attributes that are direct children of a
trace or an event count; nested ones describe the attribute that holds them.
"""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.io import TIME_TYPE, LogError
from data.log import ACTIVITY, TIMESTAMP, EventLog, factorize

NAME = "concept:name"  # of a trace
LIFECYCLE = "lifecycle:transition"
TOTALS = {"meta_general:traces_total": "traces_declared", "meta_general:events_total": "events_declared"}

BYTES_AT_ONCE = 1 << 18
EVENTS_AT_ONCE = 1 << 16

HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="2.0" xes.features="">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
"""
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
YEARS = np.array(["0001-01-01", "10000-01-01"], dtype="datetime64[us]").astype(np.int64)


def read_xes(path: Path) -> EventLog:
    """Read a log in XES, plain or gzip-compressed: cases, activities and times, no further attributes.

    Warns of everything that the import had to drop or to change.

    Raises
    ------
    LogError
        As `import_xes`.
    """
    log, counters = import_xes(path)
    changes = [f"{name} = {count}" for name, count in counters.items() if count and name not in UNREMARKABLE]
    for total in ("traces", "events"):
        if counters[f"{total}_declared"] not in (None, counters[total]):
            changes.append(f"{total} = {counters[total]} where the header declares {counters[f'{total}_declared']}")
    if changes:
        warnings.warn(f"{path}: not imported as it stands: {', '.join(changes)}", stacklevel=2)
    return replace(log, attributes={})


UNREMARKABLE = {"traces", "events", "traces_declared", "events_declared", "events_out_of_order"}


def import_xes(path: Path) -> tuple[EventLog, dict[str, int | None]]:
    """Read a log in XES together with its lifecycle transitions and an account of what was found.

    A case is named by its trace's ``concept:name`` of whatever type, as written. Times are brought to UTC and
    cut to microseconds. Events of a case are sorted by time, ties in file order.

    Returns
    -------
    log : EventLog
        With the attribute ``lifecycle:transition`` (None where an event has none) if any event has one.
    counters : dict
        ``traces``, ``events``
            Elements in the file.
        ``traces_declared``, ``events_declared``
            The totals in the header (``meta_general``), None where it has none.
        ``traces_unnamed``
            Traces without name, named by their position.
        ``traces_merged``
            Traces whose name an earlier trace has, now part of that case.
        ``traces_empty``
            Traces without an event to keep, dropped.
        ``events_outside_traces``, ``events_without_activity``, ``events_without_time``,
        ``events_with_unreadable_time``
            Events dropped, and why; an event may count under several reasons.
        ``events_without_zone``
            Events whose time names no zone, taken as UTC.
        ``events_out_of_order``
            Events earlier than the event before them in their trace.

    Raises
    ------
    LogError
        If the file is not well-formed XML, not a whole gzip stream, not an event log, or none of its events
        can be kept.
    """
    found = _scan(path)
    names, unnamed = _named(found.names)
    activities, times, lifecycles = (pa.chunked_array(blocks) for blocks in found.blocks.values())
    keep = pc.and_(activities.is_valid(), times.is_valid())
    traces = np.repeat(np.arange(len(names)), np.diff([*found.starts, len(activities)]))
    traces = traces[keep.to_numpy()]
    if len(activities) and not len(traces):
        raise LogError(f"{path}: none of its {len(activities)} events has both an activity and a time")
    instants = times.filter(keep).cast(pa.int64()).to_numpy()
    present, trace_codes = np.unique(traces, return_inverse=True)
    case_of_trace, case_ids = factorize([names[trace] for trace in present])
    encoded = activities.filter(keep).combine_chunks().dictionary_encode()
    log = EventLog.from_codes(
        case_of_trace[trace_codes],
        case_ids,
        encoded.indices.to_numpy(),
        encoded.dictionary.to_pylist(),
        instants,
        {} if lifecycles.null_count == len(lifecycles) else {LIFECYCLE: lifecycles.filter(keep).to_numpy()},
    )
    backwards = (np.diff(instants) < 0) & (np.diff(traces) == 0)
    return log, found.counters | {
        "traces": len(names),
        "events": len(activities),
        "traces_unnamed": unnamed,
        "traces_merged": len(present) - len(case_ids),
        "traces_empty": len(names) - len(present),
        "events_without_activity": activities.null_count,
        "events_with_unreadable_time": times.null_count - found.counters["events_without_time"],
        "events_out_of_order": int(backwards.sum()),
    }


def write_xes(log: EventLog, path: Path) -> None:
    """Write a log in XES 2.0; the same log gives the same bytes.

    Parameters
    ----------
    log : EventLog
    path : path
        Compressed if it ends in .gz.

    Raises
    ------
    LogError
        If a name, label or attribute holds a character that XML 1.0 cannot, or a time lies outside the
        years 1 to 9999.
    """
    if log.n_events and not (YEARS[0] <= log.timestamps.min() and log.timestamps.max() < YEARS[1]):
        raise LogError("a time lies outside the years 1 to 9999, which XES cannot hold; write .parquet instead")
    with path.open("wb") as raw:
        if path.name.lower().endswith(".gz"):
            # Neither file name nor date of writing, so that the bytes depend on the log alone.
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
                _write(log, packed)
        else:
            _write(log, raw)


@dataclass
class _Found:
    """What the pass over a file collects.

    `names` and `starts` hold the name of each trace and the number of events before it; `pending` the texts
    of the latest events, which move to `blocks` as Arrow arrays, so that few of them are Python objects at a time.
    """

    names: list[str | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    pending: dict[str, list[str | None]] = field(default_factory=lambda: {ACTIVITY: [], TIMESTAMP: [], LIFECYCLE: []})
    blocks: dict[str, list[pa.Array]] = field(
        default_factory=lambda: {
            ACTIVITY: [pa.array([], pa.string())],
            TIMESTAMP: [pa.array([], TIME_TYPE)],
            LIFECYCLE: [pa.array([], pa.string())],
        }
    )
    events_in_blocks: int = 0
    counters: dict[str, int | None] = field(
        default_factory=lambda: {
            **dict.fromkeys(TOTALS.values()),
            "events_outside_traces": 0,
            "events_without_time": 0,
            "events_without_zone": 0,
        }
    )

    def settle(self, events: int) -> None:
        """Move the first pending events to the blocks."""
        for key, texts in self.pending.items():
            block = pa.array(texts[:events], pa.string())
            if key == TIMESTAMP:
                self.counters["events_without_time"] += block.null_count
                block, zoneless = _instants(block)
                self.counters["events_without_zone"] += zoneless
            self.blocks[key].append(block)
            del texts[:events]
        self.events_in_blocks += events


def _scan(path: Path) -> _Found:
    found = _Found()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = _handlers(found, path)
    activities = found.pending[ACTIVITY]
    try:
        for piece in _pieces(path):
            parser.Parse(piece)
            if len(activities) > EVENTS_AT_ONCE:
                found.settle(len(activities) - 1)  # the last event may still be open
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise LogError(f"{path}: not well-formed XML: {error}; fetch or export the file again") from error
    found.settle(len(activities))
    return found


def _handlers(found: _Found, path: Path) -> tuple[Callable, Callable]:
    """The handlers that fill `found`: closures over locals, as they run once for each element of the file."""
    names, starts, pending = found.names, found.starts, found.pending
    activities, times, lifecycles = pending.values()
    depth = 0
    trace_tag = event_tag = None
    in_trace = in_event = False

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, in_trace, in_event, trace_tag, event_tag
        depth += 1
        if depth == 4:
            if in_event:
                column = pending.get(attributes.get("key"))
                if column is not None:
                    column[-1] = attributes.get("value")
        elif depth == 3:
            in_event = in_trace and tag == event_tag
            if in_event:
                activities.append(None)
                times.append(None)
                lifecycles.append(None)
            elif in_trace and attributes.get("key") == NAME:
                names[-1] = attributes.get("value")
        elif depth == 2:
            in_trace = tag == trace_tag
            if in_trace:
                names.append(None)
                starts.append(found.events_in_blocks + len(activities))
            elif tag == event_tag:
                found.counters["events_outside_traces"] += 1
            elif attributes.get("key") in TOTALS:
                found.counters[TOTALS[attributes["key"]]] = _total(attributes.get("value"))
        elif depth == 1:
            prefix, colon, root = tag.rpartition(":")
            if root != "log":
                raise LogError(f"{path}: not an XES log: its root element is <{tag}>, not <log>")
            trace_tag, event_tag = f"{prefix}{colon}trace", f"{prefix}{colon}event"

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    return start, end


def _pieces(path: Path) -> Iterator[bytes]:
    """The content of a file piece by piece, unpacked if it is gzip, whatever its suffix says."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        content = gzip.GzipFile(fileobj=raw) if packed else raw
        try:
            while piece := content.read(BYTES_AT_ONCE):
                yield piece
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise LogError(f"{path}: broken gzip file: {error}; fetch or copy it again") from error


def _total(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


def _named(names: list[str | None]) -> tuple[list[str], int]:
    """The names with those that lack replaced by ``trace <position>``, apart from all real ones; how many lacked."""
    real = set(names)
    named = []
    for position, name in enumerate(names, start=1):
        if name is None:
            name = f"trace {position}"
            while name in real:
                name += "'"
        named.append(name)
    return named, names.count(None)


def _instants(texts: pa.Array) -> tuple[pa.Array, int]:
    """The instants of ISO 8601 texts, null where unreadable, and the number of texts without a zone."""
    try:
        return texts.cast(TIME_TYPE), 0
    except pa.ArrowInvalid:
        pass
    # Arrow refuses a block over one odd text; Python's own reader takes more kinds, and distinct texts are few.
    encoded = texts.dictionary_encode()
    moments = [_moment(text) for text in encoded.dictionary.to_pylist()]
    zoneless = np.array([moment is not None and moment.tzinfo is None for moment in moments])
    instants = pa.array([moment and (moment.replace(tzinfo=moment.tzinfo or UTC)) for moment in moments], TIME_TYPE)
    return instants.take(encoded.indices), int(zoneless[encoded.indices.drop_null()].sum())


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _write(log: EventLog, sink: BinaryIO) -> None:
    sink.write(HEADER.encode())
    opening = [f"<trace>\n{text}" for text in _elements("string", NAME, pa.array(log.case_ids, pa.string())).to_pylist()]
    opening[1:] = [f"</trace>\n{text}" for text in opening[1:]]
    labels = _elements("string", ACTIVITY, pa.array(log.labels, pa.string()))
    for start in range(0, log.n_events, EVENTS_AT_ONCE):
        block = slice(start, start + EVENTS_AT_ONCE)
        first = log.first_events[block]
        heads = np.full(len(first), "<event>\n", dtype=object)
        heads[first] = [f"{opening[case]}<event>\n" for case in log.case_of_event[block][first]]
        times = pa.array(log.timestamps[block]).cast(pa.timestamp("us")).cast(pa.string())
        times = pc.replace_substring(pc.replace_substring(times, " ", "T"), ".000000", "")
        columns = [
            pa.array(heads, pa.string()),
            labels.take(pa.array(log.activities[block])),
            _elements("date", TIMESTAMP, pc.binary_join_element_wise(times, "+00:00", "")),
            *(_attribute(key, pa.array(values[block], from_pandas=True)) for key, values in log.attributes.items()),
        ]
        texts = pc.binary_join_element_wise(*columns, "</event>\n", "")
        sink.write("".join(texts.to_pylist()).encode())
    sink.write(b"</trace>\n</log>\n" if log.n_cases else b"</log>\n")


def _attribute(key: str, values: pa.Array) -> pa.Array:
    """The elements of a further attribute, typed as its column; an event without value has none."""
    if pa.types.is_integer(values.type):
        tag = "int"
    elif pa.types.is_floating(values.type):
        tag = "float"
    elif pa.types.is_boolean(values.type):
        tag = "boolean"
    else:
        tag = "string"
    return pc.fill_null(_elements(tag, key, values.cast(pa.string())), "")


def _elements(tag: str, key: str, values: pa.Array) -> pa.Array:
    """One XML element a value; null stays null."""
    encoded = values.dictionary_encode()
    head = f"<{tag} key={_quoted(key)} value="
    elements = [f"{head}{_quoted(value)}/>\n" for value in encoded.dictionary.to_pylist()]
    return pa.array(elements, pa.string()).take(encoded.indices)


def _quoted(text: str) -> str:
    if bad := NOT_XML.search(text):
        raise LogError(f"{text!r} holds U+{ord(bad[0]):04X}, which XML cannot hold; rename it or write .parquet instead")
    return quoteattr(text)
