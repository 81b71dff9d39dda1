"""Scores of attacked releases, as the workflow leaves them, and findings of an audit."""

from __future__ import annotations

import pandas as pd

from metrics.audit import Finding

SEEDS = 5
CODE, CODE_4, HARDENED = ("delta=0.2,profile=code", "delta=0.4,profile=code", "delta=0.2,profile=hardened")
PUBLISHED, ACCOUNTED, KEPT = "epsilon=1,profile=published", "epsilon=1,profile=accounted", "k=8"
COLUMNS = ["log", "mechanism", "parameters", "repeat", "metric", "value", "status"]
MISSING = None


def rows(log: str, mechanism: str, parameters: str, **values: float | tuple | None) -> list[tuple]:
    """Scores of all seeds: one value of all, one of each, or none."""
    lines = []
    for name, value in values.items():
        each = value if isinstance(value, tuple) else (value,) * SEEDS
        lines += [
            (log, mechanism, parameters, str(seed), name, one, "ok" if one is not None else "n/a")
            for seed, one in enumerate(each)
        ]
    return lines


def presence(advantage: float | tuple, targets: int = 784) -> dict:
    """The record of the attack on presence by a mechanism without new variants."""
    of_seeds = advantage if isinstance(advantage, tuple) else (advantage,) * SEEDS
    return {
        "presence_targets": targets, "presence_coverage": 1.0, "presence_prior": 0.5,
        "presence_success": tuple((1 + value) / 2 for value in of_seeds), "presence_advantage": of_seeds,
        "presence_found": of_seeds, "presence_decoys": 0.0,
    }  # fmt: skip


def duration(advantage: float, targets: int = 1000) -> dict:
    """The record of the attack on durations, with a prior of 0.4."""
    return {
        "duration_10min_targets": targets, "duration_10min_coverage": 0.9, "duration_10min_prior": 0.4,
        "duration_10min_success": 0.4 + advantage, "duration_10min_advantage": advantage,
    }  # fmt: skip


def gaps(success: float | None) -> dict:
    """The record of the attack by exact times."""
    parts = {"targets": 900, "coverage": 1.0, "prior": 0.001, "success": success}
    parts["advantage"] = None if success is None else success - 0.001
    return {f"gaps_{part}": None if success is None else value for part, value in parts.items()}


NO_CLAIM = {"nominal_epsilon": None, "composed_epsilon": None}
AMUN = {"nominal_epsilon": 0.811, "claimed_advantage": 0.2, "novel_variants": 0.0}
LEAKY = (0.88, 0.90, 0.90, 0.90, 0.92)

SCORES = pd.DataFrame(
    [
        line
        for log in ("a", "b")
        for line in (
            *rows(
                log, "identity", "default", emd_variants=0.0, **NO_CLAIM, **presence(1.0), **duration(0.6), **gaps(0.99)
            ),
            *rows(
                log, "shuffle", "default", emd_variants=0.9, **NO_CLAIM, **presence(0.0), **duration(0.0), **gaps(0.0)
            ),
            *rows(
                log, "amun", CODE, emd_variants=0.10, **AMUN, composed_epsilon=976.0, flag_exact_values=1.0,
                flag_seeded=1.0, **presence(LEAKY), **duration(0.05), **gaps(0.0),
            ),
            *rows(
                log, "amun", CODE_4, emd_variants=0.05, **AMUN | {"nominal_epsilon": 1.69, "claimed_advantage": 0.4},
                composed_epsilon=1940.0, **presence(0.97), **duration(0.1), **gaps(0.0),
            ),
            *rows(
                log, "amun", HARDENED, emd_variants=0.6, **AMUN, composed_epsilon=1.62, claimed_additive=1e-6,
                **presence(0.0), **duration(0.0), **gaps(0.0),
            ),
            *rows(
                log, "tvq", PUBLISHED, emd_variants=0.3, nominal_epsilon=1.0, composed_epsilon=3.4, novel_variants=0.5,
                flag_parameters_from_data=1.0, **presence(0.7), **gaps(None),
            ),
            *rows(
                log, "tvq", ACCOUNTED, emd_variants=0.4, nominal_epsilon=1.0, composed_epsilon=1.0, novel_variants=0.5,
                **presence(0.3), **gaps(None),
            ),
            *rows(
                log, "pretsa", KEPT, emd_variants=0.2, **NO_CLAIM, prefix_k_min=8, variant_k_min=1, **presence(0.04),
                **duration(0.2), **gaps(0.9),
            ),
        )
    ],
    columns=COLUMNS,
)  # fmt: skip
SCORES["value"] = SCORES["value"].astype(float)


def finding(**changes) -> Finding:
    """What an audit found on the published query."""
    values = {
        "mechanism": "tvq", "settings": "profile=published", "pair": "composed", "adjacency": "one case more",
        "unit": "one count", "draws": 100_000, "event": "cases of <a> = 1", "hits": 25_885, "hits_other": 1149,
        "claimed": 1.0, "composed": 3.386, "delta": 0.0, "epsilon_low": 3.0314, "delta_low": 0.555, "largest": 9.195,
        "verdict": "violated", "composed_verdict": "consistent", "structural": "",
    }  # fmt: skip
    return Finding(**values | changes)


FOUND = (
    finding(),
    finding(settings="profile=accounted", composed=1.0, epsilon_low=0.9754, verdict="consistent"),
    finding(
        mechanism="amun", settings="profile=code", claimed=1.238, composed=None, epsilon_low=9.5149, hits=50_000,
        hits_other=0, largest=9.5149, flags="ZC",
        structural="no variant is new, so one that only one case has gives it away",
    ),
    finding(mechanism="amun", settings="profile=hardened", claimed=1.238, composed=2.476, epsilon_low=0.8,
            verdict="consistent"),
)  # fmt: skip
