"""Fetch and describe one dataset, or record why it cannot be had: `python -m data.survey sepsis record.json`.

For the table of all datasets a failure is a result like any other, so that one failing dataset does not keep the
others from it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from data.datasets import STATISTICS, Dataset, DatasetError, dataset, locate
from data.fetch import fetch
from data.files import write_json


def survey(wanted: Dataset, raw_dirs: Sequence[str]) -> dict[str, object]:
    """What is published of a dataset and what its file holds, or the reason why the file cannot be had or read.

    Parameters
    ----------
    wanted : Dataset
    raw_dirs : folders

    Returns
    -------
    dict
        The statistics as `data.convert.convert` returns them, or a `reason`; with them the facts to cite it by.
    """
    known = {name: getattr(wanted, name) for name in ("title", "authors", "year", "doi", "licence", "citation")}
    try:
        raw = Path(locate(wanted, raw_dirs))
        with TemporaryDirectory() as folder:
            if wanted.generator:
                raw = Path(folder, raw.name)
                _python(["-m", *wanted.generator.split(), raw])
            elif not raw.exists() and not wanted.path:
                fetch(wanted, raw)
            return _statistics(wanted, raw, Path(folder)) | known
    except DatasetError as error:
        published = {name: {"published": value} for name in STATISTICS if (value := getattr(wanted, name))}
        return {"log": wanted.key, **known, "published": published, "reason": str(error)}


def _statistics(wanted: Dataset, raw: Path, folder: Path) -> dict[str, object]:
    statistics = folder / "statistics.json"
    _python(["-m", "data.convert", raw, folder / "log.parquet", statistics, *wanted.convert_options])
    return json.loads(statistics.read_text(encoding="utf-8"))


def _python(arguments: Sequence[str | Path]) -> None:
    """Make or import a log in a process of its own, which may run out of memory alone."""
    done = subprocess.run([sys.executable, *arguments], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"the import ended with {done.returncode} (memory?)"
        raise DatasetError(reason)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fetch and describe one dataset, or record why it cannot be had.")
    parser.add_argument("key", help="key in config/datasets.csv, or a name of your own")
    parser.add_argument("record", type=Path, help="written here, .json")
    parser.add_argument("--raw-dirs", nargs="*", default=[], metavar="FOLDER", help="searched before it is fetched")
    parser.add_argument("--own", type=json.loads, default={}, help="what the configuration says of it, as JSON")
    options = parser.parse_args()
    own = {options.key: options.own} if options.own else {}
    write_json(survey(dataset(options.key, own), options.raw_dirs), options.record)


if __name__ == "__main__":
    main()
