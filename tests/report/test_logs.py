"""The tables that describe the logs and their epsilons."""

from __future__ import annotations

import json

from report.epsilons import epsilon_table, read_epsilons
from report.logs import describe, notes

STATISTICS = {
    "small": {
        "synthetic": False, "lifecycle": "complete", "cases": 2, "events": 5, "activities": 3, "variants": 2,
        "mean_variant_cases": 1.0, "max_variant_cases": 1,
        "min_len": 2, "mean_len": 2.5, "max_len": 3, "first": "2020-01-01T10:00:00", "last": "2020-02-01T10:00:00",
        "import": {
            "traces": 3, "traces_empty": 1, "events_not_complete": 4, "events_without_time": 0, "events_declared": None,
        },
        "published": {"cases": {"published": "3", "found": 2, "kept": 2, "equal": False}},
    },
    "made": {
        "synthetic": True, "lifecycle": "all", "cases": 1, "events": 1, "activities": 1, "variants": 1,
        "mean_variant_cases": 1.0, "max_variant_cases": 1,
        "min_len": 1, "mean_len": 1.0, "max_len": 1, "first": "2020-01-01T10:00:00", "last": "2020-01-01T10:00:00",
        "import": {}, "published": {},
    },
}  # fmt: skip


def test_what_differs_from_the_published_number_is_shown():
    data, printed = describe(STATISTICS)
    assert printed["cases"].tolist() == ["2 (published: 3)", "1"]
    assert printed["mean length"].tolist() == ["2.50", "1.00"]
    assert printed.index.tolist() == ["small", "made†"]
    assert data["synthetic"].tolist() == [False, True]
    assert printed["mean cases a variant"].tolist() == ["1.00", "1.00"]
    assert data["published_cases"].tolist()[0] == "3"


def test_the_import_and_the_lifecycle_are_told():
    lines = " ".join(notes(STATISTICS))
    assert "small: traces empty 1, events not complete 4." in lines
    assert "complete an activity are kept in: small." in lines
    assert "†: synthetic" in lines


def test_epsilons_stand_beside_those_after_the_filter(tmp_path):
    path = tmp_path / "small" / "profile=code.json"
    path.parent.mkdir()
    spread = {"minimum": 0.7, "median": 1.0, "mean": 2.0, "maximum": 10.0}
    none = dict.fromkeys(spread)
    lines = [
        {"delta": 0.3, "filtered": False, "eps_d": 1.238078, "cases_filtered": 0, **spread},
        {"delta": 0.3, "filtered": True, "eps_d": 1.238078, "cases_filtered": 2, **none},
    ]
    path.write_text(json.dumps({"profile": "code", "epsilons": lines}))
    table = epsilon_table(read_epsilons([path]), {"small": "small"})
    assert table.index.tolist() == [("small", "code", "0.3")]
    assert table.iloc[0].to_dict() == {
        "eps_d": "1.238",
        "mean, all cases": "2.000", "minimum, all cases": "0.700", "maximum, all cases": "10.000",
        "mean, filtered": "none left", "minimum, filtered": "none left", "maximum, filtered": "none left",
        "cases filtered": "2",
    }  # fmt: skip


def test_relations_are_described_by_their_columns():
    columns = {"user": {"kind": "number", "distinct": 3}, "ip": {"kind": "ipv4", "distinct": 2}}
    statistics = {
        "pairs": {
            "kind": "relation", "synthetic": True, "rows": 4, "columns": columns,
            "import": {"rows": 5, "rows_repeated": 1},
            "published": {"rows": {"published": "9", "found": 5, "kept": 4, "equal": False}},
        }
    }  # fmt: skip
    data, printed = describe(statistics)
    assert printed.loc["pairs†"].to_dict() == {
        "rows": "4 (published: 9)",
        "columns": "user (number, 3 distinct), ip (ipv4, 2 distinct)",
    }
    assert data["rows"].tolist() == [4]
    lines = notes(statistics)
    assert lines[0] == "Counted on import: pairs: rows repeated 1."
    assert not any("Lengths" in line for line in lines)
