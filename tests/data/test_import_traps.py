"""Traps of real XES files, each with its right value or its right refusal."""

from __future__ import annotations

import gzip
import io
import re
import time
import zipfile

import numpy as np
import pytest

from data import unpack, xes
from data.importing import import_log, repairs
from data.io import LogError
from data.log import LIFECYCLE, EventLog
from data.options import ImportOptions

NAME = '<string key="concept:name" value="{}"/>'


def event(name: str = NAME.format("a"), time: str = '<date key="time:timestamp" value="2020-01-01T00:00:00Z"/>') -> str:
    return f"<event>{name}{time}</event>"


def trace(*events: str, name: str = "1") -> str:
    return f"<trace>{NAME.format(name)}\n" + "\n".join(events) + "\n</trace>"


def log_of(*parts: str) -> str:
    return "<log>\n" + "\n".join(parts) + "\n</log>"


@pytest.fixture(params=[1 << 18, 60], ids=["by expat", "by the short cut"])
def load(tmp_path, monkeypatch, request):
    """Import an XES text with some options, in one piece or in many."""
    monkeypatch.setattr(unpack, "BYTES_AT_ONCE", request.param)

    def load(text: str | bytes, name: str = "log.xes", **options) -> tuple[EventLog, dict]:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return import_log(path, ImportOptions(**options))

    return load


PADDING = trace(*[event()] * 3, name="padding")
BOMB = "<!DOCTYPE log [" + "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 9)) + "]>"
SMALL_ENTITY = '<!DOCTYPE log [<!ENTITY x "1">]>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB + log_of(), "line 1: declares a document type"),
        (SMALL_ENTITY + log_of(trace(event(), name="&x;")), "declares a document type"),
        ('<!DOCTYPE log SYSTEM "file:///etc/passwd">' + log_of(), "declares a document type"),
        ('<!DOCTYPE log PUBLIC "x" "http://127.0.0.1:1/x.dtd"><log>&x;</log>', "declares a document type"),
        (log_of(PADDING, trace(event(), name="&x;")), "undefined entity: line 7"),
        (log_of(PADDING, trace(event(NAME.format("&x;")))), "undefined entity: line 8"),
        (log_of(PADDING, trace(event(NAME.format("a") + '<string key="x" value="a & b"/>'))), "not well-formed"),
        (log_of(PADDING, trace(event(NAME.format("a") + '<string key="x" value="\x01"/>'))), "not well-formed"),
        (log_of(PADDING, trace(event(NAME.format("a") + '<string key="x" value="\uffff"/>'))), "not well-formed"),
        (log_of(PADDING, trace(event(NAME.format("a") + '<1 key="x" value=""/>'))), "not well-formed"),
        (log_of(PADDING, trace("\x0b", event())), "not well-formed"),
        (log_of(PADDING, trace(event(NAME.format("é")))).encode("latin-1"), "not well-formed"),
        (log_of(PADDING, trace(event(NAME.format("x") + '<i key="x" value="é"/>'))).encode("latin-1"), "not well-f"),
        (
            log_of(PADDING, trace(event(time='<string key="time:timestamp" value="2020-01-01"/>'))),
            "line 8: time:",
        ),
        (
            log_of(PADDING, trace(event(time='<date key="time:timestamp"/>'))),
            "line 8: time:timestamp is <date>",
        ),
        (log_of(PADDING, trace(event('<list key="concept:name"><values/></list>'))), "line 8: concept:name is <list>"),
        (log_of('<string key="meta_general:events_total" value="many"/>'), "events_total is <string> and not a number"),
        (log_of(PADDING, trace(event(time='<date key="time:timestamp" value="yesterday"/>'))), "'yesterday'"),
        (
            log_of(PADDING, trace(event(), event(time='<date key="time:timestamp" value="01/02/2020"/>'))),
            "line 9: event 2 of trace 2 has the time '01/02/2020'",
        ),
        (log_of(PADDING, trace(event(time='<date key="time:timestamp" value="0000-01-01T00:00:00Z"/>'))), "1 to 9999"),
        (log_of(PADDING, trace(event(time='<date key="time:timestamp" value="12020-01-01"/>'))), "1 to 9999"),
        (log_of(PADDING, trace(event(time='<date key="time:timestamp" value="-0044-03-15"/>'))), "1 to 9999"),
        (log_of(PADDING, trace(event(time='<date key="time:timestamp" value="2020-02-30T00:00:00Z"/>'))), "not in ISO"),
        (
            log_of(PADDING, trace(event(time='<date key="time:timestamp" value="9999-12-31T23:00:00-05:00"/>'))),
            "1 to 9",
        ),
        (log_of(PADDING, trace(event(NAME.format("a") + event()))), "line 8: misplaced <event>"),
        (log_of(PADDING, trace(event(NAME.format("a") + "<trace/>"))), "line 8: misplaced <trace>"),
        (log_of(PADDING, trace(event(NAME.format("a") + '<trace key="x" value=""/>'))), "line 8: misplaced <trace>"),
        (log_of(PADDING, f"<trace><string key='x' value='{event()}'/></trace>"), "not well-formed"),
        (log_of(PADDING, log_of()), "line 7: misplaced <log>"),
        (log_of(f"<trace>{PADDING}</trace>"), "line 2: misplaced <trace>"),
        ("<log>" + "<string key='x'>" * 1001, "line 1: elements nested too deep"),
        (b"<?xml version='1.0' encoding='zip'?><log/>", "zip"),
        (b"<?xml version='1.0' encoding='ascii'?>" + log_of(trace(event(), name="é")).encode(), "'ascii' codec"),
        (log_of(PADDING, "<trace>"), "not well-formed"),
        ("", "empty file"),
        (b"\x00" * 99, "not well-formed"),
    ],
)
def test_refused_in_one_line(load, text, message):
    with pytest.raises(LogError, match=re.escape(message)) as error:
        load(text)
    assert "log.xes" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["<!-- {} -->", "<![CDATA[ {} ]]>", "<?pi {} ?>"])
def test_what_only_looks_like_events(load, text):
    assert load(log_of(PADDING, trace(text.format(event() * 3), event())))[0].n_events == 4


def test_harmless_document_type(load):
    assert load("<!DOCTYPE log>" + log_of(trace(event())))[0].n_events == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "shift_jis", "koi8-r"])
def test_any_declared_encoding(load, encoding):
    label = {"cp1252": "é€", "shift_jis": "受付", "koi8-r": "приём"}.get(encoding, "é€受付")
    declared = "utf-16" if encoding.startswith("utf-16") else encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>' + log_of(PADDING, trace(*[event(NAME.format(label))] * 5))
    assert load(text.encode(encoding))[0].labels == ("a", label)


def test_totals_must_agree_unless_allowed(load):
    text = log_of('<int key="meta_general:events_total" value="4"/>', PADDING)
    with pytest.raises(LogError, match=r"holds 3 events, but its header declares 4.*--allow-totals"):
        load(text)
    log, counters = load(text, allow_totals=True)
    assert (log.n_events, counters["events_declared"]) == (3, 4)


def test_repeated_names_are_merged_or_kept_apart(load):
    text = log_of(*(trace(event(), name=name) for name in ("1", "2", "1", "1 (2)", "1")))
    log, counters = load(text)
    assert log.case_ids == ("1", "2", "1 (2)")
    assert counters["traces_merged"] == 2
    log, counters = load(text, repeated="apart")
    assert log.case_ids == ("1", "2", "1 (2)'", "1 (2)", "1 (3)")
    assert counters["traces_kept_apart"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log_of(PADDING, trace(event(), event(name=""))), "line 9: event 2 of trace 2 has no activity"),
        (log_of(PADDING, trace(event(), event(time=""))), "line 9: event 2 of trace 2 has no time"),
        (log_of(PADDING, event()), "line 7: an event stands in no trace"),
    ],
)
def test_strict(load, text, message):
    with pytest.raises(LogError, match=message):
        load(text, strict=True)
    assert load(text)[0].n_events in (3, 4)


def test_zone_of_times_without_zone(load):
    texts = ("2020-01-01T00:00:00", "2020-07-01T00:00:00", "2020-07-01T00:00:00Z", "2020-10-25T02:30:00")
    times = [f'<date key="time:timestamp" value="{text}"/>' for text in (*texts, "2020-03-29T02:30:00")]
    log, counters = load(log_of(trace(*(event(time=text) for text in times))), zone="Europe/Berlin")
    assert [str(moment) for moment in log.timestamps.astype("datetime64[us]").astype("datetime64[m]")] == [
        "2019-12-31T23:00",
        "2020-03-29T01:00",  # 02:30 does not exist: the moment of the change
        "2020-06-30T22:00",
        "2020-07-01T00:00",
        "2020-10-25T00:30",  # 02:30 comes twice: the earlier
    ]
    assert (counters["events_without_zone"], counters["events_in_clock_change"]) == (4, 2)


def test_parts_of_a_microsecond_are_cut_and_counted(load):
    times = [f"2020-01-01T00:00:00.{digits}Z" for digits in ("000001", "0000010", "0000019", "000001000001")]
    log, counters = load(log_of(trace(*(event(time=f'<date key="time:timestamp" value="{text}"/>') for text in times))))
    assert (log.timestamps % 10**6).tolist() == [1, 1, 1, 1]
    assert {name: counters[name] for name in repairs(counters)} == {"events_cut_to_microseconds": 2}


def test_attributes_have_the_type_of_their_values(load):
    """If all values have one that fits, and as floats if some are absent; else they stay as written."""

    def value(kind: str, key: str, text: str) -> str:
        return f'<{kind} key="{key}" value="{text}"/>'

    first = [("int", "i", "1"), ("float", "f", "1.50"), ("int", "mixed", "7"), ("boolean", "b", "true")]
    first += [("int", "gaps", "1"), ("int", "large", str(2**60)), ("string", "s", "5"), ("int", "words", "one")]
    second = [("int", "i", "-2"), ("int", "f", "3"), ("string", "mixed", "x"), ("boolean", "b", "false")]
    second += [("int", "large", "1"), ("string", "s", "6"), ("int", "words", "2"), ("date", "late", "2020")]
    events = [event(NAME.format("a") + "".join(value(*item) for item in items)) for items in (first, second)]
    text = log_of(trace(event(NAME.format("a"), time=""), *events))
    log, counters = load(text, attributes=True)
    assert counters["events_without_time"] == 1
    assert {key: values.tolist() for key, values in log.attributes.items() if key != "gaps"} == {
        "i": [1, -2],
        "f": [1.5, 3.0],
        "mixed": ["7", "x"],
        "b": [True, False],
        "large": [2**60, 1],
        "s": ["5", "6"],
        "words": ["one", "2"],
        "late": [None, "2020"],
    }
    assert np.array_equal(log.attributes["gaps"], [1, np.nan], equal_nan=True)


def test_attributes_in_many_blocks(load, monkeypatch):
    """As in one block, whatever event of a block has the attribute."""
    events = [NAME.format(n) + (f'<int key="n" value="{n}"/>' if n % 5 else "") for n in range(40)]
    text = log_of(*(trace(*map(event, events[start : start + 7]), name=str(start)) for start in range(0, 40, 7)))
    expected = [n if n % 5 else np.nan for n in range(40)]
    for size in (1, 16, 1000):
        monkeypatch.setattr(xes, "VALUES_AT_ONCE", size)
        log, _ = load(text, attributes=True)
        assert np.array_equal(log.attributes["n"], expected, equal_nan=True)
        assert log.lengths.tolist() == [7, 7, 7, 7, 7, 5]


def test_too_many_attributes_are_refused(load):
    """Each would have a column of all events, so a small file could fill the memory."""
    many = "".join(f'<string key="k{number}" value=""/>' for number in range(xes.MOST_ATTRIBUTES + 1))
    text = log_of(PADDING, trace(event(NAME.format("a") + many)))
    assert load(text)[0].n_events == 4
    with pytest.raises(LogError, match=r"line 8: the events have more than 1000 different attributes"):
        load(text, attributes=True)


def test_an_attribute_that_would_pass_for_the_name_of_the_case(load):
    text = log_of(trace(event(NAME.format("a") + '<string key="case:concept:name" value="2"/>')))
    assert load(text)[0].case_ids == ("1",)
    with pytest.raises(LogError, match="line 3: an attribute of an event is called case:concept:name"):
        load(text, attributes=True)


def test_labels_stay_as_written(load):
    labels = ["a", "A", " a", "é", "e\u0301", "日本", "🚑", "a;b,c|d", "NA", "null", "007", "1.0"]
    log, _ = load(log_of(trace(*(event(NAME.format(label)) for label in labels))))
    assert [log.labels[code] for code in log.activities] == labels


def test_further_attributes(load):
    more = '<int key="n" value="{0}"/><float key="x" value="0.5"/><boolean key="b" value="true"/>'
    text = log_of(trace(*(event(NAME.format("a") + more.format(n) + NAME.format("b")) for n in range(3))))
    log, _ = load(text.replace('<float key="x" value="0.5"/>', "", 1), attributes=True)
    assert log.labels == ("b",)
    assert log.attributes["n"].tolist() == [0, 1, 2]
    assert log.attributes["b"].tolist() == [True, True, True]
    assert np.array_equal(log.attributes["x"], [np.nan, 0.5, 0.5], equal_nan=True)
    assert not load(text)[0].attributes


def zipped(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def test_zip(load):
    text = log_of(trace(event()))
    files = {"readme.txt": "", "in/log.XES": text}
    assert load(zipped(files), "log.zip")[0].n_events == 1
    files["other.xes.gz"] = gzip.compress(log_of(trace(event(), event())).encode())
    assert load(zipped(files), "log.zip", member="other.xes.gz")[0].n_events == 2
    for options in ({}, {"member": "log.xes"}):
        with pytest.raises(LogError, match=r"name the member.*in/log.XES, other.xes.gz"):
            load(zipped(files), "log.zip", **options)
    for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        with pytest.raises(LogError, match=r"log.xes is packed by another method than deflate.*unpack the archive"):
            load(zipped({"log.xes": text}, method), "log.zip")
    broken = bytearray(zipped({"log.xes": text}, zipfile.ZIP_STORED))
    broken[60] ^= 1
    with pytest.raises(LogError, match=r"broken gzip file or archive: Bad CRC"):
        load(bytes(broken), "log.zip")


def test_truncated_gzip_in_any_place(load):
    packed = gzip.compress(log_of(*[PADDING] * 20).encode())
    for length in range(3, len(packed), 7):
        with pytest.raises(LogError, match="broken gzip"):
            load(packed[:length])


def test_decompression_bombs(load, monkeypatch):
    monkeypatch.setattr(unpack, "UNSUSPICIOUS", 1000)
    bomb = gzip.compress(b"<log>" + b" " * 10**6 + b"</log>")
    for content, name in ((bomb, "log.xes.gz"), (zipped({"a.xes": b"<log>" + b" " * 10**6}), "log.zip")):
        with pytest.raises(LogError, match=r"more than 250 times its size.*--max-ratio"):
            load(content, name)
    with pytest.raises(LogError, match=r"more than 5000 bytes.*--max-bytes"):
        load(bomb, max_ratio=2000, max_bytes=5000)
    assert load(bomb, max_ratio=2000)[0].n_events == 0


def test_giant_tokens_neither_hang_nor_fill_the_memory(tmp_path):
    """Expat reads a token again whenever a piece of it arrives: 60 MB would take a minute, 1 GB hours."""
    for start in (b"<log><!--", b'<log x="', b'<log><trace><event><string key="concept:name" value="'):
        path = tmp_path / "log.xes"
        path.write_bytes(start + b"x" * (60 << 20))
        before = time.process_time()
        with pytest.raises(LogError, match="line 1: a tag or comment of more than"):
            import_log(path)
        assert time.process_time() - before < 10


def test_case_of_one_event_among_many_pieces(load):
    """The lifecycle of events is kept, whatever its spelling."""
    more = '<string key="lifecycle:transition" value="{}"/>'
    kinds = ["start", "COMPLETE", "", "ate_abort"]
    log, _ = load(log_of(trace(*(event(NAME.format("a") + more.format(kind)) for kind in kinds), event())))
    assert log.attributes[LIFECYCLE].tolist() == [*kinds, None]
