"""The first steps of each role, done as a reader does them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS
from tests.docs.followed_pages import follow, read_printed, rewrite, rewrite_printed, run_script
from tests.facade.commands import ROOT

PAGES = ["first-steps-officer.md", "first-steps-casino.md", "first-steps-developer.md", "first-steps-author.md"]
COMMANDS = {
    "first-steps-officer.md": {"audit", "explain", "rules"},
    "first-steps-casino.md": {"new", "check", "layout"},
    "first-steps-developer.md": {"rules"},
    "first-steps-author.md": {"rules", "odds"},
}


def test_each_role_has_a_page() -> None:
    assert sorted(path.name for path in DOCS.glob("first-steps-*.md")) == sorted(PAGES)
    index = (DOCS / "index.md").read_text("utf-8")
    assert [page for page in PAGES if f"]({page})" not in index] == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    shutil.copytree(ROOT / "rules_data", tmp_path / "rules_data")
    steps = follow(page, tmp_path)
    if request.config.getoption("--update-golden"):
        rewrite(page, steps)
    assert {step.command.split()[1] for step in steps if step.command.startswith("fairdeal ")} == COMMANDS[page]
    assert [step for step in steps if not step.is_as_shown] == []


def test_the_audit_from_python_prints_what_the_page_shows(request: pytest.FixtureRequest) -> None:
    page = "first-steps-developer.md"
    printed = run_script(page)
    if request.config.getoption("--update-golden"):
        rewrite_printed(page, printed)
    assert read_printed(page) == printed
