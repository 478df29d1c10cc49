"""Causes that make a hand or a round void: one section writes out facts, cases, miscounts and requirements."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.facade.rules import Game, Regulation, load_regulation, rules_folder
from tests.facade.text import InputError
from tests.simulate.made_up_games import made_up

GAME = Path(__file__).parents[1] / "simulate" / "made_up" / "exchange"
MISCOUNTS = "miscounts: [dealer],"
ONCE = "void-once"


def exchange() -> tuple[Regulation, Game]:
    """Return the regulation of the made-up game, and its game."""
    regulation = made_up("exchange")[0].regulation
    assert regulation.game is not None
    return regulation, regulation.game


def read(folder: Path, *changes: tuple[str, str]) -> Regulation:
    """Load the made-up game with changes of its file."""
    root = folder / "rules"
    shutil.copytree(rules_folder() / "vocabulary", root / "vocabulary")
    shutil.copytree(GAME, root / "exchange")
    game = root / "exchange" / "game.yaml"
    text = game.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    game.write_text(text, "utf-8")
    return load_regulation("exchange", root)


def test_causes_are_facts_and_cases_in_their_order() -> None:
    _, game = exchange()
    first = [(case.case, case.lines, case.clauses, case.when) for case in game.settlement.cases[:2]]
    assert [(name, lines, clauses) for name, lines, clauses, _ in first] == [
        ("dealer-miscounted", ["token", "main", "raise"], ["all"]),
        ("miscounted", ["token", "main", "raise"], ["all"]),
    ]
    assert [when is not None and when.fact for *_, when in first] == ["dealer-miscounted", "miscounted"]
    assert game.facts["miscounted"].model_dump(exclude_unset=True) == {
        "not_": {"cards": "player", "equals": {"exactly": 5}}
    }
    some_seat = {"some_seat": {"any_": ["miscounted"]}}
    assert game.facts["void"].model_dump(exclude_unset=True) == {"any_": ["dealer-miscounted", "miscounted"]}
    assert game.facts["void-for-a-cause"].model_dump(exclude_unset=True) == {"any_": ["dealer-miscounted", some_seat]}
    assert [(miscount.place, miscount.declared, miscount.voids) for miscount in game.miscounts] == [
        ("dealer", "dead-round", "round"),
        ("player", "dead-hand", "seat"),
    ]


def test_requirements_speak_of_their_cause() -> None:
    regulation, _ = exchange()
    titles = {
        name: regulation.find_requirement(name).title
        for name in ("dead-rounds", "dead-hand-in-its-place", "dead-for-a-cause", "dead-once")
    }
    assert titles == {
        "dead-rounds": "Wagers of a round that is void for a wrong number of the dealer's cards are returned",
        "dead-hand-in-its-place": "A hand is void, and its wagers are returned, only once there is a wrong number of "
        "the player's cards",
        "dead-for-a-cause": "A hand or round is declared void only for a wrong number of the dealer's cards or a wrong "
        "number of the player's cards",
        "dead-once": "A hand or round is declared void only once",
    }


def test_words_and_parameters_replace_those_of_the_pattern(tmp_path: Path) -> None:
    own = (
        "{requirement: dead-rounds, severity: major, title: All wagers lie, "
        "pattern: {name: void-returns, cases: [dealer-miscounted, over]}}"
    )
    over = "  requirements:\n  - {requirement: dead-for"
    declared = "  without-a-cause: {cause: over, title: no cause, when: {evident: {called-off: true}}}\n"
    stated = "{requirement: dead-rounds, pattern: void-returns}"
    regulation = read(tmp_path, (stated, own), (over, declared + over))
    requirement, game = regulation.find_requirement("dead-rounds"), regulation.game
    assert game is not None
    assert (requirement.title, requirement.severity.value) == ("All wagers lie", "major")
    assert requirement.check.operand.cases == ["dealer-miscounted", "over"]
    assert [case.case for case in game.settlement.cases[:3]] == ["dealer-miscounted", "miscounted", "over"]
    assert game.facts["void"].model_dump(exclude_unset=True)["any_"][-1] == "over"


def test_cases_of_a_cause_come_first_and_only_where_it_holds(tmp_path: Path) -> None:
    lost = "cases: [{case: folded-before, lines: [main], when: {decided: fold}, due: lost}], " + MISCOUNTS
    game = read(tmp_path, (MISCOUNTS, lost), ("  order: [token", "  severity: minor\n  order: [token")).game
    assert game is not None
    first = game.settlement.cases[0]
    assert (first.case, first.clauses, first.due.outcome) == ("folded-before", ["all"], "lost")
    assert first.when is not None
    assert first.when.model_dump(exclude_unset=True) == {"all_": ["dealer-miscounted", {"decided": "fold"}]}


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        ("declared: dead-round,", "declared: dead-rond,", "dead-rond", "there is no step `dead-rond`"),
        ("declared: any-misdeal", "declared: any-misdel", "any-misdel", "there is no step `any-misdel`"),
        ("returned: [token, main, raise]", "returned: [tokens]", "tokens", "there is no line `tokens`"),
        (MISCOUNTS, "miscounts: [dealers],", "dealers", "dealers"),
        ("in-play: {not: void}", "void: {placed: main}", "void", "`void` also states the fact void"),
        ("title: a wrong number of the dealer's cards,", "", "{cause: dealer", "title"),
        ("cause: miscounted", "cause: dealer-miscounted", "{cause: dealer", "is listed twice"),
        (ONCE, "{name: void-once, after: [deal]}", "after", "has no parameter `after`"),
        (ONCE, "void-not-played-on", "pattern", "needs the parameter `must`"),
        ("declared: any-misdeal", "declare: any-misdeal", "declare:", "`declare` is not a key"),
        ("  severity: minor\n", "", "{requirement: dead-", "severity"),
    ],
)
def test_problems_are_at_the_lines_of_the_section(old: str, new: str, at: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, (old, new))
    problem = error.value.diagnostics[0]
    assert said in problem.message
    assert (problem.source_line or "")[(problem.column or 1) - 1 :].startswith(at), problem
    assert Path(problem.file or "").name == "game.yaml"
