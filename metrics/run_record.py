"""What a run cost and claims, read from its run record instead of from its logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics.metric import Metric, Value, not_applicable


def _cost(name: str, title: str, unit: str = "", **declared: Any) -> Metric:
    return Metric(name=name, title=title, unit=unit, **declared, identity=None, doubled=None, group="run")


METRICS = (
    _cost("wall_s", "Wall time", "s"),
    _cost("cpu_s", "CPU time", "s"),
    _cost("peak_rss_mb", "Peak memory", "MB"),
    _cost("mechanism_s", "Mechanism alone", "s"),
    # What times may be compared: runs of one machine that had a core to themselves while it was not busy.
    _cost("shared_core", "Without a core of its own, or on a busy machine", high=1),
    _cost("machine", "Machine, as a number"),
    # As the mechanism states them in its private diagnostics.
    _cost("nominal_epsilon", "Nominal epsilon", direction="none"),  # given, not achieved
    _cost(
        "composed_epsilon",
        "Composed epsilon",
        blind_to="what is taken from the log without noise; where that is more than parameters, nothing is guaranteed",
    ),
    _cost("suppressed_cases", "Suppressed cases", "cases"),
    _cost("modified_cases", "Modified cases", "cases"),
    _cost("imputed_values", "Imputed durations", "events"),
    _cost("edit_distance", "Edit distance of all cases to their releases", "edits"),
)


def score(record: Mapping[str, Any]) -> dict[str, Value]:
    """The costs of a run that succeeded; what its program does not report is not applicable."""
    costs = {**record["diagnostics"], **record["phases"], **record}
    shared = not record["core"]["leased"] or record["load"] > record["host"]["cores"]
    costs |= {"shared_core": float(shared), "machine": float(int(record["host"]["id"], 16))}
    missing = not_applicable("the run record does not tell it")
    return {metric.name: missing if costs.get(metric.name) is None else costs[metric.name] for metric in METRICS}
