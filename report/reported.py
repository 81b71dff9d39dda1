"""The table of a study's settings: what the runs give, beside what the source reports.

`python -m report.reported scores.csv --claims claims.csv --logs statistics.json... --out table.csv table.md table.tex`

The reported values are the claims of kind `value` in a file of claims, those of the cells that were scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from metrics.metric import Metric
from metrics.registry import declarations
from report.arguments import scores_parser
from report.claims import read_claims
from report.privacy import privacy_lines, read_audit
from report.summary import fixed_parameters, log_names, read_scores, read_statistics, summarise, with_synthetic
from report.table import timing_notes
from report.write import absent_note, synthetic_note, write_tables

CELL = ["log", "mechanism", "parameters"]
NOTES = ["Found (reported). Reported is what the source says of its own data, as it prints it."]
MADE_FOR_IT = (
    "The synthetic log was made, and its seed chosen, such that about these values come out: that they agree is by "
    "construction and confirms nothing."
)


def read_reported(path: str | Path) -> pd.DataFrame:
    """The claims of kind `value`: log, mechanism, parameters, metric, the reported value as printed, and the note."""
    values = [vars(claim) for claim in read_claims([path]) if claim.kind == "value"]
    return pd.DataFrame(values, columns=[*CELL, "metric", "reported", "note"])


def reported_table(
    scores: pd.DataFrame, reported: pd.DataFrame, names: dict[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The data and the printed table: settings down, metrics across, in the order of the claims.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    reported : frame
        From `read_reported`.
    names : printed name of each log
    """
    declared = declarations()
    wanted = [declared[name] for name in dict.fromkeys(reported["metric"]) if name in declared]
    summaries = [summarise(scores, metric, []).assign(metric=metric.name) for metric in wanted]
    data = reported.merge(pd.concat(summaries), on=[*CELL, "metric"], how="inner")
    if data.empty:
        raise SystemExit("none of the claims is of a cell and a metric that were scored")
    titles = {metric.name: metric.title for metric in wanted}
    texts = [_text(line, declared[line.metric]) for line in data.itertuples()]
    printed = data.assign(text=texts, log=data["log"].map(names), title=data["metric"].map(titles))
    rows, columns = ["log", "method"], list(dict.fromkeys(printed["title"]))
    order = pd.MultiIndex.from_frame(printed[rows].drop_duplicates())
    wide = printed.pivot(index=rows, columns="title", values="text").reindex(index=order, columns=columns).fillna("")
    kept = data[[*CELL, "method", "metric", "reported", "mean", "sd", "n", "statuses", "note"]]
    return with_synthetic(kept, names), wide


def _text(line: NamedTuple, metric: Metric) -> str:
    """A value beside the reported one; if it is the same in every repeat, with as many decimals as that."""
    exact = not line.statuses and not line.sd > 0 and metric.unit != "s"
    digits = len(line.reported.partition(".")[2])
    return f"{f'{line.mean:.{digits}f}' if exact else line.text} ({line.reported})"


def notes(scores: pd.DataFrame, data: pd.DataFrame, names: dict[str, str]) -> list[str]:
    """The sentences below the table, whose data are given."""
    declared, synthetic = declarations(), synthetic_note(names)
    said: dict[str, dict[str, None]] = {}
    for line in data[data["note"] != ""].itertuples():
        said.setdefault(line.note, {})[f"{declared[line.metric].title} ({line.reported})"] = None
    return [
        *NOTES,
        *(f"{', '.join(values)}: {note}." for note, values in said.items()),
        *fixed_parameters(scores),
        *(timing_notes(scores) if any(declared[name].unit == "s" for name in data["metric"]) else []),
        *synthetic,
        *([MADE_FOR_IT] if synthetic else []),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = scores_parser(__doc__)
    parser.add_argument("--claims", required=True, help="the file of what is reported")
    options = parser.parse_args(arguments)
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    data, wide = reported_table(scores, read_reported(options.claims), names)
    lines = notes(scores, data, names) + privacy_lines(scores, read_audit(options.audit)) + absent_note(options.absent)
    write_tables(options.out, data, wide, f"{options.title}: as reported", lines)


if __name__ == "__main__":
    main()
