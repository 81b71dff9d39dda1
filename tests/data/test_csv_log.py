"""CSV import: what is declared is followed, what is absent is counted, what is unclear is refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from data.csv_log import BLOCK_BYTES
from data.importing import import_log, repairs
from data.io import LogError
from data.log import DURATION, LIFECYCLE, EventLog
from data.options import ImportOptions

NAMES = {"case": "c", "activity": "a", "time": "t"}
HEAD = "c,a,t\n"


@pytest.fixture
def load(tmp_path):
    """Import a CSV text with some options."""

    def load(text: str | bytes, name: str = "log.csv", **options) -> tuple[EventLog, dict]:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return import_log(path, ImportOptions(**{**NAMES, **options}))

    return load


def labels(log: EventLog) -> list[str]:
    return [log.labels[code] for code in log.activities]


def moments(log: EventLog) -> list[str]:
    return [str(moment) for moment in log.timestamps.astype("datetime64[us]").astype("datetime64[ms]")]


ROWS = [("NA", "x,y"), ("null", 'say "x"'), ("007", "a\nb"), (" 7", "é;|日本"), ("1.0", ""), ("7", "true")]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "shift_jis"])
def test_texts_stay_as_written(load, newline, separator, encoding):
    rows = [(case, label.replace("é", ""), "2020-01-01T00:00:00Z") for case, label in ROWS]
    lines = [separator.join(f'"{value.replace(chr(34), chr(34) * 2)}"' for value in row) for row in rows]
    text = newline.join([separator.join("cat"), *lines, ""])
    log, counters = load(text.encode(encoding), separator=separator, encoding=encoding)
    assert log.case_ids == tuple(case for case, _, _ in rows)
    assert labels(log) == [label for _, label, _ in rows]
    assert not repairs(counters)


def test_byte_order_mark_of_utf8_is_skipped(load):
    assert load(("\ufeff" + HEAD + "1,a,2020-01-01T00:00:00Z\n").encode())[0].case_ids == ("1",)


def test_absent_values_drop_the_event_and_are_counted(load):
    time = "2020-01-01T00:00:00Z"
    text = HEAD + f"1,a,{time}\n,a,{time}\n1,,{time}\n1,a,\n"
    log, counters = load(text + f'"","",{time}\n\n')
    assert log.case_ids == ("1", "")
    assert labels(log) == ["a", ""]
    assert {name: counters[name] for name in repairs(counters)} == {
        "events_without_case": 1,
        "events_without_activity": 1,
        "events_without_time": 1,
    }
    for lacking, line in (("case", 1), ("activity", 2), ("time", 3)):
        lines = text.splitlines(keepends=True)
        with pytest.raises(LogError, match=rf"log.csv: row 1 has no {lacking}; without --strict"):
            load(HEAD + lines[line + 1] + lines[1], strict=True)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("2020-07-01T12:00:00.123456Z", {}, "2020-07-01T12:00:00.123"),
        ("2020-07-01 12:00", {}, "2020-07-01T12:00:00.000"),
        ("2020-07-01 12:00", {"zone": "Europe/Berlin"}, "2020-07-01T10:00:00.000"),
        ("2020-07-01 12:00+03:00", {"zone": "Europe/Berlin"}, "2020-07-01T09:00:00.000"),
        ("2020-07-01", {"zone": "America/New_York"}, "2020-07-01T04:00:00.000"),
        ("01.07.2020 12:00:01", {"time_format": "%d.%m.%Y %H:%M:%S"}, "2020-07-01T12:00:01.000"),
        ("07/01/20 12:00 PM", {"time_format": "%m/%d/%y %I:%M %p"}, "2020-07-01T12:00:00.000"),
        ("1 Jul 2020 12:00 +0200", {"time_format": "%d %b %Y %H:%M %z"}, "2020-07-01T10:00:00.000"),
        ('"2020-07-01 12:00:00,5"', {}, "2020-07-01T12:00:00.500"),
    ],
)
def test_times(load, text, options, expected):
    assert moments(load(f"{HEAD}1,a,{text}\n", **options)[0]) == [expected]


def test_zone_is_reported(load):
    text = HEAD + "1,a,2020-07-01\n1,a,2020-07-01T00:00:00Z\n1,a,2020-10-25 02:30\n"
    counters = load(text, zone="Europe/Berlin")[1]
    assert (counters["events_without_zone"], counters["events_in_clock_change"]) == (2, 1)


def test_decimal_commas(load):
    log, _ = load("c;a;t;cost\n1;a;2020-01-01;1,5\n", separator=";", decimal=",", attributes=True)
    assert log.attributes["cost"].tolist() == [1.5]


def test_lifecycle_and_durations(load):
    text = "c,a,t,s,l\n1,a,2020-01-01T00:01:00Z,2020-01-01T00:00:30Z,COMPLETE\n1,b,2020-01-01T00:02:00Z,,start\n"
    log, counters = load(text, start="s", transition="l")
    assert log.attributes[LIFECYCLE].tolist() == ["COMPLETE", "start"]
    assert np.array_equal(log.attributes[DURATION], [30, np.nan], equal_nan=True)
    assert counters["events_without_start"] == 1


def test_order(load):
    """Cases as they come first, events by time, ties as in the file; rows of a case need not be together."""
    rows = ["2,a,2020-01-03", "1,b,2020-01-02", "2,c,2020-01-01", "1,d,2020-01-02"]
    log, counters = load(HEAD + "\n".join(rows))
    assert log.case_ids == ("2", "1")
    assert labels(log) == ["c", "a", "b", "d"]
    assert counters["events_out_of_order"] == 1


def test_without_header(load):
    log, _ = load("1,2020-01-01,x,a\n", columns=("c", "t", "", "a"))
    assert (log.case_ids, log.labels) == (("1",), ("a",))


def test_packed(load):
    assert load(gzip.compress((HEAD + "1,a,2020-01-01\n").encode()), "log.csv.gz")[0].n_events == 1


def test_many_blocks(load):
    """More rows than the parser takes at once."""
    rows = "".join(f"{number % 1000},label {number % 7},2020-01-01T00:00:00Z\n" for number in range(200_000))
    log, _ = load(HEAD + rows)
    assert (log.n_cases, log.n_events, len(log.labels)) == (1000, 200_000, 7)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (HEAD + "1,a\n", {}, "Row #2: Expected 3 columns, got 2"),
        (HEAD + "1,a,2020-01-01,x\n", {}, "Expected 3 columns, got 4"),
        ("c,a\n1,a\n", {}, "column 't' is missing; the file has c, a"),
        ("c,a,t,a\n1,a,2020-01-01,b\n", {}, "column 'a' appears twice"),
        ("c;a;t\n1;a;2020-01-01\n", {}, "column 'c' is missing; the file has c;a;t"),
        (HEAD + '1,a,2020-01-01\n1,"b,2020-01-01\n', {}, "log.csv: line 3: a quoted field is never closed"),
        (HEAD + '1,"a\n",2020-01-01\n1,b,"2020-01-01\n', {}, "log.csv: line 4: a quoted field is never closed"),
        ('c,a,t,"more\n1,a,2020-01-01,x\n', {}, "line 1: a quoted field is never closed"),
        (HEAD + "1,a,2020-13-01\n", {}, "row 1: '2020-13-01' in column 't' is no time in ISO 8601"),
        (HEAD + "1,a,2020-01-01\n1,a,01/02/2020\n", {}, "row 2: '01/02/2020' in column 't'"),
        (HEAD + "1,a,2020-01-01\n", {"time_format": "%d/%m/%Y"}, "is no time in %d/%m/%Y"),
        (HEAD + "1,a,0000-01-01\n", {}, "of the years 1 to 9999"),
        (HEAD + ",,\n", {}, "row 1 has no case; none of the events can be kept"),
        ("c,a,t\n1,é,2020-01-01\n".encode("latin-1"), {}, "not text in utf-8"),
        (HEAD, {"encoding": "klingon"}, "unknown encoding 'klingon'"),
        (HEAD, {"encoding": "zip"}, "unknown encoding 'zip'"),
        ((HEAD + "1,a,2020-01-01\n").encode("utf-16")[:-1], {"encoding": "utf-16"}, "not text in utf-16"),
        (b"\x00\x01\x02", {}, "is missing"),
    ],
)
def test_refused(load, text, options, message):
    with pytest.raises(LogError) as error:
        load(text, **options)
    assert message in str(error.value)
    assert "log.csv" in str(error.value)


def test_quotes_that_open_no_field_are_text(load):
    log, _ = load(HEAD + '1,5" pipe,2020-01-01\n2,"say ""x""",2020-01-01\n')
    assert labels(log) == ['5" pipe', 'say "x"']


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_line_of_a_quote_that_is_never_closed(load, newline):
    rows = ["c,a,t", *['1,"a\n\nb",2020-01-01'] * 50_000, '1,"b,2020-01-01', *["1,c,2020-01-01"] * 100_000]
    with pytest.raises(LogError, match=r"log.csv: line 150002: a quoted field is never closed"):
        load(newline.join(row.replace("\n", newline) for row in rows))


def test_long_records_are_read_up_to_a_limit(load):
    """A label of twenty blocks of the parser; the rest of the file is read as well."""
    label = '"' + "long, " * 900_000 + '"'
    text = HEAD + "1,a,2020-01-01\n" * 1000 + f"1,{label},2020-01-01\n" + "1,b,2020-01-01\n" * 1000
    assert len(label) > 20 * BLOCK_BYTES
    log, _ = load(text)
    assert (log.n_events, [len(label) for label in log.labels]) == (2001, [1, 5_400_000, 1])
    with pytest.raises(LogError, match=r"log.csv: line 1002: a record of more than 2000000 bytes.*--max-record"):
        load(text, max_record=2_000_000)


def test_the_last_row_is_a_row_like_any_other(load):
    for end in ("", "\n", "\r\n", "\n\n\n"):
        assert load(HEAD + "1,a,2020-01-01\nend of file,b,2020-01-01" + end)[0].case_ids == ("1", "end of file")


def test_further_columns_are_numbers_only_if_nothing_is_lost(load):
    rows = ["1,a,2020-01-01,7,007,1.5,true,,12345678901234567890,x", "1,b,2020-01-01,8,8,,False,,1,"]
    head = "c,a,t,whole,code,real,flag,none,digits,text\n"
    found = load(head + "\n".join(rows), attributes=True)[0].attributes
    assert {key: values.tolist() for key, values in found.items() if key != "real"} == {
        "whole": [7, 8],
        "code": ["007", "8"],
        "flag": [True, False],
        "none": [None, None],
        "digits": ["12345678901234567890", "1"],
        "text": ["x", None],
    }
    assert np.array_equal(found["real"], [1.5, np.nan], equal_nan=True)


def test_a_type_that_fails_late_leaves_the_texts_as_written(load):
    """The column looks like numbers for many blocks."""
    rows = "".join(f"1,a,2020-01-01,{number}.50\n" for number in range(200_000))
    text = "c,a,t,n\n" + rows
    assert load(text, attributes=True)[0].attributes["n"].dtype == float
    log, _ = load(text + "1,a,2020-01-01,none\n", attributes=True)
    assert log.attributes["n"][[0, 199_999, 200_000]].tolist() == ["0.50", "199999.50", "none"]


def test_a_further_column_that_would_pass_for_the_activity(load):
    with pytest.raises(LogError, match=r"log.csv.*'concept:name' has the name of one that every log has"):
        load("c,a,t,concept:name\n1,a,2020-01-01,x\n", attributes=True)


def test_parts_of_a_microsecond_are_cut_and_counted(load):
    times = ["2020-01-01T00:00:00.0000019Z", "2020-01-01T00:00:00.000001000Z", "2020-01-01T00:00:01Z"]
    log, counters = load(HEAD + "".join(f"1,a,{time}\n" for time in times))
    assert (log.timestamps - log.timestamps[0]).tolist() == [0, 0, 999_999]
    assert {name: counters[name] for name in repairs(counters)} == {"events_cut_to_microseconds": 1}


def test_flaws_beyond_the_first_piece(load):
    rows = "1,a,2020-01-01\n" * 50_000
    with pytest.raises(LogError, match=r"log.csv: not text in utf-8"):
        load((HEAD + rows).encode() + b"1,\xff,2020-01-01\n")
    with pytest.raises(LogError, match=r"log.csv.gz: broken gzip file"):
        load(gzip.compress((HEAD + rows).encode())[:-9], "log.csv.gz")
    with pytest.raises(LogError, match=r"log.csv: row 50001: 'x' in column 't'"):
        load(HEAD + rows + "1,a,x\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zone": "Mars/Base"}, "unknown time zone 'Mars/Base'"),
        ({"zone": "../../etc/passwd"}, "unknown time zone"),
        ({"separator": ""}, "one character"),
        ({"separator": '"'}, "cannot separate"),
        ({"separator": ",", "decimal": ","}, "cannot separate"),
        ({"repeated": "maybe"}, "merge, apart"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(LogError, match=message):
        ImportOptions(**options)
