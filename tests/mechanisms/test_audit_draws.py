"""Draws for audits: they are those of the mechanism, failures are outputs, and the known leaks show."""

from __future__ import annotations

import time
from itertools import chain

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from baselines import tvq
from baselines.tvq.audits import AUDITS as TVQ
from baselines.tvq.audits import sample
from conftest import ROOT
from data.log import EventLog, empty_log
from mechanisms import Infeasible, Outcome
from mechanisms import audit as drawing
from mechanisms.amun.control_flow import two_sided_geometric
from mechanisms.audit import Audit, declared
from mechanisms.ids import fresh_case_ids
from mechanisms.neighbours import composed, deep, isolated
from mechanisms.observations import EMPTY, FAILED, REFUSED, RELEASED, Recorder, observe
from metrics.audit import audit

PACKAGES = [".".join(path.relative_to(ROOT).parts[:2]) for path in sorted(ROOT.glob("*/*/audits.py"))]


def found(declaration: Audit, draws: int, seed: int = 1):
    first, second, account = drawing.run(declaration, draws, seed)
    return audit(first, second, {"mechanism": "x", **account})


def of(audits, name: str) -> Audit:
    return next(each for each in audits if each.name == name)


def looped(anonymize, pair, **more) -> Audit:
    return Audit(name="x", parameters={}, pair=pair, anonymize=anonymize, **more)


def counting(epsilon: float):
    """Releases as many cases <a> as there are, with geometric noise, and claims epsilon 1 for it."""

    def anonymize(log: EventLog, *, rng: np.random.Generator) -> Outcome:
        noisy = max(0, int(two_sided_geometric(1, epsilon, rng)[0]) + int((log.lengths == 1).sum()))
        cases = np.zeros(noisy, dtype=np.int64) + int(np.argmin(log.lengths)) if noisy else np.empty(0, dtype=np.int64)
        return Outcome(log.take(cases, fresh_case_ids(noisy, rng)), {"nominal_epsilon": 1.0})

    return anonymize


@pytest.mark.parametrize("package", PACKAGES)
def test_every_declared_audit_runs_and_states_a_claim(package):
    names = [each.name for each in declared(package)]
    assert len(set(names)) == len(names)
    for declaration in declared(package):
        first, second, account = drawing.run(declaration, 40, 1)
        assert first.shape == second.shape == (declaration.draws(40), len(account["observations"]))
        assert account["claimed"] > 0
        assert declaration.pair.adjacency in ("one case more", "one time changed")


def test_every_mechanism_with_an_epsilon_is_audited():
    told = {package.partition(".")[2] for package in PACKAGES}
    assert told == {"amun", "dfg_query", "pretsa", "pripel", "sacofa", "tvq"}


@pytest.mark.parametrize("pair", [composed(), deep(2)], ids=lambda pair: pair.name)
@pytest.mark.parametrize("profile", tvq.PROFILES)
def test_many_draws_at_once_have_the_law_of_single_ones(pair, profile):
    parameters = {"epsilon": 1.0, "max_length": 3, "pruning": 1, "profile": profile}
    batch = sample(pair.second, 2000, np.random.default_rng(1), **parameters)
    recorder, rng = Recorder(2000), np.random.default_rng(2)
    for _ in range(2000):
        recorder.add(tvq.release(pair.second, **parameters, rng=rng))
    names, one, other = observe(batch, recorder.draws(), pair.target)
    for name in ("cases", "whole release", "variants", "end"):
        place = names.index(name)
        values, codes = np.unique(np.concatenate((one[:, place], other[:, place])), return_inverse=True)
        table = np.array([np.bincount(side, minlength=len(values)) for side in np.split(codes, 2)])
        table = np.column_stack((table[:, table.sum(0) >= 10], table[:, table.sum(0) < 10].sum(1)))
        table = table[:, table.sum(0) > 0]
        assert table.shape[1] == 1 or chi2_contingency(table).pvalue > 0.001, name


@pytest.mark.parametrize(
    ("profile", "noise", "present", "absent"),
    [
        ("published", None, 0.665954, 0.033834),
        ("published", "geom", 0.534447, 0.072329),
        ("accounted", None, (1 / (1 + np.exp(-0.5))) ** 2, (np.exp(-0.5) / (1 + np.exp(-0.5))) ** 2),
    ],
)
def test_presence_of_a_short_case_has_its_exact_probability(profile, noise, present, absent):
    pair, size = composed(), 100_000
    shares = []
    for log in (pair.second, pair.first):
        drawn = sample(
            log, size, np.random.default_rng(1), epsilon=1, max_length=2, pruning=1, profile=profile, noise=noise
        )
        shares.append(len(np.unique(drawn.draw[drawn.variant == drawn.variants.index(("a",))])) / size)
    assert shares == pytest.approx([present, absent], abs=0.006)
    # What a claim of 1 allows on presence: the geometric law just keeps to it on every level, and still costs 2.
    allowed = np.tanh(0.5) + 0.006
    assert (shares[0] - shares[1] > allowed) == (profile == "published" and noise is None)


def test_100_000_draws_a_log_take_less_than_a_minute_and_find_the_leak_of_truncated_noise():
    start = time.process_time()
    finding = found(of(TVQ, "published-composed"), 100_000)
    assert time.process_time() - start < 60
    assert 3.0 < finding.epsilon_low < 3.183027
    assert (finding.verdict, finding.composed_verdict) == ("violated", "consistent")


@pytest.mark.parametrize(("name", "low", "high"), [
    ("published-isolated", 1.5, 1 + np.log(2)), ("published-deep", 5.0, 7.653),
    ("accounted-isolated", 0.3, 0.5), ("accounted-composed", 0.7, 1.0), ("accounted-deep", 0.4, 1.0),
])  # fmt: skip
def test_bounds_lie_where_the_exact_laws_put_them(name, low, high):
    finding = found(of(TVQ, name), 20_000)
    assert low < finding.epsilon_low <= high + 0.02
    assert finding.verdict == ("consistent" if name.startswith("accounted") else "violated")


@pytest.mark.slow
def test_the_accounted_query_is_left_alone_in_95_of_100_audits():
    accounted = of(TVQ, "accounted-composed")
    assert sum(found(accounted, 100_000, seed).verdict == "violated" for seed in range(100)) <= 5


def test_impossible_outputs_of_amun_are_found():
    audits = declared("mechanisms.amun")
    for name in ("code-oversampling-unique", "code-oversampling-shared", "code-oversampling-constant"):
        finding = found(of(audits, name), 5000)
        assert (finding.verdict, finding.hits_other) == ("violated", 0), name
        assert finding.structural, name
    assert found(of(audits, "hardened-sampling-frequent"), 10_000).verdict == "consistent"


def test_a_mechanism_that_is_wrong_on_purpose_is_found_and_the_right_one_is_not():
    for epsilon, verdict in ((1.0, "consistent"), (3.0, "violated")):
        finding = found(looped(counting(epsilon), isolated()), 30_000)
        assert (finding.claimed, finding.verdict) == (1.0, verdict)


def test_a_failure_and_a_refusal_are_outputs():
    def crash(log, *, rng):
        if log.n_cases % 2:
            raise Infeasible("odd") if rng.random() < 0.5 else RuntimeError("odd")
        return Outcome(empty_log(), {"nominal_epsilon": 1.0})

    first, second, account = drawing.run(looped(crash, isolated()), 10_000, 1)
    place = account["observations"].index("end")
    assert set(first[:, place]) == {EMPTY}
    assert set(second[:, place]) == {REFUSED, FAILED}
    assert audit(first, second, {"mechanism": "x", **account}).verdict == "violated"


def test_the_same_seed_gives_the_same_draws_and_another_gives_others():
    one, again, other = (drawing.run(of(TVQ, "accounted-composed"), 500, seed)[0] for seed in (1, 1, 2))
    assert (one == again).all()
    assert one.shape != other.shape or (one != other).any()


def test_all_counts_of_a_case_in_a_graph_are_looked_at_together():
    """Absolute values of a count plus noise lose less than epsilon each, but a case has four counts."""
    audits = declared("baselines.dfg_query")
    finding = found(of(audits, "published-pairs"), 100_000)
    assert finding.event.startswith("parts of the case")
    # No edge of the case is seen with probability (1 - e^-1/2)^4 without it, ((e^-1/2 - e^-3/2) / 2)^4 with it.
    assert 1.5 < finding.epsilon_low < 4 * np.log(2 * (1 - np.exp(-0.5)) / (np.exp(-0.5) - np.exp(-1.5)))
    assert (finding.verdict, finding.composed_verdict) == ("violated", "consistent")
    accounted = found(of(audits, "accounted-pairs"), 100_000)
    assert 0.4 < accounted.epsilon_low < 1.02


def test_observations_by_hand():
    recorder = Recorder(2)
    recorder.add(EventLog.from_rows(list("1122"), list("abab"), np.array([0, 5, 0, 9])))
    recorder.add_end(REFUSED)
    names, first, _ = observe(recorder.draws(), recorder.draws(), ("a", "b"))
    seen = dict(zip(names, first.T.tolist(), strict=True))
    assert seen["cases"] == [2, 0]
    assert seen["cases that begin <a>"] == [2, 0]
    assert seen["pairs <a,b>"] == [2, 0]
    assert seen["events b"] == [2, 0]
    assert seen["longest trace"] == [2, 0]
    assert seen["parts of the case"] == [1, 0]
    assert seen["end"] == [RELEASED, REFUSED]
    assert [seen[f"{kind} gap"][0] for kind in ("least", "median", "largest")] == [5, 9, 9]
    assert list(chain(seen["range of gaps"])) == [4, 0]
