"""Domain generalization hierarchies: the values of an attribute, and how they merge level by level.

Level 0 is exact. Without a file, octets have the hierarchy of Zettel's study (widths 1, 32, 64, 128 and 256, of which
levels may be left out), addresses the same from the right octet to the left, so that detail stays only where all
octets left of it are exact, times parts of a day, and everything else nothing between exact and ``*``.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from baselines.relational.attributes import Attribute, factorized
from baselines.relational.rendering import interval_texts
from data.log import LogError
from data.relation import IPV4, TIME
from data.relation_release import STAR, Recoded
from mechanisms import ParameterError

OCTET_LEVELS = "01234"  # IP0 to IP4 of the study, whose Incognito leaves out IP1
OCTET_WIDTHS = (1, 32, 64, 128, 256)
MINUTE = 60_000_000
TIME_WIDTHS = (1, MINUTE, 15 * MINUTE, 60 * MINUTE, 240 * MINUTE, 1440 * MINUTE)
ALL = 0  # a width: all values


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The hierarchy of an attribute.

    Attributes
    ----------
    attribute : Attribute
    codes : int array (rows,)
        The value of each row at level 0.
    steps : tuple of int arrays
        The code at level l + 1 of each code at level l; codes of a level are 0, 1, ... without a gap, in the smallest
        type of integers that holds them.
    widths : tuple of int, or tables : tuple of lists of str
        What the codes of each level stand for: intervals of these widths, or texts.
    """

    attribute: Attribute
    codes: np.ndarray
    steps: tuple[np.ndarray, ...]
    widths: tuple[int, ...] = ()
    tables: tuple[Sequence[str], ...] = ()

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.steps)

    def at(self, level: int) -> np.ndarray:
        """The code of each row at a level, int array (rows,)."""
        codes = self.codes
        for step in self.steps[:level]:
            codes = step[codes]
        return codes

    def recoded(self, level: int, rows: np.ndarray, rendering: str) -> Recoded:
        """How some rows read at a level.

        Parameters
        ----------
        level : int
        rows : int array (n,)
        rendering : str
            Of addresses; as in `baselines.relational.rendering`.
        """
        column = self.attribute.column
        if self.tables:
            table = self.tables[level]
            return Recoded(tuple(table[code] for code in self.at(level)[rows].tolist()), kind=column.kind)
        values, width = column.values[rows], self.widths[level]
        if width == ALL:
            return Recoded((STAR,) * len(rows), kind=column.kind)
        low = values // width * width
        high = low + width - 1
        if width == 1 and column.kind != IPV4:
            texts = tuple(column.texts(values))
        elif self.attribute.octet and level == self.height:
            texts = (STAR,) * len(rows)
        else:
            texts = interval_texts(low, high, column.kind, rendering=rendering)
        return Recoded(texts, *((low, high) if not column.labels else (None, None)), column.kind)


def hierarchies_of(
    attributes: Sequence[Attribute], octet_levels: str, folder: str | os.PathLike | None
) -> list[Hierarchy]:
    """The hierarchies of attributes: from the file NAME.csv of a folder where there is one, else the default ones.

    Parameters
    ----------
    attributes : sequence of Attribute
    octet_levels : str
        Levels of octets to keep, rising digits out of 01234; the first is 0 and the last 4.
    folder : path, optional

    Raises
    ------
    ParameterError
        If the levels are not such.
    LogError
        If the folder has no file of any attribute, or a file is no hierarchy of the values.
    """
    if not re.fullmatch("01?2?3?4", octet_levels):
        raise ParameterError(f"octet_levels must be rising digits from 0 to 4, as 0234; it is {octet_levels!r}")
    octet_widths = tuple(OCTET_WIDTHS[int(level)] for level in octet_levels)
    files = {attribute.name: Path(folder or "", f"{attribute.name}.csv") for attribute in attributes}
    found = [name for name, path in files.items() if folder and path.is_file()]
    if folder and not found:
        raise LogError(f"{folder}: holds no hierarchy of {', '.join(files)}; each is to be in a file NAME.csv")
    return [
        from_file(attribute, files[attribute.name])
        if attribute.name in found
        else from_widths(attribute, _default_widths(attribute, octet_widths))
        for attribute in attributes
    ]


def without_file(hierarchies: Sequence[Hierarchy], folder: str | os.PathLike | None) -> list[str]:
    """A sentence on the attributes of which a folder of hierarchies holds none, if there are any."""
    names = [hierarchy.attribute.name for hierarchy in hierarchies if not hierarchy.tables]
    return [f"{folder} holds no hierarchy of {', '.join(names)}; the default is taken"] if folder and names else []


def of_levels(hierarchies: Sequence[Hierarchy], levels: Sequence[int]) -> dict[str, dict[str, int]]:
    """The levels of attributes and the highest ones, as diagnostics."""
    names = [hierarchy.attribute.name for hierarchy in hierarchies]
    heights = [hierarchy.height for hierarchy in hierarchies]
    return {"levels": dict(zip(names, levels, strict=True)), "heights": dict(zip(names, heights, strict=True))}


def from_widths(attribute: Attribute, widths: Sequence[int]) -> Hierarchy:
    """The hierarchy of intervals of the given widths, each a multiple of the one before; `ALL` may be the last."""
    codes, distinct = factorized(attribute.column.values)
    levels = []
    for width in widths:
        values = np.zeros_like(distinct) if width == ALL else distinct // width
        levels.append(np.cumsum(np.diff(values, prepend=values[:1]) != 0))
    return Hierarchy(attribute, _narrow(codes), _steps(levels), widths=tuple(widths))


def from_file(attribute: Attribute, path: Path) -> Hierarchy:
    """The hierarchy in a file of lines ``value;level 1;level 2;...`` as ARX has it; commas will do as well.

    Values that the attribute does not have are passed over, and so is a line of names.

    Raises
    ------
    LogError
        If the file cannot be read, lacks a value, has lines of different lengths, or does not nest: a text of one
        level belongs to two of the next.
    """
    codes, distinct = factorized(attribute.column.values)
    wanted = attribute.column.texts(distinct)
    lines = _lines(path)
    for text in wanted:
        if text not in lines:
            raise LogError(f"{path}: no line for the value {text!r} of {attribute.name!r}; add one")
    chosen = [lines[text] for text in wanted]
    if len({len(line) for line in chosen}) > 1:
        odd = next(line for line in chosen if len(line) != len(chosen[0]))
        raise LogError(f"{path}: the line of {odd[0]!r} has {len(odd)} levels, others {len(chosen[0])}; complete it")
    tables, levels = [], []
    for texts in zip(*chosen, strict=True):
        index = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        tables.append(list(index))
        levels.append(np.array([index[text] for text in texts], dtype=np.int64))
    steps = _steps(levels)
    for level, step in enumerate(steps):
        if (bad := np.flatnonzero(step[levels[level]] != levels[level + 1])).size:
            text = tables[level][levels[level][bad[0]]]
            raise LogError(f"{path}: {text!r} at level {level} belongs to two texts of level {level + 1}; correct it")
    return Hierarchy(attribute, _narrow(levels[0][codes]), steps, tables=tuple(tables))


def _steps(levels: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """From the codes of each distinct value at each level, the code above each code."""
    steps = []
    for below, above in pairwise(levels):
        step = np.empty(int(below.max()) + 1, dtype=np.int64)
        step[below] = above
        steps.append(_narrow(step))
    return tuple(steps)


def _narrow(codes: np.ndarray) -> np.ndarray:
    return codes.astype(np.min_scalar_type(int(codes.max())))


def _default_widths(attribute: Attribute, octet_widths: Sequence[int]) -> tuple[int, ...]:
    if attribute.octet:
        return tuple(octet_widths)
    if attribute.column.kind == IPV4:
        return (1, *(width << shift for shift in (0, 8, 16, 24) for width in octet_widths[1:]))
    if attribute.column.kind == TIME:
        return (*TIME_WIDTHS, ALL)
    return (1, ALL)


def _lines(path: Path) -> dict[str, tuple[str, ...]]:
    """The lines of a file by their first text."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise LogError(f"{path}: not a readable hierarchy: {error}") from error
    separator = ";" if ";" in content.partition("\n")[0] else ","
    rows = csv.reader(content.splitlines(), delimiter=separator, skipinitialspace=True)
    return {row[0].strip(): tuple(text.strip() for text in row) for row in rows if row}
