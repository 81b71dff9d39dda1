"""One record an attack and cell: what it gained, how sure that is, what its controls gained, and what is claimed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from metrics.attack import PARTS, Attack
from metrics.attack_presence import PRESENCE as DECOYS
from metrics.intervals import newcombe
from metrics.metric import CONTROLS
from metrics.presence_game import GAME
from metrics.registry import attacks
from report.intervals import ENOUGH, NO_INTERVAL, OVER_SEEDS, OVER_TARGETS, Interval, over_seeds
from report.privacy import privacy_cells
from report.summary import read_scores

CELL = ["log", "mechanism", "parameters"]

Means = Mapping[str, float]
LIMITS = ("claimed_additive", "claimed_advantage", "claimed_k")


def tried(scores: pd.DataFrame) -> list[Attack]:
    """The attacks of which the scores have an advantage."""
    known = set(scores["metric"])
    return [attack for attack in attacks() if attack.metric("advantage") in known]


def read_games(paths: Sequence[str]) -> pd.DataFrame | None:
    """The rates of some games of presence, as scores whose repeats are draws; None if none was played."""
    return pd.concat([read_scores(path) for path in paths], ignore_index=True) if paths else None


def attack_records(
    scores: pd.DataFrame, findings: pd.DataFrame | None = None, games: pd.DataFrame | None = None
) -> pd.DataFrame:
    """The common record of all attacks.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    findings : frame or None
        The audit, from `report.privacy.read_audit`.
    games : frame or None
        From `read_games`; of cells that the scores have.

    Returns
    -------
    frame
        One line a cell and attack: log, mechanism, parameters; attack (its name), title, family, adversary; targets,
        coverage, prior, success, advantage, suppressed (means over the seeds); low, high and interval (95 % of the
        advantage, and of what); seeds; statuses (of the runs without a value); identity, shuffle (advantages of the
        controls on the log); claim (what limits the attack, in words), limit and composed_limit (of the advantage),
        exceeded (the interval lies above the limit).
    """
    if not len(scores):
        return pd.DataFrame()
    privacy = privacy_cells(scores, findings)[["claimed", "composed"]]
    if games is not None:
        scores = pd.concat([scores, games[pd.MultiIndex.from_frame(games[CELL]).isin(privacy.index)]])
    means = scores.groupby([*CELL, "metric"], sort=False)["value"].mean().unstack("metric")
    limits = means.reindex(columns=LIMITS).join(privacy)
    of_cell, limit_of_cell = (dict(zip(f.index, f.to_dict("records"), strict=True)) for f in (means, limits))
    cells = scores[CELL].drop_duplicates().itertuples(index=False, name=None)
    by_metric = dict(tuple(scores.groupby("metric")))
    known = tried(scores)
    of_attack = {a.name: dict(tuple(by_metric[a.metric("advantage")].groupby(CELL))) for a in known}
    lines = [
        _record(cell, attack, of_cell[cell], limit_of_cell[cell], of_attack[attack.name][cell])
        for cell in cells
        for attack in known
        if cell in of_attack[attack.name]
    ]
    return _with_controls(pd.DataFrame(lines))


def _record(cell: tuple, attack: Attack, means: Means, limits: Means, runs: pd.DataFrame) -> dict:
    values = runs["value"].dropna().to_numpy()
    parts = {part: means.get(attack.metric(part), math.nan) for part in PARTS}
    if "abstains" in attack.names:
        parts["coverage"] = 1 - means.get(attack.names["abstains"], math.nan)
    suppressed = means.get(attack.names.get("suppressed"), math.nan)
    interval, kind = _interval(attack, values, parts, means)
    claim, limit, composed = limit_of(attack, limits, parts["prior"])
    return {
        **dict(zip(CELL, cell, strict=True)),
        "attack": attack.name,
        "title": attack.title,
        "family": attack.family,
        "adversary": attack.adversary,
        **parts,
        "suppressed": suppressed,
        "low": interval.low,
        "high": interval.high,
        "interval": kind,
        "seeds": len(values),
        "statuses": " ".join(dict.fromkeys(runs.loc[runs["value"].isna(), "status"])),
        "claim": claim,
        "limit": limit,
        "composed_limit": composed,
        "exceeded": bool(interval.low > limit),
    }


def _interval(attack: Attack, values: np.ndarray, parts: dict, means: Means) -> tuple[Interval, str]:
    if len(values) >= ENOUGH:
        return over_seeds(values, -1, 1), OVER_SEEDS
    targets = parts["targets"]
    if not len(values) or attack.rates is None or not targets > 0:
        return NO_INTERVAL, ""
    others = means[attack.names["others"]] if "others" in attack.names else targets
    first, second = (means[attack.metric(rate)] for rate in attack.rates)
    return Interval(*newcombe((first, int(targets)), (second, int(others)))), OVER_TARGETS


def limit_of(attack: Attack, limits: Means, prior: float) -> tuple[str, float, float]:
    """What is claimed that limits an attack, in words; the limit of the advantage; and that of the composed epsilon.

    Parameters
    ----------
    attack : Attack
    limits : mapping of str to float
        claimed, composed, claimed_additive, claimed_advantage, claimed_k of a cell; NaN for what is not claimed.
    prior : float
    """
    if attack.limit == "epsilon" and not math.isnan(limits["claimed"]):
        additive = np.nan_to_num(limits["claimed_additive"])
        return f"ε {limits['claimed']:.3g}", *(
            presence_limit(limits[name], additive) for name in ("claimed", "composed")
        )
    if attack.limit == "delta" and not math.isnan(limits["claimed_advantage"]):
        return f"δ {limits['claimed_advantage']:.3g}", limits["claimed_advantage"], math.nan
    if attack.limit == "k" and not math.isnan(limits["claimed_k"]):
        return f"k {limits['claimed_k']:.0f}", 1 / limits["claimed_k"] - prior, math.nan
    return "", math.nan, math.nan


def presence_limit(epsilon: float, additive: float = 0.0) -> float:
    """The largest difference of two probabilities of an event, on neighbouring logs: ``tanh(epsilon / 2) + delta``."""
    return min(1.0, math.tanh(epsilon / 2) + additive) if not math.isnan(epsilon) else math.nan


def _with_controls(records: pd.DataFrame) -> pd.DataFrame:
    """The advantage of each attack on the controls, beside those of all mechanisms on the log."""
    if not len(records):
        return records
    keys = ["log", "attack"]
    for control in CONTROLS:
        own = records[records["mechanism"] == control].drop_duplicates(keys).set_index(keys)["advantage"]
        records[control] = records[keys].merge(own.rename("own"), how="left", left_on=keys, right_index=True)["own"]
    return records


def with_games(records: pd.DataFrame) -> pd.DataFrame:
    """The records without those on decoys where the game of presence was played, for which they stand."""
    played = pd.MultiIndex.from_frame(records.loc[records["attack"] == GAME.name, CELL])
    replaced = (records["attack"] == DECOYS.name) & pd.MultiIndex.from_frame(records[CELL]).isin(played)
    return records[~replaced]
