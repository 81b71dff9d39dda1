"""Synthetic logs in the shapes of the largest public ones: BPIC 2017, 2018 and 2019.

Cases, events, activities, variants, and the shortest and longest case are those of the real log (config/datasets.csv
and the logs' descriptions). How often a variant occurs falls as a power of its rank, down to a tail of variants of one
case each; variants are walks through a process that mostly goes on, skips, repeats and returns, so that frequent
beginnings are shared and loops occur; times between events are log-normal about a median of their activity, times a
pace of the case. The walk, the share of the commonest variant and the times are ours, not those of the real logs.

``python -m benchmarks.shapes bpic2018 log.parquet --share 0.25``
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.io import write_log
from data.log import EventLog, ranges

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the cases, nested
SLOTS = 1 << 12  # of the table that the next activity is drawn from
HOUR = 3_600_000_000  # microseconds
TRIES, CLOSE = 20, 0.01  # to come that close to the number of events
LONG = 30  # events; distinct walks of so many are never scarce


@dataclass(frozen=True)
class Shape:
    """What a synthetic log has in common with a real one, and what is chosen.

    Attributes
    ----------
    cases, events, activities, variants, shortest, longest : int
        As in the real log; the latter two are events of a case.
    usual : int
        Events that all but one case have at least.
    commonest : float
        Share of the cases that have the most frequent variant.
    spread : float
        Standard deviation of the logarithm of a variant's length.
    days, mean_days : float
        Days over which cases start, and that a case takes on average.
    resolution : int
        Microseconds that every time is a multiple of.
    start : str
        First day.
    """

    cases: int
    events: int
    activities: int
    variants: int
    shortest: int
    longest: int
    usual: int
    commonest: float
    spread: float
    days: float
    mean_days: float
    resolution: int
    start: str


SHAPES = {
    "bpic2017": Shape(31_509, 1_202_267, 26, 15_930, 10, 180, 10, 0.03, 0.5, 366, 22, 1_000, "2016-01-01"),
    "bpic2018": Shape(43_809, 2_514_266, 41, 28_457, 24, 2_973, 24, 0.03, 0.8, 900, 335, 1_000, "2014-05-04"),
    "bpic2019": Shape(251_734, 1_595_923, 42, 11_973, 1, 990, 3, 0.2, 1.0, 365, 72, 60_000_000, "2018-01-01"),
}


def generate(shape: Shape, seed: int = 0) -> EventLog:
    """The whole log of a shape; the same seed gives the same log.

    Raises
    ------
    ValueError
        If the numbers of the shape cannot be had together.
    """
    rng = np.random.default_rng(seed)
    counts = frequencies(shape.cases, shape.variants, max(1, round(shape.commonest * shape.cases)))
    walks = _variants(shape, counts, rng)
    lengths = np.array([len(walk) for walk in walks])
    activities = np.frombuffer(b"".join(walks), dtype=np.uint8)
    of_case = rng.permutation(np.repeat(np.arange(shape.variants), counts))
    size = lengths[of_case]
    offsets = np.concatenate(([0], np.cumsum(size)))
    codes = activities[ranges((np.cumsum(lengths) - lengths)[of_case], size)]
    return EventLog(
        codes,
        _times(shape, codes, offsets, rng),
        offsets,
        [f"activity {number + 1:02d}" for number in range(shape.activities)],
        [f"{number + 1:06d}" for number in range(shape.cases)],
    )


def part(log: EventLog, share: float, seed: int = 0) -> EventLog:
    """A share of the cases of a log, drawn at random, in their order; a smaller share is part of a larger one."""
    drawn = np.random.default_rng(seed).permutation(log.n_cases)[: round(share * log.n_cases)]
    cases = np.sort(drawn)
    return log.take(cases, [log.case_ids[case] for case in cases.tolist()])


def with_addresses(log: EventLog, seed: int = 0) -> EventLog:
    """The log with attributes for mechanisms that recode addresses: each case is of a user and from an address.

    There is a user for ten cases and an address for five, both of uneven frequency; addresses lie in few networks.
    """
    rng = np.random.default_rng(seed)
    users, addresses = ((rng.random(log.n_cases) ** 2 * (log.n_cases / of)).astype(np.int64) for of in (10, 5))
    networks = rng.integers(1 << 8, 1 << 16, size=1 + log.n_cases // 500)
    number = networks[addresses % len(networks)] << 16 | addresses * 40_503 % (1 << 16)
    octets = np.stack([number >> shift & 255 for shift in (24, 16, 8, 0)], axis=1).astype(str)
    names = {"org:resource": np.array([".".join(row) for row in octets], dtype=object), "user": users.astype(str)}
    attributes = {name: values.astype(object)[log.case_of_event] for name, values in names.items()}
    return EventLog(log.activities, log.timestamps, log.offsets, log.labels, log.case_ids, attributes)


def frequencies(cases: int, variants: int, commonest: int) -> np.ndarray:
    """How many cases each variant has, falling: ``commonest / rank ** a``, at least 1; int64 (variants,).

    Raises
    ------
    ValueError
        If no `a` of at least 0 gives so many cases.
    """
    ranks = np.arange(1, variants + 1)
    if not commonest + variants - 1 <= cases <= commonest * variants:
        raise ValueError(f"{variants} variants of 1 to {commonest} cases cannot make {cases} cases")
    low, high = 0.0, 64.0
    for _ in range(60):
        power = (low + high) / 2
        counts = np.maximum(1, (commonest / ranks**power).astype(np.int64))
        low, high = (power, high) if counts.sum() > cases else (low, power)
    counts = np.maximum(1, (commonest / ranks**high).astype(np.int64))
    missing = cases - counts.sum()
    counts[1 : 1 + missing] += 1
    return -np.sort(-counts)


def _variants(shape: Shape, counts: np.ndarray, rng: np.random.Generator) -> list[bytes]:
    """As many distinct walks as there are variants, one byte an activity, of the wanted number of events in all."""
    table = _next_activities(shape.activities, rng)
    wanted, surplus = shape.events, shape.events
    for _ in range(TRIES):
        lengths = _lengths(shape, counts, wanted, rng)
        walks = _walks(lengths, table, rng)
        while len(repeated := _repeated(walks)):
            lengths[repeated] += 1  # of the shortest walks there are not so many
            _redraw(walks, repeated, lengths, table, rng)
        surplus = int(counts @ lengths) - shape.events
        if abs(surplus) < CLOSE * shape.events:
            break
        wanted -= surplus
    # The events that are now too many or missing are those of the long variants of one case.
    long = np.flatnonzero((counts == 1) & (lengths > LONG) & (lengths < shape.longest))
    share, rest = divmod(abs(surplus), max(1, len(long)))
    lengths[long] -= np.sign(surplus) * (share + (np.arange(len(long)) < rest))
    if counts @ lengths != shape.events or lengths.min() < shape.shortest or lengths.max() > shape.longest:
        raise ValueError(f"{shape.events} events do not go with the other numbers of the shape")
    _redraw(walks, long, lengths, table, rng)
    while len(repeated := _repeated(walks)):
        _redraw(walks, repeated, lengths, table, rng)
    return walks


def _lengths(shape: Shape, counts: np.ndarray, events: int, rng: np.random.Generator) -> np.ndarray:
    """Events of each variant: log-normal above the usual least; frequent variants tend to be short."""
    deviations = np.exp(shape.spread * rng.standard_normal(shape.variants))
    order = np.argsort(np.sort(deviations) * np.exp(rng.normal(0, 0.5, shape.variants)))
    deviations = np.sort(deviations)[order]
    low, high = 0.0, float(shape.longest)
    for _ in range(60):
        scale = (low + high) / 2
        lengths = np.minimum(shape.longest, shape.usual + (scale * deviations).astype(np.int64))
        low, high = (low, scale) if counts @ lengths > events else (scale, high)
    lengths[-2:] = shape.shortest, shape.longest
    return lengths


def _next_activities(activities: int, rng: np.random.Generator) -> np.ndarray:
    """For each activity and slot the next one, uint8 (activities, SLOTS): mostly the one behind it."""
    here = np.arange(activities)[:, None]
    kind = rng.choice(5, size=(activities, SLOTS), p=(0.9, 0.04, 0.02, 0.036, 0.004))
    skipped, back = rng.integers(2, 4, kind.shape), rng.integers(1, 6, kind.shape)
    anywhere = rng.integers(0, activities, kind.shape)
    chosen = np.choose(kind, (here + 1, here + skipped, here + 0 * kind, here - back, anywhere))
    # Beyond the last activity a part of the process begins again.
    chosen = np.where(chosen >= activities, activities - 1 - rng.integers(1, activities // 2, kind.shape), chosen)
    return np.maximum(chosen, 0).astype(np.uint8)


def _walks(lengths: np.ndarray, table: np.ndarray, rng: np.random.Generator) -> list[bytes]:
    """A walk of each length, all taken at the same time."""
    order = np.argsort(-lengths, kind="stable")
    size = lengths[order]
    starts = np.cumsum(size) - size
    flat = np.empty(size.sum(), dtype=np.uint8)
    activity = rng.choice(np.arange(4, dtype=np.uint8), size=len(size), p=(0.9, 0.06, 0.03, 0.01))
    under_way = np.searchsorted(-size, -np.arange(size[0]), side="left")  # walks longer than so many steps
    for step, count in enumerate(under_way.tolist()):
        flat[starts[:count] + step] = activity[:count]
        activity = table[activity[:count], rng.integers(0, SLOTS, count)]
    buffer, walks = flat.tobytes(), [b""] * len(size)
    for place, start, length in zip(order.tolist(), starts.tolist(), size.tolist(), strict=True):
        walks[place] = buffer[start : start + length]
    return walks


def _redraw(
    walks: list[bytes], places: np.ndarray, lengths: np.ndarray, table: np.ndarray, rng: np.random.Generator
) -> None:
    for place, walk in zip(places.tolist(), _walks(lengths[places], table, rng), strict=True):
        walks[place] = walk


def _repeated(walks: list[bytes]) -> np.ndarray:
    """Places of walks that stand at an earlier place, too."""
    first: dict[bytes, int] = {}
    return np.array([place for place, walk in enumerate(walks) if first.setdefault(walk, place) != place], dtype=int)


def _times(shape: Shape, activities: np.ndarray, offsets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Times of all events in microseconds since 1970, rising within a case."""
    sizes = np.diff(offsets)
    median = rng.lognormal(0, 1, shape.activities)
    gaps = median[activities] * np.exp(rng.standard_normal(len(activities)))
    gaps[rng.random(len(gaps)) < 0.1] = 0  # done by a machine in one go
    gaps *= np.repeat(np.exp(rng.normal(0, 0.5, len(sizes))) / sizes, sizes)  # long cases are denser
    gaps[offsets[:-1]] = 0
    elapsed = np.cumsum(gaps)
    elapsed -= np.repeat(elapsed[offsets[:-1]], sizes)
    elapsed *= shape.mean_days * 24 * HOUR / elapsed[offsets[1:] - 1].mean()
    starts = np.sort(rng.uniform(0, shape.days * 24 * HOUR, len(sizes)))
    first_day = np.datetime64(shape.start, "us").astype(np.int64)
    moments = (np.repeat(starts, sizes) + elapsed).astype(np.int64)
    return first_day + moments // shape.resolution * shape.resolution


def main() -> None:
    """Write a log, or a share of its cases."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shapes", description=__doc__.split("\n\n")[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("output", type=Path, help="event log to write")
    parser.add_argument("--share", type=float, default=1.0, help="of the cases (all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--addresses", action="store_true", help="with the attributes user and org:resource")
    options = parser.parse_args()
    log = part(generate(SHAPES[options.shape], options.seed), options.share, options.seed)
    write_log(with_addresses(log, options.seed) if options.addresses else log, options.output)


if __name__ == "__main__":
    main()
