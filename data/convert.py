"""Convert a raw log to the canonical log and its statistics.

`python -m data.convert raw.xes.gz log.parquet statistics.json --dataset sepsis --lifecycle all`
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from data.datasets import STATISTICS, Dataset, DatasetError, dataset, digest
from data.files import write_json
from data.io import LogError, read_log, write_log
from data.log import EventLog
from data.xes import LIFECYCLE, import_xes


def convert(source: Path, target: Path, about: Dataset | None = None) -> dict[str, object]:
    """Convert a raw log.

    Further attributes of the events are left out, and with them the lifecycle once it has been used.

    Parameters
    ----------
    source : path
        An event log of any kind that `read_log` reads.
    target : path
        The canonical log to write.
    about : Dataset, optional
        Which events to keep, and what the statistics say of the source.

    Returns
    -------
    dict
        The statistics of the log, as `describe` gives them.

    Raises
    ------
    LogError
        If the file cannot be read or no event is left.
    """
    about = about or Dataset(source.name)
    if source.name.lower().endswith((".xes", ".xes.gz")):
        whole, counters = import_xes(source)
    else:
        whole, counters = read_log(source), {}
    if not whole.n_events:
        raise LogError(f"{source}: the log holds no event; fetch or export it again")
    log = replace(whole, attributes={})
    if about.lifecycle == "complete":
        log = complete_events(whole, source)
        counters["events_not_complete"] = whole.n_events - log.n_events
        counters["cases_without_complete_event"] = whole.n_cases - log.n_cases
    write_log(log, target)
    return {
        "log": about.key,
        "title": about.title,
        "doi": about.doi,
        "licence": about.licence,
        "page": about.page,
        "synthetic": bool(about.synthetic),
        "file": source.name,
        "sha256": digest(source, "sha256"),
        "lifecycle": about.lifecycle,
        **describe(log),
        "import": counters,
        "published": comparison(about, describe(whole), describe(log)),
    }


def complete_events(log: EventLog, source: Path) -> EventLog:
    """The events that complete an activity: lifecycle transition ``complete`` in whatever case, or none at all.

    Raises
    ------
    LogError
        If there are none.
    """
    transitions = log.attributes.get(LIFECYCLE)
    if transitions is None:
        return replace(log, attributes={})
    kinds = dict.fromkeys(transitions.tolist())
    wanted = {kind for kind in kinds if kind is None or kind.lower() == "complete"}
    keep = np.fromiter((kind in wanted for kind in transitions.tolist()), dtype=bool, count=log.n_events)
    if not keep.any():
        raise LogError(
            f"{source}: lifecycle `complete` keeps no event, as the transitions are {', '.join(kinds)}; "
            f"use lifecycle `all` for this log"
        )
    case_codes = log.case_of_event[keep]
    present, case_codes = np.unique(case_codes, return_inverse=True)
    return EventLog.from_codes(
        case_codes,
        [log.case_ids[case] for case in present],
        log.activities[keep],
        log.labels,
        log.timestamps[keep],
        {},
    )


def describe(log: EventLog) -> dict[str, object]:
    """Size and span of a log: counts, events of a case (min, mean, max), first and last time in UTC."""
    span = np.array([log.timestamps.min(), log.timestamps.max()]).astype("datetime64[us]")
    return {
        "cases": log.n_cases,
        "events": log.n_events,
        "activities": len(np.unique(log.activities)),
        "variants": len(log.variants),
        "min_len": int(log.lengths.min()),
        "mean_len": float(log.lengths.mean()),
        "max_len": int(log.lengths.max()),
        "first": f"{span[0]}+00:00",
        "last": f"{span[1]}+00:00",
    }


def comparison(about: Dataset, whole: dict, kept: dict) -> dict[str, dict[str, object]]:
    """The published statistics beside those of the whole file and of the events kept.

    They are equal if either is, to the digits printed: some publishers count all events, some the complete ones.
    """
    compared = {}
    for name in STATISTICS:
        if printed := getattr(about, name):
            digits = len(printed.partition(".")[2])
            equal = any(f"{found[name]:.{digits}f}" == printed for found in (whole, kept))
            compared[name] = {"published": printed, "found": whole[name], "kept": kept[name], "equal": equal}
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description="Convert a raw log to the canonical log and its statistics.")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path, help="the canonical log, .parquet")
    parser.add_argument("statistics", type=Path, help="the statistics, .json")
    parser.add_argument("--dataset", required=True, help="key in config/datasets.csv, or a name of your own")
    parser.add_argument("--title", help="title of a dataset of your own")
    parser.add_argument("--lifecycle", choices=("all", "complete"), help="events to keep (default: as the table says)")
    options = parser.parse_args()
    own = {"title": options.title, "lifecycle": options.lifecycle}
    own = {name: value for name, value in own.items() if value}
    try:
        statistics = convert(options.source, options.target, dataset(options.dataset, {options.dataset: own}))
    except (LogError, DatasetError) as error:
        sys.exit(str(error))
    write_json(statistics, options.statistics)


if __name__ == "__main__":
    main()
