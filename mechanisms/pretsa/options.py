"""The parameters of PRETSA, and which of them go together."""

from __future__ import annotations

from dataclasses import dataclass

from data.log import EventLog
from mechanisms import Infeasible, ParameterError
from mechanisms.pretsa.distance import FORMS
from mechanisms.pretsa.profiles import PROFILES

CHOICES = {
    "profile": tuple(PROFILES),
    "distance": ("levenshtein", "embedding"),
    "form": (None, *FORMS),
    "order": ("random", "file", "frequency"),
    "imputation": ("resample", "ref_normal"),
    "empty_classes": ("violate", "pass"),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The parameters of PRETSA, checked.

    Attributes
    ----------
    k : int
        Fewest cases that share a prefix.
    t : float
        A class whose durations lie at least t from those of its activity, as a share of their range, is cut. 1 and
        more is no limit.
    distance : {"levenshtein", "embedding"}
    embedding : str, optional
        File of `mechanisms.pretsa.embedding`; without it, one is trained on the log.
    form : {"linear", "quadratic", "shift", "alignment"}, optional
        Of the embedding distance; by default `quadratic` for `r19`, as published, else `linear`.
    profile : {"sound", "r19", "r21"}
    variant_k : bool, optional
        Whether each whole trace is shared by k cases, too. Only for `sound`, and there the default.
    t_on_release : bool
        Whether t holds for the durations that are released, imputed ones included. Only for `sound`.
    diversity : int, optional
        l: fewest distinct durations of a class. By default there is no such check.
    empty_classes : {"violate", "pass"}
        What l-diversity says of a class none of whose cases has a duration of its own. In the fork it is violated.
        In `sound` there is none.
    order : {"random", "file", "frequency"}
        Order of the cases; `frequency` is that of their variants, ties by sequence key.
    order_seed : int, optional
        Seed of the random order alone: runs that share it, as of two distances, take the cases in the same order. By
        default the order is drawn as everything else is.
    imputation : {"resample", "ref_normal"}
        How the durations of changed events are drawn; `ref_normal` is the published way, for `r19` and `r21`.
    duration_epsilon : float, optional
        Epsilon of Laplace noise on each released duration, within its activity's bounds.
    duration_bounds : str, optional
        JSON file of these bounds (see `mechanisms.pretsa.noise.read_bounds`); by default they are taken from the log.

    Raises
    ------
    ParameterError
        If a parameter is out of its range or does not go with another.
    """

    k: int
    t: float
    distance: str = "levenshtein"
    embedding: str | None = None
    form: str | None = None
    profile: str = "sound"
    variant_k: bool | None = None
    t_on_release: bool = False
    diversity: int | None = None
    empty_classes: str = "violate"
    order: str = "random"
    order_seed: int | None = None
    imputation: str = "resample"
    duration_epsilon: float | None = None
    duration_bounds: str | None = None

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if (value := getattr(self, name)) not in known:
                raise ParameterError(f"{name} must be one of {', '.join(filter(None, known))}; it is {value!r}")
        self._check_ranges()
        for faulty, message in self._combinations():
            if faulty:
                raise ParameterError(message)
        sound, published_form = self.profile == "sound", "quadratic" if self.profile == "r19" else "linear"
        object.__setattr__(self, "variant_k", sound if self.variant_k is None else self.variant_k)
        if self.distance == "embedding":
            object.__setattr__(self, "form", self.form or published_form)

    def _check_ranges(self) -> None:
        for name, value in (("k", self.k), ("l", self.diversity)):
            if value is not None and value < 1:
                raise ParameterError(f"{name} must be at least 1; it is {value}")
        if not self.t >= 0:
            raise ParameterError(f"t must be at least 0; it is {self.t}")
        if self.duration_epsilon is not None and not 0 < self.duration_epsilon < float("inf"):
            raise ParameterError(f"duration_epsilon must be positive and finite; it is {self.duration_epsilon}")

    def _combinations(self) -> list[tuple[bool, str]]:
        sound, embedded = self.profile == "sound", self.distance == "embedding"
        noisy = self.duration_epsilon is not None
        return [
            (bool(self.variant_k) and not sound, f"variant_k is of profile sound, not of {self.profile}"),
            (self.t_on_release and not sound, f"t_on_release is of profile sound, not of {self.profile}"),
            (
                sound and self.imputation == "ref_normal",
                "imputation ref_normal is of profiles r19 and r21, not of sound",
            ),
            (not embedded and self.embedding is not None, "an embedding needs distance embedding"),
            (not embedded and self.form is not None, "form needs distance embedding"),
            (self.order_seed is not None and self.order != "random", "order_seed is of order random"),
            (self.t_on_release and noisy, "t_on_release and duration_epsilon: noise undoes t-closeness; choose one"),
            (self.duration_bounds is not None and not noisy, "duration_bounds need a duration_epsilon"),
        ]

    def check_log(self, log: EventLog) -> None:
        """Refuse a log that cannot be released with these parameters.

        Raises
        ------
        Infeasible
            If it has fewer than k cases, or an activity with an "@" and the profile's sequence key would be split.
        """
        if log.n_cases < self.k:
            raise Infeasible(f"the log has {log.n_cases} cases, fewer than k = {self.k}; lower k")
        for label in log.labels:
            if "@" in label and self.profile != "sound":
                raise Infeasible(
                    f"activity {label!r} has an '@', which splits the sequence key of profile {self.profile};"
                    " rename it or use profile sound"
                )
