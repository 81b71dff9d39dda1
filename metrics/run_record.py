"""What a run cost, read from its run record instead of from its logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics.metric import Metric, Value, not_applicable

METRICS = (
    Metric(name="wall_s", title="Wall time", unit="s", identity=None, doubled=None, group="run"),
    Metric(name="cpu_s", title="CPU time", unit="s", identity=None, doubled=None, group="run"),
    Metric(name="peak_rss_mb", title="Peak memory", unit="MB", identity=None, doubled=None, group="run"),
    Metric(name="mechanism_s", title="Mechanism alone", unit="s", identity=None, doubled=None, group="run"),
)


def score(record: Mapping[str, Any]) -> dict[str, Value]:
    """The costs of a run that succeeded; a program that does not report phases has no `mechanism_s`."""
    costs = {**record, **record.get("phases", {})}
    missing = not_applicable("the run record does not tell it")
    return {metric.name: missing if costs.get(metric.name) is None else costs[metric.name] for metric in METRICS}
