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


rule redraw_audits:
    input:
        draws="results/audit/draws/{mechanism}.npz",
        code=code_files("metrics"),
    output:
        zeros="results/audit/redraws/{mechanism}.json",
        draws="results/audit/redraws/{mechanism}.npz",
    log:
        "results/audit/redraws/{mechanism}.txt",
    conda:
        "../environment.yml"
    params:
        package=package,
        draws=config["audit_draws"],
        seed=config["seed"],
    shell:
        "(python -m metrics.audit {input.draws} --zeros {output.zeros}"
        " && python -m mechanisms.audit {params.package} {output.draws} --draws {params.draws} --seed {params.seed}"
        " --again {input.draws} {output.zeros}) > {log} 2>&1"


rule draw_presence:
    input:
        log="results/logs/{log}/log.parquet",
        record="results/runs/{mechanism}/{parameters}/{log}/0/run.json",
        code=project_path("mechanisms", "presence.py"),
    output:
        "results/presence/{mechanism}/{parameters}/{log}.npz",
    log:
        "results/presence/{mechanism}/{parameters}/{log}_draws.txt",
    conda:
        "../environment.yml"
    params:
        targets=config["presence_targets"],
        draws=config["presence_draws"],
        seed=config["seed"],
    shell:
        "python -m mechanisms.presence {input.log} {input.record} {output} --targets {params.targets}"
        " --draws {params.draws} --seed {params.seed} > {log} 2>&1"
