"""Game of exchanging cards, small enough to be read next to its tests: its rules, and rounds of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.facade.evidence import Batch, read_batch
from tests.facade.rounds import RequirementOutcome, compile_game, evaluate_batch
from tests.facade.rules import Regulation, build_regulation_of

ID = "swap"
DOCUMENT = """
document: swap
title: Swap
regulator: Commission
source: {file: rules.txt, citation: Rules}
clauses:
- {clause: "1", lines: [1, 1], gist: The dealer stands.}
- {clause: "2", lines: [2, 2], gist: The dealer draws one.}
- {clause: "3", lines: [3, 3], gist: The dealer draws more.}
- {clause: "4", lines: [4, 4], gist: Players draw.}
- {clause: "5", lines: [5, 5], gist: Wagers.}
"""
READINGS = """
readings:
- reading: other-straights
  clauses: ["2"]
  question: Which of two straights?
  adopted: {higher: The higher straight.}
  alternatives: {cards: The higher cards., either: Any.}
  reason: Best possible hand.
  changes: money
"""
GAME = """
game: swap
title: Swap
deck: {cards: standard-52, decks: 1}
deal:
  stages:
  - stage: deal
    first: dealer-left
    cards: {player: 5, dealer: 5}
    face: down
    ways:
      singly: {by: dealer, clauses: ["1"], passes: [{to: [player, dealer], each: 1, times: 5}]}
hands:
  player: {title: the player's cards, from: [player], rank-by: five-card}
  dealer: {title: the dealer's cards, from: [dealer], rank-by: five-card}
wagers:
  main: {title: Main, placed: before-the-deal}
decisions:
  stay: {title: stay, when: {placed: main}}
facts:
  somebody-stays: {some-seat: {decided: stay}}
drawing:
  dealer:
    title: how the dealer draws
    place: dealer
    hand: dealer
    rules:
    - {rule: straight-or-better, when: {holds: {hand: dealer, at-least: straight}}, keep: all, clauses: ["1"]}
    - {rule: two-pairs, when: {holds: {hand: dealer, is: two-pair}}, keep: {groups: true}, clauses: ["2"]}
    - {rule: three-alike, when: {holds: {hand: dealer, is: three-of-a-kind}}, keep: {groups: true}, clauses: ["3"]}
    - {rule: one-pair, when: {holds: {hand: dealer, is: pair}}, keep: {groups: true, highest: 1}, clauses: ["3"]}
    - {rule: four-of-a-flush, keep: {toward: flush, cards: 4}, clauses: ["2"]}
    - {rule: open-straight, keep: {toward: straight, cards: 4, completed-by: 2}, clauses: ["2"]}
    - {rule: higher-straight, when: {reading: {other-straights: higher}}, clauses: ["2"],
       keep: {toward: straight, cards: 4, prefer: best-completed}, readings: [other-straights]}
    - {rule: higher-cards, when: {reading: {other-straights: cards}}, clauses: ["2"],
       keep: {toward: straight, cards: 4, prefer: highest-cards}, readings: [other-straights]}
    - {rule: any-straight, keep: {toward: straight, cards: 4}, clauses: ["2"], readings: [other-straights]}
    - {rule: no-pair, keep: {highest: 3}, clauses: ["3"]}
  player:
    title: how players draw
    place: player
    hand: player
    rules:
    - {rule: stays-on-what-it-has, when: {decided: stay}, keep: all, clauses: ["4"]}
    - {rule: keeps-a-pair, when: {holds: {hand: player, at-least: pair}}, keep: {groups: true}, clauses: ["4"]}
    - {rule: keeps-two, keep: {highest: 2}, clauses: ["4"]}
settlement:
  order: [main]
  cases:
  - {case: lost, lines: [main], due: lost, clauses: ["5"]}
acts:
  deal: {title: the cards are dealt, event: deal}
  discard: {title: cards are put aside, event: discard}
  draw: {title: cards are drawn, event: draw}
"""
REQUIREMENTS = """
title: Drawing
requirements:
- requirement: stands
  title: The dealer stands
  clauses: ["1"]
  severity: major
  message: The dealer must stand.
  drawn-by: {drawing: dealer, rules: [straight-or-better]}
- requirement: draws-one
  title: The dealer draws one
  clauses: ["2"]
  severity: major
  message: The dealer must draw one card.
  drawn-by: {drawing: dealer, rules: [two-pairs, four-of-a-flush, open-straight, higher-straight, higher-cards,
                                              any-straight]}
- requirement: draws-two
  title: The dealer draws two
  clauses: ["3"]
  severity: major
  message: The dealer must draw two cards.
  drawn-by: {drawing: dealer, rules: [three-alike, one-pair, no-pair]}
- requirement: players-draw
  title: Players draw
  clauses: ["4"]
  severity: major
  message: Players must draw by the rules.
  drawn-by: {drawing: player, rules: [stays-on-what-it-has, keeps-a-pair, keeps-two], when: {placed: main}}
- requirement: settled
  title: Wagers are lost
  clauses: ["5"]
  severity: major
  message: Wagers are lost.
  settled: {cases: [lost]}
"""


def load(*, game: str = GAME, requirements: str = REQUIREMENTS) -> Regulation:
    """Load the regulation of the game. Raises InputError if its rules are invalid."""
    files = {"document": DOCUMENT, "readings": READINGS, "game": game, "requirements/drawing": requirements}
    return build_regulation_of(ID, files)


@cache
def regulation() -> Regulation:
    """Load the unchanged regulation of the game."""
    return load()


def record(number: int, **keys: Any) -> dict[str, Any]:
    """Return a round of the game; what a log may leave out is left out if no key sets it."""
    seats = keys.pop("seats", [{"seat": 1, "wagers": [{"wager": "main", "amount": 500}]}])
    return {
        "game": ID,
        "round": f"R{number}",
        "table": "T1",
        "casino": "House",
        "time": "2026-03-01T20:00:00+00:00",
        "seats": seats,
        **keys,
    }


def batch(*records: Mapping[str, Any]) -> Batch:
    """Return rounds as one batch."""
    return read_batch(records, ID, file="night.jsonl")


def judge(of: Regulation, *records: Mapping[str, Any]) -> dict[str, RequirementOutcome]:
    """Judge every requirement over the rounds; return the outcomes by name."""
    return {
        outcome.requirement.requirement: outcome for outcome in evaluate_batch(compile_game(of), batch(*records), None)
    }
