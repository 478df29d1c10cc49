"""Recipes of faults that cannot be meant are refused when the rules are loaded."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from tests.facade.rules import load_regulation, rules_folder
from tests.facade.text import InputError

FILE = "s38/requirements/wagers.yaml"
FAULT = "fault: {when: [must-decide, required-version], decision: stay}"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (
            "fault: {decision: fodl}",
            "fodl is neither a decision of the game nor none; use `other-decision` for a decision "
            "that the game does not define",
        ),
        ("fault: {other-decision: fold}", "fold is a decision of the game"),
    ],
)
def test_a_decision_of_a_fault_is_one_of_the_game_or_said_to_be_none(tmp_path: Path, fault: str, says: str) -> None:
    root = tmp_path / "rules"
    copytree(rules_folder(), root)
    text = (root / FILE).read_text("utf-8")
    assert FAULT in text
    (root / FILE).write_text(text.replace(FAULT, fault), "utf-8")
    with pytest.raises(InputError) as caught:
        load_regulation("s38", root)
    (problem,) = caught.value.diagnostics
    assert problem.message == says and problem.code == "semantic-error" and problem.line


@pytest.mark.parametrize("fault", ["fault: {decision: none}", "fault: {other-decision: double}"])
def test_no_decision_and_one_that_no_game_knows_can_be_meant(tmp_path: Path, fault: str) -> None:
    root = tmp_path / "rules"
    copytree(rules_folder(), root)
    text = (root / FILE).read_text("utf-8")
    (root / FILE).write_text(text.replace(FAULT, fault), "utf-8")
    assert load_regulation("s38", root).find_requirement("decision-is-open").fault is not None


def test_only_what_somebody_decides_or_puts_in_is_shown_ahead(tmp_path: Path) -> None:
    root, file, act = tmp_path / "rules", "poker-room/requirements/betting.yaml", "fault: {act: {added: true}}"
    copytree(rules_folder(), root)
    text = (root / file).read_text("utf-8")
    assert act in text
    (root / file).write_text(text.replace(act, "fault: {act: {added: true, manner: {say: decision}}}"), "utf-8")
    with pytest.raises(InputError, match="only a decision or a bet can be announced ahead"):
        load_regulation("poker-room", root)
