"""Tables, figures and notes say what was measured and claim no more."""

from __future__ import annotations

import ast

import pytest

from conftest import ROOT
from metrics.registry import attacks, declarations
from wording import forbidden

# Modules that print, and those whose declarations are printed.
PRINTING = sorted((ROOT / "report").glob("*.py"))
DECLARING = [path for folder in ("mechanisms", "baselines") for path in sorted((ROOT / folder).glob("*/audits.py"))]


def texts(path) -> list[str]:
    """The texts of a module, without those that document it."""
    tree = ast.parse(path.read_text())
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
    ]


@pytest.mark.parametrize(
    "text",
    ["the release is ε-DP", "It is (ε, δ)-DP.", "a safe log", "anonymous cases", "this proves private", "infinite eps",
     "verified eps-DP", "breaks the paper", "3 times more private"],
)  # fmt: skip
def test_what_must_not_be_said_is_found(text):
    assert forbidden(text)


@pytest.mark.parametrize("path", PRINTING + DECLARING, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_printed_text_says_it(path):
    assert not [text for text in texts(path) if forbidden(text)]


def test_no_declaration_says_it():
    said = [text for m in declarations().values() for text in (m.title, m.unit, m.blind_to)]
    said += [text for attack in attacks() for text in (attack.title, attack.adversary, attack.blind_to)]
    assert not [text for text in said if forbidden(text)]
