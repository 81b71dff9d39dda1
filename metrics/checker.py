"""Check a release against its original: a verdict on every claim of the PRETSA family, with its witness.

``python -m metrics.checker ORIGINAL RELEASE --k 8 --t 0.25 [--l 3] [--variant-k] [--json verdicts.json]``

Exit codes: 0 no claim fails; 1 some claim fails; 2 bad usage, or a log that cannot be read. What the release is not
claimed to be is reported, and does not decide. Persons, and the durations that survived, are looked at where
`--origins` names the file that a run leaves beside its record. All runs of an experiment: `metrics.verify`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from data.files import write_json
from data.io import LogError, read_log
from data.log import EventLog
from data.origins import read_origins
from metrics import verdicts
from metrics.alike import KNOWN
from metrics.verdicts import FAIL, PASS, UNKNOWN, Verdict

REPORTED = "reported"


def check(
    original: EventLog,
    release: EventLog,
    k: int | None = None,
    t: float | None = None,
    l: int | None = None,  # noqa: E741 - the name it has
    variant_k: bool = False,
    origins: np.ndarray | None = None,
    allowed: Sequence[str] = (),
) -> list[Verdict]:
    """All verdicts.

    Parameters
    ----------
    original, release : EventLog
        The original has at least one case.
    k, t, l : numbers, optional
        As claimed; nothing is checked of one that is not given.
    variant_k : bool
        Whether k is claimed for complete traces too.
    origins : int64 array (released cases,), optional
        The original case of each.
    allowed : sequence of str
        Attributes of the original that the release may have.
    """
    found = [
        verdicts.no_original_id(original, release),
        verdicts.no_further_attribute(original, release, allowed),
        _reported(verdicts.no_original_times(original, release)),
        _reported(verdicts.no_shifted_times(original, release)),
        verdicts.as_many_cases(original, release),
        verdicts.no_novel_variant(original, release),
        _reported(verdicts.no_truncated_variant(original, release)),
        verdicts.no_novel_edge(original, release),
        verdicts.no_negative_duration(original, release),
        _reported(verdicts.no_exact_duration(original, release)),
    ]
    if k is not None:
        of_variants = verdicts.k_of_variants(release, k)
        found += [verdicts.k_of_prefixes(release, k), of_variants if variant_k else _reported(of_variants)]
        found += [_reported(verdicts.k_of_alike(release, known, k)) for known in KNOWN]
        if origins is not None:
            found.append(_reported(verdicts.k_of_persons(original, release, origins, k)))
    if t is not None:
        by_rank = verdicts.t_of_durations(original, release, t, by_rank=True)
        to_release = verdicts.t_of_released_law(release, t)
        found += [verdicts.t_of_durations(original, release, t), _reported(by_rank), _reported(to_release)]
        if origins is not None:
            found.append(_reported(verdicts.t_of_survivors(original, release, origins, t)))
    if l is not None:
        found.append(verdicts.l_of_durations(original, release, l))
        found.append(_reported(verdicts.l_of_durations(original, release, l, by_entropy=True)))
    return found


def no_file_metadata(path: str) -> Verdict:
    """Whether a Parquet file has no metadata of its own, which may tell where it comes from."""
    claim = "no metadata in the file"
    if not path.endswith(".parquet"):
        return Verdict(claim, UNKNOWN)
    import pyarrow.parquet as pq

    names = [name.decode(errors="replace") for name in pq.read_schema(path).metadata or {}]
    return Verdict(claim, FAIL if names else PASS, float(len(names)), len(names), tuple(names[:1]))


def _reported(verdict: Verdict) -> Verdict:
    return verdict._replace(verdict=REPORTED)


def line(verdict: Verdict) -> str:
    """A verdict as it is printed."""
    exempt = f", {verdict.exempt} exempt" if verdict.exempt else ""
    worst = "" if verdict.worst is None else f" (worst {verdict.worst:.6g}, {verdict.breaking} breaking{exempt})"
    witness = " > ".join(verdict.witness)
    return f"{verdict.verdict:<10} {verdict.claim}{worst}" + (f": {witness}" if witness else "")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m metrics.checker", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("original", metavar="ORIGINAL", help="event log of any known kind")
    parser.add_argument("release", metavar="RELEASE", help="its release; Parquet or CSV, which hold its durations")
    parser.add_argument("--k", type=int, help="cases that begin with every prefix, at least")
    parser.add_argument("--variant-k", action="store_true", help="k is claimed for complete traces too")
    parser.add_argument("--t", type=float, help="distance that the durations of a class must stay below")
    parser.add_argument("--l", type=int, help="distinct durations of a class, at least")
    parser.add_argument("--origins", metavar="FILE", help="which original case each released one stems from")
    parser.add_argument("--allowed", nargs="*", default=(), metavar="NAME", help="attributes that may be released")
    parser.add_argument("--json", metavar="FILE", help="also write the verdicts there")
    options = parser.parse_args(arguments)
    try:
        original, release = (read_log(path, attributes=True) for path in (options.original, options.release))
        cases = original.n_cases, release.n_cases
        origins = None if options.origins is None else read_origins(options.origins, *cases)
    except LogError as error:
        parser.error(str(error))
    claimed = options.k, options.t, options.l, options.variant_k
    found = check(original, release, *claimed, origins=origins, allowed=options.allowed)
    found.append(no_file_metadata(options.release))
    print("\n".join(map(line, found)))
    if options.json:
        write_json({"verdicts": [verdict._asdict() for verdict in found]}, options.json)
    return int(any(verdict.verdict == FAIL for verdict in found))


if __name__ == "__main__":
    sys.exit(main())
