"""Mistakes of an author who encoded a game for the first time: each a change or two of a sound rulebook."""

from __future__ import annotations

from tests.cautions.mistake import Mistake
from tests.cautions.rulebooks import SHINE

GAME, ROUNDS, SIMULATION, DOCUMENT = "game.yaml", "requirements/rounds.yaml", "simulation.yaml", "document.yaml"
DEALT_DOWN = "check:\n    rule: {each: event, of: deal, must: {event: {face: down}}}"
SETTLE = "- {step: settle, title: the Ante is settled,"
CASE = "when: {compare: {hand: player, is: %s, to: dealer}}"


def insert_requirement(check: str, fault: str = "") -> str:
    """Insert a further requirement before the one on how cards are dealt."""
    return (
        f"- {{requirement: odd, title: Odd, clauses: ['(3)'], check: {check}{fault}}}\n\n- requirement: dealt-face-down"
    )


DEALT_FACE_DOWN = "- requirement: dealt-face-down"

OF_A_STRANGER = {
    # Names
    "a requirement's name is misspelt": Mistake(
        GAME,
        'clauses: ["(5)"]\n    requirements: [higher-card-wins]',
        'clauses: ["(5)"]\n    requirements: [higher-card-win]',
        "unknown-name",
        "no statement of the game defines the requirement higher-card-win",
        "[higher-card-win]",
    ),
    "a turn is misspelt": Mistake(
        GAME,
        "of: [ante],\n   turn: settling",
        "of: [ante],\n   turn: setling",
        "unknown-name",
        "no other step has the turn setling",
        "turn: setling",
        "warning",
        SHINE,
    ),
    "a fact asks for a reading that nothing names": Mistake(
        GAME,
        "settlement:\n",
        "facts:\n  level: {all: [{compare: {hand: player, is: equal, to: dealer}}, "
        "{reading: {name: cards-of-one-rank, is: push}}]}\n\nsettlement:\n",
        "reading-not-named",
        "this depends on the reading cards-of-one-rank, but `readings` does not name it, so no",
        "level:",
        "warning",
        also=(
            (
                "    when:\n      all:\n      - {compare: {hand: player, is: equal, to: dealer}}\n"
                "      - {reading: {name: cards-of-one-rank, is: push}}\n",
                "    when: {fact: level}\n",
            ),
            ("      readings: [cards-of-one-rank]\n", ""),
            ("    readings: [cards-of-one-rank]\n", ""),
            ("    readings: [cards-of-one-rank]\n", ""),
        ),
    ),
    # Steps
    "a step says no word": Mistake(
        GAME,
        SETTLE,
        "- {step: called, title: the dealer calls, events: [announce]}\n" + SETTLE,
        "underspecified-event",
        "an event `announce` states `what`, but this step does not: every such event belongs to it,",
        "step: called",
        "warning",
    ),
    "the dealer's place is that of each seat": Mistake(
        GAME,
        SETTLE,
        "- {step: racked, title: cards are racked, events: [collect-cards], each: seat, place: dealer}\n" + SETTLE,
        "impossible-event",
        "the place `dealer` is not a seat, so nothing happens there once per seat",
        "step: racked",
    ),
    "cards are turned up that nobody deals": Mistake(
        GAME,
        SETTLE,
        "- {step: shown, title: cards are shown, events: [reveal], place: community}\n" + SETTLE,
        "impossible-event",
        "the community is dealt no cards",
        "step: shown",
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
        insert_requirement("{in-turn: {steps: [settle, place-antes], from: dealer-left}}"),
        "order-mismatch",
        "the game is played in the other order: place-antes before settle",
        "requirement: odd",
    ),
    "a visit names a step twice": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("{in-turn: {steps: [settle, settle], from: dealer-left}}"),
        "duplicate-entry",
        "the step settle is listed twice in the visit",
        "requirement: odd",
    ),
    "a visit leaves a step of the turn out": Mistake(
        "requirements/procedure.yaml",
        "- {requirement: collect-in-order-of-folds,",
        "- {requirement: odd, title: Odd, clauses: ['(14)'],\n"
        "   check: {in-turn: {steps: [settle-play, settle-ante], from: dealer-left}}}\n"
        "- {requirement: collect-in-order-of-folds,",
        "missing-entry",
        "settle-ante-bonus happens in the same turn as these steps, but is not listed",
        "in-turn",
        "warning",
        SHINE,
    ),
    # Faults
    "a fault is planted where the rule asks for nothing": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement(
            "{rule: {each: round, when: {some-seat: {placed: ante}}, must: {happened: shuffle}}}",
            ", fault: {where: {not: {some-seat: {placed: ante}}}, omit: shuffle}",
        ),
        "ineffective-fault",
        "the requirement does not apply where this holds",
        "requirement: odd",
    ),
    "what is left out breaks no order": Mistake(
        ROUNDS,
        "times: at-least-one",
        "times: any",
        "ineffective-fault",
        "omitting shuffle does not break the requirement: it checks only the order",
        "omit: shuffle",
    ),
    "a turn is not that of the fault": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("{in-turn: {steps: [settle], from: dealer-left}}", ", fault: {swap: place-antes}"),
        "ineffective-fault",
        "the requirement does not check place-antes",
        "requirement: odd",
    ),
    # The game and its requirements
    "a multiple is another than the wager's": Mistake(
        GAME,
        "pattern: multiple-of-a-wager, fault: {stake: {wager: play, more: 500}}",
        "pattern: {name: multiple-of-a-wager, times: 2}, fault: {stake: {wager: play, more: 500}}",
        "multiple-mismatch",
        "play must be ante times 2 here, but ante times 1 in the game",
        "times: 2",
        "warning",
        SHINE,
    ),
    "cards are to lie as nobody deals them": Mistake(
        ROUNDS,
        "must: {event: {face: down}}",
        "must: {event: {face: up}}",
        "face-mismatch",
        "cards must lie face up here, but the game deals none of them face up",
        "face: up",
        "warning",
        also=(("fault: {alter: {step: deal, face: up}}", "fault: {alter: {step: deal, by: player}}"),),
    ),
    "a decision is open to who may not place it": Mistake(
        GAME,
        "placed: with-a-decision, amount: 1, of: ante,",
        "placed: with-a-decision, amount: 1, of: ante, needs: {placed: pair-xxx},",
        "open-to-too-many",
        "this is open to seats that may not place play, which it places",
        "open-to: {fact: must-decide}",
        "warning",
        SHINE,
    ),
    "who must decide may not fold": Mistake(
        "requirements/wagers.yaml",
        "decisions: [play, fold]",
        "decisions: [play]",
        "missing-entry",
        "fold is open to all of these seats",
        "decisions: [play]",
        "warning",
        SHINE,
    ),
    "a seat takes two decisions at once": Mistake(
        GAME,
        "folded: {all: [{decided: fold}, {fact: in-play}]}",
        "folded: {all: [{decided: fold}, {decided: play}, {fact: in-play}]}",
        "never-holds",
        "a seat decides once in decision, so no seat takes both fold and play",
        "folded: {all",
        document=SHINE,
    ),
    "a misdeal is told from another number of cards": Mistake(
        GAME,
        "player-misdealt: {not: {number: {of: {cards: player}, equals: 3}}}",
        "player-misdealt: {number: {of: {cards: player}, differs-from: 2}}",
        "number-mismatch",
        "the player is dealt 3 cards, not 2",
        "player-misdealt:",
        "warning",
        SHINE,
    ),
    "a misdeal takes more cards than anybody gets": Mistake(
        GAME,
        "player-misdealt: {not: {number: {of: {cards: player}, equals: 3}}}",
        "player-misdealt: {number: {of: {cards: player}, more-than: 12}}",
        "number-mismatch",
        "the player is dealt 3 cards, not 12",
        "player-misdealt:",
        "warning",
        SHINE,
    ),
    "money is held against cards": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("{rule: {each: seat, must: {number: {of: {amount: ante}, at-least: {cards: player}}}}}"),
        "unit-mismatch",
        "an amount of money is compared with a number of something else",
        "requirement: odd",
        "warning",
    ),
    "a step must come that the requirement is not about": Mistake(
        GAME,
        "{requirement: play-wager-after-the-deal, before: [play-wager]}",
        "{requirement: play-wager-after-the-deal, before: [play-wager], must-happen: [tuck]}",
        "missing-entry",
        "tuck must happen, but this milestone does not bound it",
        "must-happen: [tuck]",
        "warning",
        SHINE,
    ),
    "nothing is said of wagers of a misdealt hand": Mistake(
        GAME,
        SETTLE,
        "- {step: misdealt, title: a hand is dead, events: [misdeal], place: player, each: seat, aside: true}\n"
        + SETTLE,
        "never-settled",
        "no case of settlement covers a wrong number of cards of the player, although that voids the",
        "place: player, declared",
        "warning",
        also=(
            (
                "procedure:\n",
                "irregularities:\n  miscounts:\n  - {place: player, declared: misdealt, voids: seat}\n\nprocedure:\n",
            ),
        ),
    ),
    "higher and lower are turned round": Mistake(
        GAME,
        CASE % "higher",
        CASE % "TURNED",
        "reversed",
        "ante is lost here with a higher hand of the player, but is paid elsewhere with a lower hand",
        "due: lost",
        "warning",
        also=((CASE % "lower", CASE % "higher"), (CASE % "TURNED", CASE % "lower")),
    ),
    # Said twice
    "two facts are one": Mistake(
        GAME,
        "facts:\n",
        "facts:\n  acting: {all: [{fact: in-play}, {placed: ante}]}\n",
        "duplicate",
        "the facts acting and must-decide have the same condition",
        "must-decide:",
        "warning",
        SHINE,
    ),
    "two requirements ask for the same": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("{rule: {each: event, of: deal, must: {event: {face: down}}}}"),
        "duplicate",
        "odd and dealt-face-down have the same check: a breach is found twice",
        "check:",
        "warning",
    ),
    "two hands have one title": Mistake(
        GAME,
        "title: the dealer's card",
        "title: the player's card",
        "duplicate",
        "the hands player and dealer have the same title",
        "dealer: {title",
        "warning",
    ),
    "two steps have one title": Mistake(
        GAME,
        "title: the Ante is settled",
        "title: the cards are dealt",
        "duplicate",
        "the steps deal and settle have the same title",
        "step: settle",
        "warning",
    ),
    "two ways of dealing are one": Mistake(
        GAME,
        'three-card-packets: {by: machine, clauses: ["(6)"], passes: [{to: [player, dealer], each: 3}]}',
        'three-card-packets: {by: dealer, clauses: ["(6)"], passes: [{to: [player, dealer], each: 1, times: 3}]}',
        "duplicate",
        "the ways of dealing one-at-a-time and three-card-packets are the same",
        "three-card-packets:",
        "warning",
        SHINE,
    ),
    # The document
    "lines run into those of the next clause": Mistake(
        DOCUMENT,
        "lines: [2, 3]",
        "lines: [2, 5]",
        "line-mismatch",
        "clause (3) begins on line 4, and (2) before it is on lines 2 to 5",
        "lines: [4, 5]",
        "warning",
    ),
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
    "one row is worded otherwise": Mistake(
        GAME,
        "straight-flush: 5 to 1",
        "straight-flush: 6 for 1",
        "wording-mismatch",
        "straight-flush is worded `for 1`, unlike all other rows",
        "straight-flush: 6 for 1",
        "warning",
        SHINE,
    ),
    "more sit down than there are positions": Mistake(
        SIMULATION,
        "most: 6",
        "most: 8",
        "too-many-seats",
        "8 seats are played, but the layout of the house has 6 positions",
        "most: 8",
        "warning",
        SHINE,
    ),
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
