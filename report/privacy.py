"""What stands beside every utility figure: claimed, composed and audited privacy, and the reservations of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from mechanisms.cells import parse, settings
from metrics.flags import FLAGS
from report.audit import NONE, at_least, number, read_findings
from report.summary import NO_ROW, method_labels

NOT_AUDITED = "not audited"
CLAIM_NOTE = (
    "Claimed: the nominal epsilon; composed: what the mechanism's own account adds up to. –: no such claim. Audited: "
    "verdict on the claim for tiny logs, with the lower bound on epsilon (95 %) and the claim at which it was found "
    "(target `audit`); consistent proves nothing."
)


def read_audit(path: str | None) -> pd.DataFrame | None:
    """The findings of an audit, None if there is none."""
    return None if path is None else read_findings(path)


def privacy_cells(scores: pd.DataFrame, findings: pd.DataFrame | None) -> pd.DataFrame:
    """One line a cell: claimed and composed epsilon (NaN if there is none), audit, flags.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    findings : frame or None
        From `read_audit`.

    Returns
    -------
    frame
        Index log, mechanism, parameters, in the order of the scores; columns claimed, composed, audited, violated,
        flags.
    """
    keys = ["log", "mechanism", "parameters"]
    cells = scores[keys].drop_duplicates()
    wanted = {"nominal_epsilon": "claimed", "composed_epsilon": "composed"} | {f"flag_{name}": name for name in FLAGS}
    chosen = scores[scores["metric"].isin(wanted)]
    means = chosen.groupby([*keys, "metric"])["value"].mean().unstack("metric").rename(columns=wanted)
    found = means.reindex(columns=[*wanted.values()]).reindex(pd.MultiIndex.from_frame(cells))
    letters = [
        "".join(letter for name, (letter, _, _) in FLAGS.items() if row[name] > 0) for row in found.to_dict("records")
    ]
    matched = [
        _matching(findings, mechanism, parameters) if not math.isnan(claimed) else None
        for (_, mechanism, parameters), claimed in found["claimed"].items()
    ]
    return found[["claimed", "composed"]].assign(
        audited=[
            NONE if math.isnan(claimed) else audit_text(match)
            for claimed, match in zip(found["claimed"], matched, strict=True)
        ],
        violated=[match is not None and "violated" in set(match["verdict"]) for match in matched],
        flags=letters,
    )


def privacy_columns(scores: pd.DataFrame, findings: pd.DataFrame | None, rows: Sequence[str]) -> pd.DataFrame:
    """As `privacy_cells`, as printed, indexed by log, `rows` and method like the tables."""
    cells = privacy_cells(scores, findings).reset_index()
    labels = method_labels(scores, rows)
    index = pd.DataFrame(
        {
            "log": cells["log"],
            **{name: [settings(parameters).get(name, NO_ROW) for parameters in cells["parameters"]] for name in rows},
            "method": [labels[pair] for pair in zip(cells["mechanism"], cells["parameters"], strict=True)],
        }
    )
    printed = {
        "claimed ε": [number(value) for value in cells["claimed"]],
        "composed ε": [number(value) for value in cells["composed"]],
        "audited": cells["audited"].tolist(),
        "flags": cells["flags"].tolist(),
    }
    return pd.DataFrame(printed, index=pd.MultiIndex.from_frame(index))


def privacy_notes(scores: pd.DataFrame) -> list[str]:
    """The sentences that explain the columns."""
    raised = scores[scores["metric"].str.startswith("flag_") & (scores["value"] > 0)]["metric"].unique()
    legend = [f"{letter}: {title}" for name, (letter, title, _) in FLAGS.items() if f"flag_{name}" in raised]
    return [
        CLAIM_NOTE,
        *([f"Flags. {'; '.join(legend)}."] if legend else []),
        "All runs are seeded, for experiments: who knows the seed can undo the noise.",
    ]


def privacy_lines(scores: pd.DataFrame, findings: pd.DataFrame | None) -> list[str]:
    """One sentence a mechanism, for tables that have no place for columns."""
    lines = []
    for mechanism, cells in privacy_cells(scores, findings).groupby("mechanism", sort=False):
        claims = cells.dropna(subset="claimed")
        if not len(claims):
            continue
        audits = dict.fromkeys(text.partition(" (")[0] for text in claims["audited"])
        flags = "".join(letter for letter, _, _ in FLAGS.values() if any(letter in text for text in claims["flags"]))
        composed = claims["composed"].dropna()
        lines.append(
            f"Privacy of {mechanism}: claimed ε {_span(claims['claimed'])}, composed {_span(composed)}, "
            f"{' or '.join(audits)}" + (f", flags {flags}" if flags else "") + "."
        )
    return [*lines, *(["By cell, and with what the flags mean, in the table `utility`."] if lines else [])]


def _matching(findings: pd.DataFrame | None, mechanism: str, parameters: str) -> pd.DataFrame | None:
    """The findings that stand for a cell."""
    if findings is None:
        return None
    own = parse(parameters).items()
    fit = [
        name == mechanism and (not text or parse(text).items() <= own)
        for name, text in zip(findings["mechanism"], findings["settings"], strict=True)
    ]
    return findings[fit] if any(fit) else None


def audit_text(found: pd.DataFrame | None) -> str:
    """The verdict of some findings on one mechanism: that of its worst pair."""
    if found is None:
        return NOT_AUDITED
    violated = found[found["verdict"] == "violated"]
    worst = (violated if len(violated) else found).sort_values("epsilon_low").iloc[-1]
    none = "; no finite ε" if (violated["structural"] != "").any() else ""
    return f"{worst['verdict']} (≥ {at_least(worst['epsilon_low'])} for {worst['claimed']:.3g}{none})"


def _span(values: pd.Series) -> str:
    if not len(values):
        return NONE
    texts = [number(value) for value in (values.min(), values.max())]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"
