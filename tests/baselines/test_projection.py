"""Event logs through mechanisms of relations: projected, recoded, put back, and k counted on what is released."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines import datafly, mondrian
from baselines.relational.projection import ENTITIES, project, through
from conftest import ROOT
from data.access import pairs, requests
from data.embedded import FOLDER
from data.io import read_log, write_log
from data.log import TIMESTAMP, EventLog, empty_log
from mechanisms import Infeasible, ParameterError
from metrics import isolation

RESOURCE = "org:resource"
MINUTE = 60_000_000


def rng():
    return np.random.default_rng(7)


def log_of(rows) -> EventLog:
    """A log of (case, activity, minute, user, address)."""
    cases, activities, minutes, users, addresses = zip(*rows, strict=True)
    attributes = {"user": np.array(users, dtype=object), RESOURCE: np.array(addresses, dtype=object)}
    return EventLog.from_rows(cases, activities, np.array(minutes) * MINUTE, attributes)


LOG = log_of(
    [
        ("1", "a", 1, "alice", "10.0.0.1"),
        ("1", "b", 3, "alice", "10.0.0.1"),
        ("2", "a", 2, "bob", "10.0.0.2"),
        ("3", "c", 5, "alice", "10.0.0.1"),
        ("4", "a", 7, "eve", "200.0.0.9"),
        ("4", "a", 9, "eve", "200.0.0.9"),
    ]
)


@pytest.fixture(scope="module")
def sessions() -> EventLog:
    """The embedded stand-in."""
    log = read_log(FOLDER / "access_sessions_small.csv.gz")
    return EventLog(log.activities, log.timestamps, log.offsets, log.labels, log.case_ids, {**log.attributes})


def behind(log, outcome, name):
    """An attribute of the original event behind each released one."""
    lengths = outcome.release.lengths
    assert (lengths == log.lengths[outcome.origins]).all()
    starts = np.repeat(log.offsets[:-1][outcome.origins] - outcome.release.offsets[:-1], lengths)
    return log.attributes[name][starts + np.arange(len(starts))].astype(str)


def fewest(log, outcome) -> int:
    """Distinct users of the class that has fewest, from the released log alone and its origins."""
    release = outcome.release
    users = behind(log, outcome, "user")
    found = {}
    for text, user in zip(release.attributes[RESOURCE], users, strict=True):
        found.setdefault(text, set()).add(user)
    return min(map(len, found.values()))


def test_a_row_is_a_case_a_pair_or_an_event():
    rows = {entity: project(LOG, entity, RESOURCE).relation.n_rows for entity in ENTITIES}
    assert rows == {"case": 4, "pair": 3, "event": 6}
    pairs_ = project(LOG, "pair", RESOURCE)
    assert pairs_.relation[RESOURCE].texts() == ["10.0.0.1", "10.0.0.2", "200.0.0.9"]
    assert pairs_.of_event.tolist() == [0, 0, 1, 0, 2, 2]
    times = project(LOG, "case", [TIMESTAMP])
    assert times.relation[TIMESTAMP].values.tolist() == [1 * MINUTE, 2 * MINUTE, 5 * MINUTE, 7 * MINUTE]


@pytest.mark.parametrize("entity", ENTITIES)
def test_classes_of_single_values_give_the_log_back(entity):
    """But for order, case ids, the spelling of addresses, and the user, who is left out."""
    outcome = through(mondrian.anonymize, LOG, entity=entity, attributes=RESOURCE, k=1, tight=True, rng=rng())
    release = outcome.release
    assert set(release.attributes) == {RESOURCE}
    assert set(release.case_ids).isdisjoint(LOG.case_ids)
    expected = LOG.take(outcome.origins, release.case_ids)
    assert np.array_equal(release.activities, expected.activities)
    assert np.array_equal(release.timestamps, expected.timestamps)
    assert [text.removesuffix("/32") for text in release.attributes[RESOURCE]] == expected.attributes[RESOURCE].tolist()


def test_cases_begin_at_the_lower_end_of_the_interval_of_their_start():
    outcome = through(datafly.anonymize, LOG, entity="case", attributes=[TIMESTAMP], k=2, suppression=1, rng=rng())
    starts = outcome.release.timestamps[outcome.release.offsets[:-1]]
    assert (starts % (15 * MINUTE) == 0).all()
    gaps = {tuple(outcome.release.gaps[a:b]) for a, b in pairwise(outcome.release.offsets)}
    assert gaps == {(0, 2 * MINUTE), (0,)}


def test_cases_of_suppressed_rows_are_left_out():
    parameters = {"entity": "case", "attributes": RESOURCE, "k": 3, "encoding": "integer", "suppression": 1}
    outcome = through(datafly.anonymize, LOG, **parameters, rng=rng())
    assert sorted(outcome.origins.tolist()) == [0, 1, 2]
    assert set(outcome.release.attributes[RESOURCE]) == {"10.0.0.0/27"}


def test_octets_are_one_text_again(sessions):
    outcome = through(datafly.anonymize, sessions, entity="pair", attributes=RESOURCE, k=5, rng=rng())
    assert all(text.count(".") == 3 for text in outcome.release.attributes[RESOURCE])


def test_a_value_has_one_text_if_it_alone_is_recoded_and_several_if_it_is_recoded_with_others(sessions):
    """So the perspective of resources stays consistent in one case and not in the other."""

    def most_texts(anonymize, attributes, **parameters):
        outcome = through(anonymize, sessions, entity="case", attributes=attributes, k=10, rng=rng(), **parameters)
        texts = {}
        for value, text in zip(behind(sessions, outcome, RESOURCE), outcome.release.attributes[RESOURCE], strict=True):
            texts.setdefault(value, set()).add(text)
        return max(map(len, texts.values()))

    assert most_texts(mondrian.anonymize, RESOURCE) == 1
    assert most_texts(datafly.anonymize, RESOURCE) == 1
    assert most_texts(datafly.anonymize, [RESOURCE, TIMESTAMP]) == 1
    assert most_texts(mondrian.anonymize, [RESOURCE, TIMESTAMP]) > 1
    assert most_texts(mondrian.anonymize, RESOURCE, rule="relaxed") > 1


@pytest.mark.parametrize("entity", ENTITIES)
@pytest.mark.parametrize("k", [2, 10])
def test_k_users_stand_behind_every_class_of_the_released_log(sessions, entity, k):
    outcome = through(mondrian.anonymize, sessions, entity=entity, attributes=RESOURCE, k=k, unit="user", rng=rng())
    assert fewest(sessions, outcome) == outcome.diagnostics["class_users_min"] >= k
    scores = isolation.score(sessions, outcome.release, origins=outcome.origins, record={"parameters": {"k": k}})
    assert scores["resource_users_min"] == outcome.diagnostics["class_users_min"]


def test_k_cases_or_events_are_not_k_users_and_that_is_told(sessions):
    outcome = through(mondrian.anonymize, sessions, entity="event", attributes=RESOURCE, k=10, rng=rng())
    assert fewest(sessions, outcome) == outcome.diagnostics["class_users_min"] < 10
    assert "k counts events" in outcome.notes
    assert any("fewer than k = 10; count users" in note for note in outcome.notes)


def test_isolation_on_the_stand_in_is_what_it_was_designed_with():
    """Classes of addresses protect no session whose start is known to the second, and few to the hour."""
    log = requests(*pairs())
    outcome = through(mondrian.anonymize, log, entity="pair", attributes=RESOURCE, k=10, rng=rng())
    scores = isolation.score(log, outcome.release, origins=outcome.origins, record={"parameters": {"k": 10}})
    assert outcome.diagnostics["classes"] == 1022
    assert scores["isolated_second"] == pytest.approx(0.999, abs=0.001)
    assert scores["isolated_hour"] == pytest.approx(0.15, abs=0.02)
    assert scores["isolated_4_hours"] == pytest.approx(0.02, abs=0.01)
    assert scores["isolated_day"] == 0
    assert scores["resource_users_min"] < 10


rows = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.integers(0, 50), st.integers(0, 4), st.integers(0, 6)),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(["pair", "event"]), st.integers(1, 3), st.booleans())
def test_events_keep_their_activities_and_classes_their_users(table, entity, k, timed):
    log = log_of([(str(c), a, t, f"u{u}", f"10.{10 * i}.0.1") for c, a, t, u, i in table])
    attributes = [RESOURCE, TIMESTAMP] if timed else [RESOURCE]
    users = len(set(log.attributes["user"]))
    parameters = {"entity": entity, "attributes": attributes, "k": min(k, users), "unit": "user"}
    outcome = through(mondrian.anonymize, log, **parameters, rng=rng())
    assert sorted(outcome.origins.tolist()) == list(range(log.n_cases))
    for released, original in enumerate(outcome.origins.tolist()):
        a, b = outcome.release.offsets[released : released + 2]
        c, d = log.offsets[original : original + 2]
        assert sorted(outcome.release.activities[a:b]) == sorted(log.activities[c:d])
        assert (np.diff(outcome.release.timestamps[a:b]) >= 0).all()
    assert outcome.diagnostics["class_users_min"] >= min(k, users)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"attributes": "org:group"},
            "the log has no attribute 'org:group'; it has time:timestamp, user, org:resource",
        ),
        ({"attributes": ""}, "at least one attribute"),
        ({"entity": "trace"}, "one of case, pair, event; it is 'trace'"),
        ({"keep": "user"}, "'user' is no attribute of the log, is recoded, or tells persons apart"),
        ({"keep": RESOURCE}, "is recoded"),
        ({"user": "customer"}, "no attribute 'customer'"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    given = {"entity": "case", "attributes": RESOURCE, "k": 1, **parameters}
    with pytest.raises(ParameterError, match=message):
        through(mondrian.anonymize, LOG, **given, rng=rng())


def test_attributes_that_vary_in_a_case_or_are_missing_are_refused():
    varies = log_of([("1", "a", 1, "u", "10.0.0.1"), ("1", "a", 2, "u", "10.0.0.2")])
    with pytest.raises(ParameterError, match="'org:resource' varies within 1 cases; project pairs or events"):
        through(mondrian.anonymize, varies, entity="case", attributes=RESOURCE, k=1, rng=rng())
    lacks = log_of([("1", "a", 1, "u", None), ("2", "a", 2, "u", "10.0.0.2")])
    with pytest.raises(ParameterError, match="'org:resource' is missing at 1 events"):
        through(mondrian.anonymize, lacks, entity="pair", attributes=RESOURCE, k=1, rng=rng())
    with pytest.raises(Infeasible, match="no case"):
        through(mondrian.anonymize, empty_log(), entity="pair", attributes=RESOURCE, k=1, rng=rng())


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, text=True, capture_output=True)


@pytest.mark.parametrize("kind", ["csv", "xes.gz"])
def test_command_line(tmp_path, kind):
    write_log(LOG, tmp_path / f"in.{kind}")
    files = str(tmp_path / f"in.{kind}"), str(tmp_path / "out.parquet")
    given = ("--attributes", f"{RESOURCE},{TIMESTAMP}", "--k", "2", "--seed", "1")
    done = run("baselines.mondrian", *files, *given, "--project", "case", "--unit", "user")
    assert done.returncode == 0, done.stderr
    assert "note: k counts distinct values of 'user'" in done.stdout
    assert "note: every class has at least 2 users" in done.stdout
    assert set(read_log(tmp_path / "out.parquet").attributes) == {RESOURCE}


def test_options_that_do_not_go_together_are_refused(tmp_path):
    write_log(LOG, tmp_path / "in.csv")
    files = str(tmp_path / "in.csv"), str(tmp_path / "out.csv")
    given = ("--attributes", RESOURCE, "--k", "2")
    done = run("baselines.mondrian", *files, *given, "--project", "case", "--classes", str(tmp_path / "c.csv"))
    assert done.returncode == 2
    assert "leave them out with --project" in done.stderr
    done = run("baselines.mondrian", *files, *given, "--user", "user")
    assert done.returncode == 2
    assert "give --project too" in done.stderr
