rule identity:
    input:
        **source("identity"),
    output:
        **run("identity"),
    log:
        messages("identity"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("identity"),
    shell:
        MEASURE + "python -m mechanisms.identity {input.log} {output.release} --seed {params.seed}"
