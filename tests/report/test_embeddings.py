"""The table of the internal measures of embeddings."""

from __future__ import annotations

import json

import pandas as pd

from report.embeddings import few_epochs, measure_table, read_measures


def test_distances_are_averaged_over_seeds_and_shares_are_as_they_are(tmp_path):
    paths = []
    for seed, mean in ((1, 0.84), (2, 0.86)):
        path = tmp_path / "receipt" / f"seed={seed}_measures.json"
        path.parent.mkdir(exist_ok=True)
        measured = {"activities": 27, "mean": mean, "std": 0.3, "seed": seed}
        path.write_text(json.dumps(measured | {"median_follower_share_1": 0.8275, "median_follower_share_2": None}))
        paths.append(path)
    table = measure_table(read_measures(paths), {"receipt": "receipt†"})
    assert table.loc["receipt†"].to_dict() == {
        "activities": "27",
        "mean distance": "0.850 ± 0.014",
        "its standard deviation": "0.300 ± 0.000",
        "top 1 followers": "0.828",
        "top 2 followers": "–",
    }


def test_logs_that_were_trained_less_are_named():
    measured = pd.DataFrame({"log": ["a", "a", "b"], "epochs": [1000, 1000, 40]})
    assert few_epochs(measured, {"a": "A", "b": "B"}) == ["B: trained for 40 epochs only, as the log is large."]
    assert few_epochs(measured[:2], {"a": "A"}) == []
