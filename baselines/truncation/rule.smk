rule truncation:
    input:
        **source("truncation"),
        shared=code_files("baselines", "relational"),
    output:
        **run(
            "truncation",
            reads="relation log",
            attributes=["ip"],
            prefix=[24, 16, 8],
            k=[10],
            rendering=["cidr"],
            unit=["rows"],
        ),
    log:
        messages("truncation"),
    conda:
        "../../environment.yml"
    resources:
        **LIMITS,
    params:
        seed=seed("truncation"),
        project=projection,
    shell:
        MEASURE
        + "python -m baselines.truncation {input.log} {output.release} --attributes {wildcards.attributes} --prefix {wildcards.prefix}"
        " --k {wildcards.k} --rendering {wildcards.rendering} --unit {wildcards.unit} {params.project} --seed {params.seed}"
