"""Write XES event logs, version 2.0 (IEEE Std 1849-2016): what a log holds and nothing else.

No file-level attribute is written: neither name nor owner, source or date.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.log import ACTIVITY, CASE_NAME, TIMESTAMP, EventLog, LogError
from data.times import YEARS

EVENTS_AT_ONCE = 1 << 16

HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="2.0" xes.features="">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
"""
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


def _write(log: EventLog, sink: BinaryIO) -> None:
    sink.write(HEADER.encode())
    labels = _elements("string", ACTIVITY, pa.array(log.labels, pa.string()))
    for start in range(0, log.n_events, EVENTS_AT_ONCE):
        block = slice(start, start + EVENTS_AT_ONCE)
        cases = slice(*np.searchsorted(log.offsets[:-1], [start, start + EVENTS_AT_ONCE]))  # that begin in the block
        heads = np.full(len(log.activities[block]), "<event>\n", dtype=object)
        names = _elements("string", CASE_NAME, pa.array(log.case_ids[cases], pa.string())).to_pylist()
        heads[log.offsets[:-1][cases] - start] = [f"</trace>\n<trace>\n{name}<event>\n" for name in names]
        if start == 0:
            heads[0] = heads[0].removeprefix("</trace>\n")
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
