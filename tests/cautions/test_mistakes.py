"""Mistakes of authors: each a change or two of a rulebook in which nothing is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cautions.mistake import Mistake
from tests.cautions.mistakes_between_parts import BETWEEN_PARTS
from tests.cautions.mistakes_of_a_stranger import OF_A_STRANGER
from tests.cautions.rulebooks import DUEL, SHINE, list_warnings, write_rulebook
from tests.facade.commands import run
from tests.facade.rules import list_documents, rules_folder

GAME, ROUNDS, SUBMISSION = "game.yaml", "requirements/rounds.yaml", "requirements/submission.yaml"
SIMULATION, DOCUMENT, READINGS, RANKINGS = (
    "simulation.yaml",
    "document.yaml",
    "readings.yaml",
    "../vocabulary/rankings.yaml",
)
HIGHER = "when: {compare: {hand: player, is: higher, to: dealer}}"
LOWER = "when: {compare: {hand: player, is: lower, to: dealer}}"
TABLES = "requirements/pay-tables.yaml"


def fact(condition: str) -> str:
    return f"facts:\n  odd: {condition}\n\nsettlement:\n"


MISTAKES = {
    # Settlement
    "a case without a condition stands first": Mistake(
        GAME,
        f"    {HIGHER}\n",
        "",
        "unreachable",
        "no stake on ante reaches the case dealer-higher: the cases before it take all stakes",
        "case: dealer-higher",
    ),
    "a condition is copied": Mistake(
        GAME,
        LOWER,
        HIGHER,
        "undecided",
        "for example if the player's card is lower than the dealer's card",
        "order: [ante]",
    ),
    "a case is narrower than an earlier one": Mistake(
        GAME,
        LOWER,
        "when: {all: [{compare: {hand: player, is: higher, to: dealer}}, {placed: ante}]}",
        "unreachable",
        "no stake on ante reaches the case dealer-higher: the cases before it take all stakes for",
        "case: dealer-higher",
    ),
    "a hand is compared with itself": Mistake(
        GAME, "is: higher, to: dealer", "is: higher, to: player", "never-holds", "this never holds", "to: player"
    ),
    "a bonus has no case": Mistake(
        GAME,
        "order: [ante]",
        "order: [ante, gift]",
        "undecided",
        "no case decides what is due on a stake on gift",
        "order: [ante, gift]",
        also=(("wagers:\n", "bonuses: {gift: {title: Gift, reckoned-on: ante}}\nwagers:\n"),),
    ),
    "the tie is forgotten": Mistake(
        GAME,
        "when: {compare: {hand: player, is: equal, to: dealer}}",
        "when: {compare: {hand: player, is: lower, to: dealer}}",
        "undecided",
        "the player's hand is equal to the dealer's hand",
        "order: [play",
        document=SHINE,
    ),
    # Conditions
    "a fact is always so": Mistake(
        GAME,
        "settlement:\n",
        fact("{any: [{placed: ante}, {not: {placed: ante}}]}"),
        "always-holds",
        "the fact odd always holds",
        "odd:",
    ),
    "a fact is never so": Mistake(
        GAME,
        "settlement:\n",
        fact("{all: [{number: {of: {cards: player}, at-least: 3}}, {number: {of: {cards: player}, at-most: 2}}]}"),
        "never-holds",
        "the fact odd never holds",
        "odd:",
    ),
    "a bound is the worst hand there is": Mistake(
        GAME,
        "at-least: queen-high",
        "at-least: high-card",
        "always-holds",
        "dealer-qualifies always",
        "dealer-qualifies:",
        document=SHINE,
    ),
    "two categories are asked for at once": Mistake(
        GAME,
        "holds: {hand: dealer, at-least: queen-high}",
        "all: [{holds: {hand: dealer, at-least: straight}}, {holds: {hand: dealer, is: pair}}]",
        "never-holds",
        "the fact dealer-qualifies never holds",
        "dealer-qualifies:",
        document=SHINE,
    ),
    "a part says what another says": Mistake(
        GAME,
        "holds: {hand: dealer, at-least: queen-high}",
        "any: [{holds: {hand: dealer, at-least: queen-high}}, {holds: {hand: dealer, is: pair}}]",
        "redundant",
        "where it holds, another part does",
        "any: [{holds",
        "warning",
        SHINE,
    ),
    "a wager needs itself": Mistake(
        GAME,
        "placed: before-the-deal",
        "placed: before-the-deal, needs: {placed: ante}",
        "always-holds",
        "this always",
        "needs:",
    ),
    "a decision is open to nobody": Mistake(
        GAME,
        "open-to: {fact: must-decide}",
        "open-to: {all: [{placed: ante}, {not: {placed: ante}}]}",
        "never-holds",
        "this never holds",
        "open-to: {all",
        document=SHINE,
    ),
    "a step is of no seat": Mistake(
        GAME,
        "of: [super-6], when: {fact: folded-with-super-6},\n   requirements:",
        "of: [super-6], when: {all: [{fact: folded-with-super-6}, {not: {placed: super-6}}]},\n   requirements:",
        "never-holds",
        "this never holds",
        "{not: {placed: super-6}}",
        document=SHINE,
    ),
    "a card lies both ways": Mistake(
        ROUNDS,
        "must: {event: {face: down}}",
        "must: {all: [{event: {face: down}}, {event: {face: up}}]}",
        "never-holds",
        "this never holds",
        "face: up}}",
    ),
    "a rule asks for what it is asked of": Mistake(
        ROUNDS,
        "        all:\n        - {number: {of: {amount: this}, at-least: {minimum: this}}}\n"
        "        - {number: {of: {amount: this}, at-most: {maximum: this}}}\n",
        "        wager-is: [ante]\n",
        "cannot-fail",
        "this holds whenever the requirement applies, so the requirement can never fail",
        "must:",
    ),
    "an amount is held against itself": Mistake(
        ROUNDS,
        "at-least: {minimum: this}",
        "at-least: {amount: this}",
        "always-holds",
        "this always",
        "at-least: {amount",
    ),
    "both limits are the minimum": Mistake(
        ROUNDS,
        "at-most: {maximum: this}",
        "at-most: {minimum: this}",
        "equal-bounds",
        "leaves one number",
        "at-most: {minimum",
        "warning",
    ),
    "one step is a sequence": Mistake(
        ROUNDS,
        "      - {step: shuffle, times: at-least-one}\n      - {step: place-antes}\n",
        "",
        "no-effect",
        "always in order",
        "steps:",
    ),
    "a step follows itself": Mistake(
        ROUNDS,
        "      - {step: place-antes}\n",
        "      - {step: place-antes}\n" * 2,
        "duplicate-entry",
        "the step place-antes is listed twice in a row",
        "place-antes",
    ),
    # Names
    "a deck that is none is asked for": Mistake(
        SUBMISSION,
        "equals: standard-52",
        "equals: standard-53",
        "unknown-name",
        "there is no deck `standard-53`",
        "standard-53",
    ),
    "a wager that is none is asked for": Mistake(
        SUBMISSION,
        "        - value: {at: deck.decks, equals: 1}",
        "        - every: {in: wagers, must: {value: {at: .wager, one-of: [antes]}}}",
        "unknown-name",
        "there is no wager `antes`",
        "antes",
    ),
    "a way of dealing that is none is asked for": Mistake(
        SUBMISSION,
        "        - value: {at: deck.decks, equals: 1}",
        "        - value: {at: dealing, equals: one-at-a-tim}",
        "unknown-name",
        "there is no way of dealing `one-at-a-tim`",
        "one-at-a-tim",
    ),
    "a row that is none is asked for": Mistake(
        TABLES,
        "pattern: pay-tables-of-the-game}",
        "title: A straight is paid, check: {submitted: {must: {every: {in: pay-tables, "
        "must: {some: {in: .rows, where: {value: {at: .hand, equals: strait}}}}}}}}}",
        "unknown-name",
        "there is no hand `strait`",
        "strait",
        document=SHINE,
    ),
    "a fact is not used": Mistake(
        GAME, "settlement:\n", fact("{placed: ante}"), "unused", "nothing uses the fact odd", "odd:", "warning"
    ),
    "a hand is not used": Mistake(
        GAME,
        "hands:\n",
        "hands:\n  both: {title: both cards, from: [player, dealer], best-of: 2, rank-by: one-card}\n",
        "unused",
        "nothing uses the hand both",
        "both:",
        "warning",
    ),
    "a pay table is not used": Mistake(
        GAME,
        "\npay-matrices:\n",
        "  pair-xxx-e: {for: pair-xxx, hand: player, clauses: ['(16)'], rows: {pair: 1 to 1}}\n\npay-matrices:\n",
        "unused",
        "nothing uses the pay table pair-xxx-e",
        "pair-xxx-e:",
        "warning",
        SHINE,
    ),
    "an option is like another": Mistake(
        READINGS,
        'so the Ante is lost."}',
        'so the Ante is lost.",\n    dice: "Dice decide."}',
        "unused",
        "no rule distinguishes the options house-wins and dice of cards-of-one-rank, although",
        "dice:",
        "warning",
    ),
    "a reading is not named": Mistake(
        ROUNDS,
        "rule: {each: event, of: deal, must: {event: {face: down}}}",
        "rule: {each: event, of: deal, when: {reading: {name: cards-of-one-rank, is: push}}, "
        "must: {event: {face: down}}}",
        "reading-not-named",
        "this depends on the reading cards-of-one-rank, but `readings` does not name it, so no",
        "name: cards-of-one-rank",
        "warning",
    ),
    "a definition is used by nothing": Mistake(
        DOCUMENT,
        "  status: informative",
        "  status: definition\n  used-by: [nothing-here]",
        "unknown-name",
        "the game has nothing called `nothing-here`",
        "used-by",
    ),
    "a definition is not cited": Mistake(
        DOCUMENT,
        "  status: informative",
        "  status: definition",
        "unused",
        "clause (4) has the status definition, but nothing uses or cites it",
        "status: definition",
        "warning",
    ),
    "a way of dealing rests on a clause that says nothing": Mistake(
        GAME,
        'by: dealer, clauses: ["(3)"]',
        'by: dealer, clauses: ["(4)"]',
        "clause-mismatch",
        "this cites clause (4), whose status is informative",
        '"(4)"',
        "warning",
    ),
    "a requirement ends before it begins": Mistake(
        ROUNDS,
        "  severity: minor",
        "  severity: minor\n  from: 2026-05-01\n  until: 2026-01-01",
        "never-in-force",
        "never in force",
        "until:",
    ),
    "a document ends before it begins": Mistake(
        DOCUMENT,
        "regulator:",
        "from: 2026-05-01\nuntil: 2026-01-01\nregulator:",
        "never-in-force",
        "ends before it begins",
        "until:",
    ),
    "a message is to be written": Mistake(
        ROUNDS,
        "message: The Ante lies outside the posted limits.",
        "message: TODO",
        "placeholder-text",
        "this text is a placeholder",
        "TODO",
        "warning",
    ),
    "a message is copied": Mistake(
        ROUNDS,
        "message: Cards must be dealt face down.",
        "message: The Ante lies outside the posted limits.",
        "duplicate",
        "within-the-limits has the same message",
        "message: The Ante",
        "warning",
    ),
    # Steps and wagers
    "no step places a wager": Mistake(
        GAME,
        "of: [play], turn: acting",
        "of: [ante], turn: acting",
        "never-placed",
        "no step places the wager play",
        "play:",
        "warning",
        SHINE,
    ),
    "a decision places what is there": Mistake(
        GAME,
        "    title: fold\n",
        "    title: fold\n    places: ante\n",
        "never-placed",
        "the wager ante is placed before the deal, but a decision places it",
        "places: ante",
        document=SHINE,
    ),
    "nothing is returned": Mistake(
        GAME,
        "events: [pay, collect, return]",
        "events: [pay, collect]",
        "never-settled",
        "no step has an event `return` on ante",
        "due: returned",
        "warning",
    ),
    "no step has a decision": Mistake(
        GAME,
        "settlement:\n",
        "decisions:\n  fold: {title: fold}\n\nsettlement:\n",
        "never-decided",
        "no step has the decision fold",
        "fold:",
    ),
    "a decision is one of the round": Mistake(
        GAME,
        "events: [decide], each: seat, but: [said-again], turn: acting,\n"
        "   requirements: [{requirement: one-decision,\n     broken: A player stayed in or folded more than once.,\n"
        '     clauses: ["(9)", "(10)"], severity: major, '
        "readings: [decision-said-again],\n     pattern: {name: happens-once, ",
        "events: [decide], but: [said-again], turn: acting,\n"
        "   requirements: [{requirement: one-decision,\n     broken: A player stayed in or folded more than once.,\n"
        '     clauses: ["(9)", "(10)"], severity: major, '
        "readings: [decision-said-again],\n     pattern: {name: happens-once, each: seat, ",
        "wrong-each",
        "`decide` happens once per seat",
        "events: [decide]",
        document=SHINE,
    ),
    "two steps are of the same events": Mistake(
        GAME,
        "- {step: settle,",
        "- {step: again, title: dealt again, events: [deal]}\n- {step: settle,",
        "duplicate",
        "the steps deal and again",
        "step: again",
    ),
    "a multiple of nothing": Mistake(
        GAME,
        "placed: before-the-deal",
        "placed: before-the-deal, amount: 2",
        "incomplete-pair",
        "`amount` and `of` together state what the wager must equal: one has no meaning without the",
        "amount: 2",
    ),
    "a multiple of itself": Mistake(
        GAME,
        "placed: before-the-deal",
        "placed: before-the-deal, amount: 2, of: ante",
        "self-reference",
        "a multiple of itself",
        "of: ante",
    ),
    "a misdeal is told by a shuffle": Mistake(
        GAME,
        "declared: misdeal-of-a-player",
        "declared: shuffle",
        "wrong-step",
        "the step shuffle has no event `misdeal`",
        "declared: shuffle",
        document=SHINE,
    ),
    "a card is shown by covering it": Mistake(
        GAME,
        "{shown: card-shown, covered: card-covered}",
        "{shown: card-covered, covered: card-shown}",
        "wrong-step",
        "the step card-covered has no event `expose`",
        "shown: card-covered",
        document=SHINE,
    ),
    # Hands, rankings and pay tables
    "a hand is the best of more": Mistake(
        GAME,
        " best-of: 6,",
        "",
        "implicit-best-of",
        "this hand is the best of 6 cards, but five-card ranks 5",
        "pooled:",
        "warning",
        SHINE,
    ),
    "the dealer holds the player's card": Mistake(
        GAME,
        "from: [dealer]",
        "from: [player]",
        "duplicate",
        "the hands player and dealer consist of the same cards",
        "dealer: {title",
        "warning",
    ),
    "more is dealt than there is": Mistake(
        GAME,
        "deck: {cards: standard-52, decks: 1}",
        "deck: {cards: tiny, decks: 1}",
        "too-many-cards",
        "are dealt 2 cards, but there are only 1 in play",
        "stages:",
    ),
    "hands of different rankings are compared": Mistake(
        GAME,
        "compare: {hand: player, is: higher, to: dealer}",
        "compare: {hand: player, is: higher, to: pooled}",
        "ranking-mismatch",
        "player is ranked by three-card-aces, pooled by five-card",
        "to: pooled",
        document=SHINE,
    ),
    "an ace is low in no run": Mistake(
        RANKINGS,
        "    cards: 1\n    ace: high",
        "    cards: 1\n    ace: low",
        "redundant",
        "the ace is the highest",
        "ace: low",
        "warning",
    ),
    "a category stands below one that takes all of it": Mistake(
        RANKINGS,
        "    cards: 1\n    ace: high\n    categories:\n",
        "    cards: 1\n    ace: high\n    categories:\n"
        "    - {category: red, ranks: ['2', '3']}\n    - {category: two, ranks: ['2']}\n",
        "unreachable",
        "no hand is a two: red precedes it and includes them all",
        "category: two",
    ),
    "a better hand pays less": Mistake(
        GAME,
        "straight-flush: 5 to 1, three-of-a-kind: 4 to 1",
        "straight-flush: 4 to 1, three-of-a-kind: 5 to 1",
        "decreasing-payout",
        "straight-flush pays less than three-of-a-kind",
        "straight-flush: 4 to 1",
        "warning",
        SHINE,
    ),
    "a wager is paid by the table of another": Mistake(
        GAME,
        "due: {pay-table: pair-xxx}",
        "due: {pay-table: super-6}",
        "pay-table-mismatch",
        "pair-xxx is paid here by the table of super-6, although it has a table of its own",
        "due: {pay-table: super-6}",
        "warning",
        SHINE,
    ),
    "what is unlisted is listed everywhere": Mistake(
        GAME,
        "  - {category: three-aces, pays-as: three-of-a-kind",
        "  - {category: straight-flush, pays-as: three-of-a-kind",
        "unused-payout",
        "has a row for it",
        "category: straight-flush",
        document=SHINE,
    ),
    "what is unlisted is paid as what is unlisted": Mistake(
        GAME,
        "pays-as: straight-flush",
        "pays-as: full-house",
        "unused-payout",
        "has one for full-house",
        "pays-as: full-house",
        document=SHINE,
    ),
    # Faults
    "a fault alters nothing": Mistake(
        ROUNDS,
        "alter: {step: deal, face: up}",
        "alter: {step: deal}",
        "ineffective-fault",
        "the fault alters nothing of the step",
        "alter:",
    ),
    "a fault leaves things as they are": Mistake(
        ROUNDS,
        "alter: {step: deal, face: up}",
        "alter: {step: deal, face: down}",
        "ineffective-fault",
        "all cards are already dealt face down",
        "face: down}}",
    ),
    "a fault of payment breaks no payment": Mistake(
        ROUNDS,
        "fault: {alter: {step: deal, face: up}}",
        "fault: {pay: under}",
        "ineffective-fault",
        "changes payments, which this requirement does not check",
        "pay: under",
    ),
    "a fault swaps what is of no seat": Mistake(
        ROUNDS,
        "fault: {swap: deal}",
        "fault: {swap: shuffle}",
        "ineffective-fault",
        "the step shuffle is not a step of each seat, so no two seats can be swapped",
        "swap: shuffle",
    ),
    "a round is to break what is submitted": Mistake(
        SUBMISSION,
        "        - value: {at: deck.decks, equals: 1}\n",
        "        - value: {at: deck.decks, equals: 1}\n  fault: {omit: shuffle}\n",
        "ineffective-fault",
        "no round can break a requirement that is judged on submission evidence",
        "fault:",
    ),
    # Simulation and examples
    "the house plays another game": Mistake(
        SIMULATION,
        "decks: 1}",
        "decks: 0}",
        "deck-mismatch",
        "the house plays with 0 decks, but a round of the game takes 1",
        "decks: 0",
    ),
    "the house deals two decks in turn": Mistake(
        SIMULATION,
        "decks: 1}",
        "decks: 2}",
        "house-not-compliant",
        "the simulated house does not comply with one-deck: expected “decks” of “deck”: 1; found 2",
        "decks: 2",
        "warning",
    ),
    "limits are turned round": Mistake(
        SIMULATION,
        "minimum: 500, maximum: 10000",
        "minimum: 10000, maximum: 500",
        "reversed",
        "the maximum of ante is below its minimum",
        "minimum: 10000",
    ),
    "limits are no minor units": Mistake(
        SIMULATION,
        "minimum: 500, maximum: 10000",
        "minimum: 5, maximum: 100",
        "unit-mismatch",
        "only the minimum is staked",
        "minimum: 5,",
        "warning",
    ),
    "limits are left out": Mistake(
        SIMULATION,
        "{wager: ante, minimum: 500, maximum: 10000}",
        "{wager: ante}",
        "limits-not-stated",
        "posts no minimum for ante",
        "{wager: ante}",
        "warning",
    ),
    "the house offers what is none": Mistake(
        SIMULATION, "{wager: ante, minimum", "{wager: antes, minimum", "unknown-name", "has no wager `antes`", "antes"
    ),
    "the house does not comply": Mistake(
        SIMULATION,
        "odds: 50 to 1",
        "odds: 500 to 1",
        "house-not-compliant",
        "does not comply with pair-xxx-table",
        "500 to 1",
        "warning",
        SHINE,
    ),
    "a habit is never followed": Mistake(
        SIMULATION,
        "habits:\n",
        "habits:\n- {decision: play, chance: 1000}\n",
        "never-simulated",
        "an earlier habit is always followed when this one applies",
        "{decision: play, when",
        "warning",
        SHINE,
    ),
    "a wager is never placed": Mistake(
        SIMULATION,
        "wagers: {ante: 1000}",
        "wagers: {ante: 0}",
        "never-simulated",
        "the wager ante is never placed",
        "ante: 0",
        "warning",
    ),
    "nobody asks for what a wager needs": Mistake(
        GAME,
        "  ante: {title: Ante, placed: before-the-deal}",
        "  ante: {title: Ante, placed: before-the-deal}\n"
        "  side: {title: Side, placed: before-the-deal, needs: {placed: ante}}",
        "unenforced",
        "no requirement fails if side is placed without what it needs",
        "needs: {placed: ante}",
        "warning",
        also=(
            ("order: [ante]", "order: [ante, side]"),
            ("of: [ante]", "of: [ante, side]"),
            ("of: [ante]}", "of: [ante, side]}"),
        ),
    ),
    "a base is not used": Mistake(
        "examples/bases.yaml",
        "rounds:\n",
        "rounds:\n  four: {round: R2}\n",
        "unused",
        "no example starts from four",
        "four:",
        "warning",
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a rulebook in which nothing is wrong."""
    return write_rulebook(tmp_path_factory.mktemp("sound") / "rules")


ALL = MISTAKES | OF_A_STRANGER | BETWEEN_PARTS


@pytest.mark.parametrize("mistake", ALL.values(), ids=list(ALL))
def test_a_mistake_is_told_where_it_stands(mistake: Mistake, sound: Path) -> None:
    path, decks = sound / mistake.document / mistake.file, sound / "vocabulary" / "decks.yaml"
    before = {file: file.read_text("utf-8") for file in (path, decks)}
    text = before[path]
    for old, new in ((mistake.old, mistake.new), *mistake.also):
        assert old in text
        text = text.replace(old, new, 1)
    try:  # in its own place, so that an unchanged vocabulary is cached
        path.write_text(text, "utf-8")
        if "tiny" in mistake.new:
            decks.write_text(before[decks] + "  tiny: {suits: c, ranks: A}\n", "utf-8")
        told = list_warnings(sound, mistake.document)
    finally:
        for changed, sound_text in before.items():
            changed.write_text(sound_text, "utf-8")
    one = next(finding for finding in told if finding.code == mistake.code and mistake.says in finding.message)
    assert one.severity == mistake.severity
    assert one.file == str(path.resolve()) or one.file == str(path)
    assert one.line is not None and mistake.at in text.splitlines()[one.line - 1]
    assert one.help


def test_a_house_that_goes_the_other_way_round_is_told_what_the_rules_ask(tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    rounds = folder / DUEL / ROUNDS
    asked = (
        "- requirement: settled-in-turn\n  title: Seats are settled in turn\n  clauses: ['(5)']\n"
        "  broken: The dealer settled a seat out of turn.\n"
        "  check: {in-turn: {steps: [settle], from: dealer-right}}\n"
    )
    rounds.write_text(rounds.read_text("utf-8") + asked, "utf-8")
    (told,) = list_warnings(folder, DUEL)
    assert (told.code, told.severity) == ("direction-mismatch", "warning")
    assert "takes settle from dealer-left, but settled-in-turn requires dealer-right" in told.message
    simulation = folder / DUEL / SIMULATION
    simulation.write_text(simulation.read_text("utf-8") + "steps: {settle: {from: dealer-right}}\n", "utf-8")
    assert list_warnings(folder, DUEL) == []


@pytest.mark.parametrize(
    ("asked", "other", "says", "at", "document", "file"),
    [
        (
            "{wager-is: [ante, pair-xxx, super-6]}",
            "{wager-is: [ante, super-6]}",
            "limits must be posted for pair-xxx, but no requirement checks stakes on it",
            "pair-xxx:",
            SHINE,
            "requirements/wagers.yaml",
        ),
        (
            "check: {dealt: {asks: turn}}",
            "check: {rule: {each: event, of: deal, must: {event: {by: dealer}}}}",
            "no requirement checks the order in which cards are dealt",
            "stage: deal",
            DUEL,
            ROUNDS,
        ),
        (
            "must: {event: {face: down}}",
            "must: {event: {by: dealer}}",
            "no requirement checks that cards are dealt face down",
            "face: down",
            DUEL,
            ROUNDS,
        ),
    ],
)
def test_what_nobody_asks_is_told_where_the_game_states_it(
    asked: str, other: str, says: str, at: str, document: str, file: str, tmp_path: Path
) -> None:
    folder = write_rulebook(tmp_path / "rules")
    rounds = folder / document / file
    text = rounds.read_text("utf-8")
    assert asked in text
    rounds.write_text(text.replace(asked, other), "utf-8")
    one = next(warning for warning in list_warnings(folder, document) if warning.code == "unenforced")
    assert (one.severity, one.message) == ("warning", says)
    assert one.line is not None and at in (folder / document / GAME).read_text("utf-8").splitlines()[one.line - 1]


def test_lines_beyond_the_text_are_told_where_the_text_is(tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    (folder / "high-card-duel.txt").write_text("one line\n" * 8, "utf-8")
    (told,) = list_warnings(folder, DUEL)
    assert (told.code, told.severity) == ("line-mismatch", "warning")
    assert told.message == "clause (6) ends on line 9, but the text has 8 lines"
    document = folder / DUEL / DOCUMENT
    document.write_text(document.read_text("utf-8").replace("lines: [4, 5]", "lines: [4, 4]"), "utf-8")
    assert "clause (3) ends on line 4, but line 5 of the text continues the sentence" in [
        finding.message for finding in list_warnings(folder, DUEL)
    ]


@pytest.mark.parametrize("document", [DUEL, SHINE])
def test_the_rulebook_that_is_changed_is_sound(document: str, sound: Path) -> None:
    assert list_warnings(sound, document) == []


@pytest.mark.parametrize("document", list_documents())
def test_shipped_documents_have_no_such_mistakes(document: str) -> None:
    assert list_warnings(rules_folder(), document) == []


def test_errors_make_rules_unsound_and_warnings_do_not(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(sound, folder)
    game = folder / DUEL / GAME
    text = game.read_text("utf-8")
    game.write_text(
        text.replace("hands:\n", "hands:\n  both: {title: both, from: [player], rank-by: one-card}\n"), "utf-8"
    )
    warned = run("rules", "check", DUEL, "--rules", folder)
    assert warned.code == 0 and "warning[unused]" in warned.err
    game.write_text(text.replace(LOWER, HIGHER), "utf-8")
    broken = run("rules", "check", DUEL, "--rules", folder, "--output", "json")
    assert broken.code == 3 and "error[undecided]" in broken.err
    (entry,) = broken.results
    assert entry["sound"] is False
    assert {problem["code"] for problem in entry["problems"]} == {"unreachable", "undecided"}
