"""The utility metrics of Amun as its published code computes them, for comparison with its tables only.

Elkoumy, Pankova, Dumas, Information Systems 2022 (arXiv 2201.03010) and, for SMAPE, ICPM 2021 (arXiv 2103.11739);
code: Elkoumy/amun at 07057e1. The distances of frequencies and of times compare sorted lists of values, so a log
whose edges swap their counts is 0 away; they grow with the log, and adding noise can lower them. The published
code pairs the variants of SMAPE by their positions in two differently sorted lists; here each variant is paired
with itself. The SMAPE of times needs the noise of every single event, which a release does not tell, so it is
left out.
"""

from __future__ import annotations

import numpy as np

from data.graph import DirectlyFollowsGraph
from data.log import EventLog
from metrics.distance import HOUR
from metrics.metric import Metric, Value, not_applicable, unless_empty, unless_untimed
from metrics.pair import align, graph_frequencies

METRICS = (
    Metric(
        name="emd_freq_published",
        title="EMD of frequencies (Amun)",
        unit="pairs per edge",
        doubled=None,
        group="published",
        blind_to="which edge: {ab} to {cd} is 0",
    ),
    Metric(
        name="emd_time_published",
        title="EMD of times (Amun)",
        unit="h per edge",
        doubled=None,
        group="published",
        blind_to="which edge, gaps below one hour, and count against duration",
    ),
    Metric(
        name="smape_variants",
        title="SMAPE of variants (Amun)",
        unit="%",
        high=100.0,
        doubled=100 / 3,
        group="published",
        blind_to="frequency: every lost or novel variant counts 100; times",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Distances of sorted edge counts and of sorted hours per edge (gaps floored first), and SMAPE."""
    pair = align(original, release)
    n, m = pair.variants.original, pair.variants.release
    return {
        "emd_freq_published": _of_sorted_values(*pair.edge_counts),
        **_of_times(original, release),
        "smape_variants": float(100 * (np.abs(n - m) / (n + m)).mean()),
    }


@unless_untimed("emd_time_published")
def _of_times(original: EventLog, release: EventLog) -> dict[str, Value]:
    pair = align(original, release)
    hours = pair.edge_sums(*(edges.gaps // HOUR for edges in pair.edges))
    return {"emd_time_published": _of_sorted_values(*hours)}


def score_graph(original: EventLog, release: DirectlyFollowsGraph) -> dict[str, Value]:
    """The distance of frequencies, without the start and the end of cases."""
    return {"emd_freq_published": _of_sorted_values(*graph_frequencies(original, release, ends=False))}


def _of_sorted_values(u: np.ndarray, v: np.ndarray) -> Value:
    """W1 of the values of two lists of equal length."""
    if not len(u):
        return not_applicable("no case of either log has two events")
    return float(np.abs(np.sort(u) - np.sort(v)).mean())
