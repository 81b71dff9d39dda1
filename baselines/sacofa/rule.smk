rule sacofa:
    input:
        **source("sacofa"),
        shared=code_files("baselines", "prefix_query"),
        epsilons=amun_epsilons,
    output:
        **run(
            "sacofa",
            epsilon=["amun-mean@0.2", "amun-mean@0.3", "amun-mean@0.4"],
            pruning=["0.5%", "1%", "5%"],
            max_length=["mean"],
            mode=["ba_prune"],
        ),
    log:
        messages("sacofa"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("sacofa"),
        most=config["max_prefixes"],
    shell:
        MEASURE + "python -m baselines.sacofa {input.log} {output.release} --epsilon {wildcards.epsilon}"
        " --epsilons {input.epsilons} --pruning {wildcards.pruning} --max-length {wildcards.max_length}"
        " --mode {wildcards.mode} --max-prefixes {params.most} --seed {params.seed}"
