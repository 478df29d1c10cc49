"""Mistakes of authors that show when every deal is enumerated and the game is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.validator.rule_checks.check_registry import PlayContext, find_negative_house_advantage
from tests.cautions.mistake import Mistake
from tests.cautions.rulebooks import DUEL, SHINE, list_warnings, list_warnings_in_play, write_rulebook
from tests.facade.commands import run
from tests.facade.rules import Rulebook, load_regulation, rules_folder

GAME, ROUNDS, SIMULATION = "game.yaml", "requirements/rounds.yaml", "simulation.yaml"
COUNTED = ("s38", "caribbean-draw")
"""Games of which only the odds are checked here: `tests/simulate` compares each of their faults with an audit."""

MISTAKES = {
    "a push pays": Mistake(
        GAME,
        "due: returned",
        "due: 20 to 1",
        "negative-house-advantage",
        "players who decide well win ante",
        "ante:",
        "warning",
    ),
    "a fact takes every deal for a wrong one": Mistake(
        GAME,
        "  cases:\n",
        "  cases:\n  - case: misdealt\n    lines: [ante]\n    when: {cards: player, equals: 1}\n"
        '    due: returned\n    clauses: ["(5)"]\n    requirements: [higher-card-wins]\n',
        "never-decided",
        "in 400 simulated rounds nobody won or lost anything on ante",
        "submission:",
        "warning",
    ),
    "a bonus is paid to nobody": Mistake(
        GAME,
        "settlement:\n",
        "bonuses:\n  gift: {title: Gift, of: ante}\npay-tables:\n  gift: {of: gift, hand: player, "
        "clauses: ['(5)'], rows: {high-card: 1 to 1}}\nsettlement:\n",
        "never-paid",
        "hands held a row of the pay table of gift, but 0 were paid",
        "submission:",
        "warning",
        also=(
            ("order: [ante]", "order: [ante, gift]"),
            ("  cases:\n", "  cases:\n  - {case: no-gift, lines: [gift], due: nothing, clauses: ['(5)']}\n"),
        ),
    ),
    "wagers need each other": Mistake(
        GAME,
        "  ante: {title: Ante, placed: before-the-deal}",
        "  ante: {title: Ante, placed: before-the-deal, when: {placed: side}}\n"
        "  side: {title: Side, placed: before-the-deal, when: {placed: ante}}",
        "never-simulated",
        "no round can be simulated",
        "submission:",
        also=(
            ("order: [ante]", "order: [ante, side]"),
            ("lines: [ante]", "lines: [ante, side]"),
            ("    lines: [ante]", "    lines: [ante, side]"),
            ("    lines: [ante]", "    lines: [ante, side]"),
            ("    lines: [ante]", "    lines: [ante, side]"),
            ("of: [ante]", "of: [ante, side]"),
            ("of: [ante]}", "of: [ante, side]}"),
        ),
    ),
    "cards are shown before they are dealt": Mistake(
        GAME,
        "\nacts:\n",
        "\nacts:\n  shown: {title: the dealer's card is shown, event: reveal, place: dealer}\n",
        "simulation-rejected",
        "the simulated rounds are rejected as evidence",
        "submission:",
    ),
    "a requirement is turned round": Mistake(
        ROUNDS,
        "must: {event: {face: down}}",
        "must: {event: {cards: 2}}",
        "fails-in-simulation",
        "the simulated game breaks dealt-face-down, although no fault is planted",
        "requirement: dealt-face-down",
        "warning",
    ),
    "a fault keeps within the bounds": Mistake(
        ROUNDS,
        "above-maximum: 1",
        "more: 5",
        "ineffective-fault",
        "rounds with this fault do not break within-the-limits",
        "fault: {stake",
        "warning",
    ),
    "an act may come again after one that always comes before": Mistake(
        ROUNDS,
        "  sequence:\n    steps:\n    - {step: shuffle, times: at-least-one}\n    - {step: place-antes}\n"
        "    - {step: deal}\n  fault: {omit: shuffle}",
        "  order: {milestones: [{at: {first: deal}, before: [shuffle], again-after: {last: place-antes}}]}",
        "ineffective-fault",
        "rounds that were altered to break shuffled-and-staked-first do not break it",
        "requirement: shuffled-and-staked-first",
        "warning",
    ),
    "a fault is of stakes of a size that nobody places": Mistake(
        ROUNDS,
        "fault: {omit: shuffle}",
        "fault: {when: {some-seat: {amount: ante, equals: $7.77}}, omit: shuffle}",
        "ineffective-fault",
        "no round ever meets the condition of the fault of shuffled-and-staked-first",
        "fault: {omit",
        "warning",
    ),
    "a fault contradicts the summary of the round": Mistake(
        ROUNDS,
        "fault: {omit: shuffle}",
        "fault: {omit: place-antes}",
        "simulation-rejected",
        "rounds with the fault of shuffled-and-staked-first are rejected as evidence: the record contradicts itself",
        "fault: {omit",
        "warning",
    ),
    "a game requires an order that no record can break": Mistake(
        GAME,
        "\nacts:\n",
        "\nmilestones: [{at: {last: deal}, severity: minor, requirements: [{requirement: shown-after-the-deal, title: "
        "The dealer shows the card after the deal, clauses: ['(3)'], broken: The dealer showed it too soon., "
        "after: [shown]}]}]\nacts:\n",
        "simulation-rejected",
        "rounds that were altered to break shown-after-the-deal are rejected as evidence: the record",
        "acts:",
        "warning",
        also=(
            (
                "  settle: {title",
                "  shown: {title: the dealer's card is shown, event: reveal, place: dealer}\n  settle: {title",
            ),
        ),
    ),
    "a fault needs more seats than the table has": Mistake(
        ROUNDS,
        "fault: {omit: shuffle}",
        "fault: {seats: 9}",
        "ineffective-fault",
        "the simulated house has no round for the fault of shuffled-and-staked-first: 9 hands do not fit a layout of 5",
        "fault: {omit",
        "warning",
    ),
    "a fault is of a step that no round has": Mistake(
        ROUNDS,
        "fault: {omit: shuffle}",
        "fault: {omit: exposed}",
        "ineffective-fault",
        "the simulated house has no round for the fault of shuffled-and-staked-first: the step exposed comes",
        "fault: {omit",
        "warning",
    ),
    "a fault is of another way of dealing, and there is none": Mistake(
        ROUNDS,
        "fault: {omit: shuffle}",
        "fault: {dealt: otherwise}",
        "ineffective-fault",
        "the simulated house has no round for the fault of shuffled-and-staked-first: there is one way of dealing",
        "fault: {omit",
        "warning",
    ),
    "a fault is of seats that nobody has": Mistake(
        ROUNDS,
        "fault: {stake: {wager: ante, above-maximum: 1}}",
        "fault: {when: {not: {placed: ante}}, stake: {wager: ante, above-maximum: 1}}",
        "ineffective-fault",
        "no round ever meets the condition of the fault of within-the-limits",
        "fault: {stake",
        "warning",
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a rulebook in which nothing is wrong."""
    folder = write_rulebook(tmp_path_factory.mktemp("sound") / "rules")
    expose_card(folder)
    return folder


def expose_card(folder: Path) -> None:
    """Give the game a step that no simulated round has."""
    game = folder / DUEL / GAME
    step = "\nother-events:\n  exposed: {title: a card is exposed, event: expose}\n"
    game.write_text(game.read_text("utf-8").rstrip() + f"\n{step}", "utf-8")


def make_mistake(folder: Path, mistake: Mistake) -> str:
    """Make a mistake in a document; return the text of the file before it."""
    path = folder / DUEL / mistake.file
    before = text = path.read_text("utf-8")
    for old, new in ((mistake.old, mistake.new), *mistake.also):
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, "utf-8")
    return before


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_shows_in_play(mistake: Mistake, sound: Path) -> None:
    before = make_mistake(sound, mistake)
    try:
        assert [warning for warning in list_warnings(sound, DUEL) if warning.severity == "error"] == []
        told = list_warnings_in_play(sound, DUEL)
    finally:
        (sound / DUEL / mistake.file).write_text(before, "utf-8")
    one = next(finding for finding in told if finding.code == mistake.code and mistake.says in finding.message)
    assert one.severity == mistake.severity and one.help and one.file and one.line is not None
    assert mistake.at in Path(one.file).read_text("utf-8").splitlines()[one.line - 1]


def test_a_simulated_house_may_name_a_printed_table(tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    make_mistake(folder, MISTAKES["a bonus is paid to nobody"])
    without = [warning.message for warning in list_warnings_in_play(folder, DUEL)]
    simulation = folder / DUEL / SIMULATION
    text, table = simulation.read_text("utf-8"), "  pay-tables: [{pays: gift, displayed: [layout], printed: gift}]"
    simulation.write_text(text.replace("\n  wagers:", f"\n{table}\n  wagers:", 1), "utf-8")
    assert without and [warning.message for warning in list_warnings_in_play(folder, DUEL)] == without


def test_wagers_that_need_each_other_have_no_odds_and_that_is_said(tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    make_mistake(folder, MISTAKES["wagers need each other"])
    shown = run("odds", DUEL, "--rules", folder)
    assert shown.code == 0 and "need each other" in shown.out.decode()


def test_the_game_that_is_changed_is_sound_in_play(sound: Path) -> None:
    assert list_warnings_in_play(sound, DUEL) == []


@pytest.mark.parametrize("document", [SHINE, "co-rule8-burnout"])
def test_shipped_documents_are_sound_in_play(document: str) -> None:
    assert list_warnings_in_play(rules_folder(), document) == []


@pytest.mark.parametrize("document", COUNTED)
def test_shipped_games_have_nothing_against_them_by_their_odds(document: str) -> None:
    regulation = load_regulation(document)
    assert regulation.game is not None
    context = PlayContext(Rulebook(), regulation, ())
    assert list(find_negative_house_advantage.find(context, regulation.game, ())) == []


def test_the_command_tells_of_it_and_only_of_a_game_without_errors(tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    make_mistake(folder, MISTAKES["a push pays"])
    shown = run("rules", "check", DUEL, "--rules", folder)
    assert shown.code == 0 and "warning[negative-house-advantage]" in shown.err
    (folder / DUEL / GAME).write_text(
        (folder / DUEL / GAME).read_text("utf-8").replace("is: lower", "is: higher"), "utf-8"
    )
    shown = run("rules", "check", DUEL, "--rules", folder)
    assert shown.code == 3 and "negative-house-advantage" not in shown.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  settle: {", "  deal: {", "error[duplicate-key]: `deal` is given twice"),
        (
            "case: same-rank-lost",
            "case: dealer-higher",
            "error[semantic-error]: the case dealer-higher is listed twice",
        ),
    ],
)
def test_one_name_for_two_things_is_told_first(old: str, new: str, said: str, tmp_path: Path) -> None:
    folder = write_rulebook(tmp_path / "rules")
    game = folder / DUEL / GAME
    game.write_text(game.read_text("utf-8").replace(old, new, 1), "utf-8")
    shown = run("rules", "check", DUEL, "--rules", folder)
    assert shown.code == 3 and said in shown.err and "must be judged" not in shown.err
