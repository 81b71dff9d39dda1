rule incognito:
    input:
        **source("incognito"),
        shared=code_files("baselines", "relational"),
        hierarchies=hierarchies,
    output:
        **run(
            "incognito",
            reads="relation log",
            attributes=["ip"],
            k=[5, 10, 20],
            suppression=[0],
            criterion=["classes"],
            encoding=["octets"],
            octet_levels=["0234"],
            unit=["rows"],
        ),
    log:
        messages("incognito"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("incognito"),
        hierarchies=hierarchies_option,
        project=projection,
    shell:
        MEASURE
        + "python -m baselines.incognito {input.log} {output.release} --attributes {wildcards.attributes} --k {wildcards.k}"
        " --suppression {wildcards.suppression} --criterion {wildcards.criterion} --encoding {wildcards.encoding}"
        " --octet-levels {wildcards.octet_levels} --unit {wildcards.unit} {params.hierarchies:q} {params.project}"
        " --seed {params.seed}"
