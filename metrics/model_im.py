"""The model that the inductive miner discovers; see `metrics.discovered_model`."""

from __future__ import annotations

from metrics.discovered_model import declare, scoring

METRICS = declare("im", "the inductive miner's model")
score = scoring(METRICS, "im", noise=0.0)
