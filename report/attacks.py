"""The table of attacks: what each one gained with the releases of a method, beside its controls and what is claimed.

`python -m report.attacks scores.csv --logs statistics.json... --out attacks.csv attacks.md attacks.tex`
"""

from __future__ import annotations

import argparse
import math

import pandas as pd

from report.arguments import attacks_parser
from report.attack_records import attack_records, read_games
from report.best import best_note
from report.intervals import OVER_TARGETS
from report.privacy import privacy_notes, read_audit
from report.summary import log_names, method_labels, read_scores, read_statistics, with_synthetic
from report.table import STATUSES
from report.write import absent_note, synthetic_note, write_tables

NOT_APPLICABLE, NONE = "N.A.", "–"
ROUNDING = 1e-9
KNOWN_LOGS = "The logs are public, so no person is harmed by these figures."


def attack_table(scores: pd.DataFrame, records: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """The records as printed; attacks that nothing on a log is a target of are left out.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    records : frame
        From `report.attack_records.attack_records`.
    names : printed name of each log
    """
    columns = ["log", "method", "attack", *COLUMNS]
    if not len(records):
        return pd.DataFrame(columns=columns).set_index(columns[:3])
    labels = method_labels(scores, ())
    some = records.groupby(["log", "attack"])["seeds"].transform("sum") > 0
    lines = [
        {
            "log": names[record.log],
            "method": labels[record.mechanism, record.parameters],
            "attack": record.title,
            **{column: text(record) for column, text in COLUMNS.items()},
        }
        for record in records[some].itertuples()
    ]
    return pd.DataFrame(lines, columns=columns).set_index(columns[:3])


def share(value: float) -> str:
    """As printed; a share that is not known is not applicable."""
    return NOT_APPLICABLE if math.isnan(value) else f"{round(value, 3) + 0.0:.3f}"  # no -0.000


def outward(low: float, high: float) -> str:
    """An interval as printed, rounded so that it holds what it held; empty if there is none."""
    if math.isnan(low):
        return ""
    down, up = math.floor(low * 100 + ROUNDING) / 100, math.ceil(high * 100 - ROUNDING) / 100
    return f" [{down:.2f}, {up:.2f}]"


def advantage_text(record) -> str:
    """An advantage with its interval; marked where the interval takes targets as independent."""
    if not record.seeds:
        return ", ".join(record.statuses.split()).replace("n/a", NOT_APPLICABLE)
    mark = "*" if record.interval == OVER_TARGETS else ""
    return share(record.advantage) + outward(record.low, record.high) + mark


def _limit(record) -> str:
    if not record.claim:
        return NONE
    composed = "" if math.isnan(record.composed_limit) else f"; composed {upward(record.composed_limit)}"
    return f"{record.claim}: {upward(record.limit)}{composed}"


def upward(value: float) -> str:
    """A limit as printed, rounded up, so that nothing exceeds it by rounding."""
    return NONE if math.isnan(value) else f"{math.ceil(value * 1000 - ROUNDING) / 1000:.3f}"


def _verdict(record) -> str:
    if not record.claim or math.isnan(record.low):
        return NONE
    return "exceeded" if record.exceeded else "not exceeded"


COLUMNS = {
    "targets": lambda record: NOT_APPLICABLE if math.isnan(record.targets) else f"{record.targets:.0f}",
    "answered": lambda record: share(record.coverage),
    "left out": lambda record: NONE if math.isnan(record.suppressed) else share(record.suppressed),
    "prior": lambda record: share(record.prior),
    "success": lambda record: share(record.success),
    "advantage": advantage_text,
    "seeds": lambda record: str(record.seeds),
    "identity": lambda record: share(record.identity),
    "shuffle": lambda record: share(record.shuffle),
    "claimed limit": _limit,
    "against it": _verdict,
}


def attack_notes(records: pd.DataFrame) -> list[str]:
    """The sentences that explain attacks."""
    adversaries = dict.fromkeys(
        f"{record.title}: this adversary {record.adversary}." for record in records[records["seeds"] > 0].itertuples()
    )
    return [
        "Prior and success: shares of the targets that the adversary gets right without and with the release; the "
        "advantage, which we measured, is their difference, with its 95 % interval over the seeds (*: "
        f"{OVER_TARGETS}). Another adversary may gain more. Few targets say little.",
        "Answered: the share of targets on which the adversary answers; left out: that which the release leaves out, "
        "which counts as not found. Identity, shuffle: the advantage of the same attack where it must succeed and "
        "where it must fail.",
        "Claimed limit, of the advantage: tanh(ε/2) + δ for presence in a release of (ε, δ)-differential privacy; "
        "Amun's δ for a guess; for who knows a prefix that k cases share, 1/k less the prior.",
        "At least the advantage of presence is not all: the true epsilon may be more than it shows, so see the audit.",
        KNOWN_LOGS,
        *adversaries,
    ]


def clocks(scores: pd.DataFrame, names: dict[str, str]) -> list[str]:
    """The sentence on how fine the times of each log are: what a coarse clock lets coincide identifies nobody."""
    own = scores[(scores["metric"] == "gaps_clock") & (scores["mechanism"] == "identity")].dropna(subset="value")
    finest = own.groupby("log", sort=False)["value"].min()
    told = ", ".join(f"{names[log]} {seconds:g} s" for log, seconds in finest.items())
    return [f"Resolution of the times: {told}."] if told else []


def notes(
    scores: pd.DataFrame, records: pd.DataFrame, names: dict[str, str], findings: pd.DataFrame | None
) -> list[str]:
    """The sentences below the table."""
    statuses = set(" ".join(records["statuses"]).split()) if len(records) else set()
    return [
        *(attack_notes(records) if len(records) else ()),
        *clocks(scores, names),
        *privacy_notes(scores, findings),
        *closing_notes(scores, statuses - {"n/a"}, names),
    ]


def closing_notes(scores: pd.DataFrame, statuses: set[str], names: dict[str, str]) -> list[str]:
    """The sentences that end every table in which attacks stand; on the statuses shown, among others."""
    return [
        *(f"{status}: {meaning}." for status, meaning in STATUSES.items() if status in statuses),
        f"{NOT_APPLICABLE}: the attack has no targets, or its links are not told.",
        *best_note(scores),
        *synthetic_note(names),
    ]


def read_study(options: argparse.Namespace) -> tuple[pd.DataFrame, dict[str, str], pd.DataFrame | None, pd.DataFrame]:
    """What `attacks_parser` names, read: scores, printed names of the logs, findings, and the records of attacks."""
    scores, findings = read_scores(options.scores), read_audit(options.audit)
    records = attack_records(scores, findings, read_games(options.games))
    return scores, log_names(read_statistics(options.logs)), findings, records


def main() -> None:
    """The command line."""
    options = attacks_parser(__doc__).parse_args()
    scores, names, findings, records = read_study(options)
    data = with_synthetic(records, names) if len(records) else records
    lines = notes(scores, records, names, findings) + absent_note(options.absent)
    write_tables(options.out, data, attack_table(scores, records, names), f"{options.title}: Attacks", lines)


if __name__ == "__main__":
    main()
