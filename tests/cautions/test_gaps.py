"""Stakes that no case decides are shown by cards of the deck, and by none that it lacks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cautions.rulebooks import list_warnings
from tests.facade.rules import rules_folder

FILES = {
    "gap/document.yaml": """document: gap
title: Gap
regulator: nobody
source: {file: none.txt, citation: none}
clauses: [{clause: "(1)", lines: [1, 1], gist: All of it.}]
""",
    "gap/readings.yaml": "readings: []\n",
    "gap/requirements/all.yaml": """title: All
requirements:
- requirement: settled
  title: Settled
  clauses: ["(1)"]
  severity: minor
  message: Settled.
  settled: {cases: [CASES]}
""",
    "gap/game.yaml": """game: gap
title: Gap
deck: {cards: DECK, decks: 1}
deal:
  stages:
  - {stage: deal, cards: {player: 3}, face: up, clauses: ["(1)"]}
hands:
  player: {title: the hand, from: [player], rank-by: three}
wagers: {main: {title: Main, placed: before-the-deal}}
settlement:
  order: [main]
  cases:
SETTLEMENT
acts:
  place: {title: placed, event: wager}
  deal: {title: dealt, event: deal}
  settle: {title: settled, event: [pay, collect]}
""",
    "vocabulary/decks.yaml": "decks: {full: {suits: cdhs, ranks: 23456789TJQKA}, low: {suits: c, ranks: '2345'}}\n",
    "vocabulary/rankings.yaml": """rankings:
  three:
    cards: 3
    ace: high
    categories:
    - {category: three-of-a-kind, groups: [3]}
    - {category: straight, consecutive: true}
    - {category: flush, suited: true}
    - {category: pair, groups: [2]}
    - {category: high-card}
""",
}
PAID, LOST = "1 to 1", "lost"


def list_undecided(folder: Path, deck: str, *cases: tuple[str, str]) -> list[str]:
    """List the warnings about stakes without a case, in a game that settles by categories."""
    lines = [
        f"  - {{case: case-{number}, lines: [main], when: {{holds: {{hand: player, {asked}}}}}, "
        f"due: {due}, clauses: ['(1)']}}"
        for number, (asked, due) in enumerate(cases)
    ]
    names = ", ".join(f"case-{number}" for number in range(len(cases)))
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        filled = text.replace("CASES", names).replace("DECK", deck).replace("SETTLEMENT", "\n".join(lines))
        (folder / name).write_text(filled, "utf-8")
    return [finding.message for finding in list_warnings(folder, "gap") if finding.code == "undecided"]


def test_a_forgotten_category_is_shown_by_a_hand_of_it(tmp_path: Path) -> None:
    (told,) = list_undecided(
        tmp_path,
        "full",
        ("at-least: straight", PAID),
        ("is: flush", PAID),
        ("is: high-card", LOST),
    )
    assert "for example if the hand: pair (player " in told
    cards = re.findall("[2-9TJQKA][cdhs]", told.split("(player ")[1])
    assert len(set(cards)) == 3 and len({card[0] for card in cards}) == 2


def test_cases_that_take_every_category_leave_nothing(tmp_path: Path) -> None:
    assert list_undecided(tmp_path, "full", ("at-least: pair", PAID), ("is: high-card", LOST)) == []


@pytest.mark.parametrize(("deck", "gaps"), [("full", 1), ("low", 0)])
def test_a_category_that_the_deck_lacks_needs_no_case(deck: str, gaps: int, tmp_path: Path) -> None:
    """Four cards of one suit make no pair and no three of a kind."""
    cases = (("is: straight", PAID), ("is: flush", PAID), ("is: high-card", LOST))
    assert len(list_undecided(tmp_path, deck, *cases)) == gaps


def test_nothing_is_left_undecided_in_shipped_games() -> None:
    for document in ("s38", "caribbean-draw"):
        assert [warning for warning in list_warnings(rules_folder(), document) if warning.code == "undecided"] == []
