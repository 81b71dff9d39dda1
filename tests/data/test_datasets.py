"""The registry of datasets and where their files are looked for."""

from __future__ import annotations

import gzip
import re
import sys
from dataclasses import fields, replace

import pytest

from config.check import checked
from data import convert
from data.datasets import Dataset, DatasetError, UnavailableError, dataset, find, locate, published
from data.io import read_log
from data.lifecycle import LIFECYCLES
from data.options import ImportOptions

MD5_OF_X = "9dd4e461268c8034f5c8564e155c67a6"


def test_the_table_is_consistent():
    for key, entry in published().items():
        assert re.fullmatch(r"[\w.-]+", key)
        assert entry.lifecycle in LIFECYCLES
        assert dataset(key, {key: {}}) == entry  # whose options can be
        assert entry.kind == "relation" or not entry.options or {"case", "activity", "time"} <= entry.options.keys()
        assert not entry.member or entry.file_name.endswith(".zip")
        assert re.fullmatch(r"([0-9a-f]{32})?", entry.md5)
        assert re.fullmatch(r"([0-9a-f]{64})?", entry.sha256)
        assert entry.title
        assert entry.file_name if entry.url else True
        assert bool(entry.synthetic) == bool(entry.path or entry.generator)


def test_embedded_logs_are_in_place():
    for key in ("structured", "semi_structured", "unstructured"):
        assert read_log(locate(dataset(key), [])).n_cases == 1000


def test_unknown_key_names_close_ones_or_all():
    with pytest.raises(DatasetError, match=r"unknown dataset 'sepsi': did you mean sepsis"):
        dataset("sepsi")
    with pytest.raises(DatasetError, match=r"known are structured, .*, mine"):
        dataset("zzzzzzzz", {"mine": {"path": "x.xes"}})


def test_own_datasets_are_added_and_change_entries(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("x.xes", "export.csv"):
        (tmp_path / name).touch()
    own = {"mine": {"path": "x.xes", "lifecycle": "complete"}, "sepsis": {"path": "export.csv"}}
    assert dataset("mine", own) == Dataset("mine", title="mine", path="x.xes", lifecycle="complete")
    assert locate(dataset("mine", own), []) == "x.xes"
    assert locate(dataset("sepsis", own), []) == "export.csv"
    assert dataset("sepsis", own).variants == "846"


@pytest.mark.parametrize("name", ["A log.xes", "A_log.xes", "a_LOG.xes"])
def test_found_in_any_spelling(tmp_path, name):
    (tmp_path / name).write_text("x")
    wanted = Dataset("a", file_name="A log.xes", md5=MD5_OF_X, url="http://x")
    assert find(wanted, [str(tmp_path)]) == tmp_path / name
    assert locate(wanted, ["no such folder", str(tmp_path)]) == str(tmp_path / name)


def test_found_if_packed_after_publication(tmp_path):
    (tmp_path / "log.xes.gz").write_bytes(gzip.compress(b"x"))
    assert find(Dataset("a", file_name="log.xes", md5=MD5_OF_X), [tmp_path]) == tmp_path / "log.xes.gz"


def test_damaged_packed_file_is_refused(tmp_path):
    (tmp_path / "log.xes.gz").write_bytes(gzip.compress(b"x")[:-3])
    with pytest.raises(DatasetError, match=r"log\.xes\.gz: it cannot be unpacked .*fetch it again"):
        find(Dataset("a", file_name="log.xes", md5=MD5_OF_X), [tmp_path])


def test_members_of_archives_are_found_by_their_own_name(tmp_path):
    wanted = Dataset("a", url="http://x", file_name="data.zip", md5=MD5_OF_X, member="A log.xes")
    (tmp_path / "data.zip").write_text("x")
    assert locate(wanted, [tmp_path]) == "data/raw/a/A log.xes"
    (tmp_path / "a_log.xes.gz").write_text("y")
    assert locate(wanted, [tmp_path]) == str(tmp_path / "a_log.xes.gz")
    assert "Download data.zip from its publisher" in wanted.by_hand
    assert "take A log.xes out of it, put that into one of the raw_dirs" in wanted.by_hand


def test_csv_is_read_if_its_columns_are_declared(tmp_path):
    plain = Dataset("a", url="http://x", file_name="log.csv")
    with pytest.raises(UnavailableError, match="of a kind that is not read"):
        locate(plain, [])
    (tmp_path / "a.csv").write_text("x")
    assert find(plain, [tmp_path]) is None
    declared = replace(plain, options={"case": "c", "activity": "a", "time": "t", "separator": ";", "zone": "UTC"})
    assert locate(declared, []) == "data/raw/a/log.csv"
    assert find(declared, [tmp_path]) == tmp_path / "a.csv"
    assert declared.convert_options == [
        *("--dataset=a", "--kind=log", "--lifecycle=all"),
        *("--case=c", "--activity=a", "--time=t", "--separator=;", "--zone=UTC"),
    ]


ALL_OPTIONS = {
    "strict": True,
    "allow_totals": True,
    "repeated": "apart",
    "attributes": True,
    "zone": "Europe/Berlin",
    "member": "a log.csv",
    "max_ratio": 9.5,
    "max_bytes": 1000,
    "max_record": 2000,
    "case": "the, case",
    "activity": "=a",
    "time": "--time",
    "transition": "l",
    "start": "s",
    "columns": ["the, case", "=a", "--time", "l", "s", 'say "x"'],
    "separator": "\t",
    "decimal": ",",
    "encoding": "cp1252",
    "user": "u",
    "distinct": ["u", "the, case"],
    "time_format": "%d.%m.%Y",
}


def test_every_option_of_an_import_can_be_set_for_a_dataset(monkeypatch):
    """In the configuration, by its schema, and on the command line that the workflow calls."""
    assert ALL_OPTIONS.keys() == {option.name for option in fields(ImportOptions)}
    experiments = {"e": {"title": "E", "logs": ["mine"], "metrics": ["m"]}}
    config = {"experiments": experiments, "datasets": {"mine": {"path": "x.csv", "options": ALL_OPTIONS}}}
    mine = dataset("mine", checked(config)["datasets"])
    calls = []
    monkeypatch.setattr(convert, "convert", lambda *arguments: calls.append(arguments) or {})
    monkeypatch.setattr(convert, "report", str)
    monkeypatch.setattr(sys, "argv", ["convert", "x.csv", "log.parquet", *mine.convert_options])
    convert.main()
    assert calls[0][3] == ImportOptions(**ALL_OPTIONS)


def test_options_of_the_table_hold_on_the_command_line_too(monkeypatch):
    calls = []
    monkeypatch.setattr(convert, "convert", lambda *arguments: calls.append(arguments) or {})
    monkeypatch.setattr(convert, "report", str)
    arguments = ["--dataset", "bpic2014_incident_activity", "--zone", "Europe/Amsterdam"]
    monkeypatch.setattr(sys, "argv", ["convert", "x.csv", "log.parquet", *arguments])
    convert.main()
    options = calls[0][3]
    assert (options.case, options.separator, options.zone) == ("Incident ID", ";", "Europe/Amsterdam")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"zone": "Mars/Base"}, "unknown time zone"), ({"separators": ";"}, "separators"), ({"max_record": 0}, "record")],
)
def test_options_that_cannot_be_are_refused_with_their_dataset(options, message):
    with pytest.raises(DatasetError, match=f"dataset 'mine': its `options:` cannot be: .*{message}"):
        dataset("mine", {"mine": {"path": "x.csv", "options": options}})


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        (
            {"authors": "Doe, J.", "year": "2020", "doi": "10.4121/1"},
            "Doe, J. (2020): A log. 4TU.ResearchData. https://doi.org/10.4121/1",
        ),
        ({"authors": "Doe, J.", "doi": "10.5281/1"}, "Doe, J.: A log. https://doi.org/10.5281/1"),
        ({"year": "2020", "page": "https://example.org"}, "(2020): A log. https://example.org"),
        ({}, "A log."),
    ],
)
def test_citation(facts, line):
    assert Dataset("a", title="A log", **facts).citation == line


def test_other_checksum_is_refused_naming_both(tmp_path):
    (tmp_path / "log.xes").write_text("y")
    with pytest.raises(DatasetError) as error:
        find(Dataset("a", file_name="log.xes", md5=MD5_OF_X), [tmp_path])
    assert MD5_OF_X in str(error.value)
    assert "415290769594460e2e485922904f345d" in str(error.value)
    assert "`path:`" in str(error.value)


def test_placed_by_hand_where_it_would_be_fetched_to(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = Dataset("a", file_name="A log.xes", url="http://x")
    assert locate(wanted, []) == "data/raw/a/A log.xes"
    (tmp_path / "data" / "raw" / "a").mkdir(parents=True)
    (tmp_path / "data" / "raw" / "a" / "a_log.xes").write_text("x")
    assert locate(wanted, []) == "data/raw/a/a_log.xes"


def test_what_cannot_be_had_says_what_to_do():
    with pytest.raises(DatasetError, match="no public source is known"):
        locate(Dataset("a"), [])
    with pytest.raises(DatasetError, match=r"Download log\.xes from 10\.1/2 .* raw_dirs .* or into data/raw/a/"):
        locate(Dataset("a", file_name="log.xes", doi="10.1/2"), ["d"])


def test_an_own_file_that_is_not_there_is_named():
    with pytest.raises(DatasetError, match=r"no file gone\.xes"):
        locate(dataset("mine", {"mine": {"path": "gone.xes"}}), [])
