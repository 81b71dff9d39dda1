include: "common.smk"


rule pretsa_embedding:
    input:
        log="results/logs/{log}/log.parquet",
        code=own_files("pretsa"),
    output:
        distances="results/embeddings/{log}/seed={seed}.json",
        measures="results/embeddings/{log}/seed={seed}_measures.json",
    log:
        "results/embeddings/{log}/seed={seed}.txt",
    wildcard_constraints:
        seed=r"\d+",
    conda:
        "../../environment.yml"
    shell:
        "python -m mechanisms.pretsa.embedding {input.log} {output.distances} --measures {output.measures}"
        " --seed {wildcards.seed} > {log} 2>&1"


rule pretsa:
    input:
        **source("pretsa"),
        embedding=embedding_file,
        bounds=bounds_file,
    output:
        **run(
            "pretsa",
            k=[8, 32],
            t=[0.25, 1],
            distance=["levenshtein", "embedding"],
            profile=["sound"],
            l=["off"],
            duration_epsilon=["off"],
        ),
    log:
        messages("pretsa"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("pretsa"),
        embedding=embedding_option,
        order=case_order,
        bounds=bounds_option,
    shell:
        MEASURE + "python -m mechanisms.pretsa {input.log} {output.release} --k {wildcards.k} --t {wildcards.t}"
        " --distance {wildcards.distance} {params.embedding} --profile {wildcards.profile} --l {wildcards.l}"
        " --duration-epsilon {wildcards.duration_epsilon} {params.bounds} --order-seed {params.order} --seed {params.seed}"
