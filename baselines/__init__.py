"""Baselines: published mechanisms to compare with; they follow the contract of `mechanisms`."""
