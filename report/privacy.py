"""What stands beside every utility figure: claimed, composed and audited privacy, and the reservations of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from mechanisms.cells import parse, settings
from metrics.flags import FLAGS
from report.audit import NONE, at_least, number, read_findings
from report.summary import NO_ROW, method_labels, sweeps

NOT_AUDITED, NO_CLAIM = "not audited", "no DP claim"
# Raised by the audit, not by the run.
AUDIT_FLAGS = {"Z": "zero count, the event was never drawn on the neighbour", "C": "bound at the cap of so many draws"}
CLAIM_NOTE = (
    "Claimed: the nominal epsilon; composed: what the mechanism's own account adds up to. –: no such claim. Audited: "
    "lower bound on epsilon (95 %) for neighbouring tiny logs, with the claim at which it was found, and the verdict "
    "on the claim (target `audit`). consistent: no violation found with these draws and events, which is no proof."
)
UTILITY = ("default", "published", "extended")  # groups of metrics that are not read without the privacy
LETTERS = "".join(letter for letter, _, _ in FLAGS.values()) + "".join(AUDIT_FLAGS)
R1 = "no variant is new"  # begins the reason of a mechanism that declares it


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
        Index log, mechanism, parameters, in the order of the scores; columns claimed, composed, bound (the lower bound
        as printed), verdict, violated, flags, and audited: the epsilon by which cells are ordered, that composed or
        the bound found, whichever is more, infinite where neither is known or none is finite.
    """
    keys = ["log", "mechanism", "parameters"]
    cells = scores[keys].drop_duplicates()
    wanted = {"nominal_epsilon": "claimed", "composed_epsilon": "composed"} | {f"flag_{name}": name for name in FLAGS}
    chosen = scores[scores["metric"].isin([*wanted, "novel_variants"])]
    means = chosen.groupby([*keys, "metric"])["value"].mean().unstack("metric").rename(columns=wanted)
    found = means.reindex(columns=[*wanted.values(), "novel_variants"]).reindex(pd.MultiIndex.from_frame(cells))
    lines = []
    for (_, mechanism, parameters), row in found.iterrows():
        claims = not math.isnan(row["claimed"])
        worst = _worst(_matching(findings, mechanism, parameters)) if claims else None
        letters = "".join(letter for name, (letter, _, _) in FLAGS.items() if row[name] > 0) + _raised(worst)
        lines.append(
            {
                "bound": bound_text(worst, row["novel_variants"] == 0),
                "verdict": verdict_text(worst) if claims else NO_CLAIM,
                "violated": worst is not None and worst["verdict"].startswith("violated"),
                "flags": letters,
                "audited": _order(row["composed"], worst),
            }
        )
    return found[["claimed", "composed"]].join(pd.DataFrame(lines, index=found.index))


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
        "audited": [
            verdict if bound == NONE else f"{bound}, {verdict}"
            for bound, verdict in zip(cells["bound"], cells["verdict"], strict=True)
        ],
        "flags": cells["flags"].tolist(),
    }
    return pd.DataFrame(printed, index=pd.MultiIndex.from_frame(index))


def privacy_notes(scores: pd.DataFrame, findings: pd.DataFrame | None = None) -> list[str]:
    """The sentences that explain the columns."""
    raised = set("".join(privacy_cells(scores, findings)["flags"]))
    legend = {letter: title for letter, title, _ in FLAGS.values()} | AUDIT_FLAGS
    shown = [f"{letter}: {title}" for letter, title in legend.items() if letter in raised]
    return [
        CLAIM_NOTE,
        *([f"Flags. {'; '.join(shown)}."] if shown else []),
        "A claim is about one case more or less, unless its audit says otherwise. Seeds fix the releases: who knows "
        "the seed can undo the noise. Bounds of different numbers of draws are not comparable.",
    ]


def privacy_lines(scores: pd.DataFrame, findings: pd.DataFrame | None) -> list[str]:
    """One sentence a series of cells, for tables and figures that have no place for columns."""
    lines = [
        f"Privacy of {series}: claimed ε {claimed}, composed {composed}, audit: {' or '.join(verdicts)}"
        + (f", flags {flags}" if flags else "")
        + "."
        for series, claimed, composed, verdicts, flags in _by_series(scores, findings)
    ]
    return [*lines, *(["By cell, and with what the flags mean, in the table `guarantees`."] if lines else [])]


def _by_series(scores: pd.DataFrame, findings: pd.DataFrame | None) -> Iterator[tuple]:
    """Of each series of cells with a claim: name, the spans of claimed and composed epsilon, verdicts, and flags.

    A series is of one mechanism, profile and the like; numbers, such as epsilon, vary in it.
    """
    of_cell = sweeps(scores, together=True)["series"]
    for series, cells in privacy_cells(scores, findings).join(of_cell).groupby("series", sort=False):
        claims = cells.dropna(subset="claimed")
        if len(claims):
            flags = "".join(letter for letter in LETTERS if any(letter in text for text in claims["flags"]))
            spans = (_span(claims[name].dropna()) for name in ("claimed", "composed"))
            yield series, *spans, list(dict.fromkeys(claims["verdict"])), flags


def privacy_marks(scores: pd.DataFrame, findings: pd.DataFrame | None) -> list[str]:
    """The same as a line of the heading of a figure of utility; none where no epsilon is claimed."""
    told = [
        f"{series} {claimed} → {composed} [{', '.join([*verdicts, *([flags] if flags else [])])}]"
        for series, claimed, composed, verdicts, flags in _by_series(scores, findings)
    ]
    return [f"ε claimed → composed [audit, flags]: {'; '.join(told)}"] if told else []


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


def _worst(found: pd.DataFrame | None) -> pd.Series | None:
    """The finding on the worst pair."""
    if found is None:
        return None
    violated = found[found["verdict"].str.startswith("violated")]
    return (violated if len(violated) else found).sort_values("epsilon_low").iloc[-1]


def bound_text(worst: pd.Series | None, no_new_variants: bool) -> str:
    """The lower bound of a finding, like ``≥ 9.51 [Z] at claim 1.24; no finite ε (R1)``.

    The words on no finite epsilon need a reason of structure besides the draws: that the mechanism declares, and for
    variants that are never new (R1), that no release has any.
    """
    if worst is None:
        return NONE
    letters = _raised(worst)
    text = f"≥ {at_least(worst['epsilon_low'])}" + (f" [{letters}]" if letters else "")
    text += f" at claim {worst['claimed']:.3g}"
    structural = worst["structural"]
    if not structural or (structural.startswith(R1) and not no_new_variants):
        return text
    return f"{text}; no finite ε" + (" (R1)" if structural.startswith(R1) else "")


def verdict_text(worst: pd.Series | None) -> str:
    """The verdict on what is claimed, and on what that adds up to."""
    if worst is None:
        return NOT_AUDITED
    if not worst["verdict"].startswith("violated"):
        return worst["verdict"]
    return "violated (claim)" + (", (composed)" if worst["composed_verdict"].startswith("violated") else "")


def _raised(worst: pd.Series | None) -> str:
    """The letters of the flags that a finding raises."""
    return "" if worst is None else worst["flags"]


def _order(composed: float, worst: pd.Series | None) -> float:
    bound = math.nan if worst is None else math.inf if worst["structural"] else worst["epsilon_low"]
    known = [value for value in (composed, bound) if not math.isnan(value)]
    return max(known, default=math.inf)


def _span(values: pd.Series) -> str:
    if not len(values):
        return NONE
    texts = [number(value) for value in (values.min(), values.max())]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"
