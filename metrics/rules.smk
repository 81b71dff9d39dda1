"""Scores: every metric of every repeat of a cell, in one job."""


rule score:
    input:
        log="results/logs/{log}/log.parquet",
        runs=cell_files,
        code=code_files("metrics"),
    output:
        "results/scores/{track}/{mechanism}/{parameters}/{log}.csv",
    log:
        "results/scores/{track}/{mechanism}/{parameters}/{log}.txt",
    conda:
        "../environment.yml"
    params:
        runs=cell_folders,
        only=costs_only,
        costly=costly,
    shell:
        "python -m metrics.score --log {input.log} --out {output} {params.only} {params.costly} {params.runs}"
        " > {log} 2>&1"
