"""What no text that is rendered may say of a measurement."""

from __future__ import annotations

import re

# Bounds and attacks can contradict a claim and prove none; a program is not its paper; nobody is made safe.
FORBIDDEN = re.compile(
    r"\bis \(?(?:ε|eps|epsilon)(?:, ?(?:δ|delta)\))?-?(?:DP|differentially private)"
    r"|\bsafe\b|\banonymous\b|\bproves? (?:that it is )?private|\bverified (?:ε|eps|epsilon)"
    r"|\binfinite (?:ε|eps|epsilon)|\bbreaks the paper|\btimes (?:more|less) private",
    re.IGNORECASE,
)


def forbidden(text: str) -> list[str]:
    """What is said in spite of it."""
    return FORBIDDEN.findall(text)
