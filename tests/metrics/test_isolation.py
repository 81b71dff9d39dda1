"""Sessions and rows that an address and a time give away."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from baselines.mondrian import anonymize as mondrian
from baselines.relational.projection import through
from data.access import pairs, requests
from data.log import EventLog, empty_log
from data.relation import IPV4, TIME, Column, Relation, spelled
from data.relation_release import Recoded, RelationRelease
from metrics import isolation, relation_users, row_isolation
from metrics.access import WIDTHS, Accesses, candidates
from metrics.metric import Marked

HOUR = 3_600_000_000
RECORD = {"parameters": {"k": 2}}


def log_of(sessions) -> EventLog:
    """One case of one event for each (user, resource, hour)."""
    users, resources, hours = zip(*sessions, strict=True)
    return EventLog.from_rows(
        [str(case) for case in range(len(sessions))], ["a"] * len(sessions), np.array(hours) * HOUR,
        {"user": np.array(users, dtype=object), "org:resource": np.array(resources, dtype=object)},
    )  # fmt: skip


def published_as(log: EventLog, *resources: str) -> EventLog:
    attributes = {"org:resource": np.array(resources, dtype=object)}
    return EventLog(log.activities, log.timestamps, log.offsets, log.labels, log.case_ids, attributes)


def scored(original: EventLog, release: EventLog, origins) -> dict:
    return isolation.score(original, release, origins=origins, record=RECORD)


def of_widths(values: dict, name: str) -> list[float]:
    return [values[f"{name}_{width}"] for width in WIDTHS]


SESSIONS = [("alice", "x", 0), ("bob", "x", 2), ("eve", "y", 2), ("dan", "z", 5), ("dan", "z", 5.5), ("al", "z", 9)]


def test_by_hand():
    """Alice is alone in her hour at x; she and Bob share four of them; Eve is alone at y; Dan comes twice to z."""
    log = log_of(SESSIONS)
    values = scored(log, log, np.arange(6))
    for name in ("isolated", "access_isolated"):
        assert of_widths(values, name) == pytest.approx([1, 1, 4 / 6, 1 / 6])
    assert of_widths(values, "access_found") == pytest.approx(
        [1, 1, (4 + 2 / 2) / 6, (2 / 2 + 1 + 2 * 2 / 3 + 1 / 3) / 6]
    )
    assert values["access_prior"] == pytest.approx((4 * 1 / 6 + 2 * 2 / 6) / 6)
    assert values["access_advantage_hour"] == pytest.approx(1 - 8 / 36)
    assert (values["resource_users_min"], values["resources_below_k_users"]) == (1, 1 / 3)


def test_users_are_those_behind_the_released_cases():
    log = log_of([("alice", "x", 0), ("bob", "x", 0), ("alice", "x", 0)])
    released = log.take(np.array([2, 0]), ["p", "q"])
    values = scored(log, released, np.array([2, 0]))
    assert values["isolated_hour"] == 1
    assert values["access_isolated_hour"] == pytest.approx(2 / 3), "Bob's is taken for Alice's"
    assert scored(log, released, np.array([1, 0]))["isolated_hour"] == 0
    assert scored(log, released, np.array([2, -1]))["access_isolated_hour"] == 0, "a row of nobody fits too"


def test_who_knows_an_address_looks_for_texts_that_cover_it():
    log = log_of([("alice", "10.0.0.1", 0), ("bob", "10.0.0.2", 0), ("eve", "10.0.1.1", 0)])
    wide = published_as(log, "10.0.0.0/31", "10.0.0.2/31", "10.0.0.0/23")
    values = scored(log, wide, np.arange(3))
    assert values["access_found_hour"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    assert values["access_isolated_hour"] == pytest.approx(1 / 3)
    assert values["isolated_hour"] == 1, "who knows the text is told more"
    octets = published_as(log, "10.0.0.[0, 2]", "10.0.0.[0, 2]", "10.*.[1, 9].*")
    assert scored(log, octets, np.arange(3))["access_isolated_hour"] == pytest.approx(1 / 3)


def test_an_address_that_its_text_does_not_match_is_not_found():
    log = log_of([("alice", "10.0.20.1", 0), ("bob", "10.0.19.5", 0)])
    values = scored(log, published_as(log, "010.000.0*9.005", "010.000.0*9.005"), np.arange(2))
    assert values["access_found_hour"] == pytest.approx((0 + 1 / 2) / 2)
    assert values["access_abstains_hour"] == 1 / 2
    same = published_as(log, "010.000.0**.***", "010.000.0**.***")
    assert scored(log, same, np.arange(2))["access_found_hour"] == pytest.approx(1 / 2)


def test_one_address_may_be_spelled_in_two_ways():
    log = log_of([("alice", "10.0.0.1", 0), ("bob", "10.0.0.01", 0)])
    assert scored(log, published_as(log, "10.0.0.1/32", "*"), np.arange(2))["access_found_day"] == pytest.approx(1 / 2)


def test_what_is_lacking_is_told_without_warnings():
    log = log_of([("alice", "x", 0)])
    plain = EventLog(log.activities, log.timestamps, log.offsets, log.labels, log.case_ids)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for original, release, origins, reason in (
            (plain, log, np.arange(1), "the log has no attribute 'org:resource'"),
            (log, plain, np.arange(1), "the release has no attribute 'org:resource'"),
            (log, log, None, "does not tell which case"),
        ):
            values = scored(original, release, origins)
            assert {metric.name for metric in isolation.METRICS} == values.keys()
            assert all(isinstance(value, Marked) and reason in value.reason for value in values.values())
        assert scored(log, log, np.arange(1))["access_isolated_day"] == 1
        assert scored(log, empty_log(), np.empty(0, dtype=np.int64))["access_advantage_hour"] == 0


@pytest.mark.parametrize("seed", range(20))
def test_candidates_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n, m, addresses, classes = (int(each) for each in rng.integers(1, 9, 4))
    known = Accesses(rng.integers(0, addresses, n), rng.integers(0, 40, n), rng.integers(0, 3, n))
    released = Accesses(rng.integers(0, classes, m), rng.integers(0, 40, m), rng.integers(-1, 3, m))
    spans = np.sort(rng.integers(0, 40, (classes, 2)), axis=1)
    matrix = rng.random((addresses, classes)) < 0.5
    for rows, fits in (
        (released, lambda row, cell: released.times[row] // 10 == cell),
        (released._replace(spans=spans), lambda row, cell: (
            spans[released.classes[row], 0] // 10 <= cell <= spans[released.classes[row], 1] // 10)),
    ):  # fmt: skip
        fitting, own = candidates(known, rows, np.nonzero(matrix), 10)
        for access in range(n):
            matching = [row for row in range(m)
                        if matrix[known.classes[access], released.classes[row]]
                        and fits(row, known.times[access] // 10)]  # fmt: skip
            assert fitting[access] == len(matching)
            assert own[access] == sum(released.users[row] == known.users[access] for row in matching)


@pytest.mark.parametrize("days", [0, 5])
def test_names_of_users_order_and_dates_do_not_matter(days):
    sessions = [("alice", "10.0.0.1", 0), ("bob", "10.0.0.2", 0.5), ("alice", "10.0.0.2", 7), ("eve", "10.0.1.1", 7.5)]
    texts = ["10.0.0.0/30", "10.0.0.0/30", "10.0.0.2/32", "10.0.0.0/16"]
    log = log_of(sessions)
    before = scored(log, published_as(log, *texts), np.arange(4))
    order = np.array([2, 0, 3, 1])
    names = {"alice": "z", "bob": "y", "eve": "x"}
    moved = log_of([(names[user], place, hour + 24 * days) for user, place, hour in (sessions[case] for case in order)])
    released = published_as(moved, *(texts[case] for case in order))
    again = moved.take(order, list("pqrs"))
    assert scored(again, released, np.argsort(order)) == pytest.approx(before)


# Tables


TABLE = Relation({
    "user": Column(np.array([1, 2, 3, 3, 4])),
    "ip": Column(np.array([5, 6, 20, 20, 30]), IPV4),
    "time": Column(np.array([0, 2, 2, 2.5, 9]) * HOUR, TIME),
})  # fmt: skip
CLASSES = np.array([0, 0, 1, 1, 2])
ADDRESSES = Recoded(("0.0.0.4/30", "0.0.0.20/32", "*"), np.array([4, 20, 0]), np.array([7, 20, 0]), IPV4)


def rows(release: RelationRelease, linked: bool = True) -> dict:
    return row_isolation.score(TABLE, release, np.arange(5) if linked else None)


def test_rows_that_keep_their_time():
    """The last row is suppressed, so it covers every address."""
    kept = {"time": TABLE["time"]}
    values = rows(RelationRelease(CLASSES, {"ip": ADDRESSES}, 1, kept))
    assert of_widths(values, "row_access_isolated") == pytest.approx([1, 1, 3 / 5, 1 / 5])
    assert values["row_access_found_day"] == pytest.approx((1 / 3 + 1 / 3 + 2 / 3 + 2 / 3 + 1) / 5)
    assert values["row_access_prior"] == pytest.approx((1 + 1 + 2 + 2 + 1) / 25)


def test_rows_whose_time_is_published_as_an_interval():
    hours = Recoded(("[0, 2]", "2", "*"), np.array([0, 2, 0]) * HOUR, np.array([2, 3, 0]) * HOUR, TIME)
    values = rows(RelationRelease(CLASSES, {"ip": ADDRESSES, "time": hours}, 1))
    # Users 1 and 2 fit both and the suppressed row; of user 3 two rows and that.
    assert values["row_access_found_hour"] == pytest.approx((1 / 3 + 1 / 3 + 2 / 3 + 2 / 3 + 1) / 5)
    assert values["row_access_isolated_hour"] == pytest.approx(1 / 5)


def test_octets_cover_an_address_if_all_four_do():
    def octet(*values: int) -> Recoded:
        return Recoded(tuple(map(str, values)), np.array(values), np.array(values))

    parts = {f"ip.{n}": octet(0, 0, 0) for n in (1, 2, 3)}
    fourth = Recoded(("[5, 6]", "20", "30"), np.array([5, 20, 30]), np.array([6, 20, 30]))
    values = rows(RelationRelease(CLASSES, {**parts, "ip.4": fourth}, 0, {"time": TABLE["time"]}))
    assert of_widths(values, "row_access_isolated") == pytest.approx([1, 1, 3 / 5, 3 / 5])
    away = {**parts, "ip.3": octet(0, 1, 0)}
    values = rows(RelationRelease(CLASSES, {**away, "ip.4": fourth}, 0, {"time": TABLE["time"]}))
    assert values["row_access_found_second"] == pytest.approx(3 / 5), "user 3 abstains"


def test_what_tables_lack_is_told():
    plain = RelationRelease(CLASSES, {"ip": ADDRESSES}, 1)
    for values, reason in (
        (rows(plain), "no times are published"),
        (
            rows(RelationRelease(CLASSES, {"ip": ADDRESSES}, 1, {"time": TABLE["time"]}), None),
            "does not tell which row",
        ),
        (row_isolation.score(Relation({"ip": TABLE["ip"]}), plain, np.arange(5)), "no column 'user'"),
        (rows(RelationRelease(CLASSES, {"user": ADDRESSES}, 1)), "no addresses are published"),
    ):
        assert all(reason in value.reason for value in values.values())


# The stand-in of the access log, with the figures that were measured when it was designed


@pytest.fixture(scope="module")
def stand_in() -> EventLog:
    return requests(*pairs())


def test_exact_addresses_and_the_hour_isolate_nearly_every_session_of_the_stand_in(stand_in):
    values = scored(stand_in, stand_in, np.arange(stand_in.n_cases))
    assert values["isolated_hour"] == values["access_isolated_hour"] == pytest.approx(0.97, abs=0.005)


def test_classes_of_ten_pairs_and_the_second_isolate_and_the_day_does_not(stand_in):
    outcome = through(
        mondrian, stand_in, entity="pair", attributes="org:resource", k=10, rng=np.random.default_rng(1)
    )  # fmt: skip
    values = scored(stand_in, outcome.release, outcome.origins)
    assert of_widths(values, "isolated") == pytest.approx([0.999, 0.15, 0.015, 0], abs=0.006)
    assert values["access_isolated_hour"] <= values["isolated_hour"]
    # The same of a table of sessions, whose classes are intervals that do not overlap.
    first = stand_in.offsets[:-1]
    users = stand_in.attributes["user"][first].astype(np.int64)
    texts = stand_in.attributes["org:resource"][first].astype(str)
    addresses = (np.array([text.split(".") for text in texts], dtype=np.int64) << (24, 16, 8, 0)).sum(axis=1)
    assert spelled(addresses[:9], IPV4) == texts[:9].tolist()
    sessions = Relation({"user": Column(users), "ip": Column(addresses, IPV4),
                         "time": Column(stand_in.timestamps[first], TIME)})  # fmt: skip
    table = Relation({"user": Column(pairs()[0]), "ip": Column(pairs()[1], IPV4)})
    made = mondrian(table, k=10, attributes="ip", rng=np.random.default_rng(1)).release.recoded["ip"]
    by_low = np.argsort(made.low)
    classes = by_low[np.searchsorted(made.low[by_low], addresses, "right") - 1]
    order = np.argsort(classes, kind="stable")
    release = RelationRelease(classes[order], {"ip": made}, 0, {"time": sessions["time"].take(order)})
    found = row_isolation.score(sessions, release, order)
    assert of_widths(found, "row_access_isolated") == pytest.approx([0.999, 0.15, 0.015, 0], abs=0.006)
    assert found["row_access_prior"] == pytest.approx(values["access_prior"])


@pytest.mark.parametrize(("rendering", "abstains"), [("cidr", 0), ("sound", 0), ("seed", 0.38)])
def test_sound_texts_cover_every_address_and_those_of_the_study_do_not(stand_in, rendering, abstains):
    outcome = through(
        mondrian, stand_in, entity="pair", attributes="org:resource", k=10, rendering=rendering,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    values = scored(stand_in, outcome.release, outcome.origins)
    assert values["access_abstains_second"] == pytest.approx(abstains, abs=0.01)
    assert values["access_found_second"] <= 1 - values["access_abstains_second"]


@pytest.mark.parametrize(("attributes", "below", "classes"), [("ip", 7, 1023), ("ip,user", 129, 1055)])
def test_classes_of_ten_rows_with_fewer_users(attributes, below, classes):
    """Measured on an earlier stand-in, which had nearly the same classes."""
    users, addresses = pairs()
    table = Relation({"user": Column(users), "ip": Column(addresses, IPV4)})
    outcome = mondrian(table, k=10, attributes=attributes, rng=np.random.default_rng(1))
    values = relation_users.score(table, outcome.release, outcome.origins, {"parameters": {"k": 10}})
    behind = [len(set(users[outcome.origins[outcome.release.classes == c]].tolist()))
              for c in range(outcome.release.n_classes)]  # fmt: skip
    assert len(behind) == pytest.approx(classes, abs=5)
    assert sum(each < 10 for each in behind) == pytest.approx(below, abs=8)
    assert values["classes_below_k_users"] == pytest.approx(sum(each < 10 for each in behind) / len(behind))
    assert values["class_users_min"] == min(behind)
    assert (min(behind) == 1) == ("user" in attributes)
