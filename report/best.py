"""The best value of a parameter, kept alone: what a study does that tries several values and reports the best one.

`python -m report.best scores.csv --parameter pruning --metric emd_variants --out best.csv chosen.csv`

The choice looks at the private log, so no guarantee of a mechanism covers it.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from data.files import replacing
from mechanisms.cells import parse
from report.summary import badness, metric_of, read_scores, summarise

BEST = "best"  # stands for the value that was chosen


def keep_best(scores: pd.DataFrame, parameter: str, metric: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The scores with one value of a parameter for each log and setting of the others, and which value that is.

    The best mean over the repeats wins, the first one of several; a value of which some run has no score is chosen
    only if every value has such runs.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    parameter : str
        Cells of mechanisms without it are kept as they are.
    metric : str
        Name of the metric that decides.

    Returns
    -------
    scores : frame
        As given, with ``parameter=best`` in place of the chosen value.
    chosen : frame
        Columns log, mechanism, parameters (with `best`), parameter, value, metric, mean, tried (each value and what
        came of it, like ``0.5%: 117.44 ± 0.24; 5%: EMPTY``).
    """
    cells = summarise(scores, metric_of(metric), ())
    cells = cells[[parameter in parse(parameters) for parameters in cells["parameters"]]]
    cells = cells.assign(
        value=[parse(parameters)[parameter] for parameters in cells["parameters"]],
        shown=[_with_best(parameters, parameter) for parameters in cells["parameters"]],
        failed=(cells["statuses"] != "").astype(int),
        badness=badness(cells["mean"], metric_of(metric)).fillna(np.inf),
    )
    cells["outcome"] = cells["value"] + ": " + cells["text"]
    groups = cells.groupby(["log", "mechanism", "shown"], sort=False)
    first = cells.sort_values(["failed", "badness"], kind="stable").drop_duplicates(["log", "mechanism", "shown"])
    first = first.assign(
        parameter=parameter, metric=metric, tried=groups["outcome"].transform("; ".join).loc[first.index]
    ).sort_index()
    places = pd.MultiIndex.from_frame(scores[["log", "mechanism", "parameters"]])
    shown = first.set_index(["log", "mechanism", "parameters"])["shown"].reindex(places).to_numpy()
    whole = np.array([parameter not in parse(parameters) for parameters in scores["parameters"]])
    kept = scores.assign(parameters=np.where(whole, scores["parameters"], shown))[whole | pd.notna(shown)]
    columns = ["log", "mechanism", "shown", "parameter", "value", "metric", "mean", "tried"]
    return kept, first[columns].rename(columns={"shown": "parameters"})


def _with_best(parameters: str, parameter: str) -> str:
    return ",".join(f"{name}={BEST if name == parameter else value}" for name, value in parse(parameters).items())


def best_note(scores: pd.DataFrame) -> list[str]:
    """The sentence that says that values were chosen, for a table of scores from `keep_best`."""
    names = {
        name
        for parameters in scores["parameters"].unique()
        for name, value in parse(parameters).items()
        if value == BEST
    }
    return [
        f"{name}=best: chosen for each cell by its score on the private log (chosen.csv); no epsilon covers that."
        for name in sorted(names)
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", help="the score table of an experiment")
    parser.add_argument("--parameter", required=True, help="of which one value is kept")
    parser.add_argument("--metric", required=True, help="that decides")
    parser.add_argument("--out", nargs=2, required=True, help="the scores that are kept, and what was chosen")
    options = parser.parse_args()
    frames = keep_best(read_scores(options.scores), options.parameter, options.metric)
    for frame, path in zip(frames, options.out, strict=True):
        with replacing(path) as temporary:
            frame.to_csv(temporary, index=False)


if __name__ == "__main__":
    main()
