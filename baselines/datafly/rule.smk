rule datafly:
    input:
        **source("datafly"),
        shared=code_files("baselines", "relational"),
        hierarchies=hierarchies,
    output:
        **run(
            "datafly",
            reads="relation log",
            attributes=["ip"],
            k=[5, 10, 20],
            suppression=[0, 10],
            tie=["first"],
            encoding=["octets"],
            octet_levels=["01234"],
            unit=["rows"],
        ),
    log:
        messages("datafly"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("datafly"),
        hierarchies=hierarchies_option,
        project=projection,
    shell:
        MEASURE
        + "python -m baselines.datafly {input.log} {output.release} --attributes {wildcards.attributes} --k {wildcards.k}"
        " --suppression {wildcards.suppression} --tie {wildcards.tie} --encoding {wildcards.encoding}"
        " --octet-levels {wildcards.octet_levels} --unit {wildcards.unit} {params.hierarchies:q} {params.project}"
        " --seed {params.seed}"
