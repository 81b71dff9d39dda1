"""A stand-in for the access log of a university information system: users, IPv4 addresses, requests of one day.

The log of the study (Zettel: Anonymization of the University Information System Log Data, CEUR-WS 2438, 2019) is not
public. This generator makes one of its size. Its address plan follows what the published results tell of the study's,
and the share of shared addresses, the shared account and the seed were chosen such that the study's mechanisms give
about the published classes. So its agreement with the study is by construction: it serves to try code and scale, and
confirms nothing. Users and addresses are invented; that an address belongs to a real host is chance.

`python -m data.access OUT.csv` writes distinct pairs of user and address; with `--requests 350000`, an event log.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from data.files import replacing
from data.io import write_log
from data.log import EventLog
from data.relation import IPV4, spelled

PAIRS = 14_430  # of the study
REQUESTS = 350_000
SEED = 910  # of the first 3,000, that with the classes nearest to the published ones
LEAST = 100  # pairs

USERS = 7_600 / PAIRS
COHORTS = 1.75 ** np.arange(7)  # sizes of the cohorts of user numbers: later ones are larger
COHORT_NUMBERS = 27_000 / PAIRS  # user numbers that a cohort spans
# Shares of the pairs. An account that many use comes from another address each time; behind a shared address are
# several users, up to 20.
ACCOUNT = 0.096
SHARED = 0.045
SHARED_BY = 5  # users of a shared address, on average
SHARED_BY_MOST = 20
CAMPUS = 0.08
FOREIGN = 0.02
CAMPUS_NETWORK = 146 << 24 | 102 << 16
# Weights of the providers by half of octet 1 and quarter of octet 2: what the published discernibilities tell of the
# study's addresses, less the campus.
PROVIDERS = np.array([[0.345, 0.05, 0.07, 0.0235], [0.14, 0.03, 0.165, 0.0965]])
BLOCKS = 8  # of providers, /14, in each of these eight

VISITS = 0.142  # a request
PAUSE = 30 * 60  # seconds without a request, after which a session is over
SECOND = 10**6  # microseconds
DAY = np.datetime64("2019-03-04", "us").astype(np.int64)  # a Monday
PEAKS = ((10.5, 2.5), (19.5, 2.2))  # hour and standard deviation
PAGES = (
    "Timetable",
    "Study overview",
    "Course documents",
    "Sign in",
    "Exam dates",
    "Messages",
    "Course registration",
    "Grades",
    "Exam registration",
    "Course catalogue",
    "Submit assignment",
    "Personal data",
    "Find a person",
    "Thesis topics",
    "Read a notice",
    "Pay a fee",
    "Scholarships",
    "Dormitory",
    "Study plan",
    "Certificates",
    "Change password",
    "Evaluate a course",
    "Rooms",
    "Sign out",
)


def pairs(n: int = PAIRS, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """Distinct pairs of user and address.

    Users number about half of the pairs, in cohorts of rising numbers. Addresses are of providers (/14 blocks, octet 3
    for 60 % uniform, else small, octet 4 uniform), of eight /24 networks of a campus, shared by several users, or
    foreign; one account, used by many, has a tenth of all pairs. Who uses which address is independent.

    Parameters
    ----------
    n : int
        The numbers of users, of their numbers and of addresses grow with it.
    seed : int

    Returns
    -------
    users, addresses : int64 arrays (n,)
        User numbers, and IPv4 addresses as integers; sorted by both.

    Raises
    ------
    ValueError
        If n is less than 100, which are too few for the shares.
    """
    if n < LEAST:
        raise ValueError(f"{n} pairs are too few for the shares of addresses; ask for at least {LEAST}")
    rng = np.random.default_rng(seed)
    blocks = _Blocks(rng)
    users, addresses = _users(n, rng), blocks.draw(n, rng)
    # The account's addresses, which come first, stay those of providers.
    of_users = rng.permutation(np.arange(round(ACCOUNT * n), n))
    shared, campus, foreign, _ = np.split(
        of_users, np.cumsum(np.rint(np.array([SHARED, CAMPUS, FOREIGN]) * n), dtype=int)
    )
    addresses[shared] = _shared(len(shared), blocks, rng)
    addresses[campus] = _campus(len(campus), rng)
    addresses[foreign] = rng.integers(1 << 24, 224 << 24, len(foreign))
    while len(twice := _repeated(users, addresses)):
        addresses[twice] = blocks.draw(len(twice), rng)
    order = np.lexsort((addresses, users))
    return users[order], addresses[order]


class _Blocks:
    """The providers' blocks, and how often each is drawn: Zipf in each part of the address space."""

    def __init__(self, rng: np.random.Generator) -> None:
        half, quarter, rank = (index.ravel() for index in np.indices((*PROVIDERS.shape, BLOCKS)))
        first = np.where(half, rng.integers(146, 196, half.size), rng.integers(31, 96, half.size))
        second = 64 * quarter + 4 * rng.integers(0, 16, half.size)
        self.starts = first << 24 | second << 16
        weights = PROVIDERS[half, quarter] / (1 + rank)
        self.weights = weights / weights.sum()

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Addresses, int64 (n,)."""
        block = rng.choice(self.starts, n, p=self.weights)
        third = np.where(rng.random(n) < 0.6, rng.random(n), rng.beta(1.2, 3, n))
        return block | rng.integers(0, 4, n) << 16 | (256 * third).astype(np.int64) << 8 | rng.integers(0, 256, n)


def _users(n: int, rng: np.random.Generator) -> np.ndarray:
    """A user of each pair, the pairs of the shared account first; int64 (n,)."""
    span = round(COHORT_NUMBERS * n)
    sizes = np.rint(USERS * n * COHORTS / COHORTS.sum()).astype(int)
    numbers = [rng.choice(span, size, replace=False) + 1_000 + cohort * span for cohort, size in enumerate(sizes)]
    account, others = np.split(rng.permutation(np.concatenate(numbers)), [1])
    active = rng.lognormal(0, 0.8, len(others))
    of_account = round(ACCOUNT * n)
    more = rng.choice(others, n - of_account - len(others), p=active / active.sum())
    return np.concatenate((np.repeat(account, of_account), others, more))


def _shared(n: int, blocks: _Blocks, rng: np.random.Generator) -> np.ndarray:
    """Addresses of providers, each several times, as often as Zipf's law has it but for the limit; int64 (n,)."""
    addresses = blocks.draw(-(-n // SHARED_BY), rng)
    shares = (1 + np.arange(len(addresses))) ** -0.75
    counts = np.minimum(SHARED_BY_MOST, np.ceil(n * shares / shares.sum())).astype(int)
    while (lacking := n - counts.sum()) > 0:
        counts += np.bincount(rng.choice(len(counts), lacking, p=_even(counts < SHARED_BY_MOST)), minlength=len(counts))
        counts = np.minimum(counts, SHARED_BY_MOST)
    return np.repeat(addresses, counts)[:n]


def _even(wanted: np.ndarray) -> np.ndarray:
    return wanted / wanted.sum()


def _campus(n: int, rng: np.random.Generator) -> np.ndarray:
    """Addresses in eight networks of the campus, int64 (n,)."""
    networks = rng.choice(256, 8, replace=False)
    return CAMPUS_NETWORK | rng.choice(networks, n) << 8 | rng.integers(1, 255, n)


def _repeated(users: np.ndarray, addresses: np.ndarray) -> np.ndarray:
    """Indices of pairs that stand before."""
    first = np.unique(users << 32 | addresses, return_index=True)[1]
    return np.setdiff1d(np.arange(len(users)), first)


def requests(users: np.ndarray, addresses: np.ndarray, n: int = REQUESTS, seed: int = SEED) -> EventLog:
    """An event log of one day in which each user asks for pages from each of their addresses.

    A case is a session: the requests of a user from an address without a pause of more than 30 minutes. The day has
    two peaks, pages follow Zipf's law, requests of a session and sessions of a pair are log-normally many. What would
    go on after midnight is put at the beginning of the same day.

    Parameters
    ----------
    users, addresses : int64 arrays (pairs,)
        As from `pairs`.
    n : int
        At least the number of pairs.
    seed : int

    Returns
    -------
    EventLog
        With the attributes `user` and `org:resource`, the address in dotted form.

    Raises
    ------
    ValueError
        If there are fewer requests than pairs.
    """
    if n < len(users):
        raise ValueError(f"{n} requests do not show {len(users)} pairs; ask for at least as many")
    rng = np.random.default_rng([seed, n])
    pair_of_visit = _owners(max(round(VISITS * n), len(users)), len(users), rng)
    visit = _owners(n, len(pair_of_visit), rng)
    pair, moments = pair_of_visit[visit], _moments(visit, rng)
    order = np.lexsort((moments, pair))
    pair, moments = pair[order], moments[order]
    begins = (np.diff(pair, prepend=-1) != 0) | (np.diff(moments, prepend=0) > PAUSE)
    by_start = np.argsort(np.argsort(moments[begins], kind="stable"))
    shares = 1 / (1 + np.arange(len(PAGES)))
    return EventLog.from_codes(
        by_start[np.cumsum(begins) - 1],
        [f"session {number}" for number in range(1, len(by_start) + 1)],
        rng.choice(len(PAGES), n, p=shares / shares.sum()),
        PAGES,
        DAY + moments * SECOND,
        {
            "user": np.array(users.astype(str), dtype=object)[pair],
            "org:resource": np.array(spelled(addresses, IPV4), dtype=object)[pair],
        },
    )


def _owners(n: int, owners: int, rng: np.random.Generator) -> np.ndarray:
    """For each of n things whose it is: everyone has at least one, and log-normally many; int64 (n,)."""
    active = rng.lognormal(0, 1, owners)
    return np.repeat(np.arange(owners), 1 + rng.multinomial(n - owners, active / active.sum()))


def _moments(visit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """When the requests of consecutive visits are made, in whole seconds of the day; int64 (requests,)."""
    first = np.diff(visit, prepend=-1) != 0
    waits = np.where(first, 0, np.minimum(rng.lognormal(np.log(20), 1.2, len(visit)), PAUSE)).astype(np.int64)
    elapsed = np.cumsum(waits)
    elapsed -= elapsed[first][visit]
    visits = np.count_nonzero(first)
    hours, deviations = np.array(PEAKS).T
    peak = rng.integers(0, len(PEAKS), visits)
    starts = np.where(rng.random(visits) < 0.05, rng.uniform(0, 24, visits), rng.normal(hours[peak], deviations[peak]))
    return ((starts[visit] % 24 * 3600).astype(np.int64) + elapsed) % (24 * 3600)


def write_pairs(users: np.ndarray, addresses: np.ndarray, path: Path) -> None:
    """Write pairs as CSV, whole or not at all: the columns `user` and `ip`."""
    with replacing(path) as temporary:
        lines = (f"{user},{address}\n" for user, address in zip(users, spelled(addresses, IPV4), strict=True))
        temporary.write_text("user,ip\n" + "".join(lines))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write a stand-in for the access log of an information system.")
    parser.add_argument("output", type=Path, metavar="OUT", help="pairs as .csv; a log of any kind")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="distinct pairs of user and address (%(default)s)")
    parser.add_argument("--requests", type=int, help="write an event log of so many requests instead of the pairs")
    parser.add_argument("--seed", type=int, default=SEED, help="(%(default)s)")
    options = parser.parse_args()
    try:
        made = pairs(options.pairs, options.seed)
        if options.requests is None:
            write_pairs(*made, options.output)
        else:
            write_log(requests(*made, options.requests, options.seed), options.output)
    except (ValueError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
