rule shuffle:
    input:
        **source("shuffle"),
    output:
        **run("shuffle"),
    log:
        messages("shuffle"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("shuffle"),
    shell:
        MEASURE + "python -m mechanisms.shuffle {input.log} {output.release} --seed {params.seed}"
