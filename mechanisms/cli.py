"""The one command line of all in-house mechanisms: ``python -m mechanisms.<name> IN OUT --<parameter> value``.

IN and OUT are event logs of any known suffix or, for mechanisms that recode tables, relations. Standard output gets a
short account for the data owner. If the environment variable RUN_NOTES names a file, the resolved parameters, the time
of each phase, the versions of the loaded libraries and the private diagnostics are written there as JSON. If
RUN_ORIGINS does, and the mechanism knows, which case or row each released one stems from is written there as Parquet
(`data.origins`).

Exit codes: 0 released; 1 a log that cannot be read or written; 2 bad usage; 3 the mechanism refuses, with its
reason on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from data.files import write_json
from data.graph import DirectlyFollowsGraph
from data.io import LogError, read_log
from data.log import EventLog
from data.origins import write_origins
from data.relation import Column, Relation
from data.relation_io import write_relation
from data.relation_release import RelationRelease
from data.release import Release, write_release
from mechanisms import Infeasible, Outcome, ParameterError

SMALL_LOG = 100  # cases, or rows
NOT_PARAMETERS = ("input", "output", "seed", "mapping", "classes")
LOGS = "event log: .xes, .xes.gz, .csv, .csv.gz or .parquet"


def parser(name: str, description: str, folder: str = "mechanisms", reads: str = LOGS) -> argparse.ArgumentParser:
    """A parser that knows IN, OUT and --seed; the mechanism adds its own parameters.

    Parameters
    ----------
    name : str
        Name of the mechanism's package.
    description : str
        One sentence.
    folder : {"mechanisms", "baselines"}
        Where the package lies.
    reads : str
        What IN and OUT are.
    """
    options = argparse.ArgumentParser(prog=f"python -m {folder}.{name}", description=description)
    options.add_argument("input", metavar="IN", help=reads)
    options.add_argument("output", metavar="OUT", help="release to write, of any of these kinds")
    options.add_argument(
        "--seed", type=_seed, help="for experiments that must be repeatable; without it, fresh entropy that is not kept"
    )
    return options


def run(
    options: argparse.ArgumentParser,
    anonymize: Callable[..., Outcome],
    arguments: list[str] | None = None,
    *,
    read: Callable[..., EventLog | Relation] = read_log,
    reading: Sequence[str] = (),
) -> int:
    """Read IN, anonymize it, write OUT whole or not at all, and account for it.

    Parameters
    ----------
    options : argparse.ArgumentParser
        From `parser`; every added option is a keyword parameter of `anonymize`, but for `--mapping`: the file that
        tells the data owner which case became which, and `--classes`, that which tells the class of each row of a
        relation, for mechanisms that know.
    anonymize : callable (log, *, <parameters>, rng) -> Outcome
    arguments : list of str, optional
        By default those of the process.
    read : callable (path, **options) -> EventLog or Relation
    reading : sequence of str
        The options that it takes.

    Returns
    -------
    int
        Exit code.
    """
    given = vars(options.parse_args(arguments))
    parameters = {name: value for name, value in given.items() if name not in (*NOT_PARAMETERS, *reading)}
    clock = [time.perf_counter()]
    try:
        log, import_warnings = _read(read, given["input"], {name: given[name] for name in reading})
        clock.append(time.perf_counter())
        rng = np.random.default_rng(given["seed"])
        unused = rng.bit_generator.state
        outcome = anonymize(log, **parameters, rng=rng)
        clock.append(time.perf_counter())
        write_release(outcome.release, given["output"])
        if given.get("mapping"):
            write_json(mapping(log, outcome), given["mapping"])
        if given.get("classes"):
            write_relation(class_of_rows(outcome), given["classes"])
        if outcome.origins is not None and (path := os.environ.get("RUN_ORIGINS")):
            write_origins(outcome.origins, path)
        clock.append(time.perf_counter())
    except ParameterError as error:
        options.error(str(error))
    except Infeasible as refusal:
        return _fail(3, refusal)
    except (LogError, OSError) as error:
        return _fail(1, error)
    phases = dict(zip(("read_s", "mechanism_s", "write_s"), np.diff(clock).round(6).tolist(), strict=True))
    notes = {
        "parameters": parameters | dict(outcome.resolved),
        "phases": phases,
        "versions": loaded_versions(),
        "diagnostics": {
            **outcome.diagnostics,
            "import_warnings": import_warnings,
            "generator": "PCG64",
            "seeded": given["seed"] is not None,
        },
    }
    if path := os.environ.get("RUN_NOTES"):
        write_json(notes, path)
    remarks = [*import_warnings, *outcome.notes]
    if rng.bit_generator.state != unused:
        remarks.append(_of_seed(given["seed"]))
    print("\n".join(_summary(log, outcome, phases, remarks)))
    return 0


def mapping(log: EventLog, outcome: Outcome) -> dict[str, str | None]:
    """The released case id of each case of the log, None if the case was suppressed."""
    released = zip(outcome.origins.tolist(), outcome.release.case_ids, strict=True)
    return dict.fromkeys(log.case_ids) | {log.case_ids[case]: fresh for case, fresh in released}


def class_of_rows(outcome: Outcome) -> Relation:
    """The rows of a relation and the class of each in the release, both counted from 1; 0 where it is suppressed."""
    release, rows = outcome.release, np.argsort(outcome.origins)
    classes = np.where(np.arange(release.n_rows) < release.n_rows - release.suppressed, release.classes + 1, 0)
    return Relation({"row": Column(outcome.origins[rows] + 1), "class": Column(classes[rows])})


def loaded_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that the process has loaded."""
    libraries = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
    # Not by `getattr`: some libraries compute the attribute, with a warning that it is deprecated.
    versions = {name: getattr(sys.modules.get(name), "__dict__", {}).get("__version__") for name in sorted(libraries)}
    return {"python": sys.version.split()[0]} | {name: str(v) for name, v in versions.items() if v is not None}


def _read(read: Callable, path: str, reading: dict[str, object]) -> tuple[EventLog | Relation, list[str]]:
    """The log or relation, and what its import had to drop or to change."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        log = read(path, **reading)
    return log, [str(warning.message) for warning in caught]


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is a whole number of at least 0, not {text!r}")
    return int(text)


def _fail(code: int, error: Exception) -> int:
    print(error, file=sys.stderr)
    return code


def _of_seed(seed: int | None) -> str:
    if seed is None:
        return "drawn from fresh entropy, which is not kept"
    return f"seed {seed}: repeatable, for experiments only; who knows the seed can undo the noise"


def _summary(log: EventLog | Relation, outcome: Outcome, phases: dict[str, float], remarks: list[str]) -> list[str]:
    """What was done, for the data owner."""
    release, diagnostics = outcome.release, outcome.diagnostics
    lines = [f"in:  {_size(log)}", f"out: {_size(release)}"]
    for name in ("nominal_epsilon", "composed_epsilon", "composed_additive"):
        if diagnostics.get(name) is not None:
            lines.append(f"{name.replace('_', ' ')}: {diagnostics[name]:.6g}")
    if levels := diagnostics.get("levels"):
        lines.append(f"levels: {', '.join(f'{name} {level}' for name, level in levels.items())}")
    if "discernibility" in diagnostics:
        lines.append(f"discernibility: {diagnostics['discernibility']}")
    lines.append(", ".join(f"{phase.removesuffix('_s')} {seconds:.2f} s" for phase, seconds in phases.items()))
    entries, of = (log.n_rows, "rows") if isinstance(log, Relation) else (log.n_cases, "cases")
    if entries < SMALL_LOG:
        remarks = [*remarks, f"the log has only {entries} {of}; expect little utility for any real privacy"]
    return lines + [f"note: {remark}" for remark in remarks]


def _size(log: Release | Relation) -> str:
    if isinstance(log, Relation):
        return f"{log.n_rows} rows, columns {', '.join(log.names)}"
    if isinstance(log, RelationRelease):
        sizes = log.published_sizes
        of = f" of {sizes.min()} to {sizes.max()} rows" if len(sizes) else ""
        return f"{log.n_rows} rows, {len(sizes)} classes{of}, {log.suppressed} rows suppressed"
    if isinstance(log, DirectlyFollowsGraph):
        return f"{len(log.labels)} activities, {len(log)} directly-follows pairs"
    return f"{log.n_cases} cases, {log.n_events} events, {len(log.variants)} variants"
