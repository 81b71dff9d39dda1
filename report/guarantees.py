"""The main table: utility beside what is claimed, what that adds up to, what an audit found, and how attacks fared.

`python -m report.guarantees scores.csv --logs statistics.json... --out guarantees.csv guarantees.md guarantees.tex`
"""

from __future__ import annotations

import math
from collections import Counter

import pandas as pd

from metrics.metric import Metric
from metrics.registry import declarations
from report.arguments import attacks_parser
from report.attack_records import CELL, with_games
from report.attacks import NONE, advantage_text, attack_notes, closing_notes, read_study, share
from report.audit import number
from report.privacy import privacy_cells, privacy_notes
from report.summary import cell_text, method_labels, with_synthetic
from report.utility import ARROWS
from report.write import absent_note, write_tables

UTILITY = ("emd_variants", "dfg_tv", "cycle_time_w1")
CLASSES = ("prefix_k_min", "variant_k_min")
# Headings, and the attacks that stand below, one beside the other where both were tried.
ATTACKS = {
    "A1 presence": ("presence_game", "presence"),
    "A2 duration, less δ": ("duration_10min",),
    "A3 exact times / A4 decoding, rate": ("gaps", "decoded"),
    "A6 background": ("linkage_sequence",),
}
RATES = ("gaps", "decoded")  # of which success is shown, and not what it is beyond a guess


def ordered(scores: pd.DataFrame, findings: pd.DataFrame | None) -> pd.DataFrame:
    """The cells with their privacy, log by log, the least composed or audited epsilon first; never by the claim.

    Cells without a claim stand below.
    """
    cells = privacy_cells(scores, findings).reset_index()
    place = {log: place for place, log in enumerate(dict.fromkeys(scores["log"]))}
    keys = cells.assign(place=cells["log"].map(place), without=cells["claimed"].isna())
    return cells.loc[keys.sort_values(["place", "without", "audited"], kind="stable").index]


def guarantee_table(
    scores: pd.DataFrame, findings: pd.DataFrame | None, names: dict[str, str], records: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table with numbers in full, and as printed.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    findings : frame or None
        The audit.
    names : printed name of each log
    records : frame
        From `report.attack_records.attack_records`.
    """
    cells = ordered(scores, findings)
    labels = method_labels(scores, ())
    known = set(scores["metric"])
    utility = [declarations()[name] for name in UTILITY if name in known]
    values = {name: dict(tuple(scores[scores["metric"] == name].groupby(CELL))) for name in (*UTILITY, *CLASSES)}
    shown = with_games(records) if len(records) else records
    of_cell = {
        (record.log, record.mechanism, record.parameters, record.attack): record for record in shown.itertuples()
    }
    lines, data = [], []
    for cell in cells.itertuples(index=False):
        key = (cell.log, cell.mechanism, cell.parameters)
        own = {name: of_cell.get((*key, name)) for attacks in ATTACKS.values() for name in attacks}
        lines.append(
            {
                "log": names[cell.log],
                "method": labels[cell.mechanism, cell.parameters],
                **{f"{m.title} {ARROWS[m.direction]}": _utility(values[m.name].get(key)) for m in utility},
                "claimed ε": number(cell.claimed),
                "composed ε": number(cell.composed),
                "audited ε": cell.bound,
                "verdict": cell.verdict,
                **{head: _advantages([own[name] for name in group]) for head, group in ATTACKS.items()},
                "k prefix / variant": " / ".join(_least(values[name].get(key)) for name in CLASSES),
                "flags": cell.flags,
            }
        )
        data.append(cell._asdict() | _numbers(utility, values, own, key))
    heads = _headings(records, names)
    wide = pd.DataFrame(lines).set_index(["log", "method"]).rename(columns=heads)
    return with_synthetic(pd.DataFrame(data), names), wide


def _numbers(utility: list[Metric], values: dict, own: dict, key: tuple) -> dict[str, float]:
    """Numbers in full of one cell: utility, and each advantage with its interval and its claimed limit."""
    means = {m.name: values[m.name][key]["value"].mean() if key in values[m.name] else math.nan for m in utility}
    parts = ("advantage", "low", "high", "limit", "exceeded")
    gained = {f"{name}_{part}": getattr(own[name], part, math.nan) for name in own for part in parts}
    return means | gained


def _utility(runs: pd.DataFrame | None) -> str:
    if runs is None:
        return NONE
    return cell_text(runs["value"].dropna(), Counter(runs.loc[runs["value"].isna(), "status"]))


def _advantages(records: list) -> str:
    """The advantages of the attacks that were tried, beside each other."""
    return " / ".join(_advantage(record) for record in records if record is not None) or NONE


def _advantage(record) -> str:
    """An advantage as printed, less the delta that limits it if one is claimed; or a rate."""
    if record.attack in RATES and record.seeds:
        return share(record.success)
    text = advantage_text(record)
    if not record.claim.startswith("δ") or not record.seeds:
        return text
    return f"{record.advantage - record.limit:+.3f} ({text} − {record.limit:g})"


def _least(runs: pd.DataFrame | None) -> str:
    if runs is None or runs["value"].isna().all():
        return NONE
    return f"{runs['value'].min():.0f}"


def _headings(records: pd.DataFrame, names: dict[str, str]) -> dict[str, str]:
    """The headings of the attacks, with the numbers of seeds and of targets of each log."""
    heads = {}
    for head, group in ATTACKS.items():
        own = records[records["attack"].isin(group) & (records["seeds"] > 0)] if len(records) else records
        if len(own):
            targets = own.groupby("log", sort=False)["targets"].max().dropna()
            counted = ", ".join(f"{names[log]} {count:.0f}" for log, count in targets.items())
            seeds = f"{own['seeds'].max()} seeds"
            heads[head] = f"{head} ({seeds}; targets: {counted})" if counted else f"{head} ({seeds})"
    return heads


def notes(
    scores: pd.DataFrame, records: pd.DataFrame, names: dict[str, str], findings: pd.DataFrame | None
) -> list[str]:
    """The sentences below the table."""
    statuses = set(scores.loc[scores["metric"].isin([*UTILITY, *CLASSES]), "status"]) - {"n/a"}
    wanted = [name for group in ATTACKS.values() for name in group]
    shown = records[records["attack"].isin(wanted)] if len(records) else records
    units = [f"{m.title} in {m.unit}" for m in map(declarations().get, UTILITY) if m.unit]
    return [
        f"{'; '.join(units)}. ↓ lower is better.",
        "Sorted by composed or audited epsilon, never by what is claimed; without a claim below.",
        *privacy_notes(scores, findings),
        *(attack_notes(shown) if len(shown) else ()),
        "A2: less the δ that Amun claims as the largest advantage. k: the fewest released cases that share a prefix, "
        "or a whole trace.",
        "Profiles code and published: as published in the code; paper: as printed. A paper's claim concerns its text, "
        "we test the release.",
        *closing_notes(scores, statuses, names),
    ]


def main() -> None:
    """The command line."""
    options = attacks_parser(__doc__).parse_args()
    scores, names, findings, records = read_study(options)
    data, wide = guarantee_table(scores, findings, names, records)
    lines = notes(scores, records, names, findings) + absent_note(options.absent)
    write_tables(options.out, data, wide, f"{options.title}: Utility and guarantees", lines)


if __name__ == "__main__":
    main()
