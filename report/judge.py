"""Verdicts on claims, computed from the results, and the table of them.

`python -m report.judge --claims amun.csv... --repeats 10 --out results/claims/claims.csv ...`

=============== ====================================================================================================
reproduced      the mean differs by no more than the tolerance; the order holds beyond noise; all runs have the status
within noise    the difference is one that the repeats' own spread explains (see `CONFIDENCE`)
differs         neither
same order      a time within a factor of ten of the reported one, which another machine took
other machine   a time further away
not run         results are missing
not comparable  a run has no such value, or the source did what this harness does not
=============== ====================================================================================================
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from data.files import replacing
from metrics.metric import Metric
from metrics.registry import declarations
from metrics.score import STATUS_OF_RUN
from metrics.table import read_scores
from report.claims import Claim, read_claims
from report.summary import badness
from report.write import write_tables

CONFIDENCE = 0.99  # of each claim alone: of a hundred true ones, about one is called differing by chance
POWER = 0.8
EXACT = ("statistics", "epsilons")  # facts that do not depend on a draw
REPRODUCED, NOISE, DIFFERS = "reproduced", "within noise", "differs"
SAME_ORDER, OTHER_MACHINE = "same order", "other machine"
NOT_RUN, NOT_COMPARABLE = "not run", "not comparable"
VERDICTS = (REPRODUCED, NOISE, DIFFERS, SAME_ORDER, OTHER_MACHINE, NOT_COMPARABLE, NOT_RUN)


@dataclass(frozen=True)
class Judgement:
    """What was found of a claim.

    Attributes
    ----------
    verdict : one of `VERDICTS`
    reason : str
        Why, in one sentence.
    mean : float
        Of the claimed value over the repeats, of an order that of this side minus the other one; NaN if unknown.
    low, high : float
        Confidence interval of the mean over the repeats, of a value compared with a mean over runs that of both.
    repeats : int
        Numbers of repeats of which every setting has a value.
    detectable : float
        Smallest difference that so many repeats detect with a probability of `POWER`; NaN where repeats are equal.
    """

    verdict: str
    reason: str
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    repeats: int = 0
    detectable: float = math.nan


Side = pd.DataFrame  # a line a setting and repeat: setting (int), repeat (str), value (float or NaN), status (str)


def judge(claim: Claim, side: Side | None, other: Side | None = None) -> Judgement:
    """The verdict on a claim.

    Parameters
    ----------
    claim : Claim
    side, other : frame or None
        The values of the two sides, from `values`; None if a file of them is missing.
    """
    if claim.unlike:
        return Judgement(NOT_COMPARABLE, claim.unlike)
    if side is None or (claim.than and other is None):
        return Judgement(NOT_RUN, "results are missing")
    if claim.kind == "status":
        return _judge_status(claim, side)
    if claim.kind == "order":
        return _judge_order(claim, side, other)
    without = side[side["value"].isna()]
    if len(without):
        return Judgement(NOT_COMPARABLE, f"{len(without)} of {len(side)} runs have no value: {_statuses(without)}")
    return _judge_value(claim, side.groupby("repeat")["value"].mean().to_numpy())


def _judge_value(claim: Claim, means: np.ndarray) -> Judgement:
    """A number against the means of the repeats."""
    reported, tolerance = float(claim.reported), tolerance_of(claim)
    runs = int(claim.runs) if claim.runs else math.inf
    mean, low, high, detectable = _interval(means, runs)
    if claim.fact[0] in EXACT:
        low = high = mean
    found = {"mean": mean, "low": low, "high": high, "repeats": len(means), "detectable": detectable}
    difference = mean - reported
    if _unit(claim.metric) == "s":
        factor = max(mean / reported, reported / mean)
        verdict = SAME_ORDER if factor <= 10 else OTHER_MACHINE
        return Judgement(verdict, f"a factor of {factor:.3g} between the machines and programs", **found)
    if abs(difference) <= tolerance * (1 + 1e-9):
        return Judgement(REPRODUCED, f"differs by {difference:.3g}, of at most {tolerance:.3g}", **found)
    if math.isnan(low):
        return Judgement(NOT_COMPARABLE, f"differs by {difference:.3g}, but one repeat tells no noise", **found)
    if low - tolerance <= reported <= high + tolerance:
        return Judgement(NOISE, f"differs by {difference:.3g}, inside the interval", **found)
    return Judgement(DIFFERS, f"differs by {difference:.3g}, outside the interval", **found)


def _judge_order(claim: Claim, side: Side, other: Side) -> Judgement:
    """Two sides, paired by setting and repeat; settings of which a run has no value are left out."""
    pairs = side.merge(other, on=["setting", "repeat"], suffixes=("", "_other"))
    pairs["value"] -= pairs["value_other"]
    whole = pairs.groupby("setting")["value"].transform(lambda values: values.notna().all())
    kept = pairs[whole]
    if kept.empty:
        both = pd.concat([side, other])
        return Judgement(NOT_COMPARABLE, f"no setting has all values: {_statuses(both[both['value'].isna()])}")
    settings, all_settings = kept["setting"].nunique(), side["setting"].nunique()
    left_out = f"; {settings} of {all_settings} settings have all values" if settings < all_settings else ""
    means = kept.groupby("repeat")["value"].mean().to_numpy()
    mean, low, high, detectable = _interval(means)
    found = {"mean": mean, "low": low, "high": high, "repeats": len(means), "detectable": detectable}
    if math.isnan(low):
        return Judgement(NOT_COMPARABLE, "one repeat tells no noise", **found)
    tolerance = float(claim.tolerance or 0)
    if claim.reported in ("better", "worse", "not worse"):
        metric = declarations()[claim.metric]
        if metric.direction == "one":
            return Judgement(NOT_COMPARABLE, f"{metric.name} is best at 1; say lower or higher", **found)
        low, high = sorted(badness(pd.Series([low, high]), metric))  # lower is better
    wanted = {
        "better": (-math.inf, 0.0), "lower": (-math.inf, 0.0), "worse": (0.0, math.inf), "higher": (0.0, math.inf),
        "not worse": (-math.inf, tolerance), "similar": (-tolerance, tolerance),
    }[claim.reported]  # fmt: skip
    strict = claim.reported in ("better", "lower", "worse", "higher")
    verdict = _place(low, high, *wanted, strict=strict)
    reason = {
        REPRODUCED: f"the difference is {claim.reported} beyond noise",
        NOISE: "the interval of the difference holds both",
        DIFFERS: f"the difference is not {claim.reported}, beyond noise",
    }[verdict]
    return Judgement(verdict, reason + left_out, **found)


def _place(low: float, high: float, least: float, most: float, strict: bool) -> str:
    """Where an interval lies: inside the wanted range, across its edge, or outside."""
    if low == high and strict and low in (least, most):
        return DIFFERS  # equal in every repeat, which is no order
    inside = least < low and high < most if strict else least <= low and high <= most
    if inside:
        return REPRODUCED
    outside = high <= least or low >= most if strict else high < least or low > most
    return DIFFERS if outside else NOISE


def _judge_status(claim: Claim, side: Side) -> Judgement:
    found = Counter(side["status"])
    if set(found) == {claim.reported}:
        return Judgement(REPRODUCED, f"all {len(side)} runs", repeats=side["repeat"].nunique())
    verdict = OTHER_MACHINE if claim.reported in ("TO", "OOM") else DIFFERS
    return Judgement(verdict, f"found: {_statuses(side)}", repeats=side["repeat"].nunique())


def _interval(means: np.ndarray, runs: float = math.inf) -> tuple[float, float, float, float]:
    """Mean, confidence interval by Student's t, and the smallest difference that would be detected.

    With a number of `runs`, the interval is of the difference to a mean over so many runs of the same spread: those
    of a source are mostly too few for a spread of their own.
    """
    mean, n = float(means.mean()), len(means)
    if n < 2:
        return mean, math.nan, math.nan, math.nan
    error = float(means.std(ddof=1)) * math.sqrt(1 / n + 1 / runs)
    reach, power = stats.t.ppf([(1 + CONFIDENCE) / 2, POWER], n - 1)
    return mean, mean - reach * error, mean + reach * error, (reach + power) * error if error else math.nan


def tolerance_of(claim: Claim) -> float:
    """The tolerance as stated, or half a unit of the last printed digit of the reported number."""
    if claim.tolerance:
        return float(claim.tolerance)
    digits, _, exponent = claim.reported.lower().partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def _unit(metric: str) -> str:
    declared: Metric | None = declarations().get(metric)
    return declared.unit if declared else ""


def _statuses(runs: Side) -> str:
    return ", ".join(f"{count} {status}" for status, count in Counter(runs["status"]).most_common())


def values(files: Sequence[str], claim: Claim, repeats: int) -> Side | None:
    """The values of one side of a claim, or None if a file is missing.

    Parameters
    ----------
    files : one a setting, as the claim names them
    claim : Claim
    repeats : number of repeats of a run
    """
    kind, keys = claim.fact
    try:
        if not kind:
            lines = [
                (place, row.repeat, row.value, row.status)
                for place, file in enumerate(files)
                for row in _scores(file)
                if row.metric == claim.metric
            ]
        elif kind == "run":
            lines = [
                (place, str(repeat), *_fact(file.format(repeat=repeat), keys))
                for place, file in enumerate(files)
                for repeat in range(repeats)
            ]
        else:  # every file is another draw of the same fact, or the only one
            lines = [(0, str(place), *_fact(file, keys)) for place, file in enumerate(files)]
    except FileNotFoundError:
        return None
    return pd.DataFrame(lines, columns=["setting", "repeat", "value", "status"]).astype({"value": float})


@cache
def _scores(file: str) -> list:
    return read_scores(Path(file))


def _fact(file: str, keys: Sequence[str]) -> tuple[float | None, str]:
    """A number in a file of JSON, and `ok`; or None and why there is none."""
    found = _json(file)
    if (status := found.get("status", "ok")) != "ok":
        return None, STATUS_OF_RUN[status]
    for key in keys:
        if isinstance(found, list):
            found = found[int(key)] if key.isdecimal() and int(key) < len(found) else None
        else:
            found = found.get(key) if isinstance(found, Mapping) else None
    return (None, "no such fact") if found is None else (float(found), "ok")


@cache
def _json(file: str) -> dict:
    return json.loads(Path(file).read_text())


def judgements(claims: Sequence[Claim], repeats: int, absent: Sequence[str] = ()) -> pd.DataFrame:
    """One line a claim: its columns, and what was found.

    Parameters
    ----------
    claims : claims
    repeats : number of repeats of a run
    absent : logs that cannot be had
    """
    lines = []
    for claim in claims:
        missing = [log for log in claim.logs if log in absent]
        if missing and not claim.unlike:
            found = Judgement(NOT_RUN, f"no public source offers the log {', '.join(missing)}")
        else:
            sides = [values(files, claim, repeats) for files in (claim.files, claim.other_files) if files]
            found = judge(claim, *sides)
        lines.append({name: getattr(claim, name) for name in PRINTED} | vars(found) | {"place": claim.place})
    return pd.DataFrame(lines)


PRINTED = ("id", "source", "log", "mechanism", "parameters", "metric", "kind", "reported", "tolerance", "runs", "than",
           "note")  # fmt: skip


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The table for people, a row a claim."""
    return pd.DataFrame(
        {
            "source": table["source"],
            "claim": [claimed(line) for line in table.to_dict("records")],
            "reported": table["reported"],
            "found": [_found(line) for line in table.to_dict("records")],
            "repeats": table["repeats"].astype(str).replace("0", "–"),
            "verdict": table["verdict"],
            "reason": table["reason"],
        }
    ).set_index(pd.Index(table["id"], name="claim id"))


def claimed(line: Mapping[str, object]) -> str:
    """What a claim is of, in words like ``emd_variants of amun delta=0.3 on sepsis, against mode=sampling``."""
    cell = " ".join(str(line[name]) for name in ("mechanism", "parameters") if line[name])
    return f"{line['metric']}{f' of {cell}' if cell else ''} on {line['log']}" + (
        f", against {line['than']}" if line["than"] else ""
    )


def _found(line: Mapping[str, float]) -> str:
    if math.isnan(line["mean"]):
        return "–"
    interval = "" if math.isnan(line["low"]) else f" [{line['low']:.4g}, {line['high']:.4g}]"
    detectable = line["verdict"] == NOISE and not math.isnan(line["detectable"])
    return f"{line['mean']:.5g}{interval}" + (f"; detects {line['detectable']:.2g}" if detectable else "")


def summary(table: pd.DataFrame) -> str:
    """How many claims have which verdict, by source, and the lines of those that differ."""
    counts = pd.crosstab(table["source"], table["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    counts = counts.loc[:, counts.any()]
    counts.loc["all"] = counts.sum()
    differing = table[table["verdict"] == DIFFERS]
    lines = [
        f"  {line['id']}: {claimed(line)}: reported {line['reported']}, found {_found(line)}"
        for line in differing.to_dict("records")
    ]
    return "\n".join([counts.to_markdown(), *(["", "These differ:", *lines] if lines else [])])


NOTES = [
    f"Found: mean over the repeats with its interval of {CONFIDENCE:.0%} confidence (Student's t); of an order, the "
    "difference to the other side, paired by repeat; of a value beside a mean over some runs, the interval of the "
    "difference, for which their spread is taken to be that of ours.",
    f"Of a hundred true claims about {100 * (1 - CONFIDENCE):.0f} is called differing by chance.",
    f"Detects: the smallest difference found with a probability of {POWER:.0%}.",
]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", nargs="+", required=True, help="files of claims")
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--absent", nargs="*", default=[], help="logs that cannot be had")
    parser.add_argument("--out", nargs="+", required=True, help="files to write; the suffix tells the format")
    parser.add_argument("--summary", type=Path, required=True, help="a text to write")
    options = parser.parse_args()
    table = judgements(read_claims(options.claims), options.repeats, options.absent)
    write_tables(options.out, table, printed(table), "Claims", NOTES)
    with replacing(options.summary) as temporary:
        temporary.write_text(summary(table) + "\n")


if __name__ == "__main__":
    main()
