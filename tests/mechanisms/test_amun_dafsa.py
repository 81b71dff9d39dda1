"""The minimal automaton: language, minimality, and the published structure counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.io import read_log
from data.log import LIFECYCLE, EventLog
from data.xes import import_xes
from mechanisms.amun.dafsa import Dafsa, minimal_dafsa


def log_of(words: list[str]) -> EventLog:
    cases = np.repeat([f"case {i}" for i in range(len(words))], [len(word) for word in words])
    return EventLog.from_rows(cases, list("".join(words)), np.zeros(len(cases)))


def arcs(dafsa: Dafsa) -> list[dict[int, int]]:
    """Outgoing (label -> target) of each state."""
    outgoing = [{} for _ in dafsa.final]
    for source, label, target in zip(dafsa.sources, dafsa.labels, dafsa.targets, strict=True):
        assert label not in outgoing[source], "not deterministic"
        outgoing[source][label] = target
    return outgoing


def language(dafsa: Dafsa) -> list[tuple[int, ...]]:
    outgoing, words, open_paths = arcs(dafsa), [], [(0, ())]
    while open_paths:
        state, word = open_paths.pop()
        if dafsa.final[state]:
            words.append(word)
        open_paths += [(target, (*word, label)) for label, target in outgoing[state].items()]
    return words


def test_running_example_has_the_published_automaton():
    # Variants ABC, DAEC, DABC, AEC; tv_dafsa.csv: s0-A->s5, s0-D->s4, s4-A->s5, s5-B->s2, s5-E->s2, s2-C->s3.
    log = log_of(["ABC", "DAEC", "DABC", "AEC"])
    dafsa = minimal_dafsa(log.variants)
    a, b, c, d, e = (log.labels.index(label) for label in "ABCDE")
    outgoing = arcs(dafsa)
    s5, s4 = outgoing[0][a], outgoing[0][d]
    s2 = outgoing[s5][b]
    assert (len(dafsa.final), len(dafsa.sources)) == (5, 6)
    assert outgoing[s4] == {a: s5}
    assert outgoing[s5] == {b: s2, e: s2}
    assert dafsa.final.tolist() == [state == outgoing[s2][c] for state in range(5)]


def test_a_prefix_of_another_variant_ends_in_an_inner_final_state():
    log = log_of(["AB", "ABC", "DB"])
    dafsa = minimal_dafsa(log.variants)
    # After AB a case may go on with C, after DB it may not: the two ends differ.
    assert (len(dafsa.final), dafsa.final.sum()) == (5, 2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ABC", min_size=1, max_size=6), min_size=1, max_size=12))
def test_accepts_exactly_the_variants_with_no_two_states_alike(words):
    log = log_of(words)
    variants = log.variants
    dafsa = minimal_dafsa(variants)
    accepted = language(dafsa)
    assert len(accepted) == len(set(accepted))
    assert set(accepted) == {tuple(variants.sequence(v).tolist()) for v in range(len(variants))}
    rights = {(bool(f), tuple(sorted(out.items()))) for f, out in zip(dafsa.final, arcs(dafsa), strict=True)}
    assert len(rights) == len(dafsa.final)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("ABC", min_size=1, max_size=6), min_size=1, max_size=12))
def test_the_path_of_a_variant_starts_at_0_and_spells_it(words):
    variants = log_of(words).variants
    dafsa = minimal_dafsa(variants)
    assert (dafsa.labels[dafsa.paths] == variants.activities).all()
    assert (dafsa.sources[dafsa.paths[variants.offsets[:-1]]] == 0).all()
    inner = np.setdiff1d(np.arange(1, len(dafsa.paths)), variants.offsets)
    assert (dafsa.targets[dafsa.paths[inner - 1]] == dafsa.sources[dafsa.paths[inner]]).all()
    assert dafsa.final[dafsa.targets[dafsa.paths[variants.offsets[1:] - 1]]].all()


@pytest.mark.parametrize(
    ("file", "states", "transitions"),
    [
        ("Sepsis_Cases_-_Event_Log.xes.gz", 3629, 4371),  # also the authors' own statistics
        ("CCC19.xes.gz", 506, 524),
        ("Unrineweginfectie.xes.gz", 93, 125),
        ("receipt.xes.gz", 249, 337),
        ("BPI_Challenge_2013_closed_problems.xes.gz", 280, 431),
    ],
)
def test_structure_counts_of_real_logs(real_log, file, states, transitions):
    dafsa = minimal_dafsa(read_log(real_log(file)).variants)
    assert (len(dafsa.final), len(dafsa.sources)) == (states, transitions)


def test_structure_counts_of_the_complete_events_of_bpic_2012(real_log):
    log, _ = import_xes(real_log("BPI_Challenge_2012.xes.gz"))
    complete = np.array([transition.upper() == "COMPLETE" for transition in log.attributes[LIFECYCLE]])
    reduced = EventLog.from_rows(
        np.array(log.case_ids, dtype=object)[log.case_of_event[complete]],
        np.array(log.labels, dtype=object)[log.activities[complete]],
        log.timestamps[complete],
    )
    dafsa = minimal_dafsa(reduced.variants)
    assert (reduced.n_events, len(reduced.variants)) == (164506, 4336)
    assert (len(dafsa.final), len(dafsa.sources)) == (14464, 18281)
