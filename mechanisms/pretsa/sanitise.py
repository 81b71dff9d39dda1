"""From a log and parameters to the loop, and from the loop to released events with durations."""

from __future__ import annotations

import numpy as np

from data.log import EventLog, ranges
from mechanisms import Infeasible
from mechanisms.pretsa.classes import Classes
from mechanisms.pretsa.distance import Distance, Embedded, Levenshtein
from mechanisms.pretsa.durations import Populations
from mechanisms.pretsa.emission import Released, impute, released
from mechanisms.pretsa.loop import Loop
from mechanisms.pretsa.options import Options
from mechanisms.pretsa.profiles import PROFILES
from mechanisms.pretsa.tree import Tree, build

ROUNDS = 10  # of drawing durations and cutting the classes that violate t by them


def prepare(
    log: EventLog, seconds: np.ndarray, populations: Populations, options: Options, rng: np.random.Generator
) -> Loop:
    """The loop over a log, nothing cut yet.

    Parameters
    ----------
    log : EventLog
    seconds : float array (events,)
        Durations.
    populations : Populations
        The same by activity.
    options : Options
    rng : numpy.random.Generator
        Draws the order of the cases (`order` random) and trains the embedding, if there is no file.
    """
    order_rng = rng if options.order_seed is None else np.random.default_rng(options.order_seed)
    tree = build(log.variants, _variant_order(log, options.order, order_rng))
    profile = PROFILES[options.profile](tree)
    targets = [tree.sequence(node) for node in profile.nodes.tolist()]
    return Loop(
        tree,
        profile,
        k=options.k,
        variant_k=options.variant_k,
        classes=_classes(log, tree, seconds, populations, options),
        distance=_distance(log, targets, options, rng),
        key_order=key_order(targets, log.labels),
    )


def draw(
    log: EventLog,
    loop: Loop,
    seconds: np.ndarray,
    populations: Populations,
    options: Options,
    rng: np.random.Generator,
) -> tuple[Released, np.ndarray]:
    """Run the loop and draw the durations that are missing, until t holds for them where that is asked for.

    Returns
    -------
    events : Released
        In random order of their cases.
    values : float array (released events,)
        Seconds.

    Raises
    ------
    Infeasible
        If no case is left, or the drawn durations violate t time and again.
    """
    order = rng.permutation(log.n_cases)
    for _ in range(ROUNDS):
        loop.run()
        events = released(log, loop.tree, loop.state, order)
        if not len(events.cases):
            raise Infeasible(f"no case is left: no sequence satisfies k = {options.k}, t = {options.t}; relax them")
        values = impute(events, seconds, populations, options.imputation, options.profile, rng)
        if not options.t_on_release or loop.classes is None:
            return events, values
        far = loop.classes.far_from_population(events.nodes, values)
        if not far:
            return events, values
        loop.condemn(np.array(far))
    raise Infeasible(f"t = {options.t} does not hold for the drawn durations after {ROUNDS} rounds; raise t or lower k")


def key_order(sequences: list[np.ndarray], labels: tuple[str, ...]) -> np.ndarray:
    """Positions of the sequences by key: their labels joined with "@", by code point.

    This is the published order of ties. It is not that of the tuples of labels, where one is a prefix of another.
    Where labels have an "@" and two keys are equal, the tuples decide.
    """
    keys = []
    for sequence in sequences:
        names = tuple(labels[activity] for activity in sequence.tolist())
        keys.append(("@".join(names), names))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__))


def _variant_order(log: EventLog, order: str, rng: np.random.Generator) -> np.ndarray:
    """The variants in the order in which they first appear, with the cases in the given order."""
    variants = log.variants
    if order == "file":
        return np.arange(len(variants))
    if order == "random":
        first = np.unique(variants.of_case[rng.permutation(log.n_cases)], return_index=True)[1]
        return np.argsort(first)
    by_key = key_order([variants.sequence(variant) for variant in range(len(variants))], log.labels)
    return by_key[np.argsort(-variants.counts[by_key], kind="stable")]


def _distance(log: EventLog, targets: list[np.ndarray], options: Options, rng: np.random.Generator) -> Distance:
    sources = [log.variants.sequence(variant) for variant in range(len(log.variants))]
    if options.distance == "levenshtein":
        return Levenshtein(sources, targets)
    from mechanisms.pretsa.embedding import read_embedding, train

    embedding = read_embedding(options.embedding) if options.embedding else train(log, seed=int(rng.integers(2**31)))
    return Embedded(sources, targets, embedding.of(log.labels), options.form)


def _classes(
    log: EventLog, tree: Tree, seconds: np.ndarray, populations: Populations, options: Options
) -> Classes | None:
    if options.t >= 1 and options.diversity is None:
        return None
    variants = log.variants
    return Classes(
        tree,
        populations,
        nodes=tree.nodes[ranges(variants.offsets[variants.of_case], log.lengths)],
        variants=variants.of_case[log.case_of_event],
        seconds=seconds,
        closeness=options.t,
        diversity=options.diversity,
        empty_pass=options.empty_classes == "pass",
    )
