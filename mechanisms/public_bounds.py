"""Public bounds on times as options and configurations spell them, in microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mechanisms import ParameterError

DAY = 24 * 60 * 60 * 1_000_000
LONGEST = 10_000 * 366 * DAY  # beyond any two dates


def parse_dates(dates: tuple[str, str]) -> tuple[int, int]:
    """The first and the last moment as microseconds since 1970-01-01 UTC.

    Parameters
    ----------
    dates : pair of str
        ISO 8601, in UTC where no zone is named.

    Raises
    ------
    ParameterError
        If one cannot be read, or the first does not lie before the last.
    """
    try:
        first, last = (_microseconds(date) for date in dates)
    except ValueError as error:
        raise ParameterError(f"dates must be two ISO 8601 moments in UTC; they are {list(dates)}") from error
    if not first < last:
        raise ParameterError(f"the first of the dates must lie before the last; they are {list(dates)}")
    return first, last


def parse_max_duration(days: float) -> int:
    """The longest time between two events of a case, given in days.

    Raises
    ------
    ParameterError
        If it is not positive and finite.
    """
    if not 0 < days < float("inf"):
        raise ParameterError(f"max_duration must be a positive number of days; it is {days}")
    return int(min(days * DAY, LONGEST))


def _microseconds(date: str) -> int:
    moment = datetime.fromisoformat(date)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
