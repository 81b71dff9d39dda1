"""Discovery and replay by few steps, against pm4py's own."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from small_logs import RX_ORIGINAL, log_of

from data.io import read_log
from data.log import ACTIVITY, CASE, TIMESTAMP, EventLog
from metrics.inductive_miner import directly_follows, discover
from metrics.token_replay import enabled, following, replay

OFTEN = log_of(*["abcd"] * 6, *["acbd"] * 5, "abcbcd", "ad", "xabd", "d", "dcba")
RARE = log_of(*["abcd"] * 6, *["acbd"] * 5, "adbc")


def shuffled(seed: int) -> EventLog:
    rng = np.random.default_rng(seed)
    words = ["a" + "".join(rng.permutation(list("bcdef"))[: rng.integers(1, 6)]) + "g" for _ in range(30)]
    return log_of(*words, *words[:5], "agag", "gbca")


def frame(log: EventLog) -> pd.DataFrame:
    """The log for pm4py, one event a second: it sorts by time."""
    return pd.DataFrame(
        {
            CASE: np.array(log.case_ids, dtype=object)[log.case_of_event],
            ACTIVITY: np.array(log.labels, dtype=object)[log.activities],
            TIMESTAMP: pd.to_datetime(np.arange(log.n_events), unit="s", utc=True),
        }
    )


def check(discovered_on: EventLog, replayed: EventLog, noise: float) -> None:
    import pm4py

    net = discover(discovered_on, noise)
    found, log = replay(replayed.variants, replayed.labels, net), frame(replayed)
    assert found.fitness == pytest.approx(pm4py.fitness_token_based_replay(log, *net)["log_fitness"], abs=1e-12)
    assert found.precision == pytest.approx(pm4py.precision_token_based_replay(log, *net), abs=1e-12)
    assert found.generalisation(net[0]) == pytest.approx(pm4py.generalization_tbr(log, *net), abs=1e-12)


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize(("discovered_on", "replayed"), [
    (RX_ORIGINAL, RX_ORIGINAL), (OFTEN, OFTEN), (RARE, OFTEN), (shuffled(1), shuffled(2)), (log_of("a"), OFTEN),
])  # fmt: skip
def test_the_values_are_those_of_pm4py(discovered_on, replayed, noise):
    check(discovered_on, replayed, noise)


def test_tokens_by_hand():
    """Case b misses the token between a and b, and leaves the first one."""
    ab = discover(log_of("ab"), 0.0)
    found = replay(log_of("ab", "ab").variants, ("a", "b"), ab)
    assert found[:4] == (0, 6, 0, 6)
    assert (found.fitness, found.precision) == (1, 1)
    b = log_of("b")
    found = replay(b.variants, b.labels, ab)
    assert found[:4] == (1, 2, 1, 2)
    assert found.fitness == 0.5
    assert (found.allowed, found.escaping) == (1, 1), "the net begins with a, which no case does"


def test_rare_steps_are_those_of_every_prefix():
    """After a, both b and c may follow; only b does. After ab, the net allows c alone."""
    net = discover(log_of("abc", "acb"), 0.0)
    log = log_of("abc", "abc", "abc")
    found = replay(log.variants, log.labels, net)
    assert (found.allowed, found.escaping) == (3 * (1 + 2 + 1), 3)
    assert found.precision == pytest.approx(3 / 4)


@pytest.mark.parametrize("log", [OFTEN, shuffled(4)])
def test_enabled_transitions_are_those_of_pm4py(log):
    from pm4py.objects.petri_net import semantics
    from pm4py.objects.petri_net.utils.align_utils import get_visible_transitions_eventually_enabled_by_marking

    net, marking, _ = discover(log, 0.2)
    reached = [marking]
    for marking in reached:
        assert enabled(net, marking) == semantics.enabled_transitions(net, marking)
        assert following(net, marking) == get_visible_transitions_eventually_enabled_by_marking(net, marking)
        next_ones = [semantics.execute(transition, net, marking) for transition in enabled(net, marking)]
        reached += [each for each in next_ones if each not in reached and len(reached) < 200]
    assert len(reached) > 5


def shape(net) -> list:
    """A net without the names of its transitions, which are drawn at random, but for those without a label."""
    arcs = [
        (t.label or t.name, sorted(a.source.name for a in t.in_arcs), sorted(a.target.name for a in t.out_arcs))
        for t in net[0].transitions
    ]
    return [sorted(arcs), repr(net[1]), repr(net[2])]


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("log", [RX_ORIGINAL, OFTEN, RARE, shuffled(3)])
def test_the_nets_are_those_of_pm4py(log, noise):
    import pm4py

    assert shape(discover(log, noise)) == shape(pm4py.discover_petri_net_inductive(frame(log), noise_threshold=noise))


def test_directly_follows_pairs_are_those_of_pm4py_in_their_order():
    from pm4py.util.compression.util import discover_dfg_uvcl

    cases = {tuple("abcab"): 3, tuple("ba"): 2, (): 4, ("c",): 1, tuple("abd"): 1}
    found, expected = directly_follows(cases), discover_dfg_uvcl(cases)
    for part in ("graph", "start_activities", "end_activities"):
        assert list(getattr(found, part).items()) == list(getattr(expected, part).items())
    assert found.graph["a", "b"] == 3 * list(pairwise("abcab")).count(("a", "b")) + 1


def test_pm4py_counts_as_before_afterwards():
    from pm4py.util.compression import util

    own = util.discover_dfg_uvcl
    discover(OFTEN, 0.0)
    assert util.discover_dfg_uvcl is own


def test_sepsis(real_log):
    log = read_log(real_log("Sepsis_Cases_-_Event_Log.xes.gz"))
    some = log.take(np.arange(60), list(log.case_ids[:60]))
    check(some, some, 0.2)
