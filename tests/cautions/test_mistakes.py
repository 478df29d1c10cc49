"""Further mistakes of authors: each a change or two of a rulebook in which nothing is wrong.

The first mistake that each check finds is its example, in `docs/rule-check-examples.yaml`.
"""

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
from tests.facade.text import InputError

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
        "when: [{compare: {hand: player, is: higher, to: dealer}}, {placed: ante}]",
        "unreachable",
        "no stake on ante reaches the case dealer-higher: the cases before it take all stakes for",
        "case: dealer-higher",
    ),
    "a hand is compared with itself": Mistake(
        GAME, "is: higher, to: dealer", "is: higher, to: player", "never-holds", "this never holds", "to: player"
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
        fact("[{cards: player, at-least: 3}, {cards: player, at-most: 2}]"),
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
        "{holds: {hand: dealer, at-least: queen-high}}",
        "[{holds: {hand: dealer, at-least: straight}}, {holds: {hand: dealer, is: pair}}]",
        "never-holds",
        "the fact dealer-qualifies never holds",
        "dealer-qualifies:",
        document=SHINE,
    ),
    "a wager needs itself": Mistake(
        GAME,
        "placed: before-the-deal",
        "placed: before-the-deal, when: {placed: ante}",
        "always-holds",
        "this always",
        "when:",
    ),
    "a step is of no seat": Mistake(
        GAME,
        "when: folded-with-super-6, requirements:",
        "when: [folded-with-super-6, {not: {placed: super-6}}], requirements:",
        "never-holds",
        "this never holds",
        "{not: {placed: super-6}}",
        document=SHINE,
    ),
    "a card lies both ways": Mistake(
        ROUNDS,
        "must: {event: {face: down}}",
        "must: [{event: {face: down}}, {event: {face: up}}]",
        "never-holds",
        "this never holds",
        "face: up}}",
    ),
    "one step is a sequence": Mistake(
        ROUNDS,
        "    - {step: shuffle, times: at-least-one}\n    - {step: place-antes}\n",
        "",
        "no-effect",
        "always in order",
        "steps:",
    ),
    # Names
    "a deck that is none is asked for": Mistake(
        SUBMISSION,
        "equals: standard-52",
        "equals: standard-25",
        "unknown-name",
        "there is no deck `standard-25`",
        "standard-25",
    ),
    "a wager that is none is asked for": Mistake(
        SUBMISSION,
        "  - {at: deck.decks, equals: 1}",
        "  - {every: wagers, must: {at: .wager, one-of: [antes]}}",
        "unknown-name",
        "there is no wager `antes`",
        "antes",
    ),
    "a way of dealing that is none is asked for": Mistake(
        SUBMISSION,
        "  - {at: deck.decks, equals: 1}",
        "  - {at: dealing, equals: one-at-a-tim}",
        "unknown-name",
        "there is no way of dealing `one-at-a-tim`",
        "one-at-a-tim",
    ),
    "a row that is none is asked for": Mistake(
        TABLES,
        "pattern: pay-tables-of-the-game}",
        "title: A straight is paid, each: submission, must: {every: pay-tables, "
        "must: {some: .rows, when: {at: .hand, equals: strait}}}}",
        "unknown-name",
        "there is no hand `strait`",
        "strait",
        document=SHINE,
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
        "  pair-xxx-e: {of: pair-xxx, hand: player, clauses: ['(16)'], rows: {pair: 1 to 1}}\n\npay-matrices:\n",
        "unused",
        "nothing uses the pay table pair-xxx-e",
        "pair-xxx-e:",
        "warning",
        SHINE,
    ),
    # Steps and wagers
    "no act places a wager": Mistake(
        GAME,
        "of: [play], turn: acting",
        "of: [ante], turn: acting",
        "never-placed",
        "no act places the wager play",
        "play:",
        "warning",
        SHINE,
    ),
    # Hands, rankings and pay tables
    "the dealer holds the player's card": Mistake(
        GAME,
        "from: [dealer]",
        "from: [player]",
        "duplicate",
        "the hands player and dealer consist of the same cards",
        "dealer: {title",
        "warning",
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
    "what is unlisted is listed everywhere": Mistake(
        GAME,
        "  - {category: three-aces, pays-as: three-of-a-kind",
        "  - {category: straight-flush, pays-as: three-of-a-kind",
        "unused-payout",
        "has a row for it",
        "category: straight-flush",
        document=SHINE,
    ),
    # Faults
    "a fault alters nothing": Mistake(
        ROUNDS,
        "alter: {step: deal, face: turned}",
        "alter: {step: deal}",
        "ineffective-fault",
        "the fault alters nothing of the step",
        "alter:",
    ),
    # Simulation and examples
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
    "the house does not offer the wager of a decision": Mistake(
        SIMULATION,
        "  - {wager: play, minimum: 5, maximum: 200, posted: [layout, signage], tips: true}\n",
        "",
        "never-simulated",
        "the house does not offer play, so no seat takes the decision play",
        "wagers:",
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
    "nobody asks for what a wager needs": Mistake(
        GAME,
        "  ante: {title: Ante, placed: before-the-deal}",
        "  ante: {title: Ante, placed: before-the-deal}\n"
        "  side: {title: Side, placed: before-the-deal, when: {placed: ante}}",
        "unenforced",
        "no requirement fails if side is placed without what it needs",
        "when: {placed: ante}",
        "warning",
        also=(
            ("order: [ante]", "order: [ante, side]"),
            ("of: [ante]", "of: [ante, side]"),
            ("of: [ante]}", "of: [ante, side]}"),
        ),
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
        "  in-turn: {steps: [settle], from: dealer-right}\n"
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
            "dealt: {asks: turn}",
            "each: event\n  of: deal\n  must: {event: {by: dealer}}",
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


def test_a_fact_that_never_holds_is_told_once(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(sound, folder)
    game = folder / SHINE / GAME
    old = "must-decide: [{placed: ante}, in-play]"
    text = game.read_text("utf-8")
    assert old in text and text.count("must-decide") > 3
    game.write_text(text.replace(old, "must-decide: [{placed: ante}, {not: {placed: ante}}]"), "utf-8")
    errors = [finding.message for finding in list_warnings(folder, SHINE) if finding.severity == "error"]
    assert [message for message in errors if "never holds" in message] == [
        "the fact must-decide never holds, whatever happens in a round"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{happened: play-withdrawn}", "{happened: play-withdrawal}"),
        ("{pair-xxx-after-fold: lost}", "{pair-fold: lost}"),
    ],
)
def test_a_name_in_a_short_form_is_told_at_its_place(old: str, new: str, tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    game = folder / SHINE / GAME
    text = game.read_text("utf-8")
    assert old in text
    game.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InputError) as refused:
        list_warnings(folder, SHINE)
    (problem,) = refused.value.diagnostics
    name = new.strip("{}").removeprefix("happened: ").removesuffix(": lost")
    assert (problem.source_line or "")[(problem.column or 1) - 1 :].startswith(name)


def test_a_name_that_a_pattern_passes_on_is_told_once(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(sound, folder)
    game = folder / SHINE / GAME
    text = game.read_text("utf-8")
    game.write_text(text.replace("declared: misdeal-of-a-player", "declared: misdeal-of-player"), "utf-8")
    checked = run("rules", "check", SHINE, "--rules", folder)
    assert checked.code == 3 and checked.err.count("error[unknown-name]") == 3
    assert checked.err.count("did you mean `misdeal-of-a-player`?") == 3


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
