"""The table of found beside reported values."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

from conftest import ROOT
from report.claims import COLUMNS, read_claims
from report.reported import main, notes, read_reported, reported_table

CLAIMED = [
    {"parameters": "k=10,rule=a", "metric": "class_size_normalised", "reported": "1.42", "note": "as rounded"},
    {"parameters": "k=10,rule=b", "metric": "class_size_normalised", "reported": "1.41"},
    {"parameters": "k=10,rule=a", "metric": "classes", "reported": "1016"},
    {"parameters": "k=10,rule=a", "metric": "wall_s", "reported": "81"},
    {"parameters": "k=10,rule=c", "metric": "classes", "reported": "9"},
]
SCORES = pd.DataFrame(
    [
        ("x", "m", f"k=10,rule={rule}", str(repeat), metric, value, "ok")
        for rule, found in {"a": (1.41886, 1017.0), "b": (1.41194, 1022.0)}.items()
        for repeat in range(2)
        for metric, value in (("class_size_normalised", found[0]), ("classes", found[1]), ("wall_s", 0.5 + repeat))
    ],
    columns=["log", "mechanism", "parameters", "repeat", "metric", "value", "status"],
)


@pytest.fixture
def claims(tmp_path):
    with (tmp_path / "claims.csv").open("w", newline="") as file:
        lines = csv.DictWriter(file, COLUMNS, restval="")
        lines.writeheader()
        for place, line in enumerate(CLAIMED):
            lines.writerow({"id": str(place), "source": "S", "log": "x", "mechanism": "m", "kind": "value", **line})
    return tmp_path / "claims.csv"


def test_a_value_stands_beside_the_reported_one_with_its_decimals(claims):
    data, wide = reported_table(SCORES, read_reported(claims), {"x": "x†"})
    found = wide.drop(columns="Wall time").to_dict("index")
    assert wide["Wall time"].tolist() == ["1.00 ± 0.71 (81)", ""]
    assert found == {
        ("x†", "m a"): {"Mean class size / k": "1.42 (1.42)", "Classes": "1017 (1016)"},
        ("x†", "m b"): {"Mean class size / k": "1.41 (1.41)", "Classes": ""},
    }
    assert len(data) == 4
    assert data["mean"].tolist()[0] == 1.41886
    lines = " ".join(notes(SCORES, data, {"x": "x†"}))
    assert "Mean class size / k (1.42): as rounded." in lines
    assert "is by construction and confirms nothing" in lines
    assert "by construction" not in " ".join(notes(SCORES, data, {"x": "x"}))


def test_a_study_without_any_claimed_cell_is_refused(claims):
    with pytest.raises(SystemExit, match="none of the claims"):
        reported_table(SCORES.assign(log="y"), read_reported(claims), {"y": "y"})


def test_command_line(claims, tmp_path):
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "statistics.json").write_text('{"synthetic": true}')
    SCORES.to_csv(tmp_path / "scores.csv", index=False)
    out = [str(tmp_path / f"reported.{kind}") for kind in ("csv", "md", "tex")]
    given = [str(tmp_path / "scores.csv"), "--claims", str(claims), "--logs", str(folder / "statistics.json")]
    main([*given, "--title", "Study", "--out", *out])
    assert "1017 (1016)" in (tmp_path / "reported.md").read_text()


def test_numbers_of_the_study_of_access_logs_are_never_called_reproduced_on_a_log_made_for_them():
    claims = read_claims([ROOT / "config/claims/relational.csv"])
    comparable = [claim for claim in claims if not claim.unlike]
    assert {claim.kind for claim in comparable if claim.metric != "wall_s"} == {"order"}
    # Which every table shows: the second boundary never takes a class away.
    assert {claim.than for claim in comparable if claim.kind == "order"} == {"rule=lhs"}
