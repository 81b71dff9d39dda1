"""Wildcards that hold commas, of jobs that run on another machine."""

from __future__ import annotations

from snakemake.dag import DAG

from mechanisms.cells import RESERVED


def whole(wildcards: dict[str, str]) -> dict[str, str]:
    """The wildcards of a job, `parameters` put together again.

    A job is handed over as `score:mechanism=amun,parameters="delta=0.3,mode=sampling",log=sepsis`, and Snakemake (9.27,
    its issue 2366) takes that apart at every comma: to it, `mode` is a wildcard, too.
    """
    if "parameters" not in wildcards:
        return wildcards
    kept = {name: value for name, value in wildcards.items() if name in RESERVED}
    rest = [f"{name}={value}" for name, value in wildcards.items() if name not in RESERVED]
    return kept | {"parameters": ",".join([wildcards["parameters"], *rest])}


def mend() -> None:
    """Have Snakemake find the jobs that it was handed."""
    new_job = DAG.new_job

    async def new_whole_job(dag, rule, targetfile=None, format_wildcards=None, wildcards_dict=None):
        return await new_job(dag, rule, targetfile, format_wildcards, wildcards_dict and whole(wildcards_dict))

    DAG.new_job = new_whole_job
