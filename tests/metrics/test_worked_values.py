"""Values worked out by hand, and the blindness that each metric declares."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from small_logs import RX_ORIGINAL, RX_RELEASE, log_of, scores, take

from data.log import EventLog
from metrics.metric import Marked

RUNNING_EXAMPLE = {
    "emd_variants": 1 / 6,
    "emsc": 5 / 6,
    "variant_overlap": 0.5,
    "variants_kept": 1 / 2,
    "cases_kept": 3 / 4,
    "novel_cases": 1 / 2,
    "cases_ratio": 1.0,
    "events_ratio": 10 / 12,
    "dfg_tv": 0.21429,  # with start and end edges
    "dfg_rel_l1": 0.5,
    "emd_freq_published": 1.0,
    "edge_time_w1": 1.25,
    "dfg_time_rel_l1": 0.27273,
    "emd_time_published": 1.5,
    "cycle_time_w1": 2.5,
    "ngram_tv_3": 0.26667,
    "smape_variants": 73.333,
    "aba_code": 14 / 18,
    "aba_s_recall": 0.25,
    "truly_sampled": 50.0,  # ratios ab 4/3, bc 2/3, ac 0, cb 0: the band around 1 is 0.577 wide
    "undersampled": 50.0,
    "unsampled": 50.0,
    "total_duration_error": 100 * 2 / 22,
    "cycle_time_error": (1 / 9 + 11 / 13) / 2,  # means of b 9/4 and 2, of c 13/4 and 6
    "variants": 2,
    "prefix_k_min": 2,
    "novel_variants": 1 / 2,
    "novel_edges": 0,
}


@pytest.mark.parametrize("name", RUNNING_EXAMPLE)
def test_running_example(name):
    assert scores(RX_ORIGINAL, RX_RELEASE)[name] == pytest.approx(RUNNING_EXAMPLE[name], rel=5e-5)


def test_amun_example(shared_dir):
    rows = pd.read_csv(shared_dir / "reported" / "amun" / "tv_log.csv", dtype=str)
    times = pd.to_datetime(rows["timestamp_utc"]).dt.tz_localize(None).to_numpy("datetime64[us]").astype(np.int64)
    log = EventLog.from_rows(rows["case"].tolist(), rows["activity"].tolist(), times)
    values = scores(log, take(log, np.arange(1, 6)))  # without case 1
    assert values["emd_freq_published"] == pytest.approx(0.4)
    assert values["emd_time_published"] == pytest.approx(1.0)


# metric, original, release, value
BLINDNESS = [
    ("emd_variants", log_of("ab"), log_of("ab", "ab"), 0),
    ("variants_kept", log_of(*["ab"] * 99, "cd"), log_of("ab", *["cd"] * 99), 1),
    ("cases_kept", log_of(*["ab"] * 99, "cd"), log_of("ab", *["cd"] * 99), 1),
    ("variants_kept", log_of("ab", "cd"), log_of("ab", "cd", *["zzz"] * 100), 1),
    ("novel_cases", log_of("ab", "cd"), log_of("ab"), 0),
    ("variant_overlap", log_of("abcdefgh"), log_of("abcdefhg"), 0),
    ("smape_variants", log_of(*["ab"] * 1000, "cd"), log_of(*["ab"] * 1000), 50),
    ("dfg_tv", log_of("axb", "cxd"), log_of("axd", "cxb"), 0),
    ("ngram_tv_3", log_of("aaabaa"), log_of("aabaaa"), 0),
    ("emd_freq_published", log_of("ab"), log_of("cd"), 0),
    ("emd_freq_published", log_of(*["ab"] * 10), log_of(*["ab"] * 20), 10),
    ("emd_freq_published", log_of(*["ab"] * 10), log_of(*["ab"] * 20, "acadaeafag"), 1.9),  # more noise, lower
    ("emd_time_published", log_of("ab"), log_of("cd"), 0),
    ("emd_time_published", log_of(("ab", (0, 1 / 60))), log_of(("ab", (0, 59 / 60))), 0),
    ("emd_time_published", log_of(*[("ab", (0, 2))] * 2), log_of(("ab", (0, 4))), 0),
    ("dfg_time_rel_l1", log_of(*[("ab", (0, 2))] * 2), log_of(("ab", (0, 4))), 0),
    ("dfg_rel_l1", log_of("ab"), log_of("ab", "ab"), 1),
    ("dfg_rel_l1", log_of("ab", "ab"), log_of("ab"), 0.5),
    ("edge_time_w1", log_of("ab"), log_of("ab", "ba"), 0),
    ("cycle_time_w1", log_of(("ab", (0, 1)), ("cd", (0, 9))), log_of(("ab", (0, 9)), ("cd", (0, 1))), 0),
    ("abs_event_w1", log_of("ab"), log_of("ba"), 0),
    ("rel_event_w1", log_of("ab"), log_of(("ba", (100, 101))), 0),
    ("arrival_w1", log_of("ab"), log_of("cdefg"), 0),
    ("aba_code", log_of("ab", "ba"), log_of("ab", *["ba"] * 99), 1),
    ("aba_code", log_of("abc", "acb"), log_of("abc"), 7 / 9),
    ("aba_code", log_of("abc", "acb"), log_of("abc", "ab"), 7 / 9),
    ("aba_s_recall", log_of("abc", "acb"), log_of("abc"), 0),
    ("aba_s_recall", log_of("abc", "acb"), log_of("abc", "ab"), 0.25),
    ("aba_s_recall", log_of("ab", "a"), log_of("ab", "a", "ba"), 1),  # order that the release adds
    ("truly_sampled", log_of(*["ab"] * 10, *["cd"] * 10), log_of(*["ab"] * 5, *["cd"] * 5), 100),
    ("truly_sampled", log_of(*["ab"] * 10, *["cd"] * 10), log_of(*["ab"] * 9, "cd"), 100),
    ("total_duration_error", log_of(("ab", (0, 1)), ("cd", (0, 9))), log_of(("ab", (0, 9)), ("cd", (0, 1))), 0),
    ("cycle_time_error", log_of(("ab", (0, 2)), ("ab", (0, 2))), log_of(("ab", (0, 0)), ("ab", (0, 4))), 0),
    ("novel_edges", log_of("axb", "cxd"), log_of("axd"), 0),
    ("prefix_k_min", log_of("a", "ab", "ab"), log_of("a", "ab", "ab"), 2),  # one trace is its case's own
    ("inter_arrival_w1", log_of("a", ("b", (5,))), log_of(("a", (100,)), ("b", (105,))), 0),
    ("hourweek_circ", log_of("ab"), log_of(("cd", (168, 169))), 0),
]


@pytest.mark.parametrize(("name", "original", "release", "value"), BLINDNESS)
def test_documented_blindness(name, original, release, value):
    assert scores(original, release)[name] == pytest.approx(value, abs=1e-12)


def test_a_near_miss_is_near_by_the_partner_of_the_overlap():
    assert scores(log_of("abcdefgh"), log_of("abcdefhg"))["emd_variants"] == pytest.approx(4 / 18)


def test_emsc_breaks_the_triangle_inequality_where_emd_variants_does_not():
    first, middle, last = log_of("ab"), log_of("aba"), log_of("ba")
    steps, direct = [scores(first, middle), scores(middle, last)], scores(first, last)
    assert 1 - direct["emsc"] == pytest.approx(1.0)
    assert sum(1 - step["emsc"] for step in steps) == pytest.approx(2 / 3)
    assert direct["emd_variants"] <= sum(step["emd_variants"] for step in steps) + 1e-12


def test_an_edge_that_the_release_lacks_costs_its_mean_gap():
    original = log_of(("ab", (0, 2)), ("ab", (0, 4)), ("cd", (0, 5)), ("cd", (0, 5)))
    assert scores(original, log_of(("cd", (0, 5))))["edge_time_w1"] == pytest.approx(0.5 * 3)


def test_hours_are_compared_around_the_clock():
    late, early = log_of(("a", (167.5,))), log_of(("a", (0.5,)))
    assert scores(late, early)["hourweek_circ"] == pytest.approx(1.0)
    assert scores(early, log_of(("a", (84.5,))))["hourweek_circ"] == pytest.approx(84.0)


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("edge_time_w1", log_of("a", "b")),
        ("dfg_rel_l1", log_of("a", "b")),
        ("dfg_time_rel_l1", log_of(("ab", (1, 1)))),
        ("emd_freq_published", log_of("a")),
        ("emd_time_published", log_of("a")),
        ("inter_arrival_w1", log_of("ab")),
    ],
)
def test_what_a_pair_of_logs_does_not_define_is_marked(name, original):
    value = scores(original, original)[name]
    assert isinstance(value, Marked)
    assert (value.status, value.value) == ("n/a", None)


def test_labels_are_matched_by_their_text_not_by_their_code():
    original = log_of("ab", "ab", "cd")
    backwards = log_of("cd", "ab", "ab")
    assert backwards.labels != original.labels
    values = scores(original, backwards)
    assert (values["emd_variants"], values["dfg_tv"], values["variants_kept"]) == (0, 0, 1)
