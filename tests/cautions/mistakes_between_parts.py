"""Mistakes that show between parts of a rulebook: what events can record, who settles and declares what, which hands
reach a case, what a simulated player does. Each is a change or two of a sound rulebook."""

from __future__ import annotations

from tests.cautions.mistake import Mistake
from tests.cautions.mistakes_of_a_stranger import (
    CASE,
    DEALT_FACE_DOWN,
    GAME,
    ROUNDS,
    insert_requirement,
)

ACTS = "\nacts:\n"
MISDEALT = "\nother-events:\n  misdealt: {title: a hand is dead, event: misdeal, place: player%s}\n\n"
VOIDED = (
    (
        "\nacts:\n",
        "\nmiscounts:\n- {place: player, declared: misdealt, voids: seat}\n\nacts:\n",
    ),
    (
        "  cases:\n",
        "  cases:\n  - case: misdealt\n    lines: [ante]\n    when: {cards: player, more-than: 1}\n"
        '    due: returned\n    clauses: ["(5)"]\n    requirements: [higher-card-wins]\n',
    ),
)
PUSH = "reading: {cards-of-one-rank: push}}\n    due: returned"
LAST_CASE = "    when: {compare: {hand: player, is: equal, to: dealer}}\n    due: lost"
LOSING = 'due: lost\n    clauses: ["(5)"]\n    requirements: [higher-card-wins]'

BETWEEN_PARTS = {
    # Events and steps
    "a step happens where another does": Mistake(
        GAME,
        "event: shuffle}",
        "event: shuffle}\n  again: {title: the dealer shuffles once more, event: shuffle, when: {happened: deal}}",
        "duplicate",
        "an event `shuffle` belongs to both shuffle and again: nothing distinguishes them",
        "again:",
        "warning",
    ),
    # Cards
    "a number of cards is out of reach": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("each: seat, must: {cards: player, at-most: 30}"),
        "number-mismatch",
        "the player is dealt 1 cards, not 30",
        "requirement: odd",
        "warning",
    ),
    "too few cards are declared by nobody": Mistake(
        GAME,
        ACTS,
        MISDEALT % ", when: {cards: player, more-than: 1}" + ACTS,
        "never-declared",
        "misdealt declares too few cards of the player, but its condition excludes them",
        "misdealt: {",
        "warning",
        also=VOIDED,
    ),
    "too few cards are settled by no case": Mistake(
        GAME,
        ACTS,
        MISDEALT % "" + ACTS,
        "never-settled",
        "no case of settlement covers too few cards of the player, although that voids the seat",
        "place: player, declared",
        "warning",
        also=VOIDED,
    ),
    # Wagers, cases, tables
    "a higher card pays less than one as high": Mistake(
        GAME,
        f"{CASE % 'higher'}\n    due: 1 to 1",
        f"{CASE % 'higher'}\n    due: returned",
        "reversed",
        "ante is returned here with a higher hand of the player, but is paid elsewhere with an equal",
        "due: returned",
        "warning",
        also=((PUSH, PUSH.replace("returned", "2 to 1")), (LAST_CASE, LAST_CASE.replace("lost", "2 to 1"))),
    ),
    "nobody takes the tip that is asked for": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        insert_requirement("each: stake, when: {is-tip: true}, must: {placed: this}"),
        "never-holds",
        "this never holds",
        "requirement: odd",
    ),
    # Faults
    "what is lost is paid too little": Mistake(
        GAME,
        LOSING,
        LOSING.replace("higher-card-wins", "{requirement: lower-loses, title: Lower loses, fault: {pay: under}}"),
        "ineffective-fault",
        "nothing is paid in any of these cases",
        "requirement: lower-loses",
    ),
}
