"""Operators give four kinds of text; the sentences of checks are made in one package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.facade.commands import ROOT
from tests.structure.syntax import list_nodes

HOOKS = {"describe", "negate", "describe_required", "describe_observed"}
"""The kinds of text that an operator gives."""
SAYS = re.compile(r"describe|negate|explain|show|phrase|sentence|word")
"""Parts of names of methods that give text."""
FILLS = {"fill_words", "name_operand"}
"""Methods with which the base class fills in words."""


def _list_methods(path: Path) -> Iterator[tuple[str, str]]:
    for node in list_nodes(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and any("Operator" in base for base in map(ast.unparse, node.bases)):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                    yield node.name, part.name


def test_operators_have_four_hooks_of_wording() -> None:
    others = {
        (path.name, owner, name)
        for path in (ROOT / "validator" / "operators").rglob("*.py")
        for owner, name in _list_methods(path)
        if SAYS.search(name) and name not in HOOKS | FILLS
    }
    assert others == set()


def test_the_renderer_and_the_sentences_need_no_numpy() -> None:
    """`rules show` prints them where NumPy is not installed."""
    wording = ROOT / "validator" / "audit" / "wording"
    modules = [ROOT / "validator" / "operators" / "rule_renderer.py", *wording.glob("*.py")]
    importing = [path.name for path in modules if re.search(r"^import numpy", path.read_text("utf-8"), re.MULTILINE)]
    assert importing == []
