"""Datasets: fetch, import, the canonical event log, and its statistics."""
