"""Metrics of released relations, by values worked out by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.origins import write_origins
from data.relation import CATEGORY, IPV4, NUMBER, Column, Relation, grouped
from data.relation_io import write_relation
from data.relation_release import Recoded, RelationRelease, write_relation_release
from metrics import (
    recoded,
    relation_claims,
    relation_classes,
    relation_loss,
    relation_rendering,
    relation_users,
    score,
)
from metrics.addresses import Texts
from metrics.metric import Marked
from metrics.registry import declarations, metric_modules
from metrics.table import read_scores

RECORD = {"parameters": {"k": 3}, "diagnostics": {}}


def address(text: str) -> int:
    a, b, c, d = map(int, text.split("."))
    return a << 24 | b << 16 | c << 8 | d


def release_of(sizes, suppressed=0, **attributes) -> RelationRelease:
    """Classes of these sizes, the suppressed rows behind them; by default of one attribute, numbered by class."""
    classes = np.repeat(np.arange(len(sizes) + (suppressed > 0)), [*sizes, *([suppressed] * (suppressed > 0))])
    numbers = np.arange(classes[-1] + 1)
    default = {"a": Recoded(tuple(map(str, numbers)), numbers, numbers)}
    return RelationRelease(classes, attributes or default, suppressed)


def numbers(values, kind=NUMBER, labels=()) -> Column:
    return Column(np.array(values), kind, labels)


def test_discernibility_and_normalised_average_of_v8():
    """Sizes 3 and 3, two rows suppressed, k = 3: DM = 9 + 9 + 2 * 8, and three classes of 8 rows on average 8/9 k."""
    values = relation_classes.score(None, release_of([3, 3], 2), RECORD)
    assert (values["discernibility"], values["discernibility_published"]) == (34, 18)
    assert values["class_size_normalised"] == pytest.approx(0.889, abs=5e-4)
    assert (values["classes"], values["suppressed_rows"], values["rows_below_k"]) == (3, 2, 0)
    assert relation_classes.score(None, release_of([3, 2, 1]), RECORD)["rows_below_k"] == 0.5


@pytest.mark.parametrize(
    ("sizes", "discernibility", "average"),
    [([32, 5], 1049, None), ([37], 1369, 3.7), ([12, 25], 769, 1.85), ([19, 18], 685, 1.85), ([10, 11], 221, 1.05)],
)
def test_discernibility_of_the_vectors_of_mondrian(sizes, discernibility, average):
    values = relation_classes.score(None, release_of(sizes), {"parameters": {"k": 10}})
    assert values["discernibility"] == values["discernibility_published"] == discernibility
    assert average is None or values["class_size_normalised"] == average


def test_quartiles_and_the_largest_class():
    values = relation_classes.score(None, release_of([3, 4, 5, 6, 10], 2), RECORD)
    names = ["class_size_min", "class_size_q1", "class_size_median", "class_size_q3", "class_size_max"]
    assert [values[name] for name in names] == [3, 4, 5, 6, 10]
    assert values["class_size_excess"] == 2


def test_without_a_k_or_a_published_row_values_are_marked():
    values = relation_classes.score(None, release_of([3, 4]), {"parameters": {}})
    assert values["class_size_normalised"].status == values["class_size_excess"].status == "n/a"
    values = relation_classes.score(None, release_of([], 4), RECORD)
    assert (values["discernibility"], values["class_size_min"].status) == (16, "EMPTY")


def test_penalties_of_numbers_and_categories():
    """Widths 10 and 0 of 20; two of three labels and one; a suppressed row costs 1 for each attribute."""
    original = Relation({"a": numbers([0, 10, 20, 20, 5]), "b": numbers([0, 1, 2, 2, 1], CATEGORY, tuple("xyz"))})
    release = release_of(
        [2, 2], 1,
        a=Recoded(("[0, 10]", "20", "*"), np.array([0, 20, 0]), np.array([10, 20, 0])),
        b=Recoded(("{x, y}", "z", "*"), kind=CATEGORY),
    )  # fmt: skip
    values = relation_loss.score(original, release, np.arange(5), RECORD)
    assert values["ncp"] == pytest.approx(2 * 0.5 + 2 * 0.5 + 2)
    assert values["gcp"] == pytest.approx(4 / 10)
    assert relation_loss.score(original, release, None, RECORD)["gcp"].status == "n/a"


def test_a_number_without_bounds_costs_what_its_text_covers_of_the_distinct_values():
    original = Relation({"a": numbers([0, 1000, 5, 5])})
    release = release_of([2, 2], a=Recoded(("few", "5")))
    assert relation_loss.score(original, release, np.array([0, 1, 2, 3]), RECORD)["gcp"] == pytest.approx(0.25)
    release = release_of([4], a=Recoded(("*",)))
    assert relation_loss.score(original, release, np.arange(4), RECORD)["gcp"] == 1


def test_addresses_published_without_bounds_have_no_intervals():
    original = Relation({"user": numbers([1, 2]), "ip": numbers([7, 9], IPV4)})
    release = release_of([2], ip=Recoded(("campus",), kind=IPV4))
    values = relation_users.score(original, release, np.arange(2), RECORD)
    assert (values["class_users_min"], values["class_addresses_min"]) == (2, 2)
    assert values["address_intervals"].status == values["address_users_min"].status == "n/a"
    assert relation_rendering.score(original, release, np.arange(2))["address_texts"].status == "n/a"


def test_levels_and_their_height():
    release = release_of([5])
    original = Relation({"a": numbers([0] * 5)})
    stated = {"levels": {"ip.1": 3, "ip.2": 2}, "heights": {"ip.1": 4, "ip.2": 4}}
    values = relation_loss.score(original, release, None, {"diagnostics": stated})
    assert (values["level_1"], values["level_2"], values["level_3"].status) == (3, 2, "n/a")
    assert values["generalisation_height"] == 1.25
    assert relation_loss.score(original, release, None, RECORD)["level_1"].status == "n/a"


def test_users_and_addresses_of_classes():
    """Two rows of the first class are of one user; the second has one address, of three users."""
    original = Relation({"user": numbers([1, 1, 2, 3, 4, 5, 6]), "ip": numbers([1, 2, 3, 9, 9, 9, 0], IPV4)})
    ends = np.array([1, 9, 0]), np.array([3, 9, 0])
    release = release_of([3, 3], 1, ip=Recoded(("0.0.0.0/30", "0.0.0.9/32", "*"), *ends, IPV4))
    values = relation_users.score(original, release, np.arange(7), RECORD)
    assert (values["class_users_min"], values["classes_below_k_users"]) == (2, 0.5)
    assert (values["class_addresses_min"], values["class_addresses_median"]) == (1, 1)
    assert (values["exact_addresses"], values["address_intervals"], values["address_users_min"]) == (1, 2, 2)
    unlinked = relation_users.score(original, release, None, RECORD)
    assert (unlinked["class_users_min"].status, unlinked["exact_addresses"]) == ("n/a", 1)


def test_octets_are_exact_only_if_all_four_are():
    original = Relation({"ip": numbers([1, 1, 257, 257], IPV4)})
    zero, fourth = np.zeros(2, dtype=np.int64), np.array([1, 0])
    octets = {f"ip.{n}": Recoded(("0", "0"), zero, zero) for n in (1, 2)} | {
        "ip.3": Recoded(("0", "1"), zero, zero + 1)
    }
    release = release_of([2, 2], **octets, **{"ip.4": Recoded(("1", "*"), fourth, np.array([1, 255]))})
    assert relation_users.score(original, release, np.arange(4), RECORD)["exact_addresses"] == 0
    octets["ip.3"] = Recoded(("0", "1"), np.array([0, 1]), np.array([0, 1]))
    release = release_of([2, 2], **octets, **{"ip.4": Recoded(("1", "*"), fourth, np.array([1, 255]))})
    values = relation_users.score(original, release, np.arange(4), RECORD)
    assert (values["exact_addresses"], values["class_users_min"].status) == (1, "n/a")


@pytest.mark.parametrize(
    ("text", "size", "inside", "outside"),
    [
        ("010.000.0*9.005", 10, "10.0.19.5", "10.0.20.1"),
        ("146.102.16.0/20", 4096, "146.102.31.255", "146.102.32.0"),
        ("146.102.0**.***", 100 * 256, "146.102.16.0", "146.102.100.1"),
        ("2**.001.002.003", 56, "255.1.2.3", "199.1.2.3"),
        ("1.2.3.4/32", 1, "1.2.3.4", "1.2.3.5"),
        ("1.2.3.4", 1, "1.2.3.4", "1.2.3.5"),
        ("[92, 146].102.*.[3, 3]", 55 * 256, "100.102.9.3", "100.102.9.4"),
        ("*", 1 << 32, "255.255.255.255", None),
    ],
)
def test_what_a_text_matches(text, size, inside, outside):
    known = Texts([text])
    assert (known.sizes.tolist(), known.known.tolist()) == ([size], [True])
    tried = [address(each) for each in (inside, outside) if each]
    found = known.matches(np.zeros(len(tried), dtype=int), np.array(tried))
    assert found.tolist() == [True, False][: len(tried)]
    both = np.unique(tried)
    assert both[known.matching(both)[1]].tolist() == [address(inside)]


@pytest.mark.parametrize("text", ["1.2.3", "a.b.c.d", "1.2.3.4.5", "300.1.1.1", "[1, 2", ""])
def test_a_text_of_another_form_matches_nothing(text):
    known = Texts([text, "*"])
    assert (known.known.tolist(), known.sizes[0]) == ([False, True], 0)
    assert known.matching(np.array([0, 7]))[0].tolist() == [1, 1]
    release = release_of([1], ip=Recoded((text,), np.array([1]), np.array([1]), IPV4))
    with pytest.raises(ValueError, match="is no text of an address"):
        relation_rendering.score(Relation({"ip": numbers([1], IPV4)}), release, np.arange(1))


def test_unsound_rows_of_the_text_cut_from_digits():
    """The interval 10.0.19.5 to 10.0.29.5 is published as 010.000.0*9.005, which one of its three rows is not."""
    values = [address(text) for text in ("10.0.19.5", "10.0.20.1", "10.0.29.5", "12.0.0.1")]
    original = Relation({"ip": numbers(values, IPV4)})
    low, high = np.array([values[0], values[3]]), np.array([values[2], values[3]])
    release = release_of([3, 1], ip=Recoded(("010.000.0*9.005", "012.000.000.001"), low, high, IPV4))
    found = relation_rendering.score(original, release, np.arange(4))
    assert (found["unsound_classes"], found["unsound_rows"], found["address_texts"]) == (0.5, 0.25, 2)
    assert found["text_excess"] == pytest.approx(np.log2(10 / 2561) / 2)


def test_claims_are_counted_on_the_release_and_on_whom_k_counts():
    original = Relation({"user": numbers([1, 1, 2, 3, 4, 5])})
    release, origins = release_of([3, 3]), np.arange(6)
    of_users = {"diagnostics": {"k": 3, "unit": "user"}}
    assert relation_claims.score(original, release, origins, of_users) == {"claim_k_rows": 1, "claim_k_unit": 0}
    assert relation_claims.score(original, release, origins[[1, 2, 3, 0, 4, 5]], of_users)["claim_k_unit"] == 1
    assert (
        relation_claims.score(original, release, origins, {"diagnostics": {"k": 4, "unit": "rows"}})["claim_k_rows"]
        == 0
    )
    assert relation_claims.score(original, release, None, of_users)["claim_k_unit"].status == "n/a"
    assert relation_claims.score(original, release, origins, RECORD)["claim_k_rows"].status == "n/a"


rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 4), st.randoms(use_true_random=False))
def test_values_stay_in_range_and_do_not_depend_on_the_order_of_rows(table, k, random):
    group, ip, user = np.array(table).T
    order = np.lexsort((group,))
    original = Relation({"user": numbers(user), "ip": numbers(ip, IPV4)})
    classes = grouped([group])[0]
    low = np.array([ip[classes == c].min() for c in range(classes.max() + 1)])
    high = np.array([ip[classes == c].max() for c in range(classes.max() + 1)])
    texts = tuple(f"0.0.0.0/{32 - int(end).bit_length()}" for end in high)
    record = {"parameters": {"k": k}, "diagnostics": {"k": k, "unit": "user"}}
    release = RelationRelease(classes[order], {"ip": Recoded(texts, low, high, IPV4)})

    def scores(original, origins):
        known = {"original": original, "release": release, "origins": origins, "record": record}
        modules = [m for m in metric_modules() if m.METRICS[0].of == "relation"]
        return {n: v for m in modules for n, v in m.score(**score.wanted_of(known, m.score)).items()}

    values = scores(original, order)
    for name, value in values.items():
        if not isinstance(value, Marked):
            assert declarations()[name].low <= value <= declarations()[name].high, name
    assert values["unsound_rows"] == 0
    assert values["discernibility"] % 2 == len(table) % 2  # as sum s^2 = sum s (mod 2)
    shuffled = list(range(len(table)))
    random.shuffle(shuffled)
    place = np.argsort(shuffled)
    assert scores(original.take(np.array(shuffled)), place[order]) == values


def test_a_relation_has_its_own_metrics_and_the_costs_and_no_other(tmp_path):
    """Through the scoring job, from the files of a run."""
    original = Relation({"user": numbers([1, 2, 3]), "ip": numbers([7, 7, 9], IPV4)})
    write_relation(original, tmp_path / "log.parquet")
    ends = np.array([7, 9])
    release = release_of([2, 1], ip=Recoded(("0.0.0.7/32", "0.0.0.9/32"), ends, ends, IPV4))
    run = tmp_path / "0"
    run.mkdir()
    write_relation_release(release, run / "release.parquet")
    write_origins(np.array([0, 1, 2]), run / "origins.parquet")
    record = {
        "log": "x", "mechanism": "m", "parameters_id": "k=3", "repeat": 0, "status": "ok", "phases": {}, "wall_s": 1.0,
        "core": {"leased": True}, "load": 0.0, "host": {"cores": 1, "id": "a"}, **RECORD,
    }  # fmt: skip
    (run / "run.json").write_text(json.dumps(record))
    score.main(["--log", str(tmp_path / "log.parquet"), "--out", str(tmp_path / "scores.csv"), str(run)])
    found = {row.metric: row for row in read_scores(tmp_path / "scores.csv")}
    assert found.keys() == {name for name, metric in declarations().items() if metric.applies("relation")}
    assert (found["classes"].value, found["exact_addresses"].value, found["gcp"].value) == (2, 2, 0)
    assert found["wall_s"].value == 1
    assert "ERR" not in {row.status for row in found.values()}


def test_an_octet_is_no_column_where_a_column_bears_its_name():
    original = Relation({"ip": numbers([258], IPV4), "ip.3": numbers([5])})
    assert recoded.column_of(original, "ip.4").values.tolist() == [2]
    assert recoded.column_of(original, "ip.3").values.tolist() == [5]
