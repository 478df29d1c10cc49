"""Every check has an example: the failing one is reported under exactly its code, the passing one is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairdeal.validator.rule_checks.check_registry import ALL_CHECKS, PLAY_CHECKS
from fairdeal.validator.rulebook.rule_check import RuleCheck
from tests.cautions.rulebooks import list_warnings, list_warnings_in_play, write_rulebook
from tests.facade.commands import ROOT
from tests.facade.text import Diagnostic, InputError
from tools.generated_files.check_list import CheckExample, read_examples

EXAMPLES = read_examples(ROOT / "docs" / "rule-check-examples.yaml")
CHECKS = {check.format_name(): check for check in ALL_CHECKS}
ALSO_REPORTED = {
    "decision-beyond-wager": {"unenforced"},
    "deck-mismatch": {"house-not-compliant"},
    "decreasing-payout": {"house-not-compliant"},
    "duplicate-hand": {"unused"},
    "needs-later-wager": {"unenforced"},
    "no-round-simulated": {"limits-not-stated", "unenforced"},
    "rarely-paid-table": {"unused"},
    "too-many-cards-dealt": {"deck-mismatch"},
    "too-many-cards-simulated": {"deck-mismatch"},
    "undefined-requirement": {"missing-broken"},
    "unpaid-category": {"house-not-compliant"},
}
"""Codes that a mistake cannot be without."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a rulebook in which nothing is wrong, with the text of a document and a tiny deck."""
    folder = write_rulebook(tmp_path_factory.mktemp("sound") / "rules")
    (folder / "high-card-duel.txt").write_text("A line.\n" * 9, "utf-8")
    decks = folder / "vocabulary" / "decks.yaml"
    decks.write_text(decks.read_text("utf-8") + "  tiny: {suits: c, ranks: A}\n", "utf-8")
    return folder


def find_problems(check: RuleCheck, folder: Path, example: CheckExample) -> list[Diagnostic]:
    """Return what is reported about a document; a check of the game in play includes the other checks."""
    try:
        problems = list_warnings(folder, example.document)
        if check in PLAY_CHECKS:
            problems += list_warnings_in_play(folder, example.document)
    except InputError as error:
        return list(error.diagnostics)
    return problems


@contextmanager
def changed_file(folder: Path, example: CheckExample, *, is_failing: bool) -> Iterator[None]:
    """Make an example in its file, for as long as the context lasts."""
    path = folder / example.document / example.file
    before = text = path.read_text("utf-8")
    for old, new in (*example.with_, *([[example.passes, example.fails], *example.also] if is_failing else [])):
        assert old in text, old
        text = text.replace(old, new, 1)
    assert example.passes in text or is_failing
    path.write_text(text, "utf-8")
    try:
        yield
    finally:
        path.write_text(before, "utf-8")


def test_every_check_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(CHECKS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_reported_under_exactly_its_code(name: str, sound: Path) -> None:
    check, example = CHECKS[name], EXAMPLES[name]
    with changed_file(sound, example, is_failing=True):
        problems = find_problems(check, sound, example)
    assert {problem.code for problem in problems} == {check.code} | ALSO_REPORTED.get(name, set())
    assert check.severity in {problem.severity for problem in problems}
    assert all(problem.line is not None for problem in problems)
    if example.reports is not None and example.at is not None:
        lines = [problem.source_line or "" for problem in problems if problem.message == example.reports]
        assert any(example.at in line for line in lines)


@pytest.mark.parametrize("name", [name for name, example in EXAMPLES.items() if example.with_])
def test_an_example_without_the_mistake_passes(name: str, sound: Path) -> None:
    """Examples without changes of their own pass in the sound rulebook."""
    check, example = CHECKS[name], EXAMPLES[name]
    with changed_file(sound, example, is_failing=False):
        problems = find_problems(check, sound, example)
    assert problems == []


@pytest.mark.parametrize("document", sorted({example.document for example in EXAMPLES.values()}))
def test_the_rulebook_of_the_examples_is_sound(document: str, sound: Path) -> None:
    assert list_warnings(sound, document) == []
