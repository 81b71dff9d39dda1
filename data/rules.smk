"""Datasets: fetch a raw file unless there is one, and convert it to the canonical log."""


rule fetch:
    output:
        update("data/raw/{log}/{file}"),  # kept if another job has fetched it meanwhile
    log:
        "results/logs/{log}/fetch/{file}.txt",
    wildcard_constraints:
        file="[^/]+",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "python -m data.fetch {wildcards.log} {output:q} --log {log:q}"


rule generate:
    input:
        GENERATORS,
    output:
        "results/logs/{log}/{log}.csv",
    log:
        "results/logs/{log}/generate.txt",
    conda:
        "../environment.yml"
    params:
        command=generator,
    shell:
        "python -m {params.command} {output} > {log} 2>&1"


rule convert:
    input:
        raw=raw_file,
        code=IMPORTERS,
    output:
        log="results/logs/{log}/log.parquet",
        statistics="results/logs/{log}/statistics.json",
    log:
        "results/logs/{log}/convert.txt",
    wildcard_constraints:
        log=WHOLE,
    conda:
        "../environment.yml"
    params:
        options=convert_options,
    shell:
        "python -m data.convert {input.raw:q} {output.log} {output.statistics} {params.options:q} > {log} 2>&1"


rule hold_out:
    input:
        log="results/logs/{log}/log.parquet",
        code=project_path("data", "held_out.py"),
    output:
        members=f"results/logs/{{log}}{MEMBERS}/log.parquet",
        held_out=f"results/logs/{{log}}{MEMBERS}/held_out.parquet",
    log:
        f"results/logs/{{log}}{MEMBERS}/hold_out.txt",
    wildcard_constraints:
        log=WHOLE,
    conda:
        "../environment.yml"
    params:
        seed=config["seed"],
    shell:
        "python -m data.held_out {input.log} {output} --seed {params.seed} > {log} 2>&1"


rule survey:
    input:
        raw=own_file,
        code=IMPORTERS,
    output:
        "results/logs/{log}/survey.json",
    log:
        "results/logs/{log}/survey.txt",
    localrule: True
    conda:
        "../environment.yml"
    params:
        raw_dirs=config["raw_dirs"],
        own=own_entry,
    shell:
        "python -m data.survey {wildcards.log} {output} --raw-dirs {params.raw_dirs:q} --own {params.own:q} > {log}"


rule datasets:
    input:
        surveys,
    log:
        "results/logs/datasets.txt",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "python -m data.overview {input} --out results/logs 2>&1 | tee {log}"
