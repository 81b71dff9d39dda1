"""Utility metrics: how far a release is from its original log, one file a metric or a family.

A metric file declares ``METRICS``, a tuple of `metrics.metric.Metric`, and a function
``score(original, release) -> {name: value}``; if some of them can be told of a directly-follows graph, also
``score_graph(original, graph)``. Adding one is adding a file; `metrics.registry` finds it.
"""
