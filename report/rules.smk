"""Scores of an experiment, its tables and its figures.

An experiment name ending in `/timing` stands for the same cells, run again for their times alone.
"""

METRICS = sorted({metric for wanted in config["experiments"].values() for metric in wanted["metrics"]})
TIMES = ["cpu_s", "wall_s", "mechanism_s"]
TABLE = ("csv", "md", "tex")
FIGURE = ("png", "pdf")
REPORT_CODE = code_files(Path(workflow.basedir, "report"))


wildcard_constraints:
    experiment=r"[A-Za-z0-9_-]+(/timing)?",
    metric="|".join(METRICS),


def experiment(wildcards):
    """The configuration of an experiment."""
    return config["experiments"][wildcards.experiment.removesuffix("/timing")]


def track(wildcards):
    """The folder of an experiment's runs."""
    return "timing" if wildcards.experiment.endswith("/timing") else "runs"


def cell_scores(wildcards):
    """The scores of all cells of one mechanism and log in an experiment."""
    return [
        f"results/scores/{track(wildcards)}/{mechanism}/{parameters}/{log}.csv"
        for mechanism, parameters, log in cells(wildcards.experiment.removesuffix("/timing"))
        if (mechanism, log) == (wildcards.mechanism, wildcards.log)
    ]


def gathered_scores(wildcards):
    """The scores of an experiment, one file a mechanism and log (one command line could not name all cells)."""
    pairs = {(mechanism, log): None for mechanism, _, log in cells(wildcards.experiment.removesuffix("/timing"))}
    return [f"results/{wildcards.experiment}/scores/{mechanism}/{log}.csv" for mechanism, log in pairs]


def statistics(wildcards):
    """The statistics of an experiment's logs, in the order of the configuration."""
    return [f"results/logs/{log}/statistics.json" for log in experiment(wildcards)["logs"]]


def epsilon_files(wildcards):
    """What Amun estimates on every log of an experiment."""
    wanted = experiment(wildcards)
    return [
        f"results/epsilons/{log}/profile={profile}.json"
        for log in wanted["logs"]
        for profile in wanted["epsilons"]["profile"]
    ]


def title(wildcards):
    """What stands above the tables of an experiment."""
    return experiment(wildcards)["title"]


def rows(wildcards):
    """The parameters that make rows of a table."""
    return experiment(wildcards)["rows"]


def reports():
    """Every table and figure of every experiment."""
    wanted = []
    for name, settings in config["experiments"].items():
        wanted += expand("results/{name}/tables/logs.{kind}", name=name, kind=TABLE)
        wanted += expand("results/{name}/tables/{metric}.{kind}", name=name, metric=settings["metrics"], kind=TABLE)
        wanted += expand("results/{name}/figures/{metric}.{kind}", name=name, metric=settings["metrics"], kind=FIGURE)
        wanted.append(f"results/{name}/qc.csv")
        if "epsilons" in settings:
            wanted += expand("results/{name}/tables/epsilons.{kind}", name=name, kind=TABLE)
    return wanted


def timings():
    """The run-time tables and figures of every experiment, from runs made for them alone."""
    return [
        f"results/{name}/timing/{folder}/{metric}.{kind}"
        for name, settings in config["experiments"].items()
        for metric in settings["metrics"]
        if metric in TIMES
        for folder, kinds in (("tables", TABLE), ("figures", FIGURE))
        for kind in kinds
    ]


rule gather:
    input:
        cell_scores,
    output:
        "results/{experiment}/scores/{mechanism}/{log}.csv",
    log:
        "results/{experiment}/messages/gather_{mechanism}_{log}.txt",
    conda:
        "../environment.yml"
    shell:
        "awk 'FNR > 1 || NR == 1' {input} > {output} 2> {log}"


rule scores:
    input:
        gathered_scores,
    output:
        "results/{experiment}/scores.csv",
    log:
        "results/{experiment}/messages/scores.txt",
    conda:
        "../environment.yml"
    shell:
        "awk 'FNR > 1 || NR == 1' {input} > {output} 2> {log}"


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
        title=title,
    shell:
        "python -m report.logs {input.logs} --title {params.title:q} --out {output} > {log} 2>&1"


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
        title=title,
    shell:
        "python -m report.epsilons {input.epsilons} --logs {input.logs} --title {params.title:q}"
        " --out {output} > {log} 2>&1"


rule tabulate:
    input:
        scores="results/{experiment}/scores.csv",
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/tables/{{metric}}.{kind}", kind=TABLE),
    log:
        "results/{experiment}/messages/table_{metric}.txt",
    conda:
        "../environment.yml"
    params:
        title=title,
        rows=rows,
    shell:
        "python -m report.table {input.scores} --metric {wildcards.metric} --logs {input.logs}"
        " --title {params.title:q} --rows {params.rows} --out {output} > {log} 2>&1"


rule draw:
    input:
        scores="results/{experiment}/scores.csv",
        logs=statistics,
        code=REPORT_CODE,
    output:
        expand("results/{{experiment}}/figures/{{metric}}.{kind}", kind=FIGURE),
    log:
        "results/{experiment}/messages/figure_{metric}.txt",
    conda:
        "../environment.yml"
    params:
        title=title,
        rows=rows,
    shell:
        "python -m report.figure {input.scores} --metric {wildcards.metric} --logs {input.logs}"
        " --title {params.title:q} --rows {params.rows} --out {output} > {log} 2>&1"


rule timing:
    input:
        timings(),
    localrule: True
