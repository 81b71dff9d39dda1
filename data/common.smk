"""What the rules of the datasets share: which logs there are, and which file each comes from."""

import json

from snakemake.logging import logger

from data.datasets import DatasetError, UnavailableError, dataset, locate, published

# What decides the content of a canonical log. A log that is converted again to the same bytes causes no further
# work if it is done first, by the target `datasets`.
IMPORTED_BY = (
    "arrow columns convert csv_log importing io lifecycle log memory options order relation relation_import"
    " relation_io tabular times unpack xes"
).split()
IMPORTERS = [project_path("data", f"{module}.py") for module in IMPORTED_BY]
GENERATORS = [project_path("data", "access.py")]

DATASETS, RAW_FILES, UNAVAILABLE = {}, {}, {}
for log in dict.fromkeys(WANTED_LOGS):
    try:
        DATASETS[log] = dataset(log, config["datasets"])
        RAW_FILES[log] = locate(DATASETS[log], config["raw_dirs"])
    except UnavailableError as error:
        UNAVAILABLE[log] = str(error)
        logger.warning(f"Left out: {error}")
    except DatasetError as error:
        raise WorkflowError(str(error)) from None
if not RAW_FILES:
    raise WorkflowError("none of the logs is available; see the lines above")


def logs_of(experiment):
    """The available logs of an experiment."""
    return [log for log in config["experiments"][experiment]["logs"] if log in RAW_FILES]


def whole(log):
    """The log that another one is made from, itself or with some cases held out."""
    return log.removesuffix(MEMBERS)


def kind_of(log):
    """Whether a dataset is an event log (`log`) or a table of rows (`relation`)."""
    return DATASETS[whole(log)].kind


def unavailable_logs(experiment):
    """The logs of an experiment that cannot be had; its tables name them."""
    return [log for log in config["experiments"][experiment]["logs"] if log in UNAVAILABLE]


def raw_file(wildcards):
    """The raw file of a log: one's own, one in raw_dirs, or the one to fetch."""
    return RAW_FILES[wildcards.log]


def generator(wildcards):
    """The module that makes the file of a log, with its options."""
    return dataset(wildcards.log, config["datasets"]).generator


def convert_options(wildcards):
    """What the import has to be told of a log."""
    return DATASETS[wildcards.log].convert_options


def surveys(wildcards):
    """A record of every dataset there is, whether an experiment uses it or not."""
    return expand("results/logs/{log}/survey.json", log=dict.fromkeys([*published(), *config["datasets"]]))


def own_file(wildcards):
    """The file of a log that is used in place; a published file does not change."""
    return dataset(wildcards.log, config["datasets"]).path or []


def own_entry(wildcards):
    """What the configuration says of a dataset, as JSON."""
    return json.dumps(config["datasets"].get(wildcards.log, {}))
