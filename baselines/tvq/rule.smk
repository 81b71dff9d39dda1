rule tvq:
    input:
        **source("tvq"),
        shared=code_files("baselines", "prefix_query"),
        epsilons=amun_epsilons,
        alphabet=public_alphabet,
    output:
        **run(
            "tvq",
            epsilon=["amun-mean@0.2", "amun-mean@0.3", "amun-mean@0.4"],
            pruning=["0.5%", "1%", "5%"],
            max_length=["mean"],
            style=["full-prune"],
            profile=["published"],
        ),
    log:
        messages("tvq"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("tvq"),
        most=config["max_prefixes"],
    shell:
        MEASURE + "python -m baselines.tvq {input.log} {output.release} --epsilon {wildcards.epsilon}"
        " --epsilons {input.epsilons} --alphabet {input.alphabet} --pruning {wildcards.pruning} --max-length {wildcards.max_length}"
        " --style {wildcards.style} --profile {wildcards.profile} --max-prefixes {params.most} --seed {params.seed}"
