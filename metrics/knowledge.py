"""What may be known of a case, and which cases it fits.

Knowledge is some items of a case, such as activities, with or without times, drawn from it at random:

- `prefix`: its first items, in order;
- `set`: some distinct items;
- `multiset`: the items of some events, in no order;
- `sequence`: the items of some events, in order, whatever stands between them.

Which events are drawn depends on nothing but how many there are, so names, dates and the order of cases do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from math import ceil, comb
from typing import NamedTuple

import numpy as np

from data.hashing import case_keys
from data.log import EventLog, ranges

KINDS = ("prefix", "set", "multiset", "sequence")
DRAWS = 64  # of knowledge about a case, if there is more to know
NOTHING = -1  # in place of an item, where a case has fewer
AT_ONCE = 4_000_000  # pairs of knowledge and a trace, or cells of a table, that are held at a time
FEW = 512  # different items, for which a table of all of them is made


class Traces(NamedTuple):
    """The distinct sequences of items of the cases of a log.

    Attributes
    ----------
    items : int64 array (items of all traces,)
        Numbers from 0 on, the same for the same item in all logs that are compared.
    offsets : int64 array (traces + 1,)
        The items of trace v are ``items[offsets[v]:offsets[v + 1]]``; none is empty.
    of_case : int64 array (cases,)
        Trace of each case.
    """

    items: np.ndarray
    offsets: np.ndarray
    of_case: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Number of items of each trace, int64 (traces,)."""
        return np.diff(self.offsets)

    @property
    def of_item(self) -> np.ndarray:
        """Trace of each item, int64 (items,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)


def traces_of(*logs: tuple[EventLog, np.ndarray]) -> list[Traces]:
    """The traces of logs whose events are items.

    Parameters
    ----------
    logs : pairs of EventLog and int array (events,)
        A log and a number of the item of each event, the same for the same item in all logs.
    """
    values = [np.asarray(items, dtype=np.int64) for _, items in logs]
    codes = np.unique(np.concatenate(values), return_inverse=True)[1]
    parts = np.split(codes, np.cumsum([len(each) for each in values])[:-1])
    return [_traces(log, items) for (log, _), items in zip(logs, parts, strict=True)]


def _traces(log: EventLog, items: np.ndarray) -> Traces:
    _, first, of_case = np.unique(case_keys(log, items), return_index=True, return_inverse=True)
    lengths = log.lengths[first]
    return Traces(items[ranges(log.offsets[first], lengths)], np.concatenate(([0], np.cumsum(lengths))), of_case)


class Knowledge(NamedTuple):
    """What may be known of some traces.

    Attributes
    ----------
    owners : int64 array (n,)
        Trace that each is about, rising.
    items : int64 array (n, size)
        What is known, `NOTHING` behind it where the trace has less; in order where that is known, else rising.
    """

    owners: np.ndarray
    items: np.ndarray


def knowledge(traces: Traces, wanted: np.ndarray, kind: str, size: int | float, seed: int) -> Knowledge:
    """All that may be known of some traces or, where that is much, `DRAWS` times something.

    Parameters
    ----------
    traces : Traces
    wanted : int64 array
        Traces, rising.
    kind : one of `KINDS`
    size : int or float
        Items that are known, all of a trace that has fewer; or, as a float, the share of them, rounded up.
    seed : int
    """
    source = _firsts(traces) if kind == "set" else traces
    lengths = source.lengths[wanted]
    sizes = {n: ceil(size * n) if isinstance(size, float) else min(size, n) for n in np.unique(lengths).tolist()}
    width = max(sizes.values(), default=0)
    owners, blocks = [np.empty(0, dtype=np.int64)], [np.empty((0, width), dtype=np.int64)]
    for length, known in sizes.items():
        of_length = wanted[lengths == length]
        chosen = places(length, known, kind == "prefix", seed)
        items = source.items[source.offsets[of_length][:, None, None] + chosen].reshape(-1, known)
        items = items if kind in ("prefix", "sequence") else np.sort(items, axis=1)
        blocks.append(np.pad(items, ((0, 0), (0, width - known)), constant_values=NOTHING))
        owners.append(np.repeat(of_length, len(chosen)))
    order = np.argsort(np.concatenate(owners), kind="stable")
    return Knowledge(np.concatenate(owners)[order], np.concatenate(blocks)[order])


def _firsts(traces: Traces) -> Traces:
    """The traces without the items that stand before."""
    first = np.sort(np.unique(_pairs(traces), return_index=True)[1])
    return Traces(traces.items[first], np.searchsorted(first, traces.offsets), traces.of_case)


def _pairs(traces: Traces) -> np.ndarray:
    """A number of each item and its trace."""
    return traces.of_item * (traces.items.max(initial=0) + 1) + traces.items


@lru_cache(maxsize=256)
def places(length: int, size: int, first: bool, seed: int) -> np.ndarray:
    """Places of the items that are known of a trace, int64 (choices, size), each row rising."""
    if first:
        return np.arange(size)[None, :]
    if comb(length, size) <= DRAWS:
        return np.array(list(combinations(range(length), size)), dtype=np.int64)
    drawn = np.random.default_rng([seed, length, size]).random((DRAWS, length))
    return np.sort(np.argpartition(drawn, size - 1, axis=1)[:, :size], axis=1)


def alone(known: Traces, others: Traces, victims: np.ndarray, kind: str, size: int | float, seed: int) -> float:
    """How often what is known of a case fits exactly one case, averaged over what may be known and over the victims.

    Parameters
    ----------
    known, others : Traces
        Of the log that the victims are of, and of that which is searched.
    victims : int64 array
        Cases.
    kind, size, seed : as `knowledge`
    """
    wanted = np.bincount(known.of_case[victims], minlength=len(known.offsets) - 1)
    said = knowledge(known, np.flatnonzero(wanted), kind, size, seed)
    fitting = Matches(others, kind, said.items).count(np.bincount(others.of_case))
    share = np.bincount(said.owners, fitting == 1, minlength=len(wanted))
    share /= np.maximum(np.bincount(said.owners, minlength=len(wanted)), 1)
    return float(share @ wanted / len(victims))


class Matches:
    """Which of some traces fit what is known.

    Parameters
    ----------
    traces : Traces
    kind : one of `KINDS`
    known : int64 array (n, size)
        As `Knowledge.items`, of traces made by `traces_of` together with these.
    """

    def __init__(self, traces: Traces, kind: str, known: np.ndarray) -> None:
        self._traces, self._ordered = traces, kind == "sequence"
        self._width = int(max(traces.items.max(initial=0), known.max(initial=0))) + 1
        have = traces.items
        if kind == "prefix":
            have, known = self._numbered(_place(traces), have), self._numbered(_place_in_rows(known), known)
        elif kind == "multiset":
            have, known = self._numbered(_occurrence(traces), have), self._numbered(_since_change(known), known)
        vocabulary, codes = np.unique(np.concatenate((have, known.ravel())), return_inverse=True)
        codes -= np.searchsorted(vocabulary, 0)  # NOTHING, if it occurs, remains what it is
        self._have, self._known = codes[: len(have)], codes[len(have) :].reshape(known.shape)
        self._size = int(codes.max(initial=-1)) + 1

    def _numbered(self, number: np.ndarray, items: np.ndarray) -> np.ndarray:
        return np.where(items == NOTHING, NOTHING, number * self._width + items)

    def count(self, weights: np.ndarray) -> np.ndarray:
        """Sum of the weights of the traces that fit each thing known.

        Parameters
        ----------
        weights : array (traces,) or (traces, weights)

        Returns
        -------
        float array (n,) or (n, weights)
        """
        if not len(weights):
            return np.zeros((len(self._known), *weights.shape[1:]))
        rows, of_known = np.unique(self._known, axis=0, return_inverse=True)
        if self._ordered and self._size <= FEW:
            found = self._following(rows, weights)
        else:
            found = self._containing(rows, weights)
        return found[of_known.ravel()]

    def fits(self, known: np.ndarray, traces: np.ndarray) -> np.ndarray:
        """Whether a trace fits something known, for pairs of their numbers; bool (pairs,)."""
        return self._fits(self._known[known], traces)

    def _fits(self, rows: np.ndarray, traces: np.ndarray) -> np.ndarray:
        keys, longest = self._keys
        position, held = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows), dtype=bool)
        for items in rows.T:
            wanted = (traces * self._size + items) * longest
            place = np.searchsorted(keys, wanted + position).clip(max=len(keys) - 1)
            gap = keys[place] - wanted
            held &= (items == NOTHING) | ((gap >= position) & (gap < longest))
            if self._ordered:
                position = np.where(held, gap + 1, 0)
        return held

    @cached_property
    def _keys(self) -> tuple[np.ndarray, int]:
        """Every trace, item and place as one number, rising; and the number of places."""
        longest = int(self._traces.lengths.max(initial=0)) + 1
        return np.sort((self._traces.of_item * self._size + self._have) * longest + _place(self._traces)), longest

    def _containing(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """As `count`, by the traces that have all items; of these, by those that have them in order."""
        from scipy.sparse import csr_array  # not for every job of scores that imports this file

        keys, longest = self._keys
        pairs = keys // longest
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        shape = (len(weights), self._size)
        having = csr_array((np.ones(len(pairs), dtype=np.int32), (pairs // self._size, pairs % self._size)), shape).T
        having = having.tocsr()
        needed = np.sort(rows, axis=1)
        distinct = (np.diff(needed, axis=1, prepend=NOTHING - 1) != 0) & (needed != NOTHING)
        sizes, found = distinct.sum(axis=1), np.zeros((len(rows), *weights.shape[1:]))
        reached = np.where(distinct, np.diff(having.indptr)[needed], 0).sum(axis=1)  # traces, at most, by each row
        parts = np.flatnonzero(np.diff(np.cumsum(reached) // AT_ONCE, prepend=-1))
        for part in (slice(*ends) for ends in pairwise([*parts.tolist(), len(rows)])):
            items, entries = needed[part][distinct[part]], np.concatenate(([0], np.cumsum(sizes[part])))
            ones = np.ones(len(items), dtype=np.int32)
            shared = csr_array((ones, items, entries), shape=(len(entries) - 1, self._size)) @ having
            row = np.repeat(np.arange(len(entries) - 1), np.diff(shared.indptr))
            whole = np.flatnonzero(shared.data == sizes[part][row])
            row, traces = row[whole], shared.indices[whole].astype(np.int64)
            if self._ordered:
                right = self._fits(rows[part][row], traces)
                row, traces = row[right], traces[right]
            found[part] = (
                csr_array((np.ones(len(row)), (row, traces)), shape=(len(entries) - 1, len(weights))) @ weights
            )
        return found

    def _following(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """As `count`, by a table of where each item occurs next; rows rise."""
        found = np.zeros((len(rows), *weights.shape[1:]))
        for first, table, starts in self._tables():
            own, dead = weights[first : first + len(starts)], len(table) - 1
            step = max(AT_ONCE // len(starts), 1)
            for start in range(0, len(rows), step):
                part = rows[start : start + step]
                group, states = np.zeros(len(part), dtype=np.int64), starts[None, :]
                for items in part.T:  # rows that begin alike are followed once
                    begins = (np.diff(group, prepend=-1) != 0) | (np.diff(items, prepend=NOTHING - 1) != 0)
                    heads = np.flatnonzero(begins)
                    states = table[states[group[heads]], items[heads][:, None]]
                    group = np.cumsum(begins) - 1
                found[start : start + step] += ((states != dead).astype(float) @ own)[group]
        return found

    def _tables(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """For some traces at a time: the first of them, and an automaton that reads subsequences of any of them.

        A state is a place of a trace. The table gives the state behind the next occurrence of an item, the last state
        if there is none; `NOTHING` leaves all as it is. The states in which to begin follow.
        """
        lengths = self._traces.lengths
        rows_of = np.cumsum(lengths + 1)
        block = rows_of // max(AT_ONCE // (self._size + 1), 1)
        for part in np.split(np.arange(len(lengths)), np.flatnonzero(np.diff(block)) + 1):
            sizes = lengths[part] + 1
            ends = np.cumsum(sizes) - 1
            n = int(ends[-1]) + 1
            items = self._have[self._traces.offsets[part[0]] : self._traces.offsets[part[-1] + 1]]
            before = np.delete(np.arange(n), ends)
            table = np.full((n + 1, self._size + 1), n, dtype=np.int32)
            table[before, items] = before + 1
            table = np.minimum.accumulate(table[::-1], axis=0)[::-1].copy()
            table[:n][table[:n] > np.repeat(ends, sizes)[:, None]] = n
            table[:, NOTHING] = np.arange(n + 1)
            yield int(part[0]), table, ends - lengths[part]


def _place(traces: Traces) -> np.ndarray:
    """Place of each item in its trace."""
    return ranges(np.zeros_like(traces.lengths), traces.lengths)


def _place_in_rows(rows: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.arange(rows.shape[1]), rows.shape)


def _occurrence(traces: Traces) -> np.ndarray:
    """How often each item stands before in its trace."""
    keys = _pairs(traces)
    order = np.argsort(keys, kind="stable")
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[order] = _since_change(keys[order][None, :])[0]
    return ranks


def _since_change(rows: np.ndarray) -> np.ndarray:
    """How many equal values stand directly before each value of a row."""
    numbers = _place_in_rows(rows)
    begins = np.ones(rows.shape, dtype=bool)
    begins[:, 1:] = rows[:, 1:] != rows[:, :-1]
    return numbers - np.maximum.accumulate(np.where(begins, numbers, 0), axis=1)
