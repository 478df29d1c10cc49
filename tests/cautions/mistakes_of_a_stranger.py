"""Mistakes of an author who encoded a game for the first time: each a change or two of a sound rulebook."""

from __future__ import annotations

from tests.cautions.mistake import Mistake
from tests.cautions.rulebooks import SHINE

GAME, ROUNDS, SIMULATION, DOCUMENT = "game.yaml", "requirements/rounds.yaml", "simulation.yaml", "document.yaml"
SETTLE = "  settle: {title: the Ante is settled,"
CASE = "when: {compare: {hand: player, is: %s, to: dealer}}"


def insert_requirement(check: str, fault: str = "") -> str:
    """Insert a further requirement before the one on how cards are dealt."""
    return f"- {{requirement: odd, title: Odd, clauses: ['(3)'], {check}{fault}}}\n\n- requirement: dealt-face-down"


DEALT_FACE_DOWN = "- requirement: dealt-face-down"

OF_A_STRANGER = {
    # Steps
    "a step says no word": Mistake(
        GAME,
        SETTLE,
        "  called: {title: the dealer calls, event: announce}\n" + SETTLE,
        "underspecified-event",
        "an event `announce` states `what`, but this step does not: every such event belongs to it,",
        "called: {",
        "warning",
    ),
    "the dealer's place is that of each seat": Mistake(
        GAME,
        SETTLE,
        "  racked: {title: cards are racked, event: collect-cards, each: seat, place: dealer}\n" + SETTLE,
        "impossible-event",
        "the place `dealer` is not a seat, so nothing happens there once per seat",
        "racked: {",
    ),
    "cards are turned up that nobody deals": Mistake(
        GAME,
        SETTLE,
        "  shown: {title: cards are shown, event: reveal, place: community}\n" + SETTLE,
        "impossible-event",
        "the community is dealt no cards",
        "shown: {",
    ),
    "a misdeal of a player is one to the table": Mistake(
        GAME,
        "declared: misdeal-of-a-player",
        "declared: misdeal-of-the-dealer",
        "wrong-step",
        "this voids the seat, but misdeal-of-the-dealer happens at the place `table`",
        "declared: misdeal-of-the-dealer",
        document=SHINE,
    ),
    # Turns
    "a visit goes against the order of play": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("in-turn: {steps: [settle, place-antes], from: dealer-left}"),
        "order-mismatch",
        "the game is played in the other order: place-antes before settle",
        "requirement: odd",
    ),
    "a visit names a step twice": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("in-turn: {steps: [settle, settle], from: dealer-left}"),
        "duplicate-entry",
        "the step settle is listed twice in the visit",
        "requirement: odd",
    ),
    "a visit leaves a step of the turn out": Mistake(
        "requirements/procedure.yaml",
        "- {requirement: collect-in-order-of-folds,",
        "- {requirement: odd, title: Odd, clauses: ['(14)'],\n"
        "   in-turn: {steps: [settle-play, settle-ante], from: dealer-left}}\n"
        "- {requirement: collect-in-order-of-folds,",
        "missing-entry",
        "settle-ante-bonus happens in the same turn as these steps, but is not listed",
        "in-turn",
        "warning",
        SHINE,
    ),
    # Faults
    "a turn is not that of the fault": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("in-turn: {steps: [settle], from: dealer-left}", ", fault: {swap: place-antes}"),
        "ineffective-fault",
        "the requirement does not check place-antes",
        "requirement: odd",
    ),
    # The game and its requirements
    "cards are to lie as nobody deals them": Mistake(
        ROUNDS,
        "must: {event: {face: down}}",
        "must: {event: {face: up}}",
        "face-mismatch",
        "cards must lie face up here, but the game deals none of them face up",
        "face: up",
        "warning",
        also=(("fault: {alter: {step: deal, face: turned}}", "fault: {alter: {step: deal, by: player}}"),),
    ),
    "a misdeal takes more cards than anybody gets": Mistake(
        GAME,
        "when: {not: {cards: player, equals: 3}}",
        "when: {cards: player, more-than: 12}",
        "number-mismatch",
        "the player is dealt 3 cards, not 12",
        "when: {cards: player, more-than: 12}",
        "warning",
        SHINE,
    ),
    "nothing is said of wagers of a misdealt hand": Mistake(
        GAME,
        "\nacts:\n",
        "\nother-events:\n  misdealt: {title: a hand is dead, event: misdeal, place: player}\n\nacts:\n",
        "never-settled",
        "no case of settlement covers a wrong number of cards of the player, although that voids the",
        "place: player, declared",
        "warning",
        also=(
            (
                "\nacts:\n",
                "\nmiscounts:\n- {place: player, declared: misdealt, voids: seat}\n\nacts:\n",
            ),
        ),
    ),
    # Said twice
    "two facts are one": Mistake(
        GAME,
        "facts:\n",
        "facts:\n  acting: [in-play, {placed: ante}]\n",
        "duplicate",
        "the facts acting and must-decide have the same condition",
        "must-decide:",
        "warning",
        SHINE,
    ),
    "two steps have one title": Mistake(
        GAME,
        "title: the Ante is settled",
        "title: the cards are dealt",
        "duplicate",
        "the acts deal and settle have the same title",
        "settle: {",
        "warning",
    ),
    # The document
    "a clause is left out": Mistake(
        DOCUMENT,
        '- clause: "(6)"\n  lines: [9, 9]\n  gist: Dealers are trained first.\n  status: attested\n',
        '- clause: "(6)"\n  lines: [9, 9]\n  gist: Dealers are trained first.\n  status: attested\n'
        '- clause: "(8)"\n  lines: [9, 9]\n  gist: Nothing.\n  status: informative\n  reason: None.\n',
        "missing-entry",
        "clause (8) comes after (6)",
        '"(8)"',
        "warning",
    ),
    # Tables and the house
    "nobody takes tips": Mistake(
        SIMULATION,
        "  wagers: {ante: 1000}",
        "  wagers: {ante: 1000}\n  tip: 50",
        "never-simulated",
        "takes tips",
        "tip: 50",
        "warning",
    ),
}
