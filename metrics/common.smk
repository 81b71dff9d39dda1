"""What the scores of a cell are made from, and which scores the experiments ask for."""

from metrics.registry import declarations

# Nothing can be shown of an experiment without any log.
EXPERIMENTS = {name: wanted for name, wanted in config["experiments"].items() if logs_of(name)}
CELLS = {name: cells(name) for name in EXPERIMENTS}

# Metrics that take long are computed of the cells of which an experiment shows them, those that want cases held out on
# further runs.
COSTLY = {}
HELD_OUT = {}
for experiment_name, found in CELLS.items():
    shown = {m for m in EXPERIMENTS[experiment_name]["metrics"] if m in declarations() and declarations()[m].costly}
    HELD_OUT[experiment_name] = [m for m in shown if declarations()[m].held_out]
    for cell in found if shown else ():
        COSTLY[cell] = COSTLY.get(cell, set()) | shown - set(HELD_OUT[experiment_name])
for claim in CLAIMS:
    for cell in claim.cells if claim.metric in declarations() and declarations()[claim.metric].costly else ():
        COSTLY[cell] = COSTLY.get(cell, set()) | {claim.metric}


RUN_FILES = ("release.parquet", "run.json", "origins.parquet")


def score_mb(wildcards, attempt):
    """The memory to ask a cluster for: more than the limit, so that there, too, it is the job that ends a metric."""
    return config["score_memory_mb"] + attempt * MORE_MB


def score_minutes(wildcards, attempt):
    """The time to ask a cluster for: several metric files may run to their limit, and are then left out."""
    return attempt * -(-4 * config["score_timeout"] // 60)


def cell_files(wildcards):
    """Releases, records and origins of all repeats of a cell."""
    return [f"{folder}/{file}" for folder in cell_folders(wildcards) for file in RUN_FILES]


def first_run(wildcards):
    """Release, record and origins of the first repeat of a cell."""
    return [f"results/runs/{wildcards.mechanism}/{wildcards.parameters}/{wildcards.log}/0/{file}" for file in RUN_FILES]


def cell_folders(wildcards):
    """The folders of all repeats of a cell."""
    cell = "results/{track}/{mechanism}/{parameters}/{log}".format(**dict(wildcards.items()))
    return [f"{cell}/{repeat}" for repeat in range(config["repeats"])]


def outsiders(wildcards):
    """The cases that a log lacks, if some are held out."""
    return [f"results/logs/{wildcards.log}/held_out.parquet"] if wildcards.log.endswith(MEMBERS) else []


def outsiders_option(wildcards):
    """The same as an option of the command line."""
    return [f"--outsiders {file}" for file in outsiders(wildcards)]


def costs_only(wildcards):
    """Runs that are made for their times alone have no other scores."""
    return "--costs-only" if wildcards.track == "timing" else ""


def costly(wildcards):
    """The metrics that take long and that some experiment shows of this cell, as options."""
    cell = wildcards.mechanism, wildcards.parameters, wildcards.log
    return [f"--costly {metric}" for metric in sorted(COSTLY.get(cell, ()))]
