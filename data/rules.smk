"""Datasets: fetch a raw file unless there is one, and convert it to the canonical log."""

import os

from data.datasets import DatasetError, dataset, locate

# What decides the content of a canonical log; a log whose bytes stay the same causes no further work.
IMPORTERS = [os.path.relpath(f"{workflow.basedir}/data/{file}") for file in ("convert.py", "io.py", "log.py", "xes.py")]


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


rule fetch:
    output:
        "data/raw/{log}/{file}",
    wildcard_constraints:
        file="[^/]+",
    log:
        "results/logs/{log}/fetch/{file}.txt",
    conda:
        "../environment.yml"
    localrule: True
    shell:
        "python -m data.fetch {wildcards.log} {output:q} --raw-dirs {config[raw_dirs]:q} > {log:q} 2>&1"


rule convert:
    input:
        raw=raw_file,
        code=IMPORTERS,
    output:
        log="results/logs/{log}/log.parquet",
        statistics="results/logs/{log}/statistics.json",
    log:
        "results/logs/{log}/convert.txt",
    conda:
        "../environment.yml"
    params:
        title=title,
        lifecycle=lifecycle,
    shell:
        "python -m data.convert {input.raw:q} {output.log} {output.statistics} --dataset {wildcards.log}"
        " --title {params.title:q} --lifecycle {params.lifecycle} > {log} 2>&1"


rule datasets:
    input:
        all_statistics,
    output:
        "results/logs/datasets.csv",
    log:
        "results/logs/datasets.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m data.overview {input} > {output} 2> {log}"
