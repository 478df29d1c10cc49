"""Warnings of `rules check` about games that are not shipped: none is false of decisions, tables and stated numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.facade.commands import run
from tests.odds.rulebooks import rulebook

NO_HAND = "nothing uses the hand none"
UNASKED = {"unenforced", "duplicate", "missing-broken"}
"""Codes of what these games lack on purpose: requirements, sentences for failures, and steps of other events."""


def warnings_of(folder: Path, document: str, changes: dict[str, str] | None = None) -> list[tuple[str, str]]:
    """Return the code and the message of all that is said of a game and is neither meant nor of no concern here."""
    shown = run("rules", "check", document, "--rules", rulebook(folder, document, changes))
    found = re.findall(r"^(?:error|warning)\[([a-z-]+)\]: (.*)$", shown.err, re.MULTILINE)
    return [(code, message) for code, message in found if code not in UNASKED and message != NO_HAND]


@pytest.mark.parametrize("document", ["pa-643a", "roulette", "street-by-street"])
def test_nothing_false_is_said_of_a_sound_game(document: str, tmp_path: Path) -> None:
    assert warnings_of(tmp_path, document) == []


def test_a_stated_number_that_no_case_is_for_is_undecided(tmp_path: Path) -> None:
    lost = "lines: [straight-17, red, dozen-1], due: lost"
    found = warnings_of(tmp_path, "roulette", {lost: lost.replace("straight-17, ", "")})
    assert [code for code, _ in found] == ["undecided"]
    assert "straight-17" in found[0][1]


def test_a_table_that_settlement_pays_by_nowhere_is_unused(tmp_path: Path) -> None:
    found = warnings_of(tmp_path, "street-by-street", {"due: {pay-table: {of: ante}}": "due: 1 to 1"})
    assert ("unused", "nothing uses the pay table main") in found


def test_a_decision_of_the_same_point_that_a_requirement_forgets_is_told(tmp_path: Path) -> None:
    # Of the first decision one is forgotten; those of the second are another matter.
    folder = rulebook(tmp_path, "pa-643a")
    requirements = folder / "pa-643a" / "requirements" / "all.yaml"
    text = requirements.read_text("utf-8")
    assert text.count("{decided: withdraw-1}, ") == 1
    requirements.write_text(text.replace("{decided: withdraw-1}, ", ""), "utf-8")
    found = run("rules", "check", "pa-643a", "--rules", folder).err
    assert re.findall(r"warning\[missing-entry\]: (\S+)", found) == ["withdraw-1"]
