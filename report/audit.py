"""The table of the audit of differential privacy: what is claimed, what it adds up to, and what draws have shown.

`python -m report.audit audit.csv --out audit.csv audit.md audit.tex`
"""

from __future__ import annotations

import argparse
import math

import pandas as pd

from report.write import write_tables

TITLE = "Audit of differential privacy"
NONE = "–"
ERROR = 0.05  # of the verdict on a mechanism
VIOLATED = "violated"
SMALLEST = 1e-16  # p-value that is printed


def read_findings(path: str) -> pd.DataFrame:
    """The findings of `metrics.audit`; what is not claimed, or was not tested again, is missing."""
    texts = (
        "mechanism", "settings", "pair", "adjacency", "unit", "event", "verdict", "composed_verdict", "structural",
        "flags",
    )  # fmt: skip
    numbers = ("claimed", "composed", "delta_low", "p_value", "p_holm", "hits_again", "draws_again", "slope")
    return pd.read_csv(
        path, dtype=dict.fromkeys(texts, str), keep_default_na=False, na_values=dict.fromkeys(numbers, "")
    )


def audit_table(findings: pd.DataFrame) -> pd.DataFrame:
    """The findings as they are printed."""
    return pd.DataFrame(
        {
            "mechanism": findings["mechanism"],
            "settings": findings["settings"].str.replace(",", ", "),
            "pair": findings["pair"],
            "adjacency": findings["adjacency"],
            "draws": findings["draws"].astype(str),
            "told apart by": [event or NONE for event in findings["event"]],
            "hits": _of_events(findings, "hits"),
            "on the other": _of_events(findings, "hits_other"),
            "again": [_again(f) for f in findings.itertuples()],
            "claimed": [_claimed(f) for f in findings.itertuples()],
            "composed": [number(value) for value in findings["composed"]],
            "epsilon": [_bound(f) for f in findings.itertuples()],
            "delta": [f"≥ {at_least(value)}".replace(f"≥ {NONE}", NONE) for value in findings["delta_low"]],
            "cap": [at_least(value) for value in findings["largest"]],
            "p (Holm)": [_p_value(value) for value in findings["p_holm"]],
            "verdict": [_verdict(f) for f in findings.itertuples()],
        }
    ).set_index(["mechanism", "settings", "pair"])


def notes(findings: pd.DataFrame) -> list[str]:
    """The sentences below the table."""
    audited = findings[findings["p_holm"].notna()]
    mechanisms = len(audited.drop_duplicates(["mechanism", "settings"]))
    surprising = audited[audited["p_holm"] <= ERROR]
    reasons = sorted(set(findings["structural"]) - {""})
    return [
        "Epsilon: lower bound with confidence 95 %, for all pairs of a mechanism and its settings together. violated: "
        "the bound exceeds the claim, or what the mechanism itself adds up (composed). consistent: no violation found "
        "with these draws and events; it proves nothing. Delta: likewise, at the claimed epsilon; it decides where a "
        "delta is claimed. not testable: so few draws cannot contradict the claim, as no bound exceeds the cap.",
        "Half of the draws on either log choose the event, the other half tests it: hits on the log where it is "
        "likelier, and on the other. Bounds of different numbers of draws are not comparable.",
        f"By chance at most {ERROR * mechanisms:.2g} of these {mechanisms} mechanisms with their settings are called "
        f"violated although they keep their claim. p: of the claim, adjusted over all lines (Holm); {len(surprising)} "
        f"of {len(audited)} lines have at most {ERROR}, among which any is wrong with at most that probability.",
        "Z: the event has no hit on one log, and the bound grows with the draws. Again: hits among fresh draws there, "
        "four times as many as were tested; the slope is 1 if it never occurs, as the bound then rises by ln 4, and "
        "less the likelier it is. They enter no verdict. C: the bound is at the cap.",
        "One case more, one case replaced, one time changed: in what the logs of a pair differ. To replace a case is "
        "to take one and to add one, so claims for one case count twice. Whoever tells the logs apart knows all other "
        "cases, and all parameters.",
        *(f"No finite epsilon: {reason}." for reason in reasons),
        "Not covered: how floating-point numbers are represented, running times, and guessed seeds. The alphabet and "
        "all parameters are public, except for the pair alphabet of those that take theirs from the log.",
    ]


def number(value: float) -> str:
    """As printed."""
    return NONE if math.isnan(value) else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _claimed(finding) -> str:
    if math.isnan(finding.claimed):
        return NONE
    delta = f", δ {finding.delta:.0e}" if finding.delta else ""
    return f"{finding.claimed:.3g}{delta} ({finding.unit})"


def at_least(value: float) -> str:
    """As printed, rounded down, as it is a lower bound."""
    return NONE if math.isnan(value) else f"{math.floor(value * 100) / 100:.2f}"


def _verdict(finding) -> str:
    """Of what is claimed, what it adds up to, or both; and whether a reason of structure goes beyond the numbers."""
    named = {"claim": finding.verdict, "composed": finding.composed_verdict}
    failed = [name for name, verdict in named.items() if verdict == VIOLATED]
    text = f"violated ({', '.join(failed)})" if failed else finding.verdict
    return text + ("; no finite epsilon" if finding.structural else "")


def _of_events(findings: pd.DataFrame, column: str) -> list[str]:
    return [str(value) if event else NONE for value, event in zip(findings[column], findings["event"], strict=True)]


def _bound(finding) -> str:
    flags = f" [{finding.flags}]" if finding.flags else ""
    return f"≥ {at_least(finding.epsilon_low)}{flags}"


def _p_value(value: float) -> str:
    if math.isnan(value):
        return NONE
    return f"{value:.2g}" if value >= SMALLEST else f"< {SMALLEST:.0e}"


def _again(finding) -> str:
    if finding.attempts == 1:
        return NONE
    return f"{finding.hits_again:.0f} of {finding.draws_again:.0f}, slope {finding.slope:.2f}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("findings", help="of metrics.audit")
    parser.add_argument("--out", nargs="+", required=True, help="files to write; the suffix tells the format")
    options = parser.parse_args()
    findings = read_findings(options.findings)
    write_tables(options.out, findings, audit_table(findings), TITLE, notes(findings))


if __name__ == "__main__":
    main()
