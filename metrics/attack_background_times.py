"""Re-identification by partial background knowledge of activities and about when they were.

As `metrics.attack_background`, of which it has the prior. The attacker knows the activity and the hour, the day or the
week of some events: distinct ones in no order (`set_day`), or in their order (`sequence_day`). Hours, days and weeks
are counted from the midnight (UTC) before the first event of the original log, which is taken to be public.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from data.log import EventLog
from metrics.distance import HOUR
from metrics.knowledge import traces_of
from metrics.linkage import attacks, declared, linkage, marked, persons_of, prior, values, victims_of
from metrics.links import NO_ORIGINS
from metrics.metric import NO_TIMES, Value, unless_empty
from metrics.pair import align

WIDTHS = {"hour": HOUR, "day": 24 * HOUR, "week": 7 * 24 * HOUR}
KINDS = {"set": "activities and", "sequence": "events in order and their"}
ACTIVITIES = 2**20  # more than a log has

TITLES = {f"{kind}_{name}": f"{title} {name}s" for kind, title in KINDS.items() for name in WIDTHS}
ATTACKS = attacks(TITLES)
METRICS = declared(TITLES)


@unless_empty(METRICS)
def score(
    original: EventLog, release: EventLog, origins: np.ndarray | None, record: Mapping[str, Any]
) -> dict[str, Value]:
    """Success for each kind and size of knowledge, and at the main size all that is told of it."""
    if origins is None or (release.untimed and not original.untimed):
        return {metric.name: NO_ORIGINS if origins is None else NO_TIMES for metric in METRICS}
    pair, seed = align(original, release), record["seed"]
    persons, victims = persons_of(original), victims_of(original, seed)
    chance = prior(persons, origins, victims)
    found: dict[str, Value] = {}
    for name, width in WIDTHS.items():
        known, released = traces_of(*timed((pair.original, pair.release), midnight_of(original), width))
        for kind in KINDS:
            link = partial(linkage, known, released, origins, kind, seed=seed, persons=persons, victims=victims)
            found |= values(f"{kind}_{name}", link, chance)
    return marked(found, len(victims), original.n_cases)


def midnight_of(log: EventLog) -> int:
    """The midnight before the first event of a log that has one."""
    return int(log.timestamps.min() // WIDTHS["day"] * WIDTHS["day"])


def timed(logs: Iterable[EventLog], midnight: int, width: int) -> list[tuple[EventLog, np.ndarray]]:
    """Logs, each with the number of the activity and the time of every event.

    Parameters
    ----------
    logs : iterable of EventLog
        In which an activity has the same number.
    midnight : int
        From which times are counted.
    width : int
        Microseconds that are not told apart.
    """
    return [(log, (log.timestamps - midnight) // width * ACTIVITIES + log.activities) for log in logs]
