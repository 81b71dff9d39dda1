"""What to know of the privacy of a run before its utility is read: reservations that its program states itself.

A mechanism names them in its diagnostics, under `flags`; what it takes from the log without paying for it, under
`not_covered` and `bounds_from_data`; whether a seed fixes its output, under `seeded`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics.metric import Metric, Value, not_applicable

# Letter in tables, name, and what it means; the names of the flags that raise it.
FLAGS = {
    "one_sided_noise": ("O", "noise that only adds", ("one_sided_noise",)),
    "data_dependent_epsilon": ("E", "an epsilon that is computed from the private log", ("data_dependent_epsilon",)),
    "bounds_from_data": ("B", "bounds of the noise taken from the private log", ("bounds_from_data",)),
    "filter_not_covered": ("F", "a filter outside the guarantee", ("filter_not_covered",)),
    "parameters_from_data": ("A", "alphabet or parameters taken from the private log", ("parameters_from_data",)),
    "exact_values": (
        "V",
        "exact values released, plain or beneath compressed noise",
        ("exact_values", "durations_without_noise", "exact_times_kept"),
    ),
    "seeded": ("S", "seeded output, not a private release", ("seeded",)),
}
STATING = ("flags", "not_covered", "bounds_from_data", "seeded")

METRICS = tuple(
    Metric(name=f"flag_{name}", title=title, high=1.0, identity=None, doubled=None, group="run")
    for name, (_, title, _) in FLAGS.items()
)


def score(record: Mapping[str, Any]) -> dict[str, Value]:
    """1 for a flag that is raised, 0 for one that is not; not applicable where the program states nothing."""
    stated = record["diagnostics"]
    if not any(name in stated for name in STATING):
        nothing = not_applicable("the run record does not tell it")
        return {metric.name: nothing for metric in METRICS}
    raised = set(stated.get("flags", ()))
    if stated.get("bounds_from_data"):
        raised.add("bounds_from_data")
    if stated.get("not_covered"):
        raised.add("parameters_from_data")
    if stated.get("seeded"):
        raised.add("seeded")
    return {f"flag_{name}": float(not raised.isdisjoint(names)) for name, (_, _, names) in FLAGS.items()}
