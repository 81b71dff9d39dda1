"""Total variation of n-gram histograms: which activities follow each other directly.

Cases are padded with artificial events on both ends, so 2-grams are the directly-follows edges with start and
end edges; without those, cases of one event would not count. Each histogram is normalised: volume is left to
`cases_ratio`. The raw counts of log-distance-measures (Bray-Curtis) obey no triangle inequality.
"""

from __future__ import annotations

from data.graph import DirectlyFollowsGraph
from data.log import EventLog
from metrics.distance import total_variation
from metrics.metric import Metric, Value, unless_empty
from metrics.pair import align, graph_frequencies

METRICS = (
    Metric(
        name="dfg_tv",
        title="Directly-follows graph, total variation",
        high=1.0,
        group="default",
        is_metric=True,
        blind_to="volume, times, and order beyond two events: {axb, cxd} and {axd, cxb} are 0 apart",
    ),
    Metric(
        name="ngram_tv_3",
        title="3-grams, total variation",
        high=1.0,
        is_metric=True,
        blind_to="volume, times, and order beyond three events: aaabaa and aabaaa are 0 apart",
    ),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Both distances."""
    pair = align(original, release)
    return {
        "dfg_tv": total_variation(*pair.ngram_counts(2)),
        "ngram_tv_3": total_variation(*pair.ngram_counts(3)),
    }


def score_graph(original: EventLog, release: DirectlyFollowsGraph) -> dict[str, Value]:
    """The distance of directly-follows graphs."""
    return {"dfg_tv": total_variation(*graph_frequencies(original, release, ends=True))}
