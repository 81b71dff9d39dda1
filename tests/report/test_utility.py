"""The table of all utility metrics side by side."""

from __future__ import annotations

import pandas as pd

from metrics.metric import Metric
from report.utility import notes, utility_table

LOSS = Metric(name="loss", title="Loss", unit="h")
KEPT = Metric(name="kept", title="Kept", direction="higher")
STUDY = pd.DataFrame(
    [
        ("a", "x", "k=1,p=0", "0", "loss", 1.0, "ok"),
        ("a", "x", "k=2,p=0", "0", "loss", 2.0, "ok"),
        ("a", "x", "k=1,p=0", "0", "kept", 0.2, "ok"),
        ("a", "x", "k=2,p=0", "0", "kept", float("nan"), "TO"),
    ],
    columns=["log", "mechanism", "parameters", "repeat", "metric", "value", "status"],
)


def test_metrics_stand_across_and_each_has_its_best():
    data, wide, best = utility_table(STUDY, [LOSS, KEPT], {"a": "a†"}, ["k"], None)
    wide, best = wide[["Loss ↓", "Kept ↑"]], best[["Loss ↓", "Kept ↑"]]
    assert wide.index.tolist() == [("a†", "1", "x"), ("a†", "2", "x")]
    assert wide.to_dict("list") == {"Loss ↓": ["1.00", "2.00"], "Kept ↑": ["0.200", "TO"]}
    assert best.to_dict("list") == {"Loss ↓": [True, True], "Kept ↑": [True, False]}  # one method a row
    assert data[["synthetic", "metric"]].values.tolist() == [[True, "loss"]] * 2 + [[True, "kept"]] * 2


def test_the_notes_explain_units_statuses_and_the_dagger():
    lines = " ".join(notes(STUDY, [LOSS, KEPT], {"a": "a†"}))
    assert all(part in lines for part in ("Loss in h.", "TO: stopped", "synthetic", "1 repeats"))
