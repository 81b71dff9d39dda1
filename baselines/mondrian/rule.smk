rule mondrian:
    input:
        **source("mondrian"),
        shared=code_files("baselines", "relational"),
    output:
        **run(
            "mondrian",
            reads="relation log",
            attributes=["ip", "ip+user"],
            k=[5, 10, 20],
            rule=["lhs", "lhs_rhs"],
            scope=["dimension"],
            width=["region"],
            encoding=["integer"],
            rendering=["cidr"],
            unit=["rows"],
        ),
    log:
        messages("mondrian"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("mondrian"),
        project=projection,
    shell:
        MEASURE
        + "python -m baselines.mondrian {input.log} {output.release} --attributes {wildcards.attributes} --k {wildcards.k}"
        " --rule {wildcards.rule} --scope {wildcards.scope} --width {wildcards.width} --encoding {wildcards.encoding}"
        " --rendering {wildcards.rendering} --unit {wildcards.unit} {params.project} --seed {params.seed}"
