"""What the scores of a cell are made from."""


def cell_files(wildcards):
    """Releases and records of all repeats of a cell."""
    return [f"{folder}/{file}" for folder in cell_folders(wildcards) for file in ("release.parquet", "run.json")]


def cell_folders(wildcards):
    """The folders of all repeats of a cell."""
    cell = "results/{track}/{mechanism}/{parameters}/{log}".format(**dict(wildcards.items()))
    return [f"{cell}/{repeat}" for repeat in range(config["repeats"])]


def costs_only(wildcards):
    """Runs that are made for their times alone have no other scores."""
    return "--costs-only" if wildcards.track == "timing" else ""
