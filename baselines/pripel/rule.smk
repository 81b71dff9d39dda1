rule pripel:
    input:
        **source("pripel"),
        shared=code_files("baselines", "prefix_query"),
        epsilons=amun_epsilons,
    output:
        **run(
            "pripel",
            epsilon=["amun-mean@0.2", "amun-mean@0.3", "amun-mean@0.4"],
            pruning=["0.5%", "1%", "5%"],
            max_length=["mean"],
            time_mode=["published"],
        ),
    log:
        messages("pripel"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("pripel"),
        most=config["max_prefixes"],
        bounds=public_bounds("dates", "max_duration"),
    shell:
        MEASURE + "python -m baselines.pripel {input.log} {output.release} --epsilon {wildcards.epsilon}"
        " --epsilons {input.epsilons} --pruning {wildcards.pruning} --max-length {wildcards.max_length}"
        " --time-mode {wildcards.time_mode} {params.bounds} --max-prefixes {params.most} --seed {params.seed}"
