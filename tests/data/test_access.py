"""The stand-in for the study's access log: what it holds, and that it is about what it was made to be."""

from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT
from data.access import PAIRS, PAUSE, pairs, requests, write_pairs
from data.datasets import dataset
from data.embedded import FOLDER, SESSION_PAIRS, SMALL_PAIRS, SMALL_REQUESTS
from data.io import write_log
from data.relation import ADDRESSES
from data.relation_io import read_relation
from data.survey import survey

SECOND = 10**6


def cells(addresses: np.ndarray, *shifts: int) -> np.ndarray:
    """Sizes of the classes of addresses whose octets, from left to right, are shifted by so many bits."""
    codes = [(addresses >> place & 255) >> shift for place, shift in zip((24, 16, 8, 0), shifts, strict=True)]
    return np.unique(np.column_stack(codes), axis=0, return_counts=True)[1]


@pytest.mark.parametrize("n", [100, 1_000, PAIRS, 100_000])
def test_as_many_distinct_pairs_as_asked_for(n):
    users, addresses = pairs(n)
    assert len(users) == len(np.unique(users << 32 | addresses)) == n
    assert (np.diff(users) >= 0).all()
    assert addresses.min() >= 0
    assert addresses.max() < ADDRESSES
    assert len(np.unique(users)) == pytest.approx(7_600 / PAIRS * n, rel=0.05)


def test_a_seed_makes_the_same_pairs_and_another_others():
    assert np.array_equal(pairs(500, 3), pairs(500, 3))
    assert not np.array_equal(pairs(500, 3), pairs(500, 4))


def test_one_account_has_a_tenth_of_the_pairs_and_shared_addresses_have_up_to_twenty_users():
    users, addresses = pairs()
    by_user = np.sort(np.unique(users, return_counts=True)[1])
    assert by_user[-1] == pytest.approx(1_380, abs=10)
    assert by_user[-2] < 20
    by_address = np.unique(addresses, return_counts=True)[1]
    assert 11 <= by_address.max() <= 29  # what the published largest classes allow
    assert by_address[by_address > 1].sum() == pytest.approx(0.1 * PAIRS, rel=0.3)


def test_full_domain_classes_are_about_the_published_ones_by_construction():
    """The levels at which Zettel's Datafly and Incognito end; their walks are tested with the mechanisms."""
    _, addresses = pairs()
    for shifts, classes, least, discernibility in (
        ((7, 6, 6, 6), 128, None, 2_763_281),  # and 9 rows suppressed
        ((7, 7, 6, 6), 64, 37, 4_243_430),
        ((8, 7, 8, 0), 512, 10, 447_140),
    ):
        sizes = cells(addresses, *shifts)
        assert len(sizes) == classes
        assert (sizes**2).sum() == pytest.approx(discernibility, rel=0.05)
        assert least is None or least <= sizes.min() <= least + 15
    small = cells(addresses, 7, 6, 6, 6)
    assert 0 < small[small < 10].sum() <= 10  # what is suppressed
    assert (cells(addresses, 6, 6, 6, 6) < 10).sum() > 10  # the step before does not do


def test_prefixes_leave_about_as_many_rows_in_small_classes_as_it_was_designed_with():
    _, addresses = pairs()
    shares = {}
    for bits in (24, 20, 16, 5, 4):
        sizes = np.unique(addresses >> 32 - bits, return_counts=True)[1]
        shares[bits] = sizes[sizes < 10].sum() / PAIRS
    assert [shares[24], shares[20], shares[16]] == pytest.approx([0.91, 0.61, 0.024], abs=0.06)
    assert shares[5] > shares[4] == 0


def test_an_event_log_of_one_day_with_a_user_and_an_address_a_session():
    made = pairs(1_000)
    log = requests(*made, 24_000)
    assert log.n_events == 24_000
    user, address = log.attributes["user"].astype(str), log.attributes["org:resource"].astype(str)
    assert len({*zip(user, address, strict=True)}) == 1_000
    for values in (user, address):
        assert (values == values[log.offsets[:-1]][log.case_of_event]).all()
    assert np.ptp(log.timestamps) < 24 * 3600 * SECOND
    assert (log.timestamps % SECOND == 0).all()
    assert log.gaps.max() <= PAUSE * SECOND
    ends = log.timestamps[log.offsets[1:] - 1]
    starts = log.timestamps[log.offsets[:-1]]
    place = np.lexsort((starts, address[log.offsets[:-1]], user[log.offsets[:-1]]))
    same = np.diff(np.unique(user + address, return_inverse=True)[1][log.offsets[:-1]][place]) == 0
    assert ((starts[place][1:] - ends[place][:-1])[same] > PAUSE * SECOND).all()


def test_sessions_and_peaks_of_the_full_log():
    log = requests(*pairs())
    assert log.n_events == 350_000
    assert log.n_cases == pytest.approx(42_000, rel=0.02)
    hours = np.bincount(log.timestamps // (3600 * SECOND) % 24, minlength=24)
    assert min(hours[10], hours[19]) > 1.2 * hours[15]
    assert hours[4] < 0.2 * hours[10]
    pages = np.sort(np.bincount(log.activities))[::-1]
    assert pages[0] / pages[9] == pytest.approx(10, rel=0.1)


def test_kept_files_are_the_generators(tmp_path):
    write_pairs(*pairs(SMALL_PAIRS), tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_bytes() == (FOLDER / "access_small.csv").read_bytes()
    write_log(requests(*pairs(SESSION_PAIRS), SMALL_REQUESTS), tmp_path / "log.csv.gz")
    kept = (FOLDER / "access_sessions_small.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "log.csv.gz").read_bytes()) == gzip.decompress(kept)


def test_a_generated_dataset_is_made_to_be_described():
    record = survey(dataset("access"), [])
    assert (record["kind"], record["rows"], record["synthetic"]) == ("relation", PAIRS, True)
    assert record["columns"]["ip"]["kind"] == "ipv4"


def test_what_cannot_be_is_refused_in_one_line():
    with pytest.raises(ValueError, match="99 pairs are too few"):
        pairs(99)
    with pytest.raises(ValueError, match="150 requests do not show 200 pairs"):
        requests(*pairs(200), 150)
    command = [sys.executable, "-m", "data.access", "no/folder/x.csv", "--pairs", "100"]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no/folder" in done.stderr


def test_the_command_line_writes_a_table_that_is_read(tmp_path):
    command = [sys.executable, "-m", "data.access", str(tmp_path / "x.csv"), "--pairs", "300", "--seed", "5"]
    subprocess.run(command, cwd=ROOT, check=True)
    relation = read_relation(tmp_path / "x.csv")
    users, addresses = pairs(300, 5)
    assert (relation["user"].values == users).all()
    assert (relation["ip"].values == addresses).all()
    assert relation["ip"].kind == "ipv4"
