rule identity:
    input:
        **source("identity"),
    output:
        **run("identity"),
    log:
        messages("identity"),
    conda:
        "../../environment.yml"
    params:
        seed=seed,
    resources:
        **LIMITS,
    shell:
        MEASURE + "python -m mechanisms.identity {input.log} {output.release} --seed {params.seed}"
