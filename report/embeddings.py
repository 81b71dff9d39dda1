"""The table of the internal measures of the activity embeddings, which come before any sanitisation.

`python -m report.embeddings results/embeddings/LOG/seed=1_measures.json... --logs statistics.json...
--out embeddings.csv embeddings.md embeddings.tex`
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from report.arguments import study_parser
from report.summary import log_names, number_text, read_statistics, with_synthetic
from report.write import absent_note, synthetic_note, write_tables

DISTANCES = {"mean": "mean distance", "std": "its standard deviation"}
SHARE = "median_follower_share_"  # and of how many followers
NOTES = [
    "Distances of all ordered pairs of activities, each with itself too; mean ± standard deviation over the seeds of "
    "the embedding.",
    "Top followers: of each activity, the share of what directly follows it that its most frequent followers make up; "
    "median over the activities.",
]


def read_measures(paths: Iterable[str | Path]) -> pd.DataFrame:
    """One line a log and seed; the log is the folder's name."""
    return pd.DataFrame([{"log": path.parent.name, **json.loads(path.read_text())} for path in map(Path, paths)])


def measure_table(measures: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """The printed table: a row a log; distances over its seeds, and shares, which do not depend on the seed."""
    logs = measures.groupby("log", sort=False)
    printed = pd.DataFrame({"activities": logs["activities"].first().astype(str)})
    for name, title in DISTANCES.items():
        spread = logs[name].agg(["mean", "std"])
        printed[title] = [number_text(*line) for line in spread.to_numpy()]
    for name in (column for column in measures if column.startswith(SHARE)):
        shares = logs[name].first().map("{:.3f}".format, na_action="ignore")
        printed[f"top {name.removeprefix(SHARE)} followers"] = shares.fillna("–")
    return printed.rename(index=names)


def few_epochs(measures: pd.DataFrame, names: dict[str, str]) -> list[str]:
    """Which logs the embedding was trained on for fewer epochs than on others."""
    if "epochs" not in measures:
        return []
    epochs = measures.groupby("log", sort=False)["epochs"].min()
    fewer = epochs[epochs < epochs.max()]
    return [f"{names[log]}: trained for {count} epochs only, as the log is large." for log, count in fewer.items()]


def main() -> None:
    """The command line."""
    parser = study_parser(__doc__)
    parser.add_argument("measures", nargs="+", help="what was measured of each embedding")
    options = parser.parse_args()
    names = log_names(read_statistics(options.logs))
    data = read_measures(options.measures)
    notes = NOTES + few_epochs(data, names) + synthetic_note(names) + absent_note(options.absent)
    write_tables(
        options.out, with_synthetic(data, names), measure_table(data, names), f"{options.title}: Embeddings", notes
    )


if __name__ == "__main__":
    main()
