"""Tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data.files import replacing

LATEX_SPECIAL = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "±": r"$\pm$", "†": r"\textdagger{}", "–": "--", "↓": r"$\downarrow$", "↑": r"$\uparrow$",
        "ε": r"$\varepsilon$", "δ": r"$\delta$", "≥": r"$\geq$", "≤": r"$\leq$",
        "→": r"$\rightarrow$", "<": r"\textless{}", ">": r"\textgreater{}",
    }
)  # fmt: skip


def write_tables(
    paths: Sequence[str | Path],
    data: pd.DataFrame,
    wide: pd.DataFrame,
    title: str,
    notes: Sequence[str],
    best: pd.DataFrame | None = None,
) -> None:
    """Write a table to each path, in the format of its suffix.

    Parameters
    ----------
    paths : paths ending in .csv, .md or .tex
    data : frame
        What the CSV file holds, numbers in full.
    wide : frame of str
        The table as printed; its index makes the first columns.
    title : str
    notes : sequence of str
        Sentences printed below the table.
    best : frame of bool shaped like `wide`, optional
        The entries to print in bold.
    """
    formats = {
        ".csv": lambda: data.to_csv(index=False),
        ".md": lambda: _markdown(_marked(wide, best, "**{}**"), title, notes),
        ".tex": lambda: _latex(_marked(_escaped(wide), best, r"\textbf{{{}}}"), title, notes),
    }
    for path in map(Path, paths):
        with replacing(path) as temporary:
            temporary.write_text(formats[path.suffix]())


def synthetic_note(names: dict[str, str]) -> list[str]:
    """The sentence that explains the dagger of synthetic logs, if any bears it."""
    if not any(name.endswith("†") for name in names.values()):
        return []
    return ["†: synthetic log, made by a generator; says nothing about a real process."]


def absent_note(absent: Sequence[str]) -> list[str]:
    """The sentence that names the logs of a study that its tables lack, if any."""
    return [f"Not available, so left out: {', '.join(absent)}."] if absent else []


def _marked(wide: pd.DataFrame, best: pd.DataFrame | None, mark: str) -> pd.DataFrame:
    if best is None:
        return wide
    marked = wide.map(mark.format)
    return wide.where(~best.set_axis(wide.columns, axis=1).set_axis(wide.index), marked)


def _escaped(wide: pd.DataFrame) -> pd.DataFrame:
    escaped = wide.map(lambda text: text.translate(LATEX_SPECIAL))
    escaped.columns = [name.translate(LATEX_SPECIAL) for name in wide.columns]
    rows = wide.index.to_frame(index=False).map(lambda text: str(text).translate(LATEX_SPECIAL))
    rows.columns = [str(name).translate(LATEX_SPECIAL) for name in rows.columns]
    return escaped.set_axis(pd.MultiIndex.from_frame(rows))


def _markdown(wide: pd.DataFrame, title: str, notes: Sequence[str]) -> str:
    whole = wide.reset_index().rename(columns=_without_bars).map(_without_bars)
    table = whole.to_markdown(index=False, disable_numparse=True)
    return "\n".join([f"**{title}**", "", table, "", *(f"- {note}" for note in notes), ""])


def _without_bars(text: object) -> str:
    """Text in which no bar ends an entry of a Markdown table."""
    return str(text).replace("|", r"\|")


def _latex(wide: pd.DataFrame, title: str, notes: Sequence[str]) -> str:
    columns = "l" * wide.index.nlevels + "r" * wide.shape[1]
    body = wide.reset_index().to_latex(index=False, escape=False, column_format=columns)
    below = r" \\ ".join(note.translate(LATEX_SPECIAL) for note in notes)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{title.translate(LATEX_SPECIAL)}}}",
            body.rstrip(),
            rf"\par\footnotesize {below}",
            r"\end{table}",
            "",
        ]
    )
