"""Discovery by pm4py's inductive miner, from the variants of a log.

For every activity that it tries to set aside, pm4py counts the directly-follows pairs of all variants anew, with one
`Counter.update` a pair: seven eighths of its time on a large log. `directly_follows` counts the same, and stands in for
it meanwhile.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from data.log import EventLog
from metrics.stand_in import stand_in

if TYPE_CHECKING:
    from pm4py.objects.dfg.obj import DFG
    from pm4py.objects.petri_net.obj import Marking, PetriNet


def discover(log: EventLog, noise: float) -> tuple[PetriNet, Marking, Marking]:
    """The net of a log, with its initial and its final marking.

    Parameters
    ----------
    log : EventLog
    noise : float
        Threshold of the infrequent miner (Leemans et al., BPM Workshops 2013); 0 for the plain one (Petri Nets 2013).
    """
    import pm4py
    from pm4py.algo.discovery.inductive.dtypes.im_ds import IMDataStructureUVCL
    from pm4py.algo.discovery.inductive.variants.im import IMUVCL
    from pm4py.algo.discovery.inductive.variants.imf import IMFUVCL
    from pm4py.objects.process_tree.utils import generic
    from pm4py.util.compression import util

    parameters = {"noise_threshold": noise}
    miner = (IMFUVCL if noise else IMUVCL)(parameters)
    with stand_in(util, directly_follows, "discover_dfg_uvcl"):
        tree = generic.fold(miner.apply(IMDataStructureUVCL(_cases_of_variants(log)), parameters))
    generic.tree_sort(tree)
    return pm4py.convert_to_petri_net(tree)


def _cases_of_variants(log: EventLog) -> Counter[tuple[str, ...]]:
    variants = log.variants
    return Counter(
        {
            tuple(log.labels[code] for code in variants.sequence(number).tolist()): cases
            for number, cases in enumerate(variants.counts.tolist())
        }
    )


def directly_follows(cases: Counter[tuple[str, ...]]) -> DFG:
    """The directly-follows graph of variants, as `pm4py.util.compression.util.discover_dfg_uvcl`.

    Parameters
    ----------
    cases : Counter of tuple of str
        How many cases each variant has.
    """
    from pm4py.objects.dfg.obj import DFG

    pairs, starts, ends = {}, {}, {}
    for variant, n in cases.items():
        for pair in pairwise(variant):
            pairs[pair] = pairs.get(pair, 0) + n
        for counts, label in zip((starts, ends), variant[:1] + variant[-1:], strict=False):
            counts[label] = counts.get(label, 0) + n
    return DFG(pairs, dict(sorted(starts.items())), dict(sorted(ends.items())))
