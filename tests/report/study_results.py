"""Results of one experiment, as the workflow leaves them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from PIL import Image

from mechanisms.cells import parse
from report import judge
from report.claims import COLUMNS, Claim
from report.write import write_tables

LOGS = ("first", "second")
SPEEDS = tuple(range(1, 16))
METRICS = ("emd_variants", "variant_overlap", "cpu_s")


def cells():
    """Parameters of every cell: one control, and a mechanism with a parameter; one cell has failed."""
    for log in LOGS:
        yield log, "identity", "default"
        for speed in SPEEDS:
            yield log, "walker", f"speed={speed},gait=<fast>"


def record(log: str, mechanism: str, parameters: str, repeat: int, failed: bool) -> dict:
    return {
        "mechanism": mechanism, "parameters": parse(parameters), "parameters_id": parameters, "log": log,
        "status": "error" if failed else "ok", "reason": "exit code 1" if failed else None, "repeat": repeat,
        "wall_s": 0.5, "cpu_s": 0.25, "peak_rss_mb": 64.0, "started": "2026-01-01T00:00:00Z", "seed": 2**62 + repeat,
        "input_sha256": "ab" * 32, "release_sha256": None if failed else "cd" * 32,
        "host": {"cpu": "Some CPU", "cores": 2, "memory_mb": 8000, "id": "0123456789ab"},
        "core": {"leased": True, "numbers": [0]}, "versions": {"python": "3.11.7", "harness": "0.1.0"},
        "code": {"commit": None, "sha256": "ef" * 32, "lock_sha256": "01" * 32},
        "command": ["python", "-m", f"mechanisms.{mechanism}", log],
    }  # fmt: skip


def write_results(root: Path) -> Path:
    """Fill a folder with results of one experiment, and return it."""
    lines = []
    for place, (log, mechanism, parameters) in enumerate(cells()):
        failed = (log, parameters) == ("second", "speed=3,gait=<fast>")
        for repeat in (0, 1):
            folder = root / "results/runs" / mechanism / parameters / log / str(repeat)
            folder.mkdir(parents=True)
            (folder / "run.json").write_text(json.dumps(record(log, mechanism, parameters, repeat, failed)))
            (folder / "release.parquet").write_bytes(b"" if failed else b"PAR1")
            (folder / "messages.txt").write_text("Traceback\nOops: </script><b>broken</b>\n")
            for metric in METRICS:
                value, status = (None, "ERR") if failed else (place / 100 + repeat / 1000, "ok")
                lines.append((log, mechanism, parameters, str(repeat), metric, value, status))
    for log in LOGS:
        path = root / f"results/logs/{log}/statistics.json"
        path.parent.mkdir(parents=True)
        facts = {"synthetic": log == "second", "file": f"{log}.xes", "sha256": "23" * 32, "title": log, "page": ""}
        path.write_text(json.dumps(facts))
        path.with_name("log.parquet").write_bytes(b"PAR1")
    trial = root / "results/trial"
    for folder in ("tables", "figures", "heatmaps"):
        (trial / folder).mkdir(parents=True)
    columns = ["log", "mechanism", "parameters", "repeat", "metric", "value", "status"]
    pd.DataFrame(lines, columns=columns).to_csv(trial / "scores.csv", index=False)
    for name in ("logs", "comparison", *METRICS):
        wide = pd.DataFrame({"a|b": ["**0.1**", "0.2"]}, index=pd.Index(["one", "two"], name="row"))
        write_tables([trial / f"tables/{name}.md"], wide, wide, f"Trial <1>: {name}", ["A note."])
    (trial / "tables/logs.md").write_text((trial / "tables/logs.md").read_text().replace(": logs", ": Event logs"))
    for path in (trial / "figures/emd_variants.png", trial / "heatmaps/emd_variants.png"):
        Image.new("RGB", (800, 400), "white").save(path)
    (trial / "qc.csv").write_text("severity,cell,message\nerror,walker/default/second,ERR in 2 of 2 repeats\n")
    claims = [
        Claim(**dict.fromkeys(COLUMNS, "") | {"id": f"claim-{verdict}", "source": "a paper", "log": "first",
              "metric": "emd_variants", "kind": "value", "reported": "0.10", "unlike": verdict})
        for verdict in ("one", "two")
    ]  # fmt: skip
    (root / "results/claims").mkdir()
    judge.judgements(claims, 2).to_csv(root / "results/claims/claims.csv", index=False)
    return root
