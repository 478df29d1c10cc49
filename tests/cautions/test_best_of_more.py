"""Warnings of the check of the rules: hands that are the best of more cards than their ranking counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cautions.rulebooks import list_warnings
from tests.facade.commands import run
from tests.facade.text import Diagnostic, InputError
from tests.play.table import PLAY, room

DOCUMENT = """document: pair
title: Pair
regulator: nobody
source: {file: none.txt, citation: none}
clauses: [{clause: "(1)", lines: [1, 1], gist: All of it.}]
"""
READINGS = """readings:
- reading: none
  clauses: ["(1)"]
  question: What?
  adopted: {so: So.}
  reason: A test.
  changes: nothing
"""
GAME = """game: pair
title: Banker Pair
deck: {cards: standard-52, decks: 8}
deal:
  stages:
  - {stage: first-two, cards: {dealer: 2}, face: up, clauses: ["(1)"]}
  - {stage: third, cards: {dealer: 1}, face: up, clauses: ["(1)"]}
hands:
  two: {title: the first two cards, from: [dealer], rank-by: pairs%s}
wagers: {pair: {title: Banker Pair, placed: before-the-deal}}
settlement:
  order: [pair]
  cases:
  - {case: won, lines: [pair], when: {holds: {hand: two, is: pair}}, due: 11 to 1, clauses: ["(1)"]}
  - {case: lost, lines: [pair], due: lost, clauses: ["(1)"]}
acts: {deal: {title: dealt, event: deal}}
"""
TOPIC = """title: All
requirements:
- requirement: settled
  title: Settled
  clauses: ["(1)"]
  severity: minor
  message: Settled.
  settled: {cases: [won, lost]}
"""
RANKINGS = """rankings:
  pairs: {cards: 2, ace: high, categories: [{category: pair, groups: [2]}, {category: high-card}]}
"""


def rulebook(folder: Path, said: str) -> Path:
    files = {
        "pair/document.yaml": DOCUMENT,
        "pair/readings.yaml": READINGS,
        "pair/game.yaml": GAME % said,
        "pair/requirements/all.yaml": TOPIC,
        "vocabulary/decks.yaml": "decks: {standard-52: {suits: [c, d, h, s], ranks: all}}",
        "vocabulary/rankings.yaml": RANKINGS,
    }
    shipped = Path("rules_data/vocabulary/decks.yaml")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(shipped.read_text("utf-8") if name.endswith("decks.yaml") else text, "utf-8")
    return folder


def find_best_of_warnings(folder: Path) -> list[Diagnostic]:
    return [warning for warning in list_warnings(folder, "pair") if warning.code == "implicit-best-of"]


def test_a_third_card_that_slips_into_a_hand_of_two_is_warned_of(tmp_path: Path) -> None:
    (one,) = find_best_of_warnings(rulebook(tmp_path, ""))
    assert one.message == "this hand is the best of 3 cards, but pairs ranks 2"
    assert (one.severity, one.line, one.column) == ("warning", 9, 8)


@pytest.mark.parametrize("said", [", best-of: 3", ", uses: {dealer: 2}"])
def test_what_is_said_is_meant(said: str, tmp_path: Path) -> None:
    assert find_best_of_warnings(rulebook(tmp_path, said)) == []


def test_a_warning_is_shown_and_the_rules_are_sound(tmp_path: Path) -> None:
    shown = run("rules", "check", "--rules", rulebook(tmp_path, ""))
    assert shown.code == 0
    assert "warning[implicit-best-of]" in shown.err


def test_so_many_cards_must_be_there() -> None:
    hand = {"title": "the best", "from": ["player"], "rank-by": "three-card-aces", "best-of": 4}
    with pytest.raises(InputError, match="the places of this hand hold 3 cards"):
        room(hands={**PLAY["hands"], "best": hand})
