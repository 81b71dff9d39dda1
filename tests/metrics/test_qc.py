"""Quality control of score tables."""

from __future__ import annotations

import pytest

from metrics.qc import findings, main, not_ok
from metrics.registry import declarations
from metrics.table import Row, write_csv


def run_of(mechanism, repeat="0", kind="log", **changes):
    """The rows of a run in which every metric has its value on identity, but for some changes."""
    rows = []
    for name, metric in declarations().items():
        if not metric.applies(kind):
            continue
        value, status = changes.get(name, (1.0 if metric.identity is None else metric.identity, "ok"))
        rows.append(Row("sepsis", mechanism, "default", repeat, name, value, status))
    return rows


def found(rows):
    return [(finding.severity, finding.message) for finding in findings(rows)]


def test_a_clean_table_has_no_findings():
    assert found(run_of("identity") + run_of("laplace", emd_variants=(0.2, "ok"))) == []


@pytest.mark.parametrize(("name", "value"), [("dfg_tv", 1.1), ("edge_time_w1", -0.1), ("variant_overlap", 2.0)])
def test_a_value_outside_its_range_is_an_error(name, value):
    [(severity, message)] = found(run_of("laplace", **{name: (value, "ok")}))
    assert severity == "error"
    assert f"{name} is {value}" in message
    assert "outside" in message


def test_identity_off_its_value_is_an_error():
    [finding] = findings(run_of("identity", cases_ratio=(0.9, "ok")))
    assert finding == ("error", "identity/default/sepsis", "cases_ratio is 0.9, on identity it must be 1.0")


def test_shuffle_as_good_as_identity_is_an_error_and_partly_so_worth_knowing():
    [(severity, _)] = found(run_of("shuffle"))
    assert severity == "error"
    [(severity, message)] = found(run_of("shuffle", emd_variants=(0.5, "ok"), dfg_tv=(0.5, "ok")))
    assert severity == "info"
    assert "cases_ratio" in message
    assert "emd_variants" not in message


def test_shares_of_failed_repeats():
    rows = [
        *run_of("amun", "0"),
        *run_of("amun", "1", **dict.fromkeys(declarations(), (None, "TO"))),
        *run_of("tvq", "0", dfg_tv=(None, "ERR")),
        *run_of("tvq", "1", emsc=(None, "OOM"), emsc_gap=(None, "OOM")),
    ]
    error, warning, info = findings(rows)
    assert error == ("error", "tvq/default/sepsis", "ERR in 1 of 2 repeats: dfg_tv")
    assert warning == ("warning", "tvq/default/sepsis", "OOM in 1 of 2 repeats: emsc, emsc_gap")
    assert info[:2] == ("info", "amun/default/sepsis")
    assert info.message.startswith("TO in 1 of 2 repeats: ")


def test_a_failed_run_without_some_cases_is_a_result():
    late = [
        Row("sepsis", "amun", "default", "0", name, None, "TO") for name in ("member_targets", "member_match_trace")
    ]
    assert all(declarations()[row.metric].held_out for row in late)
    assert [finding.severity for finding in not_ok(late, declarations())] == ["info"]


def test_missing_and_unknown_metrics_are_warnings():
    rows = [*run_of("laplace")[1:], Row("sepsis", "laplace", "default", "0", "old", 1.0, "ok")]
    assert [finding.severity for finding in findings(rows)] == ["warning", "warning"]


def test_runs_on_relations_lack_no_metric_of_event_logs():
    assert found(run_of("mondrian", kind="relation")) == []
    rows = [row for row in run_of("mondrian", kind="relation") if row.metric != "gcp"]
    assert found(rows) == [("warning", "gcp is missing in repeat 0; score the cell again")]


def test_a_claim_that_a_release_breaks_is_a_warning():
    rows = [*run_of("pretsa", "0", claim_k=(0.0, "ok")), *run_of("pretsa", "1", claim_t=(None, "n/a"))]
    assert found(rows) == [
        ("warning", "claim_k does not hold in 1 of 2 releases"),
        ("info", "n/a in 1 of 2 repeats: claim_t"),
    ]


def test_what_takes_long_may_be_missing():
    rows = [row for row in run_of("laplace") if not declarations()[row.metric].costly]
    assert found(rows) == []


def test_command_line_with_errors_first(tmp_path):
    rows = run_of("laplace", dfg_tv=(2.0, "ok"), emd_variants=(None, "EMPTY"))
    write_csv(Row._fields, rows, tmp_path / "scores.csv")
    main(["--out", str(tmp_path / "qc.csv"), str(tmp_path / "scores.csv")])
    header, first, second = (tmp_path / "qc.csv").read_text().splitlines()
    assert header == "severity,cell,message"
    assert first.startswith("error,laplace/default/sepsis,")
    assert second.startswith("info,laplace/default/sepsis,EMPTY in 1 of 1 repeats: emd_variants")
