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


def read_findings(path: str) -> pd.DataFrame:
    """The findings of `metrics.audit`; what is not claimed is missing."""
    texts = ("mechanism", "settings", "pair", "adjacency", "unit", "event", "verdict", "composed_verdict", "structural")
    return pd.read_csv(
        path,
        dtype=dict.fromkeys(texts, str),
        keep_default_na=False,
        na_values={"claimed": "", "composed": "", "delta_low": ""},
    )


def audit_table(findings: pd.DataFrame) -> pd.DataFrame:
    """The findings as they are printed."""
    return pd.DataFrame(
        {
            "mechanism": findings["mechanism"],
            "settings": findings["settings"].str.replace(",", ", "),
            "pair": findings["pair"],
            "claimed": [_claimed(f) for f in findings.itertuples()],
            "composed": [number(value) for value in findings["composed"]],
            "epsilon at least": [at_least(value) for value in findings["epsilon_low"]],
            "delta at least": [at_least(value) for value in findings["delta_low"]],
            "verdict": [_verdict(f) for f in findings.itertuples()],
            "told apart by": [_event(f) for f in findings.itertuples()],
        }
    ).set_index(["mechanism", "settings", "pair"])


def notes(findings: pd.DataFrame) -> list[str]:
    """The sentences below the table."""
    of_pairs = dict(zip(findings["pair"], findings["adjacency"], strict=True))
    kinds = {kind: [pair for pair, other in of_pairs.items() if other == kind] for kind in set(of_pairs.values())}
    reasons = sorted(set(findings["structural"]) - {""})
    return [
        "Epsilon at least: lower bound with confidence 95 %, for all pairs of a mechanism and its settings together. "
        "violated: the bound exceeds the claim. consistent: these draws and events show no violation; it proves "
        "nothing. Delta at least: likewise, at the claimed epsilon; it decides where a delta is claimed.",
        "Of the claims that hold, one mechanism in 20 would be called violated by chance. Bounds of different numbers "
        "of draws are not comparable.",
        *(f"{kind[0].upper()}{kind[1:]}: {', '.join(pairs)}." for kind, pairs in sorted(kinds.items())),
        "Draws on either log: "
        + "; ".join(
            f"{draws} ({', '.join(group['mechanism'].unique())})" for draws, group in findings.groupby("draws")
        )
        + ". Half of them choose the event, the other half tests it; its occurrences on both logs stand beside it.",
        *(f"No finite epsilon: {reason}." for reason in reasons),
        "Not covered: how floating-point numbers are represented, running times, and guessed seeds. The alphabet and "
        "all parameters are public, except for the pair alphabet.",
    ]  # fmt: skip


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
    none = "; no finite epsilon" if finding.structural else ""
    beyond = "; composed violated too" if finding.composed_verdict == "violated" == finding.verdict else ""
    return finding.verdict + (none or beyond)


def _event(finding) -> str:
    if not finding.event:
        return NONE
    tested = finding.draws // 2
    return f"{finding.event} ({finding.hits} and {finding.hits_other} of {tested})"


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
