"""Regular expressions run on every Python that the metadata allows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.facade.commands import ROOT
from tests.structure.syntax import list_nodes

POSSESSIVE = re.compile(r"(?<!\\)[*+?}]\+|\(\?>")
"""Possessive quantifiers and atomic groups: Python 3.11 matches them wrongly before 3.11.5."""

MODULES = sorted(
    path
    for top in ("fairdeal", "cli", "validator", "tools", "benchmarks", "tests")
    for path in (ROOT / top).rglob("*.py")
    if path != Path(__file__)
)


def _patterns(tree: ast.AST) -> Iterator[str]:
    """Yield the literal text of each pattern given to a function of `re`."""
    for node in list_nodes(tree):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re":
            assert isinstance(node, ast.Call)
            for part in list_nodes(node.args[0]) if node.args else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)):
                    yield part.value if isinstance(part.value, str) else part.value.decode("latin-1")


@pytest.mark.parametrize("pattern", [r"a*+", r"(?:\s++)", r"[^\n]?+", r"a{2}+", r"(?>a)"])
def test_the_check_knows_what_old_pythons_get_wrong(pattern: str) -> None:
    assert list(_patterns(ast.parse(f"re.compile({pattern!r})"))) == [pattern]
    assert POSSESSIVE.search(pattern)


def test_no_pattern_is_possessive() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {pattern}"
        for path in MODULES
        if "re." in (text := path.read_text("utf-8"))
        for pattern in _patterns(ast.parse(text))
        if POSSESSIVE.search(pattern)
    ]
    assert found == []
