"""What every attack must gain on releases that tell everything, nothing, or what their mechanism is known to tell."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from small_logs import log_of, take

from baselines import pripel, tvq
from data.log import EventLog, empty_log
from mechanisms import amun, identity, pretsa, shuffle
from metrics import attack_copies, attack_decoding, attack_duration, attack_gaps, attack_presence, isolation
from metrics.anonymity import score as classes
from metrics.attack_background import score as background
from metrics.metric import Marked

SEEDS = 3
DELTA = 0.3
PUBLIC = {"dates": ("1999-01-01", "2030-01-01"), "max_length": 4, "max_duration": 30.0}
NO_CASE = np.empty(0, dtype=np.int64)

RANDOM = np.random.default_rng(5)
# Every case has a variant and durations of its own, but for ten that share both.
OWN = [
    (f"{''.join(word)}z", tuple(np.cumsum(RANDOM.integers(1, 10**6, 4)) / 3600)) for word in product("abcd", repeat=3)
]
LOG = log_of(*OWN, *[("zzz", (0, 1, 2))] * 10)
# Each step occurs once, so the published code adds no noise to its duration, and nobody knows another.
SINGLETONS = log_of(*((f"{chr(0x4E00 + case)}{chr(0x5E00 + case)}", (0, (20 + case) / 60)) for case in range(20)))
FREQUENT = log_of(*[(word, times) for word, times in OWN[:8] for _ in range(40)])
FREQUENT = EventLog(
    FREQUENT.activities, FREQUENT.timestamps + np.arange(FREQUENT.n_events) ** 2, FREQUENT.offsets, FREQUENT.labels,
    FREQUENT.case_ids,
)  # fmt: skip


def attacked(score: Callable, log: EventLog, release: EventLog, origins: np.ndarray, seed: int) -> dict:
    known = {"original": log, "release": release, "origins": origins, "record": {"seed": seed, "parameters": {}}}
    return score(**{name: known[name] for name in inspect.signature(score).parameters})


def runs(score: Callable, mechanism, log: EventLog, seeds: int = SEEDS, **parameters) -> list[dict]:
    """What an attack finds of some releases."""
    outcomes = [mechanism.anonymize(log, **parameters, rng=np.random.default_rng(seed)) for seed in range(seeds)]
    return [attacked(score, log, o.release, o.origins, seed) for seed, o in enumerate(outcomes)]


def mean(found: list[dict], name: str) -> float:
    """The mean of a value, which every release must have."""
    return float(np.mean([each[name] for each in found]))


def empty(score: Callable, name: str) -> float | str:
    value = attacked(score, LOG, empty_log(), NO_CASE, 1)[name]
    return value.status if isinstance(value, Marked) else value


A1, A2, A3 = attack_presence.score, attack_duration.score, attack_gaps.score
A4, A5 = attack_decoding.score, attack_copies.score
HARDENED = {"delta": DELTA, **PUBLIC}
CODE = {"delta": DELTA, "profile": "code"}


@cache
def presence_limit() -> float:
    """What the (epsilon, delta) of the hardened profile allows."""
    stated = amun.anonymize(LOG, **HARDENED, rng=np.random.default_rng(1)).diagnostics
    return math.tanh(stated["composed_epsilon"] / 2) + stated["composed_additive"]


def in_another_order(score: Callable, **parameters) -> list[dict]:
    """Releases of the published code with their cases in random order."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        outcome = amun.anonymize(LOG, **parameters, rng=rng)
        place = rng.permutation(outcome.release.n_cases)
        found.append(attacked(score, LOG, take(outcome.release, place), outcome.origins[place], seed))
    return found


def gains_all_but_the_prior(found: list[dict]) -> bool:
    advantage, prior = (mean(found, f"duration_10min_{part}") for part in ("advantage", "prior"))
    return prior > 0 and advantage == pytest.approx(1 - prior)


def coincides(found: list[dict]) -> bool:
    return mean(found, "gaps_success") <= mean(found, "gaps_coincidence") + 0.02


def of_copies(found: list[dict]) -> float:
    """The mean over the releases that have copies, which noise decides."""
    values = [value for each in found if not isinstance(value := each["copy_by_position_advantage"], Marked)]
    assert len(values) > 10
    return float(np.mean(values))


def is_blind(found: list[dict]) -> bool:
    return abs(mean(found, "decoded_advantage")) < 0.05


def prefix_classes_alone() -> bool:
    """Each prefix has k cases, and a whole trace has one: who knows where a case ends has found it."""
    log = log_of(*["ab"] * 9, "a")
    release = pretsa.anonymize(log, k=3, t=1.0, variant_k=False, rng=np.random.default_rng(1)).release
    found = classes(original=log, release=release, origins=None)
    return (found["prefix_k_min"], found["variant_k_min"]) == (9, 1)


# 48 sessions, of another user and address each, two in each hour of a day.
HOUR = 3_600_000_000
SESSIONS = EventLog.from_rows(
    [f"s{case}" for case in range(48)], ["a"] * 48, np.arange(48) // 2 * HOUR + np.arange(48) * 1_000_000,
    {
        "user": np.array([f"u{case}" for case in range(48)], dtype=object),
        "org:resource": np.array([f"10.0.0.{case}" for case in range(48)], dtype=object),
    },
)  # fmt: skip


def sessions(hidden: str | None = None, coarse: int = 1, seed: int | None = None) -> dict:
    """What is found of the sessions if their addresses are hidden, their times cut, or the addresses shuffled."""
    addresses = np.array(SESSIONS.attributes["org:resource"])
    if seed is not None:
        addresses = np.random.default_rng(seed).permutation(addresses)
    if hidden:
        addresses = np.full(48, hidden, dtype=object)
    release = EventLog(
        SESSIONS.activities, SESSIONS.timestamps // coarse * coarse, SESSIONS.offsets, SESSIONS.labels,
        SESSIONS.case_ids, {"org:resource": addresses},
    )  # fmt: skip
    return attacked(isolation.score, SESSIONS, release, np.arange(48), 1)


CELLS = {
    "A1 identity": lambda: mean(runs(A1, identity, LOG), "presence_advantage") == 1,
    "A1 shuffled": lambda: abs(mean(runs(A1, shuffle, LOG), "presence_advantage")) < 0.1,
    "A1 empty": lambda: empty(A1, "presence_advantage") == 0,
    "A1 published": lambda: mean(runs(A1, amun, LOG, **CODE, mode="oversampling"), "presence_advantage") == 1,
    "A1 hardened": lambda: mean(runs(A1, amun, LOG, **HARDENED), "presence_advantage") <= presence_limit(),
    "A1 accounted": lambda: (
        mean(runs(A1, tvq, LOG, epsilon=1, max_length=5, pruning=1, profile="accounted"), "presence_advantage")
        <= math.tanh(1 / 2)
    ),
    "A2 identity": lambda: gains_all_but_the_prior(runs(A2, identity, LOG)),
    "A2 shuffled": lambda: mean(runs(A2, shuffle, LOG), "duration_10min_advantage") < 0.05,
    "A2 empty": lambda: empty(A2, "duration_10min_advantage") == 0,
    "A2 published": lambda: (
        mean(runs(A2, amun, SINGLETONS, **CODE, mode="oversampling"), "duration_10min_advantage") == 1
    ),
    "A2 hardened": lambda: mean(runs(A2, amun, FREQUENT, **HARDENED), "duration_10min_advantage") <= DELTA,
    "A3 identity": lambda: mean(runs(A3, identity, LOG), "gaps_success") == pytest.approx(64 / 74),
    "A3 shuffled": lambda: coincides(runs(A3, shuffle, LOG)),
    "A3 empty": lambda: empty(A3, "gaps_advantage") == "EMPTY",
    "A3 published": lambda: (
        mean(runs(A3, pripel, FREQUENT, epsilon=5, pruning=1, **PUBLIC | {"max_length": 6}), "gaps_advantage") > 0.5
    ),
    "A3 hardened": lambda: coincides(runs(A3, amun, FREQUENT, **HARDENED)),
    "A3 local": lambda: coincides(
        runs(A3, pripel, FREQUENT, epsilon=5, pruning=1, time_mode="local", **PUBLIC | {"max_length": 6})
    ),
    "A4 identity": lambda: mean(runs(A4, identity, LOG), "decoded_success") == 1,
    "A4 shuffled": lambda: is_blind(runs(A4, shuffle, LOG)),
    "A4 empty": lambda: empty(A4, "decoded_advantage") == "EMPTY",
    "A4 published": lambda: mean(runs(A4, amun, SINGLETONS, **CODE, mode="oversampling"), "decoded_success") == 1,
    "A4 hardened": lambda: is_blind(runs(A4, amun, FREQUENT, **HARDENED)),
    "A5 identity": lambda: all(
        value.status == "n/a" for found in runs(A5, identity, LOG) for value in [found["copy_by_position_success"]]
    ),
    "A5 shuffled": lambda: (
        abs(mean(in_another_order(A5, **CODE, mode="oversampling"), "copy_by_position_advantage")) < 0.1
    ),
    "A5 empty": lambda: empty(A5, "copy_by_position_advantage") == "EMPTY",
    "A5 published": lambda: mean(runs(A5, amun, LOG, **CODE, mode="oversampling"), "copy_by_position_advantage") == 1,
    "A5 hardened": lambda: abs(of_copies(runs(A5, amun, FREQUENT, 20, **HARDENED, max_copies=4))) < 0.2,
    "A6 identity": lambda: (
        mean(runs(background, identity, log_of("abc", "abc", "acb", "ab", "abb")), "linkage_prefix_3")
        == pytest.approx(13 / 20)
    ),
    "A6 shuffled": lambda: abs(mean(runs(background, shuffle, LOG), "linkage_advantage_prefix")) < 0.05,
    "A6 empty": lambda: empty(background, "linkage_advantage_prefix") == 0,
    "A6 published": prefix_classes_alone,
    "A7 identity": lambda: sessions()["access_isolated_hour"] == 1,
    "A7 shuffled": lambda: abs(mean([sessions(seed=seed) for seed in range(20)], "access_advantage_hour")) < 0.03,
    "A7 empty": lambda: attacked(isolation.score, SESSIONS, empty_log(), NO_CASE, 1)["access_advantage_hour"] == 0,
    "A7 published": lambda: (
        (found := sessions("10.0.0.0/26"))["access_found_hour"] == 1 / 2 and found["access_isolated_second"] == 1
    ),
    "A7 hardened": lambda: sessions("10.0.0.0/26", 24 * HOUR)["access_isolated_hour"] == 0,
    "A6 hardened": lambda: mean(runs(background, amun, FREQUENT, **HARDENED), "linkage_prefix_3") <= 1 / 40 + 0.01,
}


@pytest.mark.parametrize("cell", CELLS)
def test_each_attack_gains_what_it_must(cell):
    assert CELLS[cell]()


def test_every_attack_has_all_its_controls():
    rows = {cell.split()[0] for cell in CELLS}
    for row in rows:
        assert {cell.split()[1] for cell in CELLS if cell.startswith(row)} >= {
            "identity", "shuffled", "empty", "published", "hardened",
        }  # fmt: skip
