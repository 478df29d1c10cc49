"""A rulebook of an author who names acts in another language."""

from __future__ import annotations

from pathlib import Path

from tests.cautions.rulebooks import DUEL, write_rulebook
from tests.facade.commands import run

INSTANCES = """title: Patterns that name the deal
severity: minor
requirements:
- {requirement: ordre, clauses: ["(3)"], pattern: dealt-in-turn}
"""


def rename_deal(folder: Path) -> Path:
    """Return a rulebook whose act of the deal is called `donne`, with an instance of a pattern that names the deal."""
    write_rulebook(folder)
    for path in (folder / DUEL / "game.yaml", folder / DUEL / "requirements" / "rounds.yaml"):
        text = (
            path.read_text("utf-8")
            .replace("step: deal", "step: donne")
            .replace("swap: deal", "swap: donne")
            .replace("of: deal\n", "of: donne\n")
        )
        path.write_text(text.replace("  deal: {title:", "  donne: {title:"), "utf-8")
    (folder / DUEL / "requirements" / "ordre.yaml").write_text(INSTANCES, "utf-8")
    return folder


def test_patterns_find_the_deal_by_its_kind_of_event(tmp_path: Path) -> None:
    folder = rename_deal(tmp_path / "rules")
    shown = run("rules", "show", f"{DUEL}/ordre", "--expanded", "--rules", folder)
    assert (shown.code, "swap: donne" in shown.text) == (0, True), shown.text


def test_a_name_that_a_pattern_uses_by_default_is_explained(tmp_path: Path) -> None:
    folder = rename_deal(tmp_path / "rules")
    path = folder / DUEL / "requirements" / "ordre.yaml"
    path.write_text(INSTANCES.replace("dealt-in-turn", "wagers-before-the-deal"), "utf-8")
    shown = run("rules", "check", DUEL, "--rules", folder)
    assert "there is no step `opening-wagers` (of the pattern `wagers-before-the-deal`)" in shown.err
    assert "state the parameter for it in the instance" in shown.err
