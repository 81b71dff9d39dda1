"""A large log in the shape of BPIC 2018, whose events carry ten attributes besides the usual."""

from __future__ import annotations

import gzip
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

ACTIVITIES = 41


def write(path: Path, cases: int, events: int, seed: int = 0) -> None:
    """Write a log of cases of the same length as gzip, case by case."""
    rng = random.Random(seed)
    start = datetime(2015, 1, 1, tzinfo=UTC)
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8", newline="\n") as sink:
        sink.write('<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0">\n')
        sink.write(f'<int key="meta_general:events_total" value="{cases * events}"/>\n')
        for case in range(cases):
            moment = start + timedelta(seconds=rng.randrange(10**8))
            lines = [f'<trace>\n<string key="concept:name" value="{case:016x}"/>\n']
            for number in range(events):
                moment += timedelta(milliseconds=rng.randrange(10**8))
                lines.append(_event(number if number < ACTIVITIES else rng.randrange(ACTIVITIES), moment, rng))
            sink.write("".join(lines) + "</trace>\n")
        sink.write("</log>\n")


def _event(activity: int, moment: datetime, rng: random.Random) -> str:
    number = rng.getrandbits(64)
    return f"""<event>
<boolean key="success" value="true"/>
<string key="org:resource" value="{number % 997:06x}"/>
<string key="docid_uuid" value="{number:016x}"/>
<string key="doctype" value="Payment application"/>
<string key="subprocess" value="Application"/>
<string key="eventid" value="{number % 10**14}"/>
<string key="identity:id" value="{number * 7:020x}"/>
<string key="note" value="none"/>
<int key="docid" value="{number % 10**6}"/>
<string key="activity" value="step {activity}"/>
<string key="lifecycle:transition" value="complete"/>
<string key="concept:name" value="step {activity}"/>
<date key="time:timestamp" value="{moment.isoformat(timespec="milliseconds")}"/>
</event>
"""
