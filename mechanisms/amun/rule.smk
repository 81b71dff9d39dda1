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
    params:
        seed=seed,
    resources:
        **LIMITS,
    shell:
        MEASURE + "python -m mechanisms.amun {input.log} {output.release} --delta {wildcards.delta}"
        " --mode {wildcards.mode} --profile {wildcards.profile} --seed {params.seed}"


def epsilon_deltas(wildcards):
    """The deltas for which an experiment wants the epsilons of the logs."""
    grids = [wanted["epsilons"]["delta"] for wanted in config["experiments"].values() if "epsilons" in wanted]
    return [f"--delta {delta}" for delta in sorted({delta for grid in grids for delta in grid})]


rule amun_epsilons:
    input:
        log="results/logs/{log}/log.parquet",
        code=own_files("amun"),
    output:
        "results/epsilons/{log}/profile={profile}.json",
    log:
        "results/epsilons/{log}/profile={profile}.txt",
    conda:
        "../../environment.yml"
    params:
        deltas=epsilon_deltas,
    shell:
        "python -m mechanisms.amun.epsilons {input.log} {output} {params.deltas}"
        " --profile {wildcards.profile} > {log} 2>&1"
