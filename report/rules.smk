"""Scores and verdicts of an experiment, its tables and its figures.

An experiment name ending in `_timing` stands for the same cells, run again for their times alone.
"""


rule gather:
    input:
        cells_of,
    output:
        "results/{experiment}/{table}/{mechanism}/{log}.csv",
    log:
        "results/{experiment}/messages/gather_{table}_{mechanism}_{log}.txt",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "awk 'FNR > 1 || NR == 1' {input} > {output} 2> {log}"


rule scores:
    input:
        gathered,
    output:
        "results/{experiment}/{table}.csv",
    log:
        "results/{experiment}/messages/{table}.txt",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "awk 'FNR > 1 || NR == 1' {input} > {output} 2> {log}"


rule keep_best:
    input:
        scores="results/{experiment}/scores.csv",
        code=REPORT_CODE,
    output:
        "results/{experiment}/best.csv",
        "results/{experiment}/chosen.csv",
    log:
        "results/{experiment}/messages/best.txt",
    conda:
        "../environment.yml"
    params:
        choice=choice,
    shell:
        "python -m report.best {input.scores} {params.choice} --out {output} > {log} 2>&1"


rule quality:
    input:
        "results/{experiment}/scores.csv",
    output:
        "results/{experiment}/qc.csv",
    log:
        "results/{experiment}/messages/qc.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m metrics.qc --out {output} {input} > {log} 2>&1"


rule describe_logs:
    input:
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/logs.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/logs.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
    shell:
        "python -m report.logs --logs {input.logs} --title {params.title:q} --absent {params.absent}"
        " --out {output} > {log} 2>&1"


rule tabulate_epsilons:
    input:
        epsilons=epsilon_files,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/epsilons.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/epsilons.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
    shell:
        "python -m report.epsilons {input.epsilons} --logs {input.logs} --title {params.title:q}"
        " --absent {params.absent} --out {output} > {log} 2>&1"


rule tabulate_embeddings:
    input:
        measures=embedding_measures,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/embeddings.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/embeddings.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
    shell:
        "python -m report.embeddings {input.measures} --logs {input.logs} --title {params.title:q}"
        " --absent {params.absent} --out {output} > {log} 2>&1"


rule tabulate_differences:
    input:
        scores="results/{experiment}/scores.csv",
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/differences.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/differences.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        audit=audit_option,
        audit_seen=audit_seen,
        absent=absent,
        axes=axes,
        metrics=mapped,
    shell:
        "python -m report.differences {input.scores} --metrics {params.metrics} --logs {input.logs}"
        " --title {params.title:q} {params.audit} --absent {params.absent} {params.axes} --out {output} > {log} 2>&1"


rule tabulate:
    input:
        scores=shown_scores,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/{{metric}}.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/table_{metric}.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
        rows=rows,
        audit=audit_option,
        audit_seen=audit_seen,
    shell:
        "python -m report.table {input.scores} --metric {wildcards.metric} --logs {input.logs}"
        " --title {params.title:q} --absent {params.absent} --rows {params.rows} {params.audit} --out {output} > {log} 2>&1"


rule tabulate_utility:
    input:
        scores=shown_scores,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/utility.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/utility.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
        rows=rows,
        audit=audit_option,
        audit_seen=audit_seen,
    shell:
        "python -m report.utility {input.scores} --logs {input.logs} --title {params.title:q}"
        " --absent {params.absent} --rows {params.rows} {params.audit} --out {output} > {log} 2>&1"


rule tabulate_attacks:
    input:
        scores=shown_scores,
        games=games,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/attacks.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/attacks.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
        rows=rows,
        games=games_option,
        audit=audit_option,
        audit_seen=audit_seen,
    shell:
        "python -m report.attacks {input.scores} --logs {input.logs} --title {params.title:q}"
        " --absent {params.absent} --rows {params.rows} {params.audit} {params.games} --out {output} > {log} 2>&1"


rule tabulate_guarantees:
    input:
        scores=shown_scores,
        games=games,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/guarantees.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/guarantees.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        absent=absent,
        rows=rows,
        games=games_option,
        audit=audit_option,
        audit_seen=audit_seen,
    shell:
        "python -m report.guarantees {input.scores} --logs {input.logs} --title {params.title:q}"
        " --absent {params.absent} --rows {params.rows} {params.audit} {params.games} --out {output} > {log} 2>&1"


rule draw_tradeoff:
    input:
        scores=shown_scores,
        games=games,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/figures/tradeoff.{kind}", kind=FIGURE),
    log:
        "results/{experiment}/messages/tradeoff.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        games=games_option,
        audit=audit_option,
        audit_seen=audit_seen,
    shell:
        "python -m report.tradeoff {input.scores} --logs {input.logs} --title {params.title:q}"
        " {params.audit} {params.games} --out {output} > {log} 2>&1"


rule compare_methods:
    input:
        scores=shown_scores,
        logs=statistics,
        code=REPORT_CODE,
    output:
        tables=expand("results/{{experiment}}/tables/comparison.{kind}", kind=TABLE),
        by_log="results/{experiment}/tables/comparison_by_log.csv",
        figures=expand("results/{{experiment}}/figures/ranks.{kind}", kind=FIGURE),
    log:
        "results/{experiment}/messages/comparison.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        audit=audit_option,
        audit_seen=audit_seen,
        absent=absent,
        rows=rows,
        metrics=metrics_of,
    shell:
        "python -m report.comparison {input.scores} --metrics {params.metrics} --logs {input.logs}"
        " --title {params.title:q} {params.audit} --absent {params.absent} --rows {params.rows}"
        " --out {output.tables} --by-log {output.by_log} --figures {output.figures} > {log} 2>&1"


rule draw:
    input:
        scores=shown_scores,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/figures/{{metric}}.{kind}", kind=FIGURE),
    log:
        "results/{experiment}/messages/figure_{metric}.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        audit=audit_option,
        audit_seen=audit_seen,
        rows=rows,
    shell:
        "python -m report.figure {input.scores} --metric {wildcards.metric} --logs {input.logs}"
        " --title {params.title:q} {params.audit} --rows {params.rows} --out {output} > {log} 2>&1"


rule draw_heatmap:
    input:
        scores="results/{experiment}/scores.csv",
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/heatmaps/{{metric}}.{kind}", kind=FIGURE),
    log:
        "results/{experiment}/messages/heatmap_{metric}.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        audit=audit_option,
        audit_seen=audit_seen,
        axes=axes,
    shell:
        "python -m report.heatmap {input.scores} --metric {wildcards.metric} --logs {input.logs}"
        " --title {params.title:q} {params.audit} {params.axes} --out {output} > {log} 2>&1"


rule draw_classes:
    input:
        profiles=class_profiles,
        logs="results/logs/{log}/statistics.json",
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/classes/{{log}}/{{figure}}.{kind}", kind=FIGURE),
    log:
        "results/{experiment}/messages/classes_{log}_{figure}.txt",
    wildcard_constraints:
        figure="sizes|users|intervals",
    conda:
        "../environment.yml"
    params:
        title=heading,
    shell:
        "python -m report.classes {input.profiles} --figure {wildcards.figure} --logs {input.logs}"
        " --title {params.title:q} --out {output} > {log} 2>&1"


rule tabulate_reported:
    input:
        scores="results/{experiment}/scores.csv",
        claims=claims_file,
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/reported.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/reported.txt",
    conda:
        "../environment.yml"
    params:
        title=heading,
        audit=audit_option,
        audit_seen=audit_seen,
        absent=absent,
    shell:
        "python -m report.reported {input.scores} --claims {input.claims} --logs {input.logs}"
        " --title {params.title:q} {params.audit} --absent {params.absent} --out {output} > {log} 2>&1"


rule timing:
    input:
        timings(),
    localrule: True


rule tabulate_audit:
    input:
        findings="results/audit/audit.csv",
        code=REPORT_CODE,
    output:
        expand("results/audit/tables/audit.{kind}", kind=TABLE),
    log:
        "results/audit/tables/audit.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m report.audit {input.findings} --out {output} > {log} 2>&1"


rule audit:
    input:
        expand("results/audit/tables/audit.{kind}", kind=TABLE),
    localrule: True


rule judge:
    input:
        all_claimed,
        claims=CLAIM_FILES,
        code=REPORT_CODE,
    output:
        table=expand("results/claims/claims.{kind}", kind=TABLE),
        summary="results/claims/summary.txt",
    log:
        "results/claims/messages.txt",
    conda:
        "../environment.yml"
    params:
        repeats=config["repeats"],
        absent=list(UNAVAILABLE),
    shell:
        "python -m report.judge --claims {input.claims} --repeats {params.repeats} --absent {params.absent}"
        " --out {output.table} --summary {output.summary} > {log} 2>&1"


rule claims:
    input:
        "results/claims/summary.txt",
    log:
        "results/claims/shown.txt",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "tee {log} < {input}"


rule trace_claim:
    input:
        claimed,
        claims=CLAIM_FILES,
        code=REPORT_CODE,
    output:
        "results/claims/{id}.md",
    log:
        "results/claims/{id}.txt",
    wildcard_constraints:
        id="(?!claims$)[^/]+",
    conda:
        "../environment.yml"
    params:
        repeats=config["repeats"],
    shell:
        "python -m report.trail {wildcards.id} --claims {input.claims} --repeats {params.repeats} --out {output}"
        " > {log} 2>&1"


rule claim:
    input:
        wanted_claim,
    log:
        "results/claims/shown_claim.txt",
    localrule: True
    conda:
        "../environment.yml"
    shell:
        "tee {log} < {input}"


rule report:
    input:
        report_parts,
        code=REPORT_CODE,
    output:
        "results/report.html",
    log:
        "results/report.txt",
    conda:
        "../environment.yml"
    params:
        experiments=expand("results/{name}", name=EXPERIMENTS),
        claims="--claims results/claims/claims.csv" if CLAIMS else "",
        snakemake=again,
    shell:
        "python -m report.page {params.experiments} {params.claims} --snakemake {params.snakemake:q} --out {output}"
        " > {log} 2>&1"


rule crate:
    input:
        "results/report.html",
        workflow=project_path("Snakefile"),
        config=workflow.configfiles[-1],
        lock=project_path("requirements.lock"),
        code=REPORT_CODE,
    output:
        "results/ro-crate-metadata.json",
    log:
        "results/crate.txt",
    conda:
        "../environment.yml"
    shell:
        "python -m report.crate results --workflow {input.workflow} --config {input.config:q} --lock {input.lock}"
        " --out {output} > {log} 2>&1"


rule plan:
    log:
        "results/plan.txt",
    localrule: True
    conda:
        "../environment.yml"
    params:
        text=plan_text,
    shell:
        "printf '%s\\n' {params.text:q} | tee {log}"
