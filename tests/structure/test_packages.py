"""Packages are small, say what they are for, and stand in the glossary."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.facade.commands import ROOT

MOST_MODULES = 16
PACKAGES = sorted(path.parent for top in ("fairdeal", "cli", "validator") for path in (ROOT / top).rglob("__init__.py"))


def _name(package: Path) -> str:
    return package.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_package_is_small_and_says_what_it_is_for(package: Path) -> None:
    modules = [path for path in package.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES
    for path in [*modules, package / "__init__.py"]:
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path


def test_folders_with_python_are_packages() -> None:
    folders = {path.parent for top in ("fairdeal", "cli", "validator") for path in (ROOT / top).rglob("*.py")}
    assert folders == set(PACKAGES)


def test_the_glossary_has_every_package() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    missing = []
    for package in PACKAGES:
        dotted = f"fairdeal.{_name(package).replace('/', '.')}".replace("fairdeal.fairdeal", "fairdeal")
        outer = dotted.rpartition(".")[0]
        alone = f"| `{dotted}` |" in text
        within = any(line.startswith(f"| `{outer}` |") and f"`{package.name}`" in line for line in text.splitlines())
        if not alone and not within and any(path.name != "__init__.py" for path in package.glob("*.py")):
            missing.append(dotted)
    assert missing == []


def test_the_glossary_names_no_package_that_is_gone() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    for line in text.partition("## The packages")[2].splitlines():
        if line.startswith("| `"):
            assert (ROOT / line.split("`")[1].replace(".", "/") / "__init__.py").is_file(), line
