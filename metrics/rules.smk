"""Scores, every metric of every repeat of a cell in one job; classes for the figures; the bounds of the audit; rates of
presence."""


rule profile_classes:
    input:
        log="results/logs/{log}/log.parquet",
        run=first_run,
        code=code_files("metrics"),
    output:
        "results/classes/{mechanism}/{parameters}/{log}.csv",
    log:
        "results/classes/{mechanism}/{parameters}/{log}.txt",
    conda:
        "../environment.yml"
    params:
        run="results/runs/{mechanism}/{parameters}/{log}/0",
    shell:
        "python -m metrics.class_profile --log {input.log} --out {output} {params.run} > {log} 2>&1"


rule score:
    input:
        log="results/logs/{log}/log.parquet",
        runs=cell_files,
        outsiders=outsiders,
        code=code_files("metrics"),
    output:
        scores="results/scores/{track}/{mechanism}/{parameters}/{log}.csv",
        verdicts="results/verdicts/{track}/{mechanism}/{parameters}/{log}.csv",
    log:
        "results/scores/{track}/{mechanism}/{parameters}/{log}.txt",
    conda:
        "../environment.yml"
    resources:
        limit_s=config["score_timeout"],
        limit_mb=config["score_memory_mb"],
        mem_mb=score_mb,
        runtime=score_minutes,
    params:
        runs=cell_folders,
        only=costs_only,
        costly=costly,
        outsiders=outsiders_option,
    shell:
        "python -m metrics.score --log {input.log} --out {output.scores} --verdicts {output.verdicts} {params.only}"
        " --limit-s {resources.limit_s} --limit-mb {resources.limit_mb}"
        " {params.costly} {params.outsiders} {params.runs} > {log} 2>&1"


rule bound_epsilons:
    input:
        draws=expand("results/audit/draws/{mechanism}.npz", mechanism=audited()),
        again=expand("results/audit/redraws/{mechanism}.npz", mechanism=audited()),
        code=code_files("metrics"),
    output:
        "results/audit/audit.csv",
    log:
        "results/audit/audit.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m metrics.audit {input.draws} --again {input.again} --out {output} > {log} 2>&1"


rule rate_presence:
    input:
        draws="results/presence/{mechanism}/{parameters}/{log}.npz",
        code=code_files("metrics"),
    output:
        "results/presence/{mechanism}/{parameters}/{log}.csv",
    log:
        "results/presence/{mechanism}/{parameters}/{log}.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m metrics.presence_game {input.draws} --out {output} > {log} 2>&1"
