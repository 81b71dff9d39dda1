"""Methods compared over logs: ranks with Friedman's and Nemenyi's tests, and every pair over logs and repeats.

The logs are the blocks of all tests, as the runs and settings of one log are not independent of each other. After
Demšar: Statistical comparisons of classifiers over multiple data sets (JMLR 7, 2006).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from mechanisms.cells import settings
from metrics.metric import CONTROLS, Metric
from report.summary import NO_ROW, badness, method_labels

SIGNIFICANCE = 0.05
RESAMPLES = 2000
SEED = 2006  # of the bootstrap, so that equal scores give equal tables


@dataclass(frozen=True)
class Runs:
    """The runs of some methods that can be compared, on a scale on which lower is better.

    Attributes
    ----------
    methods, logs : list of str
    blocks : int array (blocks,)
        The log of each block; a log has a block for each setting of the parameters that make rows.
    values : float array (methods, blocks, repeats)
        Infinite for a run without a value, which is worse than any other.
    left_out : list of str
        Methods that cannot be compared, as they do not stand in every block or never have a value.
    """

    methods: list[str]
    logs: list[str]
    blocks: np.ndarray
    values: np.ndarray
    left_out: list[str]


@dataclass(frozen=True)
class Ranks:
    """Ranks of methods over logs, 1 the best.

    Attributes
    ----------
    mean : float array (methods,)
    p : float
        Of Friedman's test that all methods are alike; NaN for fewer than three methods or two logs.
    critical_difference : float
        Of Nemenyi's test: mean ranks that differ by less are not told apart; NaN for fewer than two logs.
    """

    mean: np.ndarray
    p: float
    critical_difference: float


def comparable_runs(scores: pd.DataFrame, metric: Metric, rows: Sequence[str]) -> Runs:
    """The runs of all methods but controls, arranged by method, block and repeat.

    Parameters
    ----------
    scores : frame
        The score table of an experiment.
    metric : declaration of the metric; its direction is not 'none'
    rows : names of the parameters that make rows of a table; a method without any of them stands in all rows
    """
    chosen = scores[(scores["metric"] == metric.name) & ~scores["mechanism"].isin(CONTROLS)]
    labels = method_labels(chosen, rows)
    lines = chosen.assign(
        method=[labels[pair] for pair in zip(chosen["mechanism"], chosen["parameters"], strict=True)],
        row=[" ".join(settings(text).get(name, NO_ROW) for name in rows) for text in chosen["parameters"]],
        bad=badness(chosen["value"], metric).fillna(math.inf),
    )
    everywhere = " ".join([NO_ROW] * len(rows))
    methods, logs = list(dict.fromkeys(lines["method"])), list(dict.fromkeys(lines["log"]))
    repeats = list(dict.fromkeys(lines["repeat"]))
    named = {
        log: dict.fromkeys(row for row in group["row"] if row != everywhere) for log, group in lines.groupby("log")
    }
    blocks = [(log, row) for log in logs for row in named[log] or [everywhere]]
    known = lines.set_index(["method", "log", "row", "repeat"])["bad"].to_dict()
    values = np.array(
        [
            [
                [known.get((method, log, row, r), known.get((method, log, everywhere, r), math.nan)) for r in repeats]
                for log, row in blocks
            ]
            for method in methods
        ]
    ).reshape(len(methods), len(blocks), len(repeats))
    whole = ~np.isnan(values).any(axis=(1, 2)) & np.isfinite(values).any(axis=(1, 2))
    return Runs(
        [method for method, kept in zip(methods, whole, strict=True) if kept],
        logs,
        np.array([logs.index(log) for log, _ in blocks], dtype=int),
        values[whole],
        [method for method, kept in zip(methods, whole, strict=True) if not kept],
    )


def ranks(runs: Runs) -> Ranks:
    """Mean ranks over the logs and their tests.

    A method is ranked by its mean over the repeats; of several blocks of a log, the mean of the ranks is ranked again.
    A block with a run that has no value is lost to those without such a run.
    """
    in_blocks = stats.rankdata(runs.values.mean(axis=2), axis=0)
    in_logs = np.array([in_blocks[:, runs.blocks == log].mean(axis=1) for log in range(len(runs.logs))])
    by_log = stats.rankdata(in_logs, axis=1)
    n, k = by_log.shape
    differ = k > 2 and n > 1 and (by_log != by_log[:, :1]).any()
    return Ranks(
        by_log.mean(axis=0),
        float(stats.friedmanchisquare(*by_log.T).pvalue) if differ else math.nan,
        critical_difference(k, n) if n > 1 and k > 1 else math.nan,
    )


@cache
def critical_difference(methods: int, logs: int) -> float:
    """Of mean ranks, by Nemenyi: the quantile of the studentised range over root 2, times root k(k+1)/6N."""
    quantile = stats.studentized_range.ppf(1 - SIGNIFICANCE, methods, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(methods * (methods + 1) / (6 * logs)))


def pairs(runs: Runs, mean_ranks: np.ndarray) -> pd.DataFrame:
    """Every pair of methods, the one of the better rank first.

    Returns
    -------
    frame
        Columns method, other; better: the share of paired repeats in which the first is better (ties count half),
        a mean over the logs; low, high: its bootstrap interval over logs and their repeats; p: of Wilcoxon's
        signed-rank test over the logs' means, corrected for the number of pairs as by Holm; NaN for one log.
    """
    order = np.argsort(mean_ranks, kind="stable")
    rng = np.random.default_rng(SEED)
    lines = []
    for first, second in itertools.combinations(order, 2):
        won = _won(runs.values[first], runs.values[second])
        better = np.array([won[runs.blocks == log].mean(axis=0) for log in range(len(runs.logs))])  # (logs, repeats)
        low, high = _bootstrap(better, rng)
        lines.append(
            {
                "method": runs.methods[first],
                "other": runs.methods[second],
                "better": better.mean(),
                "low": low,
                "high": high,
                "p": _wilcoxon(runs, first, second),
            }
        )
    table = pd.DataFrame(lines, columns=["method", "other", "better", "low", "high", "p"])
    return table.assign(p=holm(table["p"].to_numpy(float)))


def differences(runs: Runs) -> pd.DataFrame:
    """Every pair of methods on every log: the mean difference over the repeats and its bootstrap interval.

    Returns
    -------
    frame
        Columns log, method, other, difference, low, high, repeats. Negative: the first is better. Pairs of which a
        run on the log has no value are left out.
    """
    in_logs = np.stack([runs.values[:, runs.blocks == log].mean(axis=1) for log in range(len(runs.logs))])
    lines, found = [], []
    for log, values in zip(runs.logs, in_logs, strict=True):
        for first, second in itertools.combinations(range(len(runs.methods)), 2):
            if np.isfinite(values[[first, second]]).all():
                lines.append((log, runs.methods[first], runs.methods[second]))
                found.append(values[first] - values[second])
    table = pd.DataFrame(lines, columns=["log", "method", "other"])
    if not found:
        return table.assign(difference=[], low=[], high=[], repeats=[])
    data = np.array(found)
    low = high = data[:, 0]
    if data.shape[1] > 1:
        interval = stats.bootstrap(
            (data,), np.mean, axis=1, n_resamples=RESAMPLES, method="percentile", batch=50, vectorized=True,
            rng=np.random.default_rng(SEED),
        ).confidence_interval  # fmt: skip
        low, high = interval.low, interval.high
    return table.assign(difference=data.mean(axis=1), low=low, high=high, repeats=data.shape[1])


def _won(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """1 where the first is better, 1/2 where both are alike, 0 elsewhere."""
    return (first < second) + 0.5 * (first == second)


def _bootstrap(shares: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Percentile interval of the mean of (logs, repeats), logs and then repeats of each drawn with replacement."""
    logs, repeats = shares.shape
    drawn = rng.integers(logs, size=(RESAMPLES, logs, 1))
    means = shares[drawn, rng.integers(repeats, size=(RESAMPLES, logs, repeats))].mean(axis=(1, 2))
    low, high = np.quantile(means, [SIGNIFICANCE / 2, 1 - SIGNIFICANCE / 2])
    return float(low), float(high)


def _wilcoxon(runs: Runs, first: int, second: int) -> float:
    """p of the signed-rank test over the logs; a method without a value loses by more than any that has one."""
    if len(runs.logs) < 2:
        return math.nan
    means = runs.values[[first, second]].mean(axis=2)
    with np.errstate(invalid="ignore"):
        gaps = np.where(means[0] == means[1], 0.0, means[0] - means[1])
    finite = np.abs(gaps[np.isfinite(gaps)])
    gaps = np.clip(gaps, -1 - finite.max(initial=0), 1 + finite.max(initial=0))
    by_log = np.array([gaps[runs.blocks == log].mean() for log in range(len(runs.logs))])
    return float(stats.wilcoxon(by_log).pvalue) if by_log.any() else 1.0


def holm(p: np.ndarray) -> np.ndarray:
    """p-values corrected for their number, step by step from the smallest; NaN stays NaN."""
    order = np.argsort(p, kind="stable")
    known = order[~np.isnan(p[order])]
    corrected = p.copy()
    steps = p[known] * np.arange(len(known), 0, -1)
    corrected[known] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
