"""The rules of the datasets, run by Snakemake on a workflow that holds nothing else."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import yaml

from conftest import ROOT
from data.io import read_log, write_log
from data.log import EventLog

PUBLISHER = "https://data.4tu.nl/file/"
SNAKEFILE = """
configfile: workflow.source_path("config.yaml")
include: "config/common.smk"
include: "data/common.smk"
include: "data/rules.smk"
"""


@pytest.fixture
def project(tmp_path):
    """A project of datasets alone, with a short table of them, and a raw log of one's own."""
    for folder in ("config", "data"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "raw"))
    shutil.copy(ROOT / "environment.yml", tmp_path)
    table = tmp_path / "config" / "datasets.csv"
    lines = table.read_text().splitlines(keepends=True)
    kept = ("key,", "structured,", "sepsis,", "bpic2013_open,", "electronic_invoicing,")
    table.write_text("".join(line for line in lines if line.startswith(kept)).replace(PUBLISHER, "unreachable://"))
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    write_log(EventLog.from_rows("12", "ab", np.array([0, 1])), tmp_path / "my log.xes")
    return tmp_path


@pytest.fixture
def snakemake(project):
    """Run Snakemake for some logs, by default for their canonical form; its output."""

    def snakemake(logs: list[str], *arguments: str, targets: tuple[str, ...] = (), code: int = 0, **config) -> str:
        experiment = {"title": "Test", "logs": logs, "metrics": ["none"]}
        (project / "config.yaml").write_text(yaml.safe_dump({"experiments": {"test": experiment}, **config}))
        targets = targets or tuple(f"results/logs/{log}/statistics.json" for log in logs)
        command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments, "--", *targets]
        done = subprocess.run(command, cwd=project, text=True, capture_output=True)
        output = done.stdout + done.stderr
        assert done.returncode == code, output
        return output

    return snakemake


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


MINE = {"mine": {"path": "my log.xes", "title": "My 'own' log", "lifecycle": "complete"}}


def test_logs_of_all_kinds(project, snakemake):
    snakemake(["structured", "mine"], datasets=MINE)
    for log, cases in (("structured", 1000), ("mine", 2)):
        assert read_log(project / f"results/logs/{log}/log.parquet").n_cases == cases
    statistics = json.loads((project / "results/logs/mine/statistics.json").read_text())
    assert (statistics["title"], statistics["lifecycle"]) == ("My 'own' log", "complete")

    # An edit of the importer converts again, but as the bytes stay the same nothing else would follow.
    assert "Nothing to be done" in snakemake(["structured", "mine"], datasets=MINE)
    with (project / "data" / "xes.py").open("a") as source:
        source.write("\n# edited\n")
    before = (project / "results/logs/mine/log.parquet").read_bytes()
    assert "convert" in snakemake(["mine"], datasets=MINE)
    assert (project / "results/logs/mine/log.parquet").read_bytes() == before


def test_csv_with_declared_columns_in_another_directory(snakemake, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "table.csv").write_bytes("Fall;Tätigkeit;Zeit\n007;Prüfung;31.12.2020 23:30\n".encode("cp1252"))
    columns = {"case": "Fall", "activity": "Tätigkeit", "time": "Zeit", "separator": ";"}
    reading = {"encoding": "cp1252", "zone": "Europe/Berlin", "time_format": "%d.%m.%Y %H:%M"}
    table = {"path": "table.csv", "options": {**columns, **reading}}
    snakemake(["table"], "--directory", str(elsewhere), datasets={"table": table})
    log = read_log(elsewhere / "results/logs/table/log.parquet")
    assert (list(log.case_ids), list(log.labels)) == (["007"], ["Prüfung"])
    assert log.timestamps.astype("datetime64[us]")[0] == np.datetime64("2020-12-31T22:30")


def test_file_in_raw_dirs(project, snakemake, real_log):
    folder = real_log("Sepsis_Cases_-_Event_Log.xes.gz").parent
    snakemake(["sepsis"], raw_dirs=[str(folder)])
    assert read_log(project / "results/logs/sepsis/log.parquet").n_cases == 1050
    assert not (project / "data" / "raw").exists()


def test_unknown_log(snakemake):
    output = snakemake(["sepsi"], "--dry-run", code=1)
    assert "did you mean sepsis?" in output
    assert "Traceback" not in output


def test_failed_fetch_says_what_to_do(snakemake):
    output = snakemake(["bpic2013_open"], "--show-failed-logs", code=1)
    assert "or into data/raw/bpic2013_open/, and run the command again" in output


@pytest.fixture
def publisher(project):
    """A publisher of small files on the loopback, its requests, and a function that lists a dataset of it."""
    folder, requests = project / "published", []
    folder.mkdir()

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, code="-", size="-") -> None:
            requests.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

        def publish(**fields: str) -> None:
            table = project / "config" / "datasets.csv"
            rows = read_csv(table)
            address = f"http://127.0.0.1:{server.server_port}/{fields['file_name']}"
            rows.append({**dict.fromkeys(rows[0], ""), "lifecycle": "all", "url": address, **fields})
            with table.open("w", newline="") as sink:
                writer = csv.DictWriter(sink, rows[0])
                writer.writeheader()
                writer.writerows(rows)

        yield folder, requests, publish
        server.shutdown()


def test_table_of_all_datasets(project, snakemake, publisher):
    """Of those of no experiment too; what fails is listed with its reason and tried again."""
    folder, requests, publish = publisher
    with zipfile.ZipFile(folder / "data.zip", "w") as archive:
        archive.write(project / "my log.xes", "my log.xes")
        archive.writestr("broken.xes", "<log><trace></log>")
    about = {"file_name": "data.zip", "authors": "Doe, J.", "year": "2020", "doi": "10.4121/1", "licence": "CC | BY"}
    publish(key="member", member="my log.xes", title="A member", cases="2", events="3", mean_len="1.0", **about)
    publish(key="broken", member="broken.xes", title="Broken", cases="7", **about)

    output = snakemake(["structured"], "--cores", "2", targets=("datasets",), datasets=MINE)
    results = project / "results" / "logs"
    rows = {row["log"]: row for row in read_csv(results / "datasets.csv")}
    assert list(rows) == [
        *("structured", "sepsis", "bpic2013_open", "electronic_invoicing", "member", "broken", "mine"),
    ]
    assert {key for key, row in rows.items() if row["reason"]} == {
        *("sepsis", "bpic2013_open", "electronic_invoicing", "broken"),
    }
    assert "Download Sepsis Cases - Event Log.xes.gz from https://data.4tu.nl/datasets/" in rows["sepsis"]["reason"]
    assert "no public source is known" in rows["electronic_invoicing"]["reason"]
    assert "broken.xes" in rows["broken"]["reason"]
    assert rows["member"]["citation"] == "Doe, J. (2020): A member. 4TU.ResearchData. https://doi.org/10.4121/1"
    assert (rows["member"]["licence"], rows["mine"]["title"]) == ("CC | BY", "My 'own' log")
    assert (rows["structured"]["synthetic"], rows["mine"]["synthetic"]) == ("True", "False")
    assert requests.count("/data.zip") == 1

    published = [tuple(row.values()) for row in read_csv(results / "published.csv")]
    assert ("member", "cases", "2", "2", "2", "equal") in published
    assert ("member", "events", "3", "2", "2", "differs") in published
    assert ("member", "mean_len", "1.0", "1.0", "1.0", "equal") in published
    assert ("sepsis", "variants", "846", "", "", "not available") in published
    assert ("structured", "events", "7328", "7328", "7328", "equal") in published
    assert {row[0] for row in published} == {"structured", "sepsis", "bpic2013_open", "member", "broken"}
    text = (results / "datasets.md").read_text()
    assert re.search(r"\| member +\| events +\| 3 +\| 2 +\| 2 +\| differs", text)
    assert "CC \\| BY" in text
    assert "- dataset 'sepsis' (Sepsis Cases - Event Log) could not be fetched" in text
    assert "Not available: dataset 'sepsis'" in output

    # What was had is kept, what failed is tried again.
    output = snakemake(["structured"], targets=("datasets",), datasets=MINE)
    assert re.search(r"^survey +4$", output, re.MULTILINE)
    assert requests.count("/data.zip") == 1


def test_a_file_that_another_job_fetched_meanwhile_is_kept(project, snakemake, publisher):
    folder, requests, publish = publisher
    shutil.copy(project / "my log.xes", folder / "my log.xes")
    publish(key="small", file_name="my log.xes", title="Small")
    snakemake(["small"])
    assert len(requests) == 1
    snakemake(["small"], "--forcerun", "fetch")
    assert len(requests) == 1
    assert read_log(project / "results/logs/small/log.parquet").n_cases == 2


def test_every_module_that_decides_what_a_log_holds_makes_it_anew():
    code = "import data.convert, sys; print(*(name[5:] for name in sys.modules if name.startswith('data.')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = re.search(r"IMPORTED_BY = \((.*?)\)", (ROOT / "data" / "common.smk").read_text(), re.DOTALL)[1]
    assert {*re.findall(r"\w+", listed), "datasets", "files"} == {*done.stdout.split(), "convert"}
