"""Mistakes that show between parts of a rulebook: what events can say, who settles and declares what, what comes to a
case, what a simulated player does. Each is a change or two of a sound rulebook."""

from __future__ import annotations

from tests.cautions.mistake import Mistake
from tests.cautions.mistakes_of_a_stranger import (
    DEALT_FACE_DOWN,
    DOCUMENT,
    GAME,
    ROUNDS,
    SETTLE,
    SIMULATION,
    asked,
)
from tests.cautions.rulebooks import SHINE

DEAL = "events: [deal]}"
MISDEALT = "- {step: misdealt, title: a hand is dead, events: [misdeal], place: player, each: seat, aside: true%s}\n"
VOIDED = (
    (
        "procedure:\n",
        "irregularities:\n  miscounts:\n  - {place: player, declared: misdealt, voids: seat}\n\nprocedure:\n",
    ),
    (
        "  cases:\n",
        "  cases:\n  - case: misdealt\n    lines: [ante]\n    when: {number: {of: {cards: player}, more-than: 1}}\n"
        '    due: returned\n    clauses: ["(5)"]\n    requirements: [higher-card-wins]\n',
    ),
)
HABIT = "- {decision: fold, when: {not: {placed: ante}}, chance: 700}"
LAST_CASE = "    when: {compare: {hand: player, is: equal, to: dealer}}\n    due: lost"
LOSING = 'due: lost\n    clauses: ["(5)"]\n    requirements: [higher-card-wins]'

BETWEEN_PARTS = {
    # Events and steps
    "a shuffle is to lie face down": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        asked("{rule: {each: event, of: shuffle, must: {event: {face: down}}}}"),
        "no-event",
        "no event `shuffle` can say `face: down`",
        "requirement: odd",
    ),
    "players shuffle": Mistake(
        GAME,
        "events: [shuffle]}",
        "events: [shuffle], by: player}",
        "no-event",
        "no event `shuffle` can say `by: player`",
        "step: shuffle",
    ),
    "cards are dealt where none go": Mistake(
        GAME,
        DEAL,
        "events: [deal], place: burn}",
        "no-event",
        "no cards are dealt to the place `burn`",
        "step: deal",
    ),
    "a machine deals and the dealer too": Mistake(
        GAME,
        DEAL,
        "events: [deal], by: machine}",
        "no-event",
        "the cards are dealt by the machine here, and by the dealer in every way",
        "step: deal",
        "warning",
    ),
    "the dealer's cards are dealt in no step": Mistake(
        GAME,
        DEAL,
        "events: [deal], place: player}",
        "never-dealt",
        "cards are dealt to the dealer, and no step is that of dealing them",
        "step: deal",
        "warning",
    ),
    "the wrong cards are shown": Mistake(
        GAME,
        SETTLE,
        "- {step: show, title: cards are shown, events: [reveal], each: seat, place: player}\n" + SETTLE,
        "never-shown",
        "the dealer's cards are dealt face down and decide what is paid, and no step shows them",
        "procedure:",
        "warning",
    ),
    "cards are shown nowhere": Mistake(
        GAME,
        SETTLE,
        "- {step: show, title: cards are shown, events: [reveal]}\n" + SETTLE,
        "no-word",
        "an event `reveal` says a place, and this step none",
        "step: show",
        "warning",
    ),
    "two steps place one wager": Mistake(
        GAME,
        "- {step: deal,",
        "- {step: again, title: Antes come late, events: [wager], each: stake, of: [ante], when: {placed: ante}}\n"
        "- {step: deal,",
        "told-twice",
        "an event `wager` of ante belongs to place-antes and to again",
        "step: again",
        "warning",
    ),
    "a step happens where another does": Mistake(
        GAME,
        "events: [shuffle]}",
        "events: [shuffle]}\n- {step: again, title: the dealer shuffles once more, events: [shuffle], "
        "when: {happened: deal}}",
        "told-twice",
        "an event `shuffle` belongs to shuffle and to again",
        "step: again",
        "warning",
    ),
    "a bonus is collected": Mistake(
        GAME,
        "events: [pay], each: stake, of: [ante-bonus]",
        "events: [pay, collect], each: stake, of: [ante-bonus]",
        "no-event",
        "`collect` cannot happen to ante-bonus: nothing lies on a bonus",
        "step: settle-ante-bonus",
        document=SHINE,
    ),
    "stakes decide": Mistake(
        GAME,
        "events: [decide], each: seat, but: [said-again], turn: acting",
        "events: [decide], each: stake, but: [said-again], turn: acting",
        "wrong-each",
        "`decide` happens once a seat",
        "each: stake, but",
        document=SHINE,
    ),
    "the last of a visit is forgotten": Mistake(
        "requirements/procedure.yaml",
        "requirements:\n",
        'requirements:\n- {requirement: odd, title: Odd, clauses: ["(14)"], severity: minor, check: {in-turn: '
        "{from: dealer-right, steps: [settle-play, settle-ante-bonus, settle-ante, settle-pair-xxx]}}}\n",
        "left-out",
        "settle-super-6 is done in the same turn as these steps",
        "requirement: odd",
        "warning",
        SHINE,
    ),
    "the order of seats is set too late": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        asked("{same-order: {first: settle, then: place-antes}}"),
        "other-order",
        "the game is played the other way round: place-antes before settle",
        "requirement: odd",
        "warning",
    ),
    # Cards
    "cards count for nobody": Mistake(
        GAME,
        "cards: {player: 1, dealer: 1}",
        "cards: {player: 1, dealer: 1, community: 1}",
        "unused",
        "cards are dealt to the place community, and no hand is made of them",
        "hands:",
        "warning",
        also=(("passes: [{to: [player, dealer], each: 1}]", "passes: [{to: [player, dealer, community], each: 1}]"),),
    ),
    "a number of cards is out of reach": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        asked("{rule: {each: seat, must: {number: {of: {cards: player}, at-most: 30}}}}"),
        "other-number",
        "the player is dealt 1 cards, not 30",
        "requirement: odd",
        "warning",
    ),
    "too few cards are declared by nobody": Mistake(
        GAME,
        SETTLE,
        MISDEALT % ", when: {number: {of: {cards: player}, more-than: 1}}" + SETTLE,
        "never-declared",
        "misdealt is told of too few cards of the player, and this does not hold there",
        "step: misdealt",
        "warning",
        also=VOIDED,
    ),
    "too few cards are settled by no case": Mistake(
        GAME,
        SETTLE,
        MISDEALT % "" + SETTLE,
        "never-settled",
        "no case of settlement is that of too few cards of the player",
        "place: player, declared",
        "warning",
        also=VOIDED,
    ),
    # Wagers, cases, tables
    "a wager needs a later one": Mistake(
        GAME,
        "  pair-xxx: {title: Pair XXX, placed: before-the-deal",
        "  pair-xxx: {title: Pair XXX, placed: before-the-deal, needs: {placed: play}",
        "never-placed",
        "pair-xxx is placed before the deal, and needs what is placed with a decision",
        "pair-xxx:",
        document=SHINE,
    ),
    "a part of a case brings no stakes": Mistake(
        GAME,
        LAST_CASE,
        LAST_CASE.replace("{compare", "{any: [{compare: {hand: player, is: lower, to: dealer}}, {compare", 1).replace(
            "equal, to: dealer}}", "equal, to: dealer}}]}"
        ),
        "says-nothing",
        "this part brings nothing to the case",
        "when: {any",
        "warning",
    ),
    "a row is forgotten": Mistake(
        GAME,
        "straight-flush: 5 to 1, three-of-a-kind: 4 to 1, straight: 1 to 1",
        "straight-flush: 5 to 1, straight: 1 to 1",
        "never-paid",
        "three-of-a-kind has no row, and lower hands of three-card-aces are paid",
        "rows:",
        "warning",
        SHINE,
    ),
    "nobody takes the tip that is asked for": Mistake(
        ROUNDS,
        DEALT_FACE_DOWN,
        asked("{rule: {each: stake, when: {is-tip: true}, must: {placed: this}}}"),
        "never-holds",
        "this never holds",
        "requirement: odd",
    ),
    "a line without a table has its table displayed": Mistake(
        "requirements/pay-tables.yaml",
        "{name: pay-tables-displayed, lines: [pair-xxx, super-6]}",
        "{name: pay-tables-displayed, lines: [ante]}",
        "asks-nothing",
        "ante is paid by no pay table, so nothing is asked of it here",
        "lines: [ante]",
        "warning",
        SHINE,
    ),
    # Faults
    "what is lost is paid too little": Mistake(
        GAME,
        LOSING,
        LOSING.replace("higher-card-wins", "{requirement: lower-loses, title: Lower loses, fault: {pay: under}}"),
        "never-planted",
        "nothing is paid in any of these cases",
        "requirement: lower-loses",
    ),
    "a fault is of hands that an earlier case takes": Mistake(
        GAME,
        "      fault: {pay: under}\n  - case: same-rank-lost",
        "      fault: {where: {compare: {hand: player, is: lower, to: dealer}}, pay: under}\n  - case: same-rank-lost",
        "never-planted",
        "no seat of which this holds comes to a case that the requirement judges",
        "is: lower",
    ),
    # The document and the simulation
    "nothing is to hang on a reading": Mistake(
        "readings.yaml",
        "changes: money",
        "changes: nothing",
        "changes-something",
        "nothing is said to hang on cards-of-one-rank, and rules ask whether it is read as push",
        "changes: nothing",
        "warning",
    ),
    "a gist is copied": Mistake(
        DOCUMENT,
        "gist: Dealers are trained first.",
        "gist: One standard deck of 52 cards.",
        "told-twice",
        "the clauses (1) and (6) have one gist",
        "gist: One",
        "warning",
    ),
    "a habit stands twice": Mistake(
        SIMULATION,
        HABIT,
        f"{HABIT}\n{HABIT}",
        "told-twice",
        "this habit stands here twice",
        HABIT,
        "warning",
        SHINE,
    ),
    "players know the dealer's cards": Mistake(
        SIMULATION,
        "- {decision: play, when: {holds: {hand: player, at-least: queen-high}}",
        "- {decision: play, when: {holds: {hand: dealer, at-least: queen-high}}",
        "never-seen",
        "players decide here by the dealer's hand, whose cards all lie face down",
        "hand: dealer",
        "warning",
        SHINE,
    ),
}
