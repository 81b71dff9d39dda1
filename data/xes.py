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
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import TIME_TYPE
from data.log import ACTIVITY, TIMESTAMP, EventLog, LogError, factorize

NAME = "concept:name"  # of a trace
LIFECYCLE = "lifecycle:transition"
TOTALS = {"meta_general:traces_total": "traces_declared", "meta_general:events_total": "events_declared"}
# Counters that tell of no loss or change.
UNREMARKABLE = {"traces", "events", "traces_declared", "events_declared", "events_out_of_order"}
EVENT_KEYS = (ACTIVITY, TIMESTAMP, LIFECYCLE)
_VALUE = r'" value="([^"<&\x00-\x1f]*)"'
_WANTED, _OTHERS = "|".join(key + _VALUE for key in EVENT_KEYS), "|".join(f'{key}"' for key in EVENT_KEYS)
_LEAF = rf'<\w+ key="(?:{_WANTED}|(?!{_OTHERS})[^"<]*" value="[^"<]*")\s*/>'
# Groups: the last value of each wanted key. What is not quite regular does not match, and is left to expat.
PLAIN_EVENT = re.compile(rf"<event>\s*(?:{_LEAF}\s*)*</event>".encode())

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
    found = _Scan(path)
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


class _Scan:
    """One pass over a file, and what it finds.

    Expat reads the file; plain events, that is nearly all, are cut out before it sees them, as a regular
    expression reads those several times faster. Expat still decides where an event stands, and reads every
    event that is not plain: with nested attributes, character references, an unusual spelling.

    Attributes
    ----------
    names, starts : list
        Name of each trace (None where it has none), and number of events before it.
    texts : dict of list
        Activity, time and lifecycle of the latest events, None where absent.
    blocks : dict of list of Arrow arrays
        The same of the events before, so that few events are Python objects at a time.
    counters : dict
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: list[str | None] = []
        self.starts: list[int] = []
        self.texts: dict[str, list] = {key: [] for key in EVENT_KEYS}
        self.blocks = {key: [pa.array([], TIME_TYPE if key == TIMESTAMP else pa.string())] for key in EVENT_KEYS}
        self.events_in_blocks = 0
        self.counters: dict[str, int | None] = {
            **dict.fromkeys(TOTALS.values()),
            "events_outside_traces": 0,
            "events_without_time": 0,
            "events_without_zone": 0,
        }
        self.depth = 0
        self.in_trace = self.in_event = False
        self.trace_tag = self.event_tag = ""
        self.utf8 = True
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.XmlDeclHandler = self.declaration
        try:
            self.read()
        except (expat.ExpatError, pa.ArrowInvalid) as error:
            raise LogError(f"{path}: not well-formed XML: {_flaw(path) or error}; fetch or export it again") from error
        except LookupError as error:
            raise LogError(f"{path}: {error}; convert the file to UTF-8 first") from error

    def read(self) -> None:
        pieces = _pieces(self.path)
        piece = next(pieces, b"")
        self.parser.Parse(piece)
        # What looks like an event may stand in a comment or a CDATA section: no short cut in a log with such.
        plain = self.utf8 and self.event_tag == "event" and b"<!" not in piece.partition(b"<log")[2]
        for following in pieces:
            plain = plain and b"<!" not in piece[-1:] + following
            piece = following
            if plain:
                self.feed(piece)
            else:
                self.parser.Parse(piece)
            if len(self.texts[ACTIVITY]) > EVENTS_AT_ONCE:
                self.settle(len(self.texts[ACTIVITY]) - 1)  # the last event may still be open
        self.parser.Parse(b"", True)
        self.settle(len(self.texts[ACTIVITY]))

    def feed(self, piece: bytes) -> None:
        """Take the plain events from a piece and have expat read what lies between them."""
        width = 1 + len(EVENT_KEYS)
        parts = PLAIN_EVENT.split(piece)  # gap, activity, time, lifecycle, gap, ...
        gaps, columns = parts[::width], [parts[i::width] for i in range(1, width)]
        added = 0
        for event, gap in enumerate(gaps):
            if gap and not gap.isspace():
                self.add(columns, added, event)
                added = event
                self.parser.Parse(gap)
        self.add(columns, added, len(gaps) - 1)

    def add(self, columns: list[list[bytes | None]], start: int, stop: int) -> None:
        """Add plain events to the trace that expat is in; elsewhere it only has to know that they are there."""
        if self.in_trace and self.depth == 2:
            for texts, column in zip(self.texts.values(), columns, strict=True):
                texts += column[start:stop]
        else:
            self.parser.Parse(b"<event/>" * (stop - start))

    def settle(self, events: int) -> None:
        """Move the first of the latest events to the blocks."""
        for key, texts in self.texts.items():
            block = pa.array(texts[:events], pa.string())
            if key == TIMESTAMP:
                self.counters["events_without_time"] += block.null_count
                block, zoneless = _instants(block)
                self.counters["events_without_zone"] += zoneless
            self.blocks[key].append(block)
            del texts[:events]
        self.events_in_blocks += events

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        self.utf8 = encoding is None or encoding.lower() in ("utf-8", "us-ascii")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        depth = self.depth
        if depth == 4:
            if self.in_event and (texts := self.texts.get(attributes.get("key"))) is not None:
                texts[-1] = attributes.get("value")
        elif depth == 3:
            self.in_event = self.in_trace and tag == self.event_tag
            if self.in_event:
                for texts in self.texts.values():
                    texts.append(None)
            elif self.in_trace and attributes.get("key") == NAME:
                self.names[-1] = attributes.get("value")
        elif depth == 2:
            self.in_trace = tag == self.trace_tag
            if self.in_trace:
                self.names.append(None)
                self.starts.append(self.events_in_blocks + len(self.texts[ACTIVITY]))
            elif tag == self.event_tag:
                self.counters["events_outside_traces"] += 1
            elif attributes.get("key") in TOTALS:
                self.counters[TOTALS[attributes["key"]]] = _total(attributes.get("value"))
        elif depth == 1:
            prefix, colon, root = tag.rpartition(":")
            if root != "log":
                raise LogError(f"{self.path}: not an XES log: its root element is <{tag}>, not <log>")
            self.trace_tag, self.event_tag = f"{prefix}{colon}trace", f"{prefix}{colon}event"

    def end(self, tag: str) -> None:
        self.depth -= 1


def _flaw(path: Path) -> str | None:
    """What is not well-formed in a file and where, as expat finds it when it sees the whole text."""
    parser = expat.ParserCreate()
    try:
        for piece in _pieces(path):
            parser.Parse(piece)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        return str(error)
    return None


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
    opening = [
        f"<trace>\n{text}" for text in _elements("string", NAME, pa.array(log.case_ids, pa.string())).to_pylist()
    ]
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
        raise LogError(
            f"{text!r} holds U+{ord(bad[0]):04X}, which XML cannot hold; rename it or write .parquet instead"
        )
    return quoteattr(text)
