"""The table of the epsilons that Amun estimates on every log: mean, minimum and maximum by delta.

`python -m report.epsilons results/epsilons/LOG/delta=0.3,profile=code.json... --logs statistics.json... --out e.csv`
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from report.arguments import study_parser
from report.summary import log_names, read_statistics, with_synthetic
from report.write import absent_note, synthetic_note, write_tables

SPREAD = ("mean", "minimum", "maximum")
NOTES = [
    "Nominal epsilons, computed from private data: eps_d for the control flow, the others for the times of events.",
    "All cases: modes oversampling and sampling. Filtered: mode filtering, of the cases that its filter leaves.",
]


def read_epsilons(paths: Iterable[str | Path]) -> pd.DataFrame:
    """One line a log, profile, delta and filter setting; the log is the folder's name."""
    lines = []
    for path in map(Path, paths):
        content = json.loads(path.read_text())
        lines += [{"log": path.parent.name, "profile": content["profile"], **line} for line in content["epsilons"]]
    return pd.DataFrame(lines)


def epsilon_table(epsilons: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """The printed table: log, profile and delta down; eps_d, and the spread with and without the filter, across."""
    keys = ["log", "profile", "delta"]
    alone = epsilons[~epsilons["filtered"]].set_index(keys)
    filtered = epsilons[epsilons["filtered"]].set_index(keys)
    printed = pd.DataFrame({"eps_d": alone["eps_d"].map(_text)})
    for title, part in (("all cases", alone), ("filtered", filtered)):
        for name in SPREAD:
            printed[f"{name}, {title}"] = part[name].map(_text)
    printed["cases filtered"] = filtered["cases_filtered"].astype(str)
    return printed.rename(index=names, level="log").rename(index=str, level="delta")


def _text(value: float) -> str:
    return "none left" if pd.isna(value) else f"{value:.3f}"


def main() -> None:
    """The command line."""
    parser = study_parser(__doc__)
    parser.add_argument("epsilons", nargs="+", help="what mechanisms.amun.epsilons wrote for each log")
    options = parser.parse_args()
    names = log_names(read_statistics(options.logs))
    data = read_epsilons(options.epsilons)
    notes = NOTES + synthetic_note(names) + absent_note(options.absent)
    write_tables(
        options.out, with_synthetic(data, names), epsilon_table(data, names), f"{options.title}: Epsilons", notes
    )


if __name__ == "__main__":
    main()
