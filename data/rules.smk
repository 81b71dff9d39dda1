"""Datasets: fetch a raw file unless there is one, and convert it to the canonical log."""


rule fetch:
    output:
        "data/raw/{log}/{file}",
    log:
        "results/logs/{log}/fetch/{file}.txt",
    wildcard_constraints:
        file="[^/]+",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "python -m data.fetch {wildcards.log} {output:q} > {log:q} 2>&1"


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
        expand("results/logs/{log}/statistics.json", log=RAW_FILES),
    output:
        "results/logs/datasets.csv",
    log:
        "results/logs/datasets.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m data.overview {input} > {output} 2> {log}"
