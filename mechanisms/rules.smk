for name in MECHANISMS:
    workflow.get_rule(name).group = batch


rule draw_audits:
    input:
        code=audited_code,
    output:
        "results/audit/draws/{mechanism}.npz",
    log:
        "results/audit/draws/{mechanism}.txt",
    conda:
        "../environment.yml"
    params:
        package=package,
        draws=config["audit_draws"],
        seed=config["seed"],
    shell:
        "python -m mechanisms.audit {params.package} {output} --draws {params.draws} --seed {params.seed} > {log} 2>&1"
