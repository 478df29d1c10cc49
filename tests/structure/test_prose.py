"""Prose and names of the product, of its rule files and of all pages keep the style of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.structure.prose import ROOT, Problem, check, check_python, duplicate_names, python_files

DUPLICATES = {"build", "changes", "run", "Case", "Difference", "Mutant", "Report"}
"""Names that tools outside of the product share."""
IN_TESTS = {"opening", "loop variable"}
"""Rules that tests keep too: other problems may be part of an expected text."""


def list_problems(*folders: str) -> list[Problem]:
    paths = (path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.is_file())
    kept = (path for path in paths if "__pycache__" not in path.parts and not path.name.endswith("snapshot.yaml"))
    return [problem for path in kept for problem in check(path)]


@pytest.mark.parametrize("folder", ["validator", "cli", "fairdeal", "tools", "benchmarks", "rules_data", "docs"])
def test_prose_and_names_are_plain(folder: str) -> None:
    assert list(map(str, list_problems(folder))) == []


def test_docstrings_and_loop_variables_of_tests_are_plain() -> None:
    problems = [problem for path in python_files([ROOT / "tests"]) for problem in check_python(path, texts_too=False)]
    assert [
        str(problem) for problem in problems if problem.rule in IN_TESTS and "test_model_docs" not in problem.file
    ] == []


def test_no_two_modules_or_public_classes_share_a_name() -> None:
    assert {problem.text.partition(":")[0] for problem in duplicate_names()} <= DUPLICATES


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('def f() -> None:\n    """The seats of a round."""\n', "opening"),
        ('"""Whether a seat plays."""\n', "opening"),
        ("# What is held against the sign.\n", "phrase"),
        ("names = [one for one in verdicts]\n", "loop variable"),
        ("def told() -> None: ...\n", "function name"),
        (f'"""A {"long " * 30}sentence."""\n', "length"),
    ],
)
def test_what_breaks_the_style_is_found(text: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text, "utf-8")
    assert rule in {problem.rule for problem in check_python(path)}
