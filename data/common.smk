"""What the rules of the datasets share: which file a log comes from."""

import os

from data.datasets import DatasetError, dataset, locate

# What decides the content of a canonical log; a log whose bytes stay the same causes no further work.
IMPORTERS = [
    os.path.relpath(f"{workflow.basedir}/data/{file}")
    for file in ("arrow.py", "convert.py", "io.py", "log.py", "xes.py")
]


def described(wildcards):
    """The dataset of a log."""
    try:
        return dataset(wildcards.log, config["datasets"])
    except DatasetError as error:
        raise WorkflowError(str(error)) from None


def raw_file(wildcards):
    """The raw file of a log: one's own, one in raw_dirs, or the one to fetch."""
    try:
        return locate(described(wildcards), config["raw_dirs"])
    except DatasetError as error:
        raise WorkflowError(str(error)) from None


def title(wildcards):
    """The title of a log."""
    return described(wildcards).title


def lifecycle(wildcards):
    """Which events of a log to keep."""
    return described(wildcards).lifecycle


def all_statistics(wildcards):
    """The statistics of the logs of all experiments."""
    logs = dict.fromkeys(log for experiment in config["experiments"].values() for log in experiment["logs"])
    return [f"results/logs/{log}/statistics.json" for log in logs]
