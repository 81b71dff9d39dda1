"""Third-party test files, decided one by one: a right log (cases, events kept, repairs) or a right refusal.

They stay in the folder of reference material, whose INDEX.tsv tells what other readers make of them. Files without
any event are no log that could be converted: the import gives the empty log and counts what it saw.
"""

from __future__ import annotations

import warnings

import pytest

from data.importing import import_log, repairs
from data.io import LogError
from data.options import ImportOptions

# cases, events, repairs
LOGS = {
    "A1_overlap_no_waiting_time.xes": (4, 22, {"events_without_time": 1}),
    "L1_1trace_2activity_with_start_complete_events_friday.xes": (1, 4, {}),
    "L1_1trace_empty_trace.xes": (0, 0, {"traces_unnamed": 1, "traces_empty": 1}),
    "L1_1trace_start_complete_events_non_overlapping.xes": (1, 22, {}),
    "L1_1trace_start_complete_events_non_overlapping_with_roles.xes": (1, 26, {}),
    "L1_2trace_complete_events_only.xes": (2, 22, {}),
    "L1_3trace_each_trace_1event.xes": (3, 3, {}),
    "L1_3traces_1variant_missing_values.xes": (3, 3, {}),
    "L1_complete_events_only_with_resources.xes": (6, 23, {}),
    "L1_empty_log.xes": (0, 0, {}),
    "L1_start_complete_no_overlapping.xes": (6, 46, {}),
    "L1_start_complete_no_overlapping_missing_timestamp.xes": (6, 45, {"events_without_time": 1}),
    "L1_start_complete_no_overlapping_with_resources.xes": (6, 46, {}),
    "P1_perspective_default.xes": (1, 14, {}),
    "ab.xes": (1, 2, {}),
    "test1-expected-parquet.xes": (2, 6, {}),
    "test10-expected.xes": (2, 12, {"events_without_zone": 12}),
    "test11-expected.xes": (2, 5, {}),
    "test3-expected-parquet.xes": (2, 6, {}),
    "test4-expected-parquet.xes": (2, 8, {"events_without_zone": 2}),
    "test5-expected-parquet.xes": (2, 4, {}),
    "test6-expected.xes": (2, 6, {}),
    "test9-expected.xes": (2, 26, {}),
}
# Valid or not in their header, which no log depends on: none of these has a trace or an event in one.
HEADERS_ONLY = """
    attributeValuesSwapped booleanCorrectValue booleanIncorrectValue classifierAttributeSwapped
    classifierCorrectAttributes classifierEmptyKeys classifierEventCorrectAttributes classifierIncorrectKey
    classifierIncorrectScope classifierNoAttributes classifierTooManyAttributes
    classifierTraceCorrectAttributes dateCorrectValue dateIncorrectValue dateNoTZD extensionAttributeSwapped
    extensionClassifierSwapped extensionCorrectAttributes extensionGlobalSwapped extensionNoAttributes
    extensionNotDeclared extensionStandard extensionTooManyAttributes globalAttributeSwapped
    globalClassifierSwapped globalEventStringCorrectAttributes globalIncorrectScope globalNoAttributes
    globalStringCorrectAttributes globalStringNoAttributes globalStringTooManyAttributes
    globalTooManyAttributes globalTraceStringCorrectAttributes idCorrectValue idIncorrectValue intCorrectValue
    intIncorrectValue listEmptyValues listNoValues listTwoValues logCorrectAttributes logNoAttributes
    logNoNestedAttributes logTooManyAttributes realCorrectValue realIncorrectValue stringCorrectAttributes
    stringNestedNotDeclared stringNoAttributes stringNotNestedButDeclared stringTooManyAttributes
"""
EMPTY_TRACE = """
    attributeTraceSwapped classifierTraceSwapped extensionTraceSwapped globalTraceSwapped
    traceCorrectAttributes traceTooManyAttributes
"""
OUTSIDE, EMPTY = {"events_outside_traces": 1}, {"traces_unnamed": 1, "traces_empty": 1}
LOGS |= {f"{name}.xes": (0, 0, {}) for name in HEADERS_ONLY.split()}
LOGS |= {
    f"{name}.xes": (0, 0, OUTSIDE)
    for name in ("attributeEventSwapped", "classifierEventSwapped", "extensionEventSwapped", "globalEventSwapped")
}
LOGS |= {f"{name}.xes": (0, 0, EMPTY) for name in EMPTY_TRACE.split()}
LOGS["traceEventSwapped.xes"] = (0, 0, OUTSIDE | EMPTY)

NO_EVENT = "none of its . events has both"
REFUSED = {
    "L1_1trace_1event_no_concept_name.xes": NO_EVENT,
    "elementIncorrect.xes": NO_EVENT,
    "eventCorrectAttributes.xes": NO_EVENT,
    "eventIdenticalAttributes.xes": NO_EVENT,
    "eventIncorrectType.xes": NO_EVENT,
    "eventTooManyAttributes.xes": NO_EVENT,
    "extensionIncorrectKey.xes": NO_EVENT,
    "logOutOfPlace.xes": r"line \d+: misplaced <log>",
    "traceOutOfPlace.xes": r"line \d+: misplaced <trace>",
    "noLog.xes": "empty file",
}

NAMED = {"case": "case id", "activity": "activity", "time": "completion time", "start": "start date"}
BARE = {"columns": ("case", "activity", "start", "time", "type"), "case": "case", "activity": "activity"}
BARE |= {"start": "start", "time": "time"}
# options, cases, events, repairs
TABLES = [
    ("test1-valid-expected.csv", BARE, 2, 3, {"events_without_zone": 3}),
    ("test2-missing-columns-expected.csv", BARE, 1, 2, {"events_without_zone": 2}),
    ("test3-invalid-end-timestamp-expected.csv", BARE, 2, 3, {"events_without_zone": 3}),
    ("test4-invalid-start-timestamp-expected.csv", BARE, 2, 3, {"events_without_zone": 3}),
    ("test5-empty-caseID-expected.csv", BARE, 2, 2, {"events_without_zone": 2}),
    ("test6-different-delimiters-expected.csv", BARE, 2, 3, {"events_without_zone": 3}),
    ("test7-record-invalid-expected.csv", BARE, 1, 1, {"events_without_zone": 1}),
    ("test10-eventAttribute-expected-parquet.csv", BARE, 2, 3, {"events_without_zone": 3}),
    ("test10-eventAttribute.csv", NAMED, 2, 6, {"events_without_zone": 6}),
    (
        "test9-differentiate-dates.csv",
        {**NAMED, "time_format": "%Y-%d-%mT%H:%M:%S.%f"},
        2,
        13,
        {"events_without_zone": 13},
    ),
    ("interval_event_log.csv", {"start": "start_timestamp"}, 1266, 8109, {}),
    (
        "running-example-transformed.csv",
        {"case": "CaseID", "activity": "Activity", "time": "Timestamp"},
        6,
        42,
        {},
    ),
    ("running_example_broken.csv", {"separator": ";"}, 6, 34, {}),
]
REFUSED_TABLES = [
    ("test1-valid-expected.csv", {}, "'case:concept:name' is missing; the file has case2"),
    ("test8-all-invalid.csv", NAMED, "row 3: 'not a timestamp' in column"),
    ("test9-differentiate-dates.csv", NAMED, "row 6: '2019-19-12T15:13:05.132' in column"),
    ("test11-encoding.csv", {}, r"not text in utf-8.*--encoding"),
    ("running_example_broken.csv", {}, "is missing"),
]


@pytest.fixture
def odd(shared_dir):
    """The path of a third-party file."""
    return lambda name: next((shared_dir / "data" / "odd").glob(f"*/{name}"))


def test_every_file_is_decided(shared_dir):
    lines = (shared_dir / "data" / "odd" / "INDEX.tsv").read_text().splitlines()[1:]
    files = {line.split("\t")[0].rpartition("/")[2] for line in lines}
    decided = {*LOGS, *REFUSED, *(case[0] for case in (*TABLES, *REFUSED_TABLES))}
    assert files == decided


@pytest.mark.parametrize("name", LOGS)
def test_logs(odd, name):
    cases, events, repaired = LOGS[name]
    log, counters = import_log(odd(name))
    assert (log.n_cases, log.n_events) == (cases, events)
    assert {key: counters[key] for key in repairs(counters)} == repaired


@pytest.mark.parametrize("name", REFUSED)
def test_refused(odd, name):
    with pytest.raises(LogError, match=REFUSED[name]):
        import_log(odd(name))


@pytest.mark.parametrize(("name", "options", "cases", "events", "repaired"), TABLES)
def test_tables(odd, name, options, cases, events, repaired):
    log, counters = import_log(odd(name), ImportOptions(**options))
    assert (log.n_cases, log.n_events) == (cases, events)
    assert {key: counters[key] for key in repairs(counters)} == repaired


@pytest.mark.parametrize(("name", "options", "message"), REFUSED_TABLES)
def test_refused_tables(odd, name, options, message):
    with pytest.raises(LogError, match=message):
        import_log(odd(name), ImportOptions(**options))


def test_a_table_in_hebrew(odd):
    """Windows code page 1255; day before month."""
    path = odd("test11-encoding.csv")
    head = path.read_bytes().decode("cp1255").split("\n")[0].split(",")
    options = ImportOptions(
        encoding="cp1255", case=head[0], activity=head[1], time="timestamp", time_format="%d/%m/%y %H:%M"
    )
    log, _ = import_log(path, options)
    assert log.case_ids == ("SO10000001", "SO11000099")
    assert log.labels[0] == path.read_bytes().decode("cp1255").split("\n")[1].split(",")[1]
    assert str(log.timestamps[:1].astype("datetime64[us]")[0]) == "2011-11-06T16:59:00.000000"


def test_pm4py_sees_the_same_logs(odd):
    """Where it reads a file at all."""
    import pm4py

    for name in ("ab.xes", "P1_perspective_default.xes", "test9-expected.xes", "L1_start_complete_no_overlapping.xes"):
        with warnings.catch_warnings(action="ignore"):
            frame = pm4py.read_xes(str(odd(name)))
        log, _ = import_log(odd(name))
        assert sorted(frame["concept:name"]) == sorted(log.labels[code] for code in log.activities)
