"""XES import and export: odd files by hand, real logs against pm4py and the published numbers."""

from __future__ import annotations

import gzip
import re
import warnings

import numpy as np
import pytest

from data import unpack, xes
from data.io import LogError, read_log, write_log
from data.log import ACTIVITY, CASE, LIFECYCLE, TIMESTAMP, EventLog
from data.xes import import_xes
from data.xes_export import write_xes

# cases, events, activities, variants as published
REAL = {
    "Sepsis_Cases_-_Event_Log.xes.gz": (1050, 15214, 16, 846),
    "receipt.xes.gz": (1434, 8577, 27, 116),
    "BPI_Challenge_2013_closed_problems.xes.gz": (1487, 6660, 4, 183),
    "PrepaidTravelCost.xes.gz": (2099, 18246, 29, 202),
    "CCC19.xes.gz": (20, 697, 29, 20),
    "Unrineweginfectie.xes.gz": (1650, 6973, 10, 50),
    "RequestForPayment.xes.gz": (6886, 36796, 19, 89),
    "BPIC15_1.xes.gz": (1199, 52217, 398, 1170),
    "BPI_Challenge_2012.xes.gz": (13087, 262200, 24, 4366),
    "RTFMP_reexport.xes.gz": (150370, 561470, 11, 231),
}
LARGE = {"BPI_Challenge_2012.xes.gz", "RTFMP_reexport.xes.gz"}


def event(name: str | None = "a", time: str | None = "2020-01-01T00:00:00Z", more: str = "") -> str:
    name = "" if name is None else f'<string key="concept:name" value="{name}"/>'
    time = "" if time is None else f'<date key="time:timestamp" value="{time}"/>'
    return f"<event>{name}{time}{more}</event>"


def trace(*events: str, name: str | None = "1") -> str:
    name = "" if name is None else f'<string key="concept:name" value="{name}"/>'
    return f"<trace>{name}{''.join(events)}</trace>"


@pytest.fixture
def load(tmp_path):
    """Import an XES text."""

    def load(text: str | bytes) -> tuple[EventLog, dict]:
        path = tmp_path / "log.xes"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return import_xes(path)

    return load


def log_of(*traces: str) -> str:
    return f"<log>{''.join(traces)}</log>"


def test_case_ids_stay_as_written(load):
    log, _ = load(log_of(*(trace(event(), name=name) for name in ("NA", "007", "7", " 7", "", "null"))))
    assert log.case_ids == ("NA", "007", "7", " 7", "", "null")


def test_case_id_of_any_type_and_attribute_order(load):
    text = f'<trace><int value="7" key="concept:name"/>{event()}</trace>'
    assert load(log_of(text))[0].case_ids == ("7",)


def test_nested_attributes_and_lists_do_not_count(load):
    nested = '<string key="x"><string key="concept:name" value="inner"/></string>'
    listed = '<list key="concept:names"><values><string key="concept:name" value="inner"/></values></list>'
    log, _ = load(log_of(trace(nested, event(more=nested), event(more=listed))))
    assert log.case_ids == ("1",)
    assert log.labels == ("a",)


def test_attributes_of_the_log_and_globals_are_not_a_trace(load):
    name = '<string key="concept:name" value="DEFAULT"/>'
    log, counters = load(log_of(f'<global scope="trace">{name}</global>', name, trace(event())))
    assert log.case_ids == ("1",)
    assert counters["traces"] == 1


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01T02:00:01+02:00", 1_000_000),
        ("1969-12-31T19:30:01-04:30", 1_000_000),
        ("1970-01-01T00:00:00.000001+00:00", 1),
        ("1970-01-01T00:00:00.0000019Z", 1),
        ("1970-01-01T00:00:00.5Z", 500_000),
        (" 1970-01-01T00:00:01Z ", 1_000_000),
        ("1948-01-01T00:00:00.000+00:00", -694_310_400_000_000),
    ],
)
def test_times_become_utc_microseconds(load, text, instant):
    log, counters = load(log_of(trace(event(time=text))))
    assert log.timestamps.tolist() == [instant]
    assert counters["events_without_zone"] == 0


def test_time_without_zone_is_utc_and_counted(load):
    log, counters = load(log_of(trace(event(time="1970-01-01T00:00:01"), event(time="1970-01-01T00:00:02Z"))))
    assert log.timestamps.tolist() == [1_000_000, 2_000_000]
    assert counters["events_without_zone"] == 1


def test_events_are_sorted_by_time_with_ties_in_file_order(load):
    times = ["2020-01-02T00:00:00Z", "2020-01-01T00:00:00Z", "2020-01-02T01:00:00+01:00"]
    log, counters = load(log_of(trace(*(event(name, time) for name, time in zip("abc", times, strict=True)))))
    assert [log.labels[code] for code in log.activities] == ["b", "a", "c"]
    assert counters["events_out_of_order"] == 1


def test_duplicates_and_empty_labels_are_kept(load):
    log, _ = load(log_of(trace(event(), event(), event(name=""))))
    assert log.n_events == 3
    assert log.labels == ("a", "")


def test_what_cannot_be_kept_is_counted(load):
    log, counters = load(
        log_of(
            '<int key="meta_general:traces_total" value="6"/>',
            trace(event(), event(name=None), event(time=None)),
            trace(event(name="b")),
            trace(event(), name=None),
            trace(event(), name="trace 3"),
            trace(name="empty"),
            trace(event(name=None), name="also empty"),
            event(),
        )
    )
    assert log.case_ids == ("1", "trace 3'", "trace 3")
    assert log.lengths.tolist() == [2, 1, 1]
    assert counters == {
        "traces": 6,
        "events": 7,
        "traces_declared": 6,
        "events_declared": None,
        "traces_unnamed": 1,
        "traces_merged": 1,
        "traces_empty": 2,
        "events_outside_traces": 1,
        "events_without_activity": 2,
        "events_without_time": 1,
        "events_without_zone": 0,
        "events_in_clock_change": 0,
        "events_cut_to_microseconds": 0,
        "events_out_of_order": 0,
    }


def test_read_warns_of_changes_only(tmp_path):
    path = tmp_path / "log.xes"
    path.write_text(log_of(trace(event(), event(time=None))))
    with pytest.warns(UserWarning, match="events_without_time = 1"):
        read_log(path)
    path.write_text(log_of('<int key="meta_general:events_total" value="1"/>', trace(event())))
    with warnings.catch_warnings(action="error"):
        read_log(path)


def test_namespaces_prefixes_and_encodings(load):
    plain = load(log_of(trace(event("é"))))[0]
    default = load(f'<log xmlns="http://www.xes-standard.org/">{trace(event("é"))}</log>')[0]
    prefixed = re.sub(r"<(/?)(\w)", r"<\1x:\2", log_of(trace(event("é")))).replace("<x:log", '<x:log xmlns:x="u"', 1)
    latin = f'<?xml version="1.0" encoding="ISO-8859-1"?>{log_of(trace(event("é")))}'.encode("latin-1")
    utf16 = f'<?xml version="1.0" encoding="UTF-16"?>{log_of(trace(event("é")))}'.encode("utf-16")
    for other in (default, load(prefixed)[0], load(latin)[0], load(utf16)[0]):
        assert other.labels == plain.labels == ("é",)
        assert other.case_ids == plain.case_ids


def test_gzip_is_told_by_content_not_suffix(tmp_path):
    path = tmp_path / "log.xes"
    path.write_bytes(gzip.compress(log_of(trace(event())).encode()))
    assert read_log(path).n_events == 1
    path = tmp_path / "log.xes.gz"
    path.write_text(log_of(trace(event())))
    assert read_log(path).n_events == 1


def test_empty_log(load):
    assert load("<log/>")[0].n_cases == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<log>\n<trace>\n<event></trace>", "not well-formed XML: mismatched tag: line 3"),
        (b"<log>\n<trace>", "no element found: line 2"),
        (b'{"message": "maintenance"}', "line 1"),
        (b"<html><body/></html>", "root element is <html>, not <log>"),
        (b'<?xml version="1.0" encoding="klingon"?><log/>', "klingon"),
        (gzip.compress(b"<log>" + bytes(range(65, 91)) * 99 + b"</log>")[:-9], "broken gzip file"),
        (log_of(trace(event(time=None))).encode(), "none of its 1 events"),
    ],
)
def test_broken_files_are_named(tmp_path, content, message):
    path = tmp_path / "log.xes"
    path.write_bytes(content)
    with pytest.raises(LogError, match=re.escape(message)) as error:
        read_log(path)
    assert str(path) in str(error.value)


ODD = [
    event("T&amp;E", more='<string key="note" value="a &lt; b > c"/>'),
    event("tab&#9;", more='<string key="x"><string key="concept:name" value="inner"/></string>'),
    event("line\nbreak"),
    "<event><string value='1' key='concept:name'/><date key='time:timestamp' value='2020-01-01T00:00:00Z'/></event>",
    '<event><string key="concept:name" value="first"/><string key="concept:name" value="last"/></event>',
    "<event/>",
    event(name=None),
    event(time=None),
    event("日本", more='<string key="lifecycle:transition" value="start"/>'),
    event("", more='\n\t<string key="concept:name:x" value="no"/>\n\t'),
]


@pytest.mark.parametrize(
    "extra",
    [
        "",
        f"<!-- {event('in a comment')} -->",
        f"<trace><![CDATA[{event('in CDATA')}]]>{event()}</trace>",
        event("outside"),
        f"<global>{event('in a global')}</global>",
        f"<trace><string key='x'>{event('inside an attribute')}</string></trace>",
    ],
)
@pytest.mark.parametrize("size", [1, 100, 333, 1000, 5000])
def test_short_cut_changes_nothing(load, monkeypatch, extra, size):
    """Whatever the pieces in which a file is read, and whether plain events skip the parser."""
    traces = [trace(*ODD, event("plain"), name=str(number)) for number in range(5)]
    text = log_of(*traces[:3], extra, *traces[3:])
    expected, counters = load(text)
    monkeypatch.setattr(unpack, "BYTES_AT_ONCE", size)
    monkeypatch.setattr(xes, "VALUES_AT_ONCE", 21)
    found, found_counters = load(text)
    assert found_counters == counters
    assert found.case_ids == expected.case_ids
    assert [found.labels[code] for code in found.activities] == [expected.labels[code] for code in expected.activities]
    assert found.timestamps.tolist() == expected.timestamps.tolist()
    assert found.attributes[LIFECYCLE].tolist() == expected.attributes[LIFECYCLE].tolist()


def test_error_line_counts_events_that_skipped_the_parser(load, monkeypatch):
    monkeypatch.setattr(unpack, "BYTES_AT_ONCE", 100)
    lines = ["<log>", "<trace>", *[event()] * 50, "</trace>", "<oops", "</log>"]
    with pytest.raises(LogError, match=r"line 5[56]"):
        load("\n".join(lines))


def test_bytes_depend_on_the_log_alone(tmp_path):
    log = EventLog.from_rows(["NA", "NA", "é"], ["a,b", "<&\"'>\n\t", ""], np.array([0, 1, -1]))
    first, second = tmp_path / "first.xes.gz", tmp_path / "second.xes.gz"
    write_log(log, first)
    write_log(log, second)
    assert first.read_bytes() == second.read_bytes()
    text = gzip.decompress(first.read_bytes()).decode()
    assert 'value="1970-01-01T00:00:00+00:00"' in text
    assert 'value="1970-01-01T00:00:00.000001+00:00"' in text
    assert 'value="1969-12-31T23:59:59.999999+00:00"' in text


def test_further_attributes_are_written_with_their_type(tmp_path):
    attributes = {
        "cost": np.array([1.5, np.nan]),
        "items": np.array([2, 3]),
        "urgent": np.array([True, False]),
        "org:resource": np.array(["Jo & Co", None], dtype=object),
    }
    log = EventLog.from_rows(["1", "1"], ["a", "b"], np.array([0, 1]), attributes)
    write_xes(log, tmp_path / "log.xes")
    elements = re.findall(r'<(\w+) key="(?!concept|time)([^"]*)" value="([^"]*)"', (tmp_path / "log.xes").read_text())
    assert elements == [
        ("float", "cost", "1.5"),
        ("int", "items", "2"),
        ("boolean", "urgent", "true"),
        ("string", "org:resource", "Jo &amp; Co"),
        ("int", "items", "3"),
        ("boolean", "urgent", "false"),
    ]


@pytest.mark.parametrize("label", ["a\x00", "a\x0b", "\ufffe"])
def test_characters_that_xml_cannot_hold_are_named(tmp_path, label):
    log = EventLog.from_rows(["1"], [label], np.array([0]))
    with pytest.raises(LogError, match=f"U\\+{ord(label[-1]):04X}"):
        write_log(log, tmp_path / "log.xes")
    assert not list(tmp_path.iterdir())


def test_times_that_xes_cannot_hold_are_refused(tmp_path):
    log = EventLog.from_rows(["1"], ["a"], np.array([1 << 60]))
    with pytest.raises(LogError, match="years 1 to 9999"):
        write_log(log, tmp_path / "log.xes")


def assert_same_as_pm4py(log: EventLog, path) -> None:
    import pm4py

    with warnings.catch_warnings(action="ignore"):
        frame = pm4py.read_xes(str(path), variant="rustxes")
    assert frame[CASE].tolist() == [log.case_ids[case] for case in log.case_of_event]
    assert frame[ACTIVITY].tolist() == [log.labels[code] for code in log.activities]
    instants = frame[TIMESTAMP].dt.tz_localize(None).to_numpy("datetime64[us]").astype(np.int64)
    assert np.array_equal(instants, log.timestamps)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE), id=name) for name in REAL]
)
def test_real_log_has_published_size_and_content_as_in_pm4py(real_log, name, tmp_path):
    path = real_log(name)
    log, counters = import_xes(path)
    assert (log.n_cases, log.n_events, len(log.labels), len(log.variants)) == REAL[name]
    assert counters["traces_declared"] in (None, log.n_cases)
    assert counters["events_declared"] in (None, log.n_events)
    assert_same_as_pm4py(log, path)
    write_log(log, tmp_path / "log.xes.gz")
    assert_same_as_pm4py(log, tmp_path / "log.xes.gz")


def test_every_real_log_is_compared(shared_dir):
    assert {path.name for path in (shared_dir / "data" / "logs").iterdir()} == set(REAL)


@pytest.mark.parametrize("version", ["", "1.0", "1.3", "2.0", "1849-2016", "1849-2023", "1849.2016"])
@pytest.mark.parametrize(
    "namespace", ["", 'xmlns="http://www.xes-standard.org/"', 'xmlns="http://code.deckfour.org/xes"']
)
def test_versions(load, version, namespace):
    """With what headers of them declare."""
    header = (
        '<extension name="Concept" prefix="concept" uri="http://code.deckfour.org/xes/concept.xesext"/>'
        '<global scope="trace"><string key="concept:name" value="__INVALID__"/></global>'
        '<global scope="event"><string key="concept:name" value="__INVALID__"/></global>'
        '<classifier name="Activity" keys="concept:name"/><classifier scope="event" name="A" keys="concept:name"/>'
        '<string key="concept:name" value="a log"/><list key="l"><string key="x" value=""/></list>'
    )
    declared = f'xes.version="{version}" xes.features="nested-attributes"' if version else ""
    log, counters = load(f"<log {declared} {namespace}>{header}{trace(event())}</log>")
    assert (log.case_ids, log.labels, counters["traces"], counters["events"]) == (("1",), ("a",), 1, 1)


def test_pm4py_reads_odd_labels_as_written(tmp_path):
    rows = ["NA", "007", "é, ü", "<&>\"'", "a\nb\tc", " x "]
    log = EventLog.from_rows(rows, rows, np.arange(6) * 1_000_001)
    write_log(log, tmp_path / "log.xes")
    assert_same_as_pm4py(log, tmp_path / "log.xes")
