"""Experiments, datasets and claims, and the check of the configuration."""
