"""What is recorded of every attack, so that one table can hold all of them.

An attack file declares ``ATTACKS``; each attack is recorded by metrics of its own, which are named after it. What the
attacker gains is his advantage: success with the release less success without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from metrics.metric import Metric, Value

PARTS = ("targets", "coverage", "prior", "success", "advantage")


@dataclass(frozen=True, kw_only=True)
class Attack:
    """The declaration of one attack.

    Attributes
    ----------
    name, title : str
        Beginning of the names of its metrics; heading in printed tables.
    family : {'presence', 'durations', 'exact times', 'decoding', 'copies', 'linkage'}
        What is attacked: the panel in figures.
    adversary : str
        What the attacker knows, and where it matters what a right answer is.
    limit : {'epsilon', 'delta', 'k', ''}
        What a mechanism may claim that limits the attack: an epsilon the advantage on presence, to ``tanh(epsilon /
        2)``; Amun's delta the advantage on a guess; a k the success of who knows a prefix, to ``1 / k``.
    blind_to : str
        Who may gain more.
    empty : float or None
        Advantage where the release has no case; None where the attack has no targets then.
    names : mapping of str to str
        Metrics that record a part under another name; `abstains` may stand for coverage, `suppressed` is the share of
        targets that the release leaves out, and `others` counts what the second rate is of, if not the targets.
    rates : (str, str) or None
        Ends of the names of the two metrics, shares of the targets, of which the advantage is the difference; None if
        it is no such difference.
    """

    name: str
    title: str
    family: Literal["presence", "durations", "exact times", "decoding", "copies", "linkage"]
    adversary: str
    limit: Literal["epsilon", "delta", "k", ""] = ""
    blind_to: str
    empty: float | None = 0.0
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    rates: tuple[str, str] | None = ("success", "prior")

    def metric(self, part: str) -> str:
        """The name of the metric that records one of `PARTS`, or more of the attack."""
        return self.names.get(part, f"{self.name}_{part}")

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The declarations of its metrics.

        Targets are counted; coverage is the share of targets on which the attacker answers; prior and success are
        shares of targets, without and with the release.
        """
        return (
            self._declared("targets", "targets", high=float("inf"), unit="targets"),
            self._declared("coverage", "answered", empty=self.empty),
            self._declared("prior", "right without the release"),
            self._declared("success", "right", empty=self.empty),
            self._declared("advantage", "advantage", low=-1.0, empty=self.empty),
        )

    def _declared(self, part: str, title: str, *, high: float = 1.0, **declared) -> Metric:
        return Metric(
            name=self.metric(part), title=f"{self.title}: {title}", high=high, identity=None, doubled=None,
            group="attack", blind_to=self.blind_to, **declared,
        )  # fmt: skip

    def values(self, *, targets: int, prior: float, success: float, coverage: float = 1.0) -> dict[str, Value]:
        """The record of one release."""
        parts = float(targets), coverage, prior, success, success - prior
        return {self.metric(part): value for part, value in zip(PARTS, parts, strict=True)}

    def undefined(self, why: Value) -> dict[str, Value]:
        """The record where the attack cannot be tried."""
        return {self.metric(part): why for part in PARTS}


def better(blind: np.ndarray, *informed: np.ndarray) -> float:
    """The mean of who follows, on either half of the targets, what does best on the other half.

    An attacker may ignore a release that misleads; one who had to heed it would make it look better than it is.

    Parameters
    ----------
    blind, informed : float or bool arrays (targets,)
        What is gained on each target without the release, and with it in one way or another, which is taken of equals.
    """
    strategies = np.stack([*informed, blind]).astype(float)
    halves = np.arange(len(blind)) % 2 == 0
    gained = np.empty(len(blind))
    for half in (halves, ~halves):
        other = ~half if (~half).any() else half
        gained[half] = strategies[np.argmax(strategies[:, other].mean(axis=1)), half]
    return float(gained.mean())
