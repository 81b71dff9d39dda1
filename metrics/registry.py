"""Find the metrics: every module of this package that declares ``METRICS``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

import metrics
from metrics.attack import Attack
from metrics.metric import Metric


@cache
def _modules() -> tuple[ModuleType, ...]:
    names = (info.name for info in pkgutil.iter_modules(metrics.__path__, "metrics."))
    return tuple(importlib.import_module(name) for name in sorted(names))


@cache
def metric_modules() -> tuple[ModuleType, ...]:
    """The metric files, by name."""
    return tuple(module for module in _modules() if getattr(module, "METRICS", ()))


def declarations() -> dict[str, Metric]:
    """Every declared metric by its name.

    Raises
    ------
    ValueError
        If two files declare the same name.
    """
    declared: dict[str, Metric] = {}
    for module in metric_modules():
        for metric in module.METRICS:
            if metric.name in declared:
                raise ValueError(f"{module.__name__}: metric {metric.name!r} is declared twice; rename one")
            declared[metric.name] = metric
    return declared


def attacks() -> tuple[Attack, ...]:
    """Every declared attack, by the names of their files."""
    return tuple(attack for module in _modules() for attack in getattr(module, "ATTACKS", ()))
