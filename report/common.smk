"""What the rules of the report share: which scores, logs and settings belong to an experiment."""

import hashlib
import shlex
from functools import partial

from report import jobs, plan, prediction, progress

TIMING = "_timing"  # ends the name under which an experiment is run again for its times alone
METRICS = sorted({metric for wanted in config["experiments"].values() for metric in wanted["metrics"]})
TABLE = ("csv", "md", "tex")
FIGURE = ("png", "pdf")
PRIVACY = ("guarantees", "attacks")  # tables of event logs
REPORT_CODE = code_files("report")
AUDIT = "results/audit/audit.csv"
MEASURED = [Path(project_path("benchmarks", f"{name}.csv")) for name in ("growth", "small")]  # of what jobs cost

DECIDING = {wanted["best_of"]["metric"] for wanted in config["experiments"].values() if "best_of" in wanted}
UNKNOWN = sorted({*METRICS, *DECIDING} - set(declarations()))
if UNKNOWN:
    raise WorkflowError(f"unknown metrics: {', '.join(UNKNOWN)}; known: {', '.join(declarations())}")
for experiment_name, wanted in EXPERIMENTS.items():
    if not set(wanted.get("heatmaps", {}).get("metrics", [])) <= set(wanted["metrics"]):
        raise WorkflowError(f"experiments.{experiment_name}.heatmaps: list its metrics under `metrics` too")
TIMES = [metric for metric in METRICS if declarations()[metric].unit == "s"]

check_claims()


wildcard_constraints:
    metric="|".join(METRICS),
    table="scores|verdicts",


def name(wildcards):
    """The experiment in the configuration that a results folder belongs to."""
    return wildcards.experiment.removesuffix(TIMING)


def experiment(wildcards):
    """The configuration of an experiment."""
    return config["experiments"][name(wildcards)]


def track(wildcards):
    """The folder of an experiment's runs."""
    return "timing" if wildcards.experiment.endswith(TIMING) else "runs"


def cells_of(wildcards):
    """The scores or verdicts of all cells of one mechanism and log in an experiment.

    Scores of runs with cases held out follow those of their cell.
    """
    held_out = HELD_OUT[name(wildcards)] and track(wildcards) == "runs" and kind_of(wildcards.log) == "log"
    return [
        f"results/{wildcards.table}/{track(wildcards)}/{mechanism}/{parameters}/{log}{end}.csv"
        for mechanism, parameters, log in CELLS[name(wildcards)]
        for end in ("", *([MEMBERS] if held_out and wildcards.table == "scores" else []))
        if (mechanism, log) == (wildcards.mechanism, wildcards.log)
    ]


def gathered(wildcards):
    """The same of an experiment, one file a mechanism and log (one command line could not name all cells)."""
    pairs = {(mechanism, log): None for mechanism, _, log in CELLS[name(wildcards)]}
    return [f"results/{wildcards.experiment}/{wildcards.table}/{mechanism}/{log}.csv" for mechanism, log in pairs]


def statistics(wildcards):
    """The statistics of an experiment's logs, in the order of the configuration."""
    return [f"results/logs/{log}/statistics.json" for log in logs_of(name(wildcards))]


def epsilon_files(wildcards):
    """What Amun estimates on every log of an experiment."""
    return expand(
        "results/epsilons/{log}/delta={delta},profile={profile}.json",
        log=logs_of(name(wildcards)),
        **experiment(wildcards)["epsilons"],
    )


def embedding_measures(wildcards):
    """What was measured of the embeddings of every log of an experiment."""
    seeds = experiment(wildcards)["embeddings"]["seed"]
    return expand("results/embeddings/{log}/seed={seed}_measures.json", log=logs_of(name(wildcards)), seed=seeds)


def class_profiles(wildcards):
    """The profiles of the classes of all cells of one log in an experiment."""
    return [
        f"results/classes/{mechanism}/{parameters}/{log}.csv"
        for mechanism, parameters, log in CELLS[name(wildcards)]
        if log == wildcards.log
    ]


def claims_file(wildcards):
    """What is reported of an experiment."""
    return claim_file(experiment(wildcards)["reported"])


def heading(wildcards):
    """What stands above the tables of an experiment."""
    return experiment(wildcards)["title"]


def absent(wildcards):
    """The logs that the tables of an experiment lack."""
    return unavailable_logs(name(wildcards))


def choice(wildcards):
    """The parameter of which an experiment shows the best value alone, and by which metric."""
    return [f"--{key} {value}" for key, value in experiment(wildcards)["best_of"].items()]


def shown_scores(wildcards):
    """The scores that the tables and figures of an experiment show; runs made for their times have none to choose by."""
    chosen = "best_of" in experiment(wildcards) and track(wildcards) == "runs"
    return f"results/{wildcards.experiment}/{'best' if chosen else 'scores'}.csv"


def metrics_of(wildcards):
    """The metrics of an experiment."""
    return experiment(wildcards)["metrics"]


def rows(wildcards):
    """The parameters that make rows of a table."""
    return experiment(wildcards)["rows"]


def audit_option(wildcards):
    """The findings of the audit, if it has been made; it is no input, as it is a target of its own."""
    return f"--audit {AUDIT}" if os.path.exists(AUDIT) else ""


def audit_seen(wildcards):
    """What changes with the findings, so that tables are made anew after an audit."""
    return hashlib.sha256(Path(AUDIT).read_bytes()).hexdigest() if os.path.exists(AUDIT) else ""


def games(wildcards):
    """The rates of the game of presence, of the cells with which an experiment plays it."""
    wanted = experiment(wildcards)["presence"] if track(wildcards) == "runs" else []
    played = [cell for cell in CELLS[name(wildcards)] if cell[0] in wanted]
    return [f"results/presence/{mechanism}/{parameters}/{log}.csv" for mechanism, parameters, log in played]


def games_option(wildcards, input):
    """The file names of these rates as an option of a command line."""
    return ["--games", *input.games] if input.games else []


def axes(wildcards):
    """The parameters over which heat maps are drawn, as options."""
    wanted = experiment(wildcards)["heatmaps"]
    return [f"--{option} {wanted[option]}" for option in ("rows", "columns", "panels")]


def mapped(wildcards):
    """The metrics of which heat maps are drawn."""
    return experiment(wildcards)["heatmaps"]["metrics"]


def reports():
    """Every table and figure of every experiment; a heat map stands in place of the figure."""
    wanted = []
    for name, settings in EXPERIMENTS.items():
        wanted += expand("results/{name}/tables/{table}.{kind}", name=name, table=("logs", "utility"), kind=TABLE)
        wanted += expand("results/{name}/tables/{metric}.{kind}", name=name, metric=settings["metrics"], kind=TABLE)
        maps = settings.get("heatmaps", {}).get("metrics", [])
        figures = [metric for metric in settings["metrics"] if metric not in maps]
        wanted += expand("results/{name}/figures/{metric}.{kind}", name=name, metric=figures, kind=FIGURE)
        wanted += expand("results/{name}/heatmaps/{metric}.{kind}", name=name, metric=maps, kind=FIGURE)
        if kind_of(logs_of(name)[0]) == "log":
            wanted += expand("results/{name}/tables/{table}.{kind}", name=name, table=PRIVACY, kind=TABLE)
            wanted += expand("results/{name}/figures/tradeoff.{kind}", name=name, kind=FIGURE)
        files = "verdicts.csv", "qc.csv", "tables/comparison.md", "figures/ranks.png"
        wanted += [f"results/{name}/{file}" for file in files]
        if "best_of" in settings:
            wanted.append(f"results/{name}/chosen.csv")
        if "epsilons" in settings:
            wanted += expand("results/{name}/tables/epsilons.{kind}", name=name, kind=TABLE)
        if maps:
            wanted += expand("results/{name}/tables/differences.{kind}", name=name, kind=TABLE)
        for log in logs_of(name) if "class_figures" in settings else ():
            figures = expand("{figure}.{kind}", figure=settings["class_figures"], kind=FIGURE)
            wanted += [f"results/{name}/classes/{log}/{figure}" for figure in figures]
        if "reported" in settings:
            wanted += expand("results/{name}/tables/reported.{kind}", name=name, kind=TABLE)
        if "embeddings" in settings:
            wanted += expand("results/{name}/tables/embeddings.{kind}", name=name, kind=TABLE)
    return wanted


def timings():
    """The run-time tables and figures of every experiment, from runs made for them alone."""
    return [
        f"results/{name}{TIMING}/{folder}/{metric}.{kind}"
        for name, settings in EXPERIMENTS.items()
        for metric in settings["metrics"]
        if metric in TIMES
        for folder, kinds in (("tables", TABLE), ("figures", FIGURE))
        for kind in kinds
    ]


def report_parts(wildcards):
    """What the page of the report is made of."""
    return reports() + (["results/claims/claims.csv"] if CLAIMS else [])


def again(wildcards):
    """The command that makes again what is named after it."""
    files = [shlex.quote(os.path.relpath(path)) for path in workflow.overwrite_configfiles]
    return " ".join(["snakemake --cores 1 --force", *(["--configfile", *files] if files else []), "--"])


def size_of(log):
    """Cases, events and variants of a log as imported or, before that, as published; rows of a table; None if unknown.

    Where no number of variants is published, it is taken to be that of the cases, the most there can be.
    """
    imported, known = Path(f"results/logs/{log}/statistics.json"), DATASETS[log]
    found = json.loads(imported.read_text()) if imported.exists() else vars(known)
    if known.kind == "relation":
        return prediction.Size(*[float(found["rows"])] * 3) if found["rows"] else None
    cases, events, variants = (float(found[name] or 0) for name in prediction.Size._fields)
    return prediction.Size(cases, events, variants or cases) if cases and events else None


def seconds_of(file):
    """How long the job took that made a file, if Snakemake knows."""
    known = workflow.persistence.metadata(file)
    return known.endtime - known.starttime if known and known.endtime and known.starttime else None


def study(found=()):
    """What the plan has to know of the workflow, with the jobs found."""
    sizes = {log: size_of(log) for log in RAW_FILES}
    return plan.Study(
        jobs=list(found),
        mechanisms=set(MECHANISMS),
        sizes={log + end: size for log, size in sizes.items() if size for end in ("", MEMBERS)},
        kinds={log + end: kind_of(log) for log in RAW_FILES for end in ("", MEMBERS)},
        costly=COSTLY,
        repeats=config["repeats"],
        cores=workflow.resource_settings.cores or workflow.resource_settings.nodes,  # of a cluster, jobs at once
        limit_s=config["timeout"],
        score_limit_s=config["score_timeout"],
        took=seconds_of,
    )


def plan_text(wildcards):
    """What the default target amounts to."""
    return plan.plan(study(jobs.jobs(workflow.rules, "all")), prediction.Predictor(MEASURED))


def show_progress():
    """One line on the terminal in place of many lines a job, unless more or less is asked for."""
    asked = workflow.output_settings
    if not (asked.quiet or asked.printshellcmds or asked.verbose):
        weight = partial(plan.weight, study(), prediction.Predictor(MEASURED))
        ahead = [(job.rule.name, job.wildcards_dict) for job in workflow.dag.needrun_jobs()]
        progress.show(logger, ahead, weight)
