"""Instants of the texts that logs hold: ISO 8601 or a declared format, with or without a zone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.arrow import TIME_TYPE

WALL_TYPE = pa.timestamp("us")
PARTS_OF_A_MICROSECOND = r"[.,]\d{6}\d*[1-9]"
YEARS = np.array(["0001-01-01", "10000-01-01"], dtype="datetime64[us]").astype(np.int64).tolist()


@dataclass(frozen=True)
class Instants:
    """Times of a block of events.

    Attributes
    ----------
    values : Arrow array of microseconds, UTC
        Null where the text is null or unreadable.
    zoneless : int
        Number of texts that name no zone.
    in_clock_change : int
        Of these, how many name an hour that the zone has twice (read as the earlier) or not at all (read as the
        moment of the change).
    cut : int
        Number of texts that name parts of a microsecond, which are cut off.
    """

    values: pa.Array
    zoneless: int = 0
    in_clock_change: int = 0
    cut: int = 0


def instants(texts: pa.Array, zone: str = "UTC", time_format: str = "") -> Instants:
    """Read times; those that name no zone are in the given one.

    Parameters
    ----------
    texts : Arrow array of strings
    zone : str
        IANA name of a zone.
    time_format : str
        As for `datetime.strptime`; ISO 8601 if empty.
    """
    if not time_format:
        for kind in (TIME_TYPE, WALL_TYPE):
            try:
                values = texts.cast(kind)
            except pa.ArrowInvalid:
                continue
            if in_years(values):
                return Instants(values) if kind == TIME_TYPE else in_zone(values, zone)
    # Arrow refuses a block over one odd text; Python's own reader takes more kinds, and distinct texts are few.
    encoded = texts.dictionary_encode()
    moments = [_moment(text, time_format) for text in encoded.dictionary.to_pylist()]
    zoned = pa.array([moment if moment and moment.tzinfo else None for moment in moments], TIME_TYPE)
    walls = pa.array([moment if moment and not moment.tzinfo else None for moment in moments], WALL_TYPE)
    placed = in_zone(walls.take(encoded.indices), zone)
    fine = pc.match_substring_regex(encoded.dictionary, PARTS_OF_A_MICROSECOND).take(encoded.indices)
    return replace(
        placed,
        values=pc.coalesce(zoned.take(encoded.indices), placed.values),
        cut=pc.sum(fine, min_count=0).as_py(),
    )


def in_years(values: pa.Array | pa.ChunkedArray) -> bool:
    """Whether all instants lie in the years 1 to 9999, which every format can hold."""
    bounds = pc.min_max(values.cast(pa.int64())).as_py()
    return bounds["min"] is None or YEARS[0] <= bounds["min"] <= bounds["max"] < YEARS[1]


def in_zone(walls: pa.Array, zone: str) -> Instants:
    """The instants at which clocks of a zone show the given times (Arrow array of microseconds without zone)."""
    if zone == "UTC":  # whose clocks never change, and which needs no table of zones
        return Instants(walls.cast(TIME_TYPE), len(walls) - walls.null_count)
    values = pc.assume_timezone(walls, zone, ambiguous="earliest", nonexistent="latest")
    other = pc.assume_timezone(walls, zone, ambiguous="latest", nonexistent="earliest")
    changing = pc.sum(pc.not_equal(values, other), min_count=0).as_py()
    values = values.cast(TIME_TYPE)
    if not in_years(values):  # the zone moves the first or last hours out of them
        fits = pc.and_(pc.greater_equal(values.cast(pa.int64()), YEARS[0]), pc.less(values.cast(pa.int64()), YEARS[1]))
        values = pc.if_else(fits, values, pa.scalar(None, TIME_TYPE))
    return Instants(values, len(walls) - walls.null_count, changing)


def _moment(text: str, time_format: str) -> datetime | None:
    try:
        moment = datetime.strptime(text.strip(), time_format) if time_format else datetime.fromisoformat(text.strip())
        # Refuses instants that leave the years 1 to 9999 on their way to UTC.
        return moment if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
