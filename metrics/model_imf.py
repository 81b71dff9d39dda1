"""The model that the infrequent inductive miner discovers; see `metrics.discovered_model`."""

from __future__ import annotations

from metrics.discovered_model import declare, scoring

METRICS = declare("imf", "the infrequent inductive miner's model")
score = scoring(METRICS, "imf", noise=0.2)
