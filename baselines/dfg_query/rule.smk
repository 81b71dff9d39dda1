rule dfg_query:
    input:
        **source("dfg_query"),
        shared=code_files("baselines", "prefix_query"),
        epsilons=amun_epsilons,
        alphabet=public_alphabet,
    output:
        **run(
            "dfg_query",
            epsilon=["amun-mean@0.2", "amun-mean@0.3", "amun-mean@0.4"],
            profile=["published", "accounted"],
        ),
    log:
        messages("dfg_query"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("dfg_query"),
    shell:
        MEASURE + "python -m baselines.dfg_query {input.log} {output.release} --epsilon {wildcards.epsilon}"
        " --epsilons {input.epsilons} --alphabet {input.alphabet} --profile {wildcards.profile} --seed {params.seed}"
