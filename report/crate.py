"""The results as a Workflow Run RO-Crate: which files there are, and which run of what made them.

`python -m report.crate results --workflow Snakefile --config config.yaml --lock requirements.lock
--out results/ro-crate-metadata.json`

The folder of results becomes the crate, so nothing is copied but the workflow, its configuration and its lock. Every
run is an action of its own, with its log, parameters, seed, status, times and release. See
https://w3id.org/ro/wfrun/workflow/0.5.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from data.files import replacing
from data.held_out import MEMBERS

PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
KINDS = {
    ".csv": "text/csv", ".md": "text/markdown", ".tex": "application/x-tex", ".png": "image/png",
    ".pdf": "application/pdf", ".html": "text/html", ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet", ".txt": "text/plain",
}  # fmt: skip
STATUSES = {"ok": "http://schema.org/CompletedActionStatus"}
FAILED = "http://schema.org/FailedActionStatus"
LICENCE = "https://spdx.org/licenses/MIT"


class Crate:
    """The crate of a folder of results while it is put together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Any] = {}
        self.crate = ROCrate(version="1.1")
        self.crate.name = "Results of ppm-bench"
        self.crate.description = "Runs, scores, tables and figures of a benchmark of privacy-preserving process mining."
        licence = self.thing(LICENCE, "CreativeWork", name="MIT License", description="Of the workflow.")
        self.crate.root_dataset["license"] = licence
        self.crate.root_dataset["conformsTo"] = [
            self.thing(profile, "CreativeWork", name=profile.split("/")[-2], version=profile.split("/")[-1])
            for profile in PROFILES
        ]

    def thing(self, address: str, kind: str, **properties: Any) -> ContextEntity:
        """An entity that is no file; the same one if it has been named before."""
        if address not in self.known:
            safe = quote(address, safe="#/:=,")
            self.known[address] = self.crate.add(ContextEntity(self.crate, safe, {"@type": kind} | properties))
        return self.known[address]

    def file(self, path: Path, **properties: Any) -> Any:
        """A file of the results; the same one if it has been named before."""
        name = path.relative_to(self.folder).as_posix()
        if name not in self.known:
            facts = {"name": name, "contentSize": str(path.stat().st_size)} | properties
            facts |= {"encodingFormat": KINDS[path.suffix]} if path.suffix in KINDS else {}
            self.known[name] = self.crate.add_file(dest_path=name, properties=facts)
        return self.known[name]

    def add_workflow(self, workflow: Path, further: Mapping[str, Path]) -> Any:
        """The workflow and what belongs to it, copied into the crate."""
        place = self.folder / "workflow"
        place.mkdir(exist_ok=True)
        for source in (workflow, *further.values()):
            shutil.copyfile(source, place / source.name)
        main = self.crate.add_workflow(
            dest_path=f"workflow/{workflow.name}", main=True, lang="snakemake", properties={"name": "ppm-bench"}
        )
        main["license"] = self.crate.root_dataset["license"]
        main["hasPart"] = [self.file(place / path.name, description=what) for what, path in further.items()]
        return main

    def add_log(self, path: Path) -> Any:
        """A canonical log, with the raw file that it was made from, or the log of which cases were held out."""
        whole = path.parent.name.removesuffix(MEMBERS)
        if whole != path.parent.name:
            return self.file(path, isBasedOn=self.add_log(path.parents[1] / whole / path.name))
        facts = json.loads(path.with_name("statistics.json").read_text())
        raw = self.thing(
            f"#raw-{facts['sha256']}", "CreativeWork", name=facts["file"], identifier=f"sha256:{facts['sha256']}",
            description=facts["title"], **({"url": facts["page"]} if facts["page"] else {}),
        )  # fmt: skip
        return self.file(path, isBasedOn=raw)

    def add_run(self, path: Path) -> Any:
        """The action of one run, from its record."""
        run = json.loads(path.read_text())
        key = f"{run['mechanism']}/{run['parameters_id']}/{run['log']}/{run['repeat']}"
        program = self.thing(
            f"#mechanism-{run['mechanism']}", "SoftwareApplication", name=run["mechanism"],
            softwareVersion=run["versions"]["harness"],
        )  # fmt: skip
        values = run["parameters"] | {"seed": run["seed"], **{f"code {k}": v for k, v in run.get("code", {}).items()}}
        given = [
            self.thing(f"#run/{key}/{name}", "PropertyValue", name=name, value=str(value))
            for name, value in values.items()
            if value is not None
        ]
        host = run["host"]
        ended = {} if run["wall_s"] is None else {"endTime": _later(run["started"], run["wall_s"])}
        action = self.thing(
            f"#run/{key}", "CreateAction", name=f"run {key}", startTime=run["started"], **ended,
            actionStatus=STATUSES.get(run["status"], FAILED),
            description=f"{host['cpu']}, {host['cores']} cores, {host['memory_mb']} MB, machine {host['id']}",
            **({"error": f"{run['status']}: {run['reason']}"} if run["status"] != "ok" else {}),
        )  # fmt: skip
        action["instrument"] = program
        action["object"] = [self.add_log(self.folder / "logs" / run["log"] / "log.parquet"), *given]
        record = self.file(path, description="record of the run; private")
        action["subjectOf"] = record
        if run["status"] == "ok":
            action["result"] = [self.file(path.with_name("release.parquet"), sha256=run["release_sha256"])]
        return action


def _later(started: str, seconds: float) -> str:
    return (datetime.datetime.fromisoformat(started) + datetime.timedelta(seconds=seconds)).isoformat()


def products(folder: Path) -> Iterator[Path]:
    """What the workflow was run for: scores, tables, figures, claims and the page."""
    folders = ("tables/*", "figures/*", "heatmaps/*", "classes/*/*", "scores.csv", "qc.csv")
    for pattern in (*(f"*/{name}" for name in folders), "claims/*", "report.html"):
        yield from sorted(path for path in folder.glob(pattern) if path.is_file())


def crate_of(folder: Path, workflow: Path, further: Mapping[str, Path]) -> ROCrate:
    """The crate of a folder of results.

    Parameters
    ----------
    folder : path
    workflow : path
        The file of the workflow.
    further : dict of str to path
        What belongs to it, by description.
    """
    parts = Crate(folder)
    main = parts.add_workflow(workflow, further)
    runs = [parts.add_run(path) for path in sorted(folder.glob("runs/*/*/*/*/run.json"))]
    action = parts.thing("#workflow-run", "CreateAction", name="run of the workflow")
    action["instrument"] = main
    action["object"] = [*{log.id: log for run in runs for log in run["object"] if log.id.endswith(".parquet")}.values()]
    action["result"] = [parts.file(path) for path in products(folder)]
    if runs:
        action["startTime"] = min(run["startTime"] for run in runs)
        action["endTime"] = max(run.get("endTime") or run["startTime"] for run in runs)
    parts.crate.root_dataset["mentions"] = [action, *runs]
    return parts.crate


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of results")
    parser.add_argument("--workflow", type=Path, required=True)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--lock", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    further = {"configuration": options.config, "versions of all libraries, with their checksums": options.lock}
    crate = crate_of(options.folder, options.workflow, further)
    with replacing(options.out) as temporary:
        temporary.write_text(json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
