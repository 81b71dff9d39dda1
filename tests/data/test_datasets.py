"""The registry of datasets and where their files are looked for."""

from __future__ import annotations

import gzip
import re

import pytest

from data.datasets import Dataset, DatasetError, dataset, find, locate, published
from data.io import read_log

MD5_OF_X = "9dd4e461268c8034f5c8564e155c67a6"


def test_the_table_is_consistent():
    for key, entry in published().items():
        assert re.fullmatch(r"[\w.-]+", key)
        assert entry.lifecycle in ("all", "complete")
        assert re.fullmatch(r"([0-9a-f]{32})?", entry.md5)
        assert re.fullmatch(r"([0-9a-f]{64})?", entry.sha256)
        assert entry.title
        assert entry.file_name if entry.url else True
        assert bool(entry.synthetic) == bool(entry.path)


def test_embedded_logs_are_in_place():
    for key in ("structured", "semi_structured", "unstructured"):
        assert read_log(locate(dataset(key), [])).n_cases == 1000


def test_unknown_key_names_close_ones_or_all():
    with pytest.raises(DatasetError, match=r"unknown dataset 'sepsi': did you mean sepsis"):
        dataset("sepsi")
    with pytest.raises(DatasetError, match=r"known are structured, .*, mine"):
        dataset("zzzzzzzz", {"mine": {"path": "x.xes"}})


def test_own_datasets_are_added_and_change_entries():
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
