"""Read XES event logs: IEEE Std 1849-2016 and -2023, and the earlier versions 1.0 and 2.0.

The reader makes one pass with expat and keeps what process mining needs of an event: the name of its
trace, its activity, its time and its lifecycle transition. Only attributes that are direct children of a
trace or an event count; nested ones describe the attribute that holds them.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from pathlib import Path
from xml.parsers import expat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import to_integers
from data.columns import BOOLEAN, FLOAT, INT, TYPES, Events, Numbers
from data.log import ACTIVITY, CASE_NAME, KEYS, LIFECYCLE, TIMESTAMP, EventLog, LogError, all_distinct, factorize
from data.options import DEFAULTS, ImportOptions
from data.times import instants
from data.unpack import decoded, pieces

TOTALS = {"meta_general:traces_total": "traces_declared", "meta_general:events_total": "events_declared"}
EVENT_KEYS = (ACTIVITY, TIMESTAMP, LIFECYCLE)
# What is not quite regular does not match, and is left to expat; what matches is well-formed, once it is known to be
# UTF-8 without the characters that XML cannot hold. Groups: the last value of each wanted key.
_TEXT = r'[^"<&\x00-\x08\x0b\x0c\x0e-\x1f]*'
_VALUE = r'" value="([^"<&\x00-\x1f]*)"'
_OTHERS = "|".join(f'{key}"' for key in EVENT_KEYS)
_KEYS = rf'(?:{ACTIVITY}{_VALUE}|{LIFECYCLE}{_VALUE}|(?!{_OTHERS}){_TEXT}" value="{_TEXT}")'
_LEAF = (
    rf'<(?:date key="{TIMESTAMP}{_VALUE}|'
    rf'(?!(?:log|trace|event) )[A-Za-z_]\w* key="{_KEYS})[ \t\r\n]*/>'
)
PLAIN_EVENT = re.compile(rf"<event>[ \t\r\n]*(?:{_LEAF}[ \t\r\n]*)*</event>".encode())
PLAIN_KEYS = (TIMESTAMP, ACTIVITY, LIFECYCLE)  # of the groups
BLANKS = b" \t\r\n"
NONCHARACTERS = ("\ufffe".encode(), "\uffff".encode())
DECLARED = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']""")

FITTING = {"int": {INT, FLOAT}, "float": {FLOAT}, "boolean": {BOOLEAN}}  # of columns, by type of a value
VALUES_AT_ONCE = 1 << 18  # of all attributes
MOST_ATTRIBUTES = 1000  # each has a column of all events
NO_EVENT = -1
DEEPEST = 1000  # nesting of elements, each of which costs memory
LONGEST_TOKEN = 8 << 20  # bytes of a tag or comment; expat reads a token again whenever a piece of it arrives


def import_xes(path: Path, options: ImportOptions = DEFAULTS) -> tuple[EventLog, dict[str, int | None]]:
    """Read a log in XES together with its lifecycle transitions and an account of what was found.

    A case is named by its trace's ``concept:name`` of whatever type, as written. Times are brought to UTC and
    cut to microseconds. Events of a case are sorted by time, ties in file order.

    Parameters
    ----------
    path : path
        Plain, gzip or zip.
    options : ImportOptions

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
        ``traces_merged`` or ``traces_kept_apart``
            Traces whose name an earlier trace has: now part of that case, or under a name of their own.
        ``traces_empty``
            Traces without an event to keep, dropped.
        ``events_outside_traces``, ``events_without_activity``, ``events_without_time``
            Events dropped, and why; an event may count under several reasons.
        ``events_without_zone``
            Events whose time names no zone, taken as in the zone of the options.
        ``events_in_clock_change``
            Of these, events in an hour that the zone has twice or not at all.
        ``events_out_of_order``
            Events earlier than the event before them in their case.
        ``events_cut_to_microseconds``
            Events whose time names parts of a microsecond.

    Raises
    ------
    LogError
        If the file is not well-formed XML, declares a document type that could hold entities, is not a whole gzip or
        zip file or a decompression bomb, is not an event log, has a time that cannot be read, a known key of a wrong
        type or other totals than it declares, or none of its events can be kept; if strict, if one would be dropped.
    """
    found = _Scan(path, options)
    counters = found.counters | {"traces": len(found.names), "events": found.taken}
    _check_totals(path, counters, options)
    if found.taken and not found.kept:
        raise LogError(f"{path}: none of its {found.taken} events has both an activity and a time")
    lengths = np.diff(found.bounds.values(), append=len(found.kept))
    case_of_trace, case_ids, repeats = _cases(found.names, lengths > 0, options.repeated)
    counters["traces_unnamed"] = found.names.count(None)
    counters[f"traces_{'merged' if options.repeated == 'merge' else 'kept_apart'}"] = repeats
    counters["traces_empty"] = len(lengths) - len(case_of_trace)
    kept = found.kept
    del found
    log, counters["events_out_of_order"] = kept.log(lambda: np.repeat(case_of_trace, lengths[lengths > 0]), case_ids)
    return log, counters


class _FoundError(Exception):
    """Where the event that was looked for stands."""


class _Scan:
    """One pass over a file, and what it finds.

    Expat reads the file; plain events, that is nearly all, are cut out before it sees them, as a regular
    expression reads those several times faster. Expat still decides where an event stands, and reads every
    event that is not plain: with nested attributes, character references, an unusual spelling.

    Attributes
    ----------
    names : list
        Name of each trace, None where it has none; equal names are one object.
    known : dict
        The distinct names.
    starts : list of int
        Number of events before each of the latest traces.
    bounds : Numbers
        Number of kept events before each of the other traces.
    texts : dict of list
        Activity, time and lifecycle of the latest events, None where absent.
    further : dict of dict
        By key of a further attribute and number of one of the latest events: type and text.
    taken : int
        Number of events before the latest.
    kept : Events
        Of these, the ones with activity and time.
    run : list of list, optional
        The columns of plain events for which the present empty event stands.
    counters : dict
    """

    def __init__(self, path: Path, options: ImportOptions, wanted: int | None = None) -> None:
        """Scan a file or, without the short cut, look for the line of a wanted event."""
        self.path = path
        self.options = options
        self.wanted = wanted
        self.names: list[str | None] = []
        self.known: dict[str, str] = {}
        self.starts: list[int] = []
        self.bounds = Numbers(np.int64)
        self.texts: dict[str, list] = {key: [] for key in EVENT_KEYS}
        self.further: dict[str, dict[int, tuple[str, str]]] = {}
        self.taken = 0
        self.kept = Events()
        self.counters: dict[str, int | None] = {
            **dict.fromkeys(TOTALS.values()),
            "events_outside_traces": 0,
            "events_without_activity": 0,
            "events_without_time": 0,
            "events_without_zone": 0,
            "events_in_clock_change": 0,
            "events_cut_to_microseconds": 0,
        }
        self.depth = self.given = self.trace_start = 0
        self.cut = False
        self.run: list[list[bytes | None]] | None = None
        self.in_trace = self.in_event = False
        self.root = self.trace_tag = self.event_tag = self.date_tag = ""
        self.parser = expat.ParserCreate("utf-8")
        if hasattr(self.parser, "SetReparseDeferralEnabled"):
            self.parser.SetReparseDeferralEnabled(False)  # the short cut needs to know where it is after each piece
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        try:
            self.read()
        except (expat.ExpatError, LogError) as error:
            if self.cut:  # expat has not seen all lines: once more without the short cut
                _Scan(path, options, wanted=NO_EVENT)
            if isinstance(error, LogError):
                raise
            raise LogError(f"{path}: not well-formed XML: {error}; fetch or export it again") from error
        except (LookupError, UnicodeError) as error:
            raise LogError(f"{path}: {error}; convert the file to UTF-8 first") from error

    @property
    def events(self) -> int:
        return self.taken + len(self.texts[ACTIVITY])

    def read(self) -> None:
        parts = _utf8(self.path, self.options)
        piece = next(parts, b"")
        self.parse(piece)
        plain = self.event_tag == "event" and _all_markup(piece.partition(b"<log")[2])
        plain = plain and self.wanted is None and not self.options.attributes
        sound = _Soundness(piece)
        for following in parts:
            plain = plain and _all_markup(piece[-1:] + following) and sound.after(following)
            piece = following
            if plain:
                self.cut = True
                self.feed(piece)
            else:
                self.parse(piece)
            if len(self.texts[ACTIVITY]) * (len(EVENT_KEYS) + len(self.further)) > VALUES_AT_ONCE:
                self.settle(len(self.texts[ACTIVITY]) - 1)  # the last event may still be open
        self.parser.Parse(b"", True)
        self.settle(len(self.texts[ACTIVITY]))

    def parse(self, piece: bytes) -> None:
        """Have expat read a piece."""
        self.parser.Parse(piece)
        self.given += len(piece)
        if self.given - max(self.parser.CurrentByteIndex, 0) > LONGEST_TOKEN + len(piece):
            raise LogError(
                f"{self.path}: line {self.parser.CurrentLineNumber}: a tag or comment of more than {LONGEST_TOKEN} "
                f"bytes; the file is damaged or made to do harm"
            )

    def feed(self, piece: bytes) -> None:
        """Take the plain events from a piece and have expat read what lies between them."""
        width = 1 + len(PLAIN_KEYS)
        parts = PLAIN_EVENT.split(piece)  # gap, time, activity, lifecycle, gap, ...
        gaps, columns = parts[::width], [parts[i::width] for i in range(1, width)]
        added = 0
        for event, gap in enumerate(gaps):
            if gap.strip(BLANKS):
                self.add(columns, added, event)
                added = event
                self.parse(gap)
        self.add(columns, added, len(gaps) - 1)

    def add(self, columns: list[list[bytes | None]], start: int, stop: int) -> None:
        """Add plain events, for which expat meets one empty event: that tells whether they stand where events may."""
        if start < stop:
            self.run = [column[start:stop] for column in columns]
            self.parse(b"<event/>")
            self.run = None

    def settle(self, events: int) -> None:
        """Keep the first of the latest events, or those of them that have an activity and a time."""
        activities, texts, transitions = (pa.array(self.texts[key][:events], pa.string()) for key in EVENT_KEYS)
        found = instants(texts, self.options.zone)
        if found.values.null_count > texts.null_count:
            bad = pc.index(pc.and_(found.values.is_null(), texts.is_valid()), True).as_py()
            raise LogError(
                f"{self.path}: {self.place(self.taken + bad)} has the time {texts[bad].as_py()!r}, which is "
                f"not in ISO 8601 or outside the years 1 to 9999; correct it first"
            )
        self.counters["events_without_activity"] += activities.null_count
        self.counters["events_without_time"] += texts.null_count
        self.counters["events_without_zone"] += found.zoneless
        self.counters["events_in_clock_change"] += found.in_clock_change
        self.counters["events_cut_to_microseconds"] += found.cut
        keep = pc.and_(activities.is_valid(), texts.is_valid())
        if self.options.strict and (first := pc.index(keep, False).as_py()) >= 0:
            lacking = "time" if activities[first].is_valid else "activity"
            raise LogError(
                f"{self.path}: {self.place(self.taken + first)} has no {lacking}; without --strict it is dropped"
            )
        self.bound(keep)
        attributes, types = self.attributes(events)
        if transitions.null_count < events or LIFECYCLE in self.kept.attributes:
            attributes[LIFECYCLE] = transitions
        attributes = {key: values.filter(keep) for key, values in attributes.items()}
        self.kept.add(activities.filter(keep), found.values.filter(keep), attributes, types)
        for column in self.texts.values():
            del column[:events]
        self.taken += events

    def bound(self, keep: pa.BooleanArray) -> None:
        """Count the kept events before each trace that starts among the first of the latest events."""
        before = np.cumsum(np.concatenate(([0], to_integers(keep.cast(pa.uint8()), np.uint8))), dtype=np.int64)
        known = bisect_right(self.starts, self.taken + len(keep))
        self.bounds.add(len(self.kept) + before[np.array(self.starts[:known], np.int64) - self.taken])
        del self.starts[:known]

    def attributes(self, events: int) -> tuple[dict[str, pa.Array], dict[str, frozenset[str]]]:
        """Take the further attributes of the first of the latest events; their texts and types by key."""
        columns, types = {}, {}
        for key, values in self.further.items():
            texts, kinds = [None] * events, set()
            for event, (kind, text) in values.items():
                if event < events:
                    texts[event] = text
                    kinds.add(kind)
            columns[key] = pa.array(texts, pa.string())
            types[key] = TYPES.intersection(*(FITTING.get(kind, ()) for kind in kinds))
            self.further[key] = {event - events: value for event, value in values.items() if event >= events}
        return columns, types

    def place(self, event: int) -> str:
        """Where an event stands; its line takes a second pass, which only errors cost."""
        try:
            _Scan(self.path, self.options, event)
        except _FoundError as found:
            return str(found)

    def doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        if system or public or internal:
            raise LogError(
                f"{self.path}: line {self.parser.CurrentLineNumber}: declares a document type, which XES has not and "
                f"which could expand entities or name other files; remove the declaration"
            )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        depth = self.depth
        if depth > DEEPEST:
            raise LogError(f"{self.path}: line {self.parser.CurrentLineNumber}: elements nested too deep for a log")
        if depth > 1 and tag in (self.root, self.trace_tag, self.event_tag):
            self.check_place(tag)
        if depth == 4:
            if self.in_event:
                self.event_attribute(tag, attributes)
        elif depth == 3:
            self.in_event = self.in_trace and tag == self.event_tag
            if self.in_event:
                if self.events == self.wanted:
                    number = self.events - self.trace_start + 1
                    raise _FoundError(
                        f"line {self.parser.CurrentLineNumber}: event {number} of trace {len(self.names)}"
                    )
                for key, column in zip(PLAIN_KEYS, self.run or ([None],) * 3, strict=True):
                    self.texts[key] += column
            elif self.in_trace and attributes.get("key") == CASE_NAME:
                name = self.value(tag, attributes)
                self.names[-1] = self.known.setdefault(name, name)
        elif depth == 2:
            self.in_event = False
            self.in_trace = tag == self.trace_tag
            if self.in_trace:
                self.names.append(None)
                self.trace_start = self.events
                self.starts.append(self.events)
            elif attributes.get("key") in TOTALS:
                self.counters[TOTALS[attributes["key"]]] = self.total(tag, attributes)
        elif depth == 1:
            prefix, colon, root = tag.rpartition(":")
            if root != "log":
                raise LogError(f"{self.path}: not an XES log: its root element is <{tag}>, not <log>")
            self.root, self.trace_tag, self.event_tag, self.date_tag = (
                f"{prefix}{colon}{name}" for name in ("log", "trace", "event", "date")
            )

    def end(self, tag: str) -> None:
        self.depth -= 1

    def check_place(self, tag: str) -> None:
        """Refuse what would hide events, and count events that belong to no trace."""
        if (tag == self.event_tag and self.depth == 3 and self.in_trace) or (tag == self.trace_tag and self.depth == 2):
            return
        if tag != self.event_tag or (self.depth > 3 and self.in_event):
            raise LogError(f"{self.path}: line {self.parser.CurrentLineNumber}: misplaced <{tag}>; correct the file")
        if self.options.strict:
            raise LogError(
                f"{self.path}: line {self.parser.CurrentLineNumber}: an event stands in no trace; without --strict it "
                f"is dropped"
            )
        self.counters["events_outside_traces"] += len(self.run[0]) if self.run else 1

    def event_attribute(self, tag: str, attributes: dict[str, str]) -> None:
        key = attributes.get("key")
        if key in self.texts:
            if key == TIMESTAMP and tag != self.date_tag:
                self.refuse_type(tag, key, "a date")
            self.texts[key][-1] = self.value(tag, attributes)
        elif self.options.attributes and key is not None and "value" in attributes:
            if key not in self.further:
                self.check_attribute(key)
                self.further[key] = {}
            self.further[key][len(self.texts[ACTIVITY]) - 1] = tag.rpartition(":")[2], attributes["value"]

    def check_attribute(self, key: str) -> None:
        if key in KEYS:
            raise LogError(
                f"{self.path}: line {self.parser.CurrentLineNumber}: an attribute of an event is called {key}, as the "
                f"name of its case is; leave the attributes out (without --attributes) or rename it"
            )
        if len(self.further) == MOST_ATTRIBUTES:
            raise LogError(
                f"{self.path}: line {self.parser.CurrentLineNumber}: the events have more than {MOST_ATTRIBUTES} "
                f"different attributes; leave them out (without --attributes)"
            )

    def value(self, tag: str, attributes: dict[str, str]) -> str:
        if "value" not in attributes:
            self.refuse_type(tag, attributes["key"], "an attribute with a value")
        return attributes["value"]

    def total(self, tag: str, attributes: dict[str, str]) -> int | None:
        text = attributes.get("value", "")
        if text.isascii() and text.isdigit() and len(text) < 19:
            return int(text)
        return None if self.options.allow_totals else self.refuse_type(tag, attributes["key"], "a number")

    def refuse_type(self, tag: str, key: str, expected: str) -> None:
        line = self.parser.CurrentLineNumber
        raise LogError(f"{self.path}: line {line}: {key} is <{tag}> and not {expected}; correct the file")


class _Soundness:
    """Whether pieces of a text are UTF-8 without characters that XML cannot hold, apart from control characters."""

    def __init__(self, piece: bytes) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.tail = b""
        self.sound = True
        self.after(piece)

    def after(self, piece: bytes) -> bool:
        """Whether all is sound up to and with the next piece."""
        if self.sound and not (piece.isascii() and self.tail.isascii()):
            try:
                self.decoder.decode(piece)
            except UnicodeDecodeError:
                self.sound = False
            self.sound = self.sound and not any(bad in self.tail + piece for bad in NONCHARACTERS)
        self.tail = piece[-3:]
        return self.sound


def _all_markup(piece: bytes) -> bool:
    """Whether no comment, CDATA section or processing instruction begins, in which tags would be mere text."""
    return b"<!" not in piece and b"<?" not in piece


def _check_totals(path: Path, counters: dict[str, int | None], options: ImportOptions) -> None:
    for total in ("traces", "events"):
        declared = counters[f"{total}_declared"]
        if declared not in (None, counters[total]) and not options.allow_totals:
            raise LogError(
                f"{path}: holds {counters[total]} {total}, but its header declares {declared}; fetch it again, or "
                f"accept it (--allow-totals)"
            )


def _utf8(path: Path, options: ImportOptions) -> Iterator[bytes]:
    """The content of a file in UTF-8, from whatever encoding it declares."""
    parts = pieces(path, options)
    first = next(parts, b"")
    encoding = _encoding(first)
    parts = chain([first], parts)
    return parts if codecs.lookup(encoding).name == "utf-8" else decoded(parts, encoding)


def _encoding(head: bytes) -> str:
    """XML 1.0, appendix F: the encoding that a byte order mark, the first characters or the declaration tell."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for name in ("utf-16-le", "utf-16-be"):
        if head.startswith("<".encode(name)):
            return name
    declared = DECLARED.match(head.removeprefix(codecs.BOM_UTF8))
    return declared[1].decode() if declared else "utf-8"


def _named(names: list[str | None]) -> list[str]:
    """The names with those that lack replaced by ``trace <position>``, apart from all real ones."""
    real = set(names)
    return [_free(f"trace {position}", real) if name is None else name for position, name in enumerate(names, start=1)]


def _apart(names: list[str]) -> list[str]:
    """The names with the second of a kind called ``<name> (2)`` and so on, apart from all others."""
    taken = set(names)
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = _free(f"{name} ({seen[name]})", taken)
            taken.add(name)
        distinct.append(name)
    return distinct


def _free(name: str, taken: set[str | None]) -> str:
    while name in taken:
        name += "'"
    return name


def _cases(names: list[str | None], present: np.ndarray, repeated: str) -> tuple[np.ndarray, Sequence[str], int]:
    """Case of each present trace, the case ids, and how many of these traces have the name of an earlier one."""
    kept = list(compress(_named(names) if None in names else names, present.tolist()))
    if all_distinct(kept):
        return np.arange(len(kept), dtype=np.int32), kept, 0
    case_of_trace, case_ids = factorize(kept)
    repeats = len(kept) - len(case_ids)
    if repeated == "apart":
        return np.arange(len(kept), dtype=np.int32), _apart(kept), repeats
    return case_of_trace.astype(np.int32), case_ids, repeats
