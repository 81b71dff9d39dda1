"""The parts of every mechanism's rule: source, run, messages, seed, LIMITS and MEASURE."""

from pathlib import Path

from snakemake.dag import DAG

from mechanisms.cells import AT, GridError, batch_of, choose, parameter_sets, rejoined, seed_of, settings, spelled

# Every mechanism has one of these; nothing else names it.
RULE_FILES = sorted(
    str(path.relative_to(workflow.basedir))
    for folder in ("mechanisms", "baselines")
    for path in Path(workflow.basedir, folder).glob("*/rule.smk")
)

MECHANISMS = {Path(file).parent.name: file for file in RULE_FILES}
for name, file in MECHANISMS.items():
    if not name.isidentifier():
        raise WorkflowError(f"{file}: rename the folder; {name!r} must be of letters, digits and underscores")

new_job = DAG.new_job


async def new_job_rejoined(dag, rule, targetfile=None, format_wildcards=None, wildcards_dict=None):
    """Find a job of which Snakemake tells another machine; it takes apart all wildcards at commas (issue 2366)."""
    if wildcards_dict and "parameters" in wildcards_dict:
        wildcards_dict = rejoined(wildcards_dict)
    return await new_job(dag, rule, targetfile, format_wildcards, wildcards_dict)


DAG.new_job = new_job_rejoined

AUDITS = "audits.py"  # in the folder of a mechanism that is audited; no run depends on it
GRIDS = {}  # as declared by `run`: mechanism -> parameter -> values
READS = {}  # as declared by `run`: mechanism -> kinds of the datasets that it reads

# A cluster grants more than the limits, so that there, too, MEASURE ends what exceeds them, and records it.
MORE_MINUTES, MORE_MB = 5, 1000


def granted_mb(wildcards, attempt):
    """The memory to ask a cluster for: more yet if the cluster ended the job all the same."""
    return config["memory_mb"] + attempt * MORE_MB


LIMITS = {
    "limit_s": config["timeout"],
    "limit_mb": config["memory_mb"],
    "stop_after": config["stop_after"],
    "runtime": -(-config["timeout"] // 60) + MORE_MINUTES,
    "mem_mb": granted_mb,
}

MEASURE = (
    'exec python -S "$PYTHONPATH"/mechanisms/measure.py {output.record} --release {output.release} --input {input.log}'
    " --previous '{input.previous}' --seed {params.seed} --limit-s {resources.limit_s}"
    " --limit-mb {resources.limit_mb} --stop-after {resources.stop_after} --threads {threads} > {log} 2>&1 -- "
)


def source(mechanism):
    """Inputs of a run: the log, the mechanism's own files, and the record of the previous repeat."""

    def previous(wildcards):
        if wildcards.repeat == "0":
            return []
        values = {**dict(wildcards.items()), "repeat": int(wildcards.repeat) - 1}
        # Not `ancient`: below such an edge Snakemake does not look for changes of the later repeats.
        return pattern(mechanism, "run.json").format(**values)

    return {
        "log": "results/logs/{log}/log.parquet",
        "code": own_files(mechanism),
        "previous": previous,
    }


def run(mechanism, reads="log", **grid):
    """Outputs of a run: release, record and private origins; declares the parameters and the default grid.

    A mechanism runs on datasets of the kinds that it reads, event logs (`log`) or tables of rows (`relation`); on those
    of the first kind also where an experiment names no mechanisms.
    """
    READS[mechanism] = reads.split()
    try:
        GRIDS[mechanism] = spelled(grid, mechanism)
    except GridError as error:
        raise WorkflowError(str(error)) from None
    return {
        "release": pattern(mechanism, "release.parquet"),
        "record": pattern(mechanism, "run.json"),
        "origins": pattern(mechanism, "origins.parquet"),
    }


def messages(mechanism):
    """The file that takes what a run prints."""
    return pattern(mechanism, "messages.txt")


def seed(mechanism):
    """The seed of a run. It is a function of wildcards alone, as Snakemake notices no other change of a parameter."""

    def run_seed(wildcards):
        path = pattern(mechanism, "run.json").format(**dict(wildcards.items()))
        return seed_of(config["seed"], *Path(path).parts[-5:-1])

    return run_seed


def public_bounds(*names):
    """The public bounds that a mechanism takes, as options of its command line."""

    def options(wildcards):
        bounds = config["public_bounds"].get(whole(wildcards.log), {})
        values = {name: bounds[name] if name == "dates" else [bounds[name]] for name in names if name in bounds}
        return [f"--{name.replace('_', '-')} {' '.join(map(str, value))}" for name, value in values.items()]

    return options


def public_alphabet(wildcards):
    """The file of the public activities of a log, if the configuration names one."""
    return config["public_bounds"].get(wildcards.log, {}).get("alphabet", [])


def hierarchies(wildcards):
    """The files of hierarchies of the columns that a run recodes, if the dataset has any."""
    folder = DATASETS[whole(wildcards.log)].hierarchies
    files = [Path(folder, f"{name}.csv") for name in wildcards.attributes.split("+")]
    return [str(file) for file in files if folder and file.is_file()]


def hierarchies_option(wildcards, input):
    """The folder of these files as an option of a command line."""
    return ["--hierarchies", str(Path(input.hierarchies[0]).parent)] if input.hierarchies else []


def projection(wildcards):
    """What a mechanism of relations takes as a row of an event log, as an option: a case."""
    return "--project case" if kind_of(wildcards.log) == "log" else ""


def amun_epsilons(wildcards):
    """What Amun estimates on a log, if the epsilon of a run is taken from it, as in `amun-mean@0.3`."""
    _, at, delta = wildcards.epsilon.partition(AT)
    return f"results/epsilons/{wildcards.log}/delta={delta},profile=code.json" if at else []


def pattern(mechanism, file):
    """The path of a file of a run, with the mechanism's parameters as wildcards."""
    names = GRIDS[mechanism]
    parameters = ",".join(f"{name}={{{name}}}" for name in names) or "default"
    return f"results/{{track}}/{mechanism}/{parameters}/{{log}}/{{repeat}}/{file}"


def batch(wildcards):
    """The runs that make one job of a cluster: as many repeats of a cell as surely end in time."""
    return f"repeats_{batch_of(int(wildcards.repeat), LIMITS['runtime'], config['job_minutes'])}"


def own_files(mechanism):
    """The code of a mechanism: what its runs depend on, besides their log."""
    if mechanism not in MECHANISMS:
        raise WorkflowError(f"no folder {mechanism!r} with a rule.smk; source, run and messages take its name")
    return [file for file in code_files(Path(MECHANISMS[mechanism]).parent) if Path(file).name != AUDITS]


def audited():
    """The mechanisms that declare audits, in a file of their folder."""
    return [name for name, file in MECHANISMS.items() if Path(workflow.basedir, file).with_name(AUDITS).exists()]


def package(wildcards):
    """The Python package of a mechanism."""
    return ".".join(Path(MECHANISMS[wildcards.mechanism]).parent.parts)


def audited_code(wildcards):
    """What the draws of an audit depend on; a query of variants also on what all of them share."""
    folder = Path(MECHANISMS[wildcards.mechanism]).parent
    shared = [project_path("mechanisms", f"{name}.py") for name in ("audit", "neighbours", "observations")]
    query = code_files("baselines", "prefix_query") if folder.parts[0] == "baselines" else []
    return code_files(folder) + shared + query


def cells(experiment):
    """The cells of an experiment as (mechanism, parameters, log)."""
    wanted = config["experiments"][experiment]
    try:
        mechanisms = wanted_mechanisms(wanted.get("mechanisms"), logs_of(experiment))
        grids = choose(GRIDS, mechanisms, wanted["without"], wanted["grids"])
        found = [(mechanism, parameters) for mechanism, grid in grids.items() for parameters in parameter_sets(grid)]
        names = {name for _, parameters in found for name in settings(parameters)}
        chosen, maps = wanted.get("best_of", {}), wanted.get("heatmaps", {})
        named = {
            "rows": wanted["rows"],
            "best_of": [chosen["parameter"]] if chosen else [],
            "heatmaps": [maps[axis] for axis in ("rows", "columns", "panels") if maps],
        }
        for key, parameters in named.items():
            for name in set(parameters) - names:
                raise GridError(f"{key}: no mechanism has a parameter {name!r}")
    except GridError as error:
        raise WorkflowError(f"experiments.{experiment}: {error}") from None
    return [(mechanism, parameters, log) for log in logs_of(experiment) for mechanism, parameters in found]


def wanted_mechanisms(named, logs):
    """The mechanisms that an experiment names or, if it names none, all that read datasets of its kind first of all."""
    kinds = {kind_of(log): log for log in logs}
    if len(kinds) > 1:
        raise GridError(f"logs: {kinds['log']} is an event log and {kinds['relation']} a table; make two experiments")
    [(kind, log)] = kinds.items()
    for mechanism in named or ():
        if mechanism in READS and kind not in READS[mechanism]:
            raise GridError(f"mechanisms: {mechanism} does not read {log}, which is a {kind}")
    return named or [mechanism for mechanism, reads in READS.items() if reads[0] == kind]
