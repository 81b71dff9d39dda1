"""The table that describes the logs or relations of a study, with the published numbers where they differ.

`python -m report.logs --logs statistics.json... --title Study --out logs.csv logs.md logs.tex`
"""

from __future__ import annotations

import pandas as pd

from report.arguments import study_parser
from report.summary import log_names, read_statistics
from report.write import absent_note, synthetic_note, write_tables

COLUMNS = {
    "cases": "cases",
    "events": "events",
    "activities": "activities",
    "variants": "variants",
    "mean_variant_cases": "mean cases a variant",
    "max_variant_cases": "most cases a variant",
    "min_len": "shortest",
    "mean_len": "mean length",
    "max_len": "longest",
    "first": "first event",
    "last": "last event",
}
RELATION = {"rows": "rows", "columns": "columns"}


def of_relations(statistics: dict[str, dict]) -> bool:
    """Whether the study is of tables of rows; the logs of a study are of one kind."""
    return any(entry.get("kind") == "relation" for entry in statistics.values())


def describe(statistics: dict[str, dict]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The statistics of logs, with numbers in full and as printed.

    Parameters
    ----------
    statistics : dict
        Statistics by log key, as `data.convert` writes them.
    """
    columns = RELATION if of_relations(statistics) else COLUMNS
    data = pd.DataFrame(
        [
            {"log": key, "synthetic": entry["synthetic"]}
            | {name: entry[name] for name in ("lifecycle", *columns) if name in entry}
            | {f"published_{name}": known["published"] for name, known in entry["published"].items()}
            for key, entry in statistics.items()
        ]
    )
    printed = pd.DataFrame(
        [{title: _text(entry, name) for name, title in columns.items()} for entry in statistics.values()],
        index=pd.Index(log_names(statistics).values(), name="log"),
    )
    return data, printed


def _text(entry: dict, name: str) -> str:
    """A statistic as printed, followed by the published one if they differ."""
    value = entry[name]
    if isinstance(value, dict):
        return ", ".join(f"{column} ({facts['kind']}, {facts['distinct']} distinct)" for column, facts in value.items())
    text = value[:10] if isinstance(value, str) else f"{value:.2f}" if isinstance(value, float) else str(value)
    published = entry["published"].get(name)
    return text if published is None or published["equal"] else f"{text} (published: {published['published']})"


def notes(statistics: dict[str, dict]) -> list[str]:
    """The sentences below the table."""
    lines = [] if of_relations(statistics) else ["Lengths are events of a case; times in UTC."]
    complete = [key for key, entry in statistics.items() if entry["import"].get("events_not_complete")]
    if complete:
        lines.append(f"Only events that complete an activity are kept in: {', '.join(complete)}.")
    counted = [f"{key}: {changes}" for key, entry in statistics.items() if (changes := _changes(entry["import"]))]
    if counted:
        lines.append(f"Counted on import: {'; '.join(counted)}.")
    return lines + synthetic_note(log_names(statistics))


def _changes(counters: dict[str, int | None]) -> str:
    """What the import dropped, changed or found odd, like ``traces empty 2``."""
    plain = ("traces", "events", "rows", "traces_declared", "events_declared")
    odd = {name: count for name, count in counters.items() if count and name not in plain}
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in odd.items())


def main() -> None:
    """The command line."""
    options = study_parser(__doc__).parse_args()
    statistics = read_statistics(options.logs)
    data, printed = describe(statistics)
    lines = notes(statistics) + absent_note(options.absent)
    kind = "Tables" if of_relations(statistics) else "Event logs"
    write_tables(options.out, data, printed, f"{options.title}: {kind}", lines)


if __name__ == "__main__":
    main()
