"""Scores: every metric of every repeat of a cell, in one job."""


def cell_files(wildcards):
    """Releases and records of all repeats of a cell."""
    return [f"{folder}/{file}" for folder in cell_folders(wildcards) for file in ("release.parquet", "run.json")]


def cell_folders(wildcards):
    """The folders of all repeats of a cell."""
    cell = "results/{track}/{mechanism}/{parameters}/{log}".format(**dict(wildcards.items()))
    return [f"{cell}/{repeat}" for repeat in range(config["repeats"])]


rule score:
    input:
        log="results/logs/{log}/log.parquet",
        runs=cell_files,
        code=code_files(Path(workflow.basedir, "metrics")),
    output:
        "results/scores/{track}/{mechanism}/{parameters}/{log}.csv",
    log:
        "results/scores/{track}/{mechanism}/{parameters}/{log}.txt",
    conda:
        "../environment.yml"
    params:
        runs=cell_folders,
    shell:
        "python -m metrics.score --log {input.log} --out {output} {params.runs} > {log} 2>&1"
