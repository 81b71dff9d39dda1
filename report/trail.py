"""One claim from the raw log to its verdict, every step with its file: what a reviewer wants to see.

`python -m report.trail CLAIM --claims amun.csv... --repeats 10 --out results/claims/CLAIM.md`
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from data.files import replacing
from report.claims import Claim, cell_of, read_claims
from report.judge import Side, claimed, judge, values


def trail(claim: Claim, repeats: int) -> Iterator[str]:
    """The lines of the account.

    Parameters
    ----------
    claim : Claim
    repeats : number of repeats of a run
    """
    yield f"# Claim {claim.id}"
    yield ""
    yield f"{claim.source}: {claimed(vars(claim))}"
    yield f"reported: {claim.reported}" + (f" ({claim.note})" if claim.note else "") + f"; stands in {claim.place}"
    yield ""
    for log in claim.logs:
        yield from _log(log)
    yield ""
    sides = [files for files in (claim.files, claim.other_files) if files]
    found = [values(files, claim, repeats) for files in sides]
    for files, side in zip(sides, found, strict=True):
        for place, file in enumerate(files):
            yield from _setting(file, side, place, repeats)
    judgement = judge(claim, *found)
    if not math.isnan(judgement.mean):
        interval = f"[{judgement.low:.6g}, {judgement.high:.6g}]"
        yield f"mean {judgement.mean:.6g}, interval {interval}, {judgement.repeats} repeats"
    yield f"verdict: {judgement.verdict}: {judgement.reason}"


def _log(log: str) -> Iterator[str]:
    """Where a log comes from."""
    path = Path("results/logs", log, "statistics.json")
    if not path.exists():
        yield f"log {log}: not there"
        return
    facts = json.loads(path.read_text())
    yield f"log {log}: raw file {facts['file']}, sha256 {facts['sha256']}, {facts['page'] or 'no public page'}"
    size = f"{facts['cases']} cases, {facts['events']} events" if "cases" in facts else f"{facts['rows']} rows"
    yield f"  canonical log: results/logs/{log}/log.parquet; {path}: {size}"


def _setting(file: str, side: Side | None, place: int, repeats: int) -> Iterator[str]:
    """The runs behind one file and the values that the claim takes from it."""
    cell = cell_of(file)
    for repeat in range(repeats) if cell else ():
        path = Path("results/runs", *cell, str(repeat), "run.json")
        if path.exists():
            run = json.loads(path.read_text())
            cpu = "" if run["cpu_s"] is None else f", {run['cpu_s']:.2f} s CPU"
            yield f"  run {path}: {run['status']}, seed {run['seed']}{cpu}"
    if side is None:
        yield f"values of {file}: missing"
        return
    lines = side[side["setting"] == place] if cell or "{repeat}" in file else side[side["repeat"] == str(place)]
    shown = [line.status if math.isnan(line.value) else f"{line.value:.6g}" for line in lines.itertuples()]
    yield f"values of {file.format(repeat='*')}: {', '.join(shown)}"
    yield ""


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claim", help="its id")
    parser.add_argument("--claims", nargs="+", required=True, help="files of claims")
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a text to write")
    options = parser.parse_args(arguments)
    [claim] = [claim for claim in read_claims(options.claims) if claim.id == options.claim]
    with replacing(options.out) as temporary:
        temporary.write_text("\n".join(trail(claim, options.repeats)) + "\n")


if __name__ == "__main__":
    main()
