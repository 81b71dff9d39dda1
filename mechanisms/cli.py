"""The one command line of all in-house mechanisms: ``python -m mechanisms.<name> IN OUT --<parameter> value``.

IN and OUT are event logs of any known suffix. Standard output gets a short account for the data owner. If the
environment variable RUN_NOTES names a file, the resolved parameters, the time of each phase, the versions of
the loaded libraries and the private diagnostics are written there as JSON. If RUN_ORIGINS does, and the mechanism
knows, which case each released one stems from is written there as Parquet (`data.origins`).

Exit codes: 0 released; 1 a log that cannot be read or written; 2 bad usage; 3 the mechanism refuses, with its
reason on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from data.files import write_json
from data.graph import DirectlyFollowsGraph
from data.io import LogError, read_log
from data.log import EventLog
from data.origins import write_origins
from data.release import Release, write_release
from mechanisms import Infeasible, Outcome, ParameterError

SMALL_LOG = 100  # cases
NOT_PARAMETERS = ("input", "output", "seed", "mapping")


def parser(name: str, description: str, folder: str = "mechanisms") -> argparse.ArgumentParser:
    """A parser that knows IN, OUT and --seed; the mechanism adds its own parameters.

    Parameters
    ----------
    name : str
        Name of the mechanism's package.
    description : str
        One sentence.
    folder : {"mechanisms", "baselines"}
        Where the package lies.
    """
    options = argparse.ArgumentParser(prog=f"python -m {folder}.{name}", description=description)
    options.add_argument("input", metavar="IN", help="event log: .xes, .xes.gz, .csv, .csv.gz or .parquet")
    options.add_argument("output", metavar="OUT", help="release to write, of any of these kinds")
    options.add_argument(
        "--seed", type=_seed, help="for experiments that must be repeatable; without it, fresh entropy that is not kept"
    )
    return options


def run(options: argparse.ArgumentParser, anonymize: Callable[..., Outcome], arguments: list[str] | None = None) -> int:
    """Read IN, anonymize it, write OUT whole or not at all, and account for it.

    Parameters
    ----------
    options : argparse.ArgumentParser
        From `parser`; every added option is a keyword parameter of `anonymize`, but for `--mapping`: the file that
        tells the data owner which case became which, for mechanisms that know.
    anonymize : callable (log, *, <parameters>, rng) -> Outcome
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        Exit code.
    """
    given = vars(options.parse_args(arguments))
    parameters = {name: value for name, value in given.items() if name not in NOT_PARAMETERS}
    clock = [time.perf_counter()]
    try:
        log, import_warnings = _read(given["input"])
        clock.append(time.perf_counter())
        outcome = anonymize(log, **parameters, rng=np.random.default_rng(given["seed"]))
        clock.append(time.perf_counter())
        write_release(outcome.release, given["output"])
        if given.get("mapping"):
            write_json(mapping(log, outcome), given["mapping"])
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
    print("\n".join(_summary(log, outcome, phases, [*import_warnings, *outcome.notes], given["seed"])))
    return 0


def mapping(log: EventLog, outcome: Outcome) -> dict[str, str | None]:
    """The released case id of each case of the log, None if the case was suppressed."""
    released = zip(outcome.origins.tolist(), outcome.release.case_ids, strict=True)
    return dict.fromkeys(log.case_ids) | {log.case_ids[case]: fresh for case, fresh in released}


def loaded_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that the process has loaded."""
    libraries = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
    # Not by `getattr`: some libraries compute the attribute, with a warning that it is deprecated.
    versions = {name: getattr(sys.modules.get(name), "__dict__", {}).get("__version__") for name in sorted(libraries)}
    return {"python": sys.version.split()[0]} | {name: str(v) for name, v in versions.items() if v is not None}


def _read(path: str) -> tuple[EventLog, list[str]]:
    """The log, and what its import had to drop or to change."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        log = read_log(path)
    return log, [str(warning.message) for warning in caught]


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is a whole number of at least 0, not {text!r}")
    return int(text)


def _fail(code: int, error: Exception) -> int:
    print(error, file=sys.stderr)
    return code


def _summary(
    log: EventLog, outcome: Outcome, phases: dict[str, float], notes: list[str], seed: int | None
) -> list[str]:
    """What was done, for the data owner."""
    release, diagnostics = outcome.release, outcome.diagnostics
    lines = [f"in:  {_size(log)}", f"out: {_size(release)}"]
    for name in ("nominal_epsilon", "composed_epsilon", "composed_additive"):
        if diagnostics.get(name) is not None:
            lines.append(f"{name.replace('_', ' ')}: {diagnostics[name]:.6g}")
    lines.append(", ".join(f"{phase.removesuffix('_s')} {seconds:.2f} s" for phase, seconds in phases.items()))
    notes = list(notes)
    if log.n_cases < SMALL_LOG:
        notes.append(f"the log has only {log.n_cases} cases; expect little utility for any real privacy")
    if seed is None:
        notes.append("drawn from fresh entropy, which is not kept")
    else:
        notes.append(f"seed {seed}: repeatable, for experiments only; who knows the seed can undo the noise")
    return lines + [f"note: {note}" for note in notes]


def _size(log: Release) -> str:
    if isinstance(log, DirectlyFollowsGraph):
        return f"{len(log.labels)} activities, {len(log)} directly-follows pairs"
    return f"{log.n_cases} cases, {log.n_events} events, {len(log.variants)} variants"
