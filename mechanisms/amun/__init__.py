"""Amun: release of an event log under a limit on the guessing advantage.

Elkoumy, Pankova, Dumas: "Differentially Private Release of Event Logs for Process Mining", Information
Systems 2022 (arXiv 2201.03010), and its forerunner "Mine Me but Don't Single Me Out", ICPM 2021 (arXiv
2103.11739). The only parameter of privacy is delta: how much likelier the release may make a right guess on
the path or the durations of a case. Whole cases are copied and deleted, so no variant is new; every start and
every duration gets noise.

Modes: `oversampling` only copies (the conference's method), `sampling` copies and deletes, `filtering` first
drops cases that an attacker can guess too well (the journal's method).

Profiles, and what each guarantees:

* `code`: what the authors' published code (Elkoumy/amun, commit 07057e1) computes, to compare with published
  figures. **No guarantee.** It has a variant of one case released or not with the case; it adds no noise
  where a group's durations are all equal; it keeps exact times under compressed noise.
* `paper`: what the journal's text says, its gaps filled as stated in each module. **No guarantee** as
  claimed: noise is calibrated to one count although a case changes as many as it has events; bounds,
  epsilons and the filter depend on the data; a case with a variant of its own cannot be hidden.
* `hardened`: ours. (2 eps_d, additive)-differential privacy for one case more or less, given public bounds;
  see `mechanisms.amun.hardened`. Mode `sampling` only. The default.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from data.log import EventLog
from mechanisms import Infeasible, Outcome, ParameterError
from mechanisms.amun.hardened import complete_bounds, harden
from mechanisms.amun.knowledge import check_guess
from mechanisms.amun.published import publish
from mechanisms.public_bounds import parse_dates, parse_max_duration

MODES = ("oversampling", "sampling", "filtering")
PROFILES = ("paper", "code", "hardened")
NOT_HARDENED = {
    "oversampling": "noise that only adds cases betrays which counts cannot be",
    "filtering": "which cases a filter drops depends on their own times",
}


def release(log: EventLog, *, rng: np.random.Generator, **parameters) -> EventLog:
    """The released log alone; parameters as in `anonymize`."""
    return anonymize(log, rng=rng, **parameters).release


def anonymize(
    log: EventLog,
    *,
    delta: float,
    mode: str = "sampling",
    profile: str = "hardened",
    precision: float = 10.0,
    additive: float = 1e-6,
    max_copies: int = 1,
    max_length: int | None = None,
    max_duration: float | None = None,
    dates: tuple[str, str] | None = None,
    rng: np.random.Generator,
) -> Outcome:
    """Release a log; only cases, activities and timestamps are kept.

    Parameters
    ----------
    log : EventLog
        Completion events, one an activity. It is not changed.
    delta : float
        Largest guessing advantage, in (0, 1). A delta near 0 is refused if about `control_flow.MOST_MOVES` copies
        and deletions or more are to be expected (`hardened`: instances of one variant).
    mode : {"oversampling", "sampling", "filtering"}
    profile : {"paper", "code", "hardened"}
        See the package's docstring.
    precision : float
        A guess of a duration is right if it is off by at most so many minutes. The text has 10 seconds; its
        example and the published code have 10 minutes. In `hardened` for diagnostics only.
    additive : float
        `hardened`: largest probability, in (0, 1), that a variant of one case is released; well below one by
        the number of cases.
    max_copies : int
        `hardened`: most released instances that stem from one case.
    max_length : int, optional
        `hardened`: public bound on the events of a case; longer cases are left out.
    max_duration : float, optional
        `hardened`: public bound on the time between two events of a case, in days; by default the range of
        `dates`. Longer ones are cut.
    dates : pair of str, optional
        `hardened`: public first and last moment, ISO 8601 in UTC.
    rng : numpy.random.Generator

    Returns
    -------
    Outcome
        With the private figures of `mechanisms.amun.accounting`. A missing `max_length` or `dates` is taken
        from the log, which a note says, as it breaks the guarantee.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or delta so small that its epsilon is 0 in doubles.
    Infeasible
        If the log has no case (`hardened`: and bounds are to be taken from it), the filter of profile `paper`
        would leave none, delta asks for too many copies and deletions, or profile `hardened` has no defensible
        reading of the mode.
    """
    check_guess(delta, precision)
    _check(mode, profile, additive, max_copies, max_length)
    public_dates = dates and parse_dates(dates)
    duration = None if max_duration is None else parse_max_duration(max_duration)
    if log.attributes:
        log = replace(log, attributes={})
    if profile == "hardened":
        if mode != "sampling":
            raise Infeasible(f"profile hardened has no mode {mode}: {NOT_HARDENED[mode]}; use mode sampling")
        bounds = complete_bounds(log, public_dates, duration, max_length)
        return harden(log, delta, precision, additive, max_copies, bounds, rng)
    return publish(log, delta, mode, profile, precision, rng)


def _check(mode, profile, additive, max_copies, max_length) -> None:
    for name, value, known in (("mode", mode, MODES), ("profile", profile, PROFILES)):
        if value not in known:
            raise ParameterError(f"{name} must be one of {', '.join(known)}; it is {value!r}")
    if not 0 < additive < 1:
        raise ParameterError(f"additive must lie between 0 and 1, both excluded; it is {additive}")
    for name, value in (("max_copies", max_copies), ("max_length", max_length)):
        if value is not None and value < 1:
            raise ParameterError(f"{name} must be at least 1; it is {value}")
