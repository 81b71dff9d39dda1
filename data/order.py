"""The canonical order of events: by case, within a case by time, ties as they came.

Columns are brought into order one after the other and block by block, so that beside the columns only the new copy of
one of them is in memory. Sorting the whole would take several times as much.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

EVENTS_AT_ONCE = 1 << 16


def arrange(columns: dict[str, np.ndarray], case: str, time: str, cases: int) -> tuple[np.ndarray, int]:
    """Replace columns of events by such in canonical order.

    Parameters
    ----------
    columns : dict of arrays (events,)
        The arrays themselves are not changed.
    case, time : str
        Keys of the columns of case codes, which is taken out, and of times.
    cases : int
        Number of cases, each of which has an event.

    Returns
    -------
    offsets : int64 array (cases + 1,)
        Where the events of each case begin, and the number of all.
    out_of_order : int
        Events that came earlier than the event before them in their case.
    """
    case_codes = columns.pop(case)
    offsets = _offsets(case_codes, cases)
    if (case_codes[1:] < case_codes[:-1]).any():
        for key in columns:
            columns[key] = _by_case(columns[key], case_codes, offsets)
    del case_codes  # of which the offsets tell from here on
    out_of_order = sum(int(_falls(columns[time], offsets, some).sum()) for some in _case_blocks(offsets))
    if out_of_order:
        # The order of a case that fills a block is found once, in half the memory; small ones for each column anew.
        large = {
            some.start: _order(columns[time], offsets, some).astype(np.int32)
            for some in _case_blocks(offsets)
            if offsets[some.stop] - offsets[some.start] > EVENTS_AT_ONCE and _falls(columns[time], offsets, some).any()
        }
        for key in sorted(columns, key=time.__eq__):  # the times last
            columns[key] = _by_time(columns[key], columns[time], offsets, large)
    return offsets, out_of_order


def _offsets(case_codes: np.ndarray, cases: int) -> np.ndarray:
    offsets = np.zeros(cases + 1, dtype=np.int64)
    for block in _blocks(len(case_codes)):
        found, counts = np.unique(case_codes[block], return_counts=True)
        offsets[found + 1] += counts
    return np.cumsum(offsets, out=offsets)


def _by_case(column: np.ndarray, case_codes: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    grouped = np.empty_like(column)
    free = offsets[:-1].copy()
    for block in _blocks(len(column)):
        order = np.argsort(case_codes[block], kind="stable")
        found, first, counts = np.unique(case_codes[block][order], return_index=True, return_counts=True)
        places = np.arange(len(order)) + np.repeat(free[found] - first, counts)
        grouped[places] = column[block][order]
        free[found] += counts
    return grouped


def _by_time(column: np.ndarray, times: np.ndarray, offsets: np.ndarray, large: dict[int, np.ndarray]) -> np.ndarray:
    ordered = column.copy()
    for cases in _case_blocks(offsets):
        if _falls(times, offsets, cases).any():
            block = slice(offsets[cases.start], offsets[cases.stop])
            order = large[cases.start] if cases.start in large else _order(times, offsets, cases)
            for some in _blocks(len(order)):
                ordered[block][some] = column[block][order[some]]
    return ordered


def _order(times: np.ndarray, offsets: np.ndarray, cases: slice) -> np.ndarray:
    """The stable order of the events of some cases by case and time, counted from their first event."""
    block = times[offsets[cases.start] : offsets[cases.stop]]
    if cases.stop - cases.start == 1:
        return np.argsort(block, kind="stable")
    case = np.repeat(np.arange(cases.stop - cases.start), np.diff(offsets[cases.start : cases.stop + 1]))
    return np.lexsort((block, case))


def _blocks(events: int) -> Iterator[slice]:
    return (slice(start, start + EVENTS_AT_ONCE) for start in range(0, events, EVENTS_AT_ONCE))


def _case_blocks(offsets: np.ndarray) -> Iterator[slice]:
    """Slices of cases that have `EVENTS_AT_ONCE` events together, or of one that has more."""
    first, cases = 0, len(offsets) - 1
    while first < cases:
        last = int(np.searchsorted(offsets, offsets[first] + EVENTS_AT_ONCE, side="right")) - 1
        last = max(last, first + 1)
        yield slice(first, last)
        first = last


def _falls(times: np.ndarray, offsets: np.ndarray, cases: slice) -> np.ndarray:
    """For each event of some cases but their first, whether it is earlier than the one before it in its case."""
    block = times[offsets[cases.start] : offsets[cases.stop]]
    falls = block[1:] < block[:-1]
    falls[offsets[cases.start + 1 : cases.stop] - offsets[cases.start] - 1] = False  # from one case to the next
    return falls
