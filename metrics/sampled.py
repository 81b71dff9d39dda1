"""Truly-, under-, over- and unsampled scores: how evenly a release samples the directly-follows pairs of the log.

As the embedding study's published code computes them (roeselfa/FeatureLearningBasedDistanceMetrics at 9659de1). A pair
is truly sampled if its ratio of counts lies within one standard deviation of the ratio of cases, the deviation being
that of the release's own ratios. The code subtracts numbers of pairs for the unsampled score, so that novel pairs of a
release would hide missing ones; here a pair of the original is unsampled if the release lacks it.
"""

from __future__ import annotations

from data.log import EventLog
from metrics.metric import Metric, Value, not_applicable, unless_empty
from metrics.pair import align

ROUNDING = 1e-9  # two ratios always lie on the edge of their band, which rounding must not decide


def _share(name: str, title: str, blind_to: str, **declared) -> Metric:
    return Metric(name=name, title=title, unit="%", high=100.0, group="published", blind_to=blind_to, **declared)


METRICS = (
    _share(
        "truly_sampled",
        "Truly sampled pairs",
        "distortion that widens its own band: {ab x10, cd x10} to {ab x9, cd x1} is 100; novel pairs; times",
        direction="higher",
        identity=100.0,
        doubled=100.0,
        empty=0.0,
    ),
    _share("undersampled", "Undersampled pairs", "the same as the truly sampled score", empty=100.0),
    _share("oversampled", "Oversampled pairs", "the same as the truly sampled score", empty=0.0),
    _share("unsampled", "Unsampled pairs", "how often the pairs occur, and novel ones", empty=100.0),
)


@unless_empty(METRICS)
def score(original: EventLog, release: EventLog) -> dict[str, Value]:
    """Shares, in percent, of the original's directly-follows pairs."""
    counts, released = align(original, release).edge_counts
    known = counts > 0
    if not known.any():
        return {metric.name: not_applicable("no case of the original has two events") for metric in METRICS}
    ratios = released[known] / counts[known]
    expected, band = release.n_cases / original.n_cases, ratios.std() + ROUNDING
    absent = ratios == 0
    under = absent | (ratios < expected - band)
    over = ~absent & (ratios > expected + band)
    shares = {
        "truly_sampled": ~under & ~over,
        "undersampled": under,
        "oversampled": over,
        "unsampled": absent,
    }
    return {name: float(100 * chosen.mean()) for name, chosen in shares.items()}
