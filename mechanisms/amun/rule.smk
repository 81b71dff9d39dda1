rule amun_epsilons:
    input:
        log="results/logs/{log}/log.parquet",
        code=own_files("amun"),
    output:
        "results/epsilons/{log}/delta={delta},profile={profile}.json",
    log:
        "results/epsilons/{log}/delta={delta},profile={profile}.txt",
    conda:
        "../../environment.yml"
    shell:
        "python -m mechanisms.amun.epsilons {input.log} {output} --delta {wildcards.delta}"
        " --profile {wildcards.profile} > {log} 2>&1"


rule amun:
    input:
        **source("amun"),
    output:
        **run(
            "amun",
            delta=[0.2, 0.3, 0.4],
            mode=["oversampling", "sampling", "filtering"],
            profile=["code"],
        ),
    log:
        messages("amun"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("amun"),
        bounds=public_bounds("dates", "max_length", "max_duration"),
    shell:
        MEASURE + "python -m mechanisms.amun {input.log} {output.release} --delta {wildcards.delta}"
        " --mode {wildcards.mode} --profile {wildcards.profile} {params.bounds} --seed {params.seed}"
