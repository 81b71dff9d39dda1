"""From public event logs to the tables and figures of the papers: `snakemake --cores 16`."""

if not workflow.configfiles:

    configfile: workflow.source_path("config/config.yaml")


include: "config/common.smk"
include: "report/claims.smk"
include: "data/common.smk"
include: "data/rules.smk"
include: "mechanisms/common.smk"


for rule_file in RULE_FILES:

    include: rule_file


include: "mechanisms/rules.smk"
include: "metrics/common.smk"
include: "metrics/rules.smk"
include: "report/common.smk"
include: "report/rules.smk"


rule all:
    default_target: True
    input:
        reports(),
        "results/report.html",
    localrule: True


onstart:
    show_progress()


onsuccess:
    shell("python -m report.closing " + " ".join(f"results/{name}" for name in EXPERIMENTS))
