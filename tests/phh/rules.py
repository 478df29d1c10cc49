"""A card room as a rules folder: little of a game, but hands of it can be audited."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.facade.rules import rules_folder

NAME = "card-room"

_DOCUMENT = """
document: card-room
title: A Card Room
regulator: Commission
source: {file: rules.txt, citation: Rules}
clauses:
- {clause: "(1)", lines: [1, 1], gist: Blinds.}
"""

_GAME = """
game: card-room
title: Hold 'Em
deck: {cards: standard-52, decks: 1}
deal:
  stages:
  - {stage: hole-cards, cards: {player: 2}, each: 1, face: down, by: dealer, clauses: ["(1)"]}
  - {stage: board, cards: {community: 5}, face: up, clauses: ["(1)"]}
hands:
  high: {title: the best five cards, from: [player, community], rank-by: five-card}
wagers:
  ante: {title: Ante, placed: before-the-deal}
  small-blind: {title: Small Blind, placed: before-the-deal}
  big-blind: {title: Big Blind, placed: before-the-deal}
  straddle: {title: Straddle, placed: before-the-deal}
  dead-blind: {title: Dead Blind, placed: before-the-deal}
  bets: {title: Bets, placed: with-a-decision}
decisions:
  fold: {title: fold, when: {placed: bets}}
  check: {title: check, when: {placed: bets}}
  call: {title: call, when: {placed: bets}}
  bet: {title: bet, when: {placed: bets}}
  raise: {title: raise, when: {placed: bets}}
  concede: {title: concede, when: {placed: bets}}
settlement:
  order: [bets, straddle, big-blind, small-blind, dead-blind, ante]
  cases:
  - case: between-players
    lines: [ante, small-blind, big-blind, straddle, dead-blind, bets]
    due: returned
    clauses: ["(1)"]
acts:
  blind: {title: a blind is posted, event: wager, each: round, of: [big-blind]}
histories:
  phh:
    variants: [NT, FT]
    antes: ante
    blinds: [small-blind, big-blind]
    straddle: straddle
    dead: dead-blind
    bets: bets
    decisions: {fold: fold, check: check, call: call, bet: bet, raise: raise, concede: concede}
"""

_REQUIREMENTS = """
title: Blinds
requirements:
- requirement: big-blind-posted
  title: A big blind is posted.
  clauses: ["(1)"]
  severity: major
  message: No big blind was posted.
  each: round
  must: {events: blind, equals: 1}
- requirement: settled-between-players
  title: Players settle among themselves.
  clauses: ["(1)"]
  severity: major
  message: The house took or paid something.
  settled: {cases: [between-players]}
"""


def write_rules(folder: Path, *, name: str = NAME, claims: str = "[NT, FT]") -> Path:
    """Write a rules folder with the card room under a name, or add a room to an existing folder."""
    shutil.copytree(rules_folder() / "vocabulary", folder / "vocabulary", dirs_exist_ok=True)
    home = folder / name
    (home / "requirements").mkdir(parents=True)
    (home / "document.yaml").write_text(_DOCUMENT.replace(NAME, name))
    (home / "readings.yaml").write_text("readings: []\n")
    (home / "game.yaml").write_text(_GAME.replace(NAME, name).replace("[NT, FT]", claims))
    (home / "requirements" / "blinds.yaml").write_text(_REQUIREMENTS)
    return folder
