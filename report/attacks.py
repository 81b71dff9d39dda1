"""The table of attacks: how far each one gets with the releases of a method, beside what the method claims.

`python -m report.attacks scores.csv --logs statistics.json... --out attacks.csv attacks.md attacks.tex`
"""

from __future__ import annotations

import pandas as pd

from metrics.metric import Metric
from metrics.registry import declarations
from report.arguments import scores_parser
from report.best import best_note
from report.privacy import privacy_notes, read_audit
from report.summary import log_names, read_scores, read_statistics
from report.table import STATUSES
from report.utility import utility_table
from report.write import absent_note, synthetic_note, write_tables

ADVANTAGE = "_advantage"
CLASSES = ("prefix_k_min", "variant_k_min")


def shown(scores: pd.DataFrame) -> list[Metric]:
    """The advantages of all attacks that were tried, and the sizes of the smallest classes."""
    tried = set(scores["metric"])
    return [m for m in declarations().values() if m.name in tried and (is_advantage(m) or m.name in CLASSES)]


def is_advantage(metric: Metric) -> bool:
    """Whether a metric tells what an attacker has gained."""
    return metric.group == "attack" and ADVANTAGE in metric.name


def notes(scores: pd.DataFrame, metrics: list[Metric], names: dict[str, str]) -> list[str]:
    """The sentences below the table."""
    statuses = set(scores.loc[scores["metric"].isin([metric.name for metric in metrics]), "status"])
    return [
        f"Advantage: share of targets that the attacker gets right beyond what he would without the release, mean ± "
        f"standard deviation over {scores['repeat'].nunique()} repeats; 0 is no gain, 1 is all. Each is measured for "
        "one attacker: a better one may gain more. A log with few targets says little.",
        "A release of epsilon-differential privacy allows an advantage on presence of tanh(ε/2): 0.46 at 1, 0.76 at 2.",
        *privacy_notes(scores),
        *(f"{status}: {meaning}." for status, meaning in STATUSES.items() if status in statuses),
        *best_note(scores),
        *synthetic_note(names),
    ]


def main() -> None:
    """The command line."""
    options = scores_parser(__doc__).parse_args()
    scores = read_scores(options.scores)
    names = log_names(read_statistics(options.logs))
    metrics = shown(scores)
    data, wide, best = utility_table(scores, metrics, names, options.rows, read_audit(options.audit))
    lines = notes(scores, metrics, names) + absent_note(options.absent)
    write_tables(options.out, data, wide, f"{options.title}: Attacks", lines, best)


if __name__ == "__main__":
    main()
