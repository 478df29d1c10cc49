"""A statement of a game is a requirement where it is written, equal to one in a file of requirements."""

from __future__ import annotations

from typing import Any

import pytest

from fairdeal.validator.rulebook.rule_loader import RuleIndex
from fairdeal.validator.rules.requirement_model import Requirement
from tests.facade.rules import Regulation, rules_folder
from tests.facade.text import Diagnostic, InputError
from tests.settlement.helpers import GAME, REQUIREMENTS, load

SIDE = '- {case: side-paid, lines: [side], due: {pay-table: side}, clauses: ["(1)"]}'
BACK = '- {case: token-back, lines: [token], when: {decided: fold}, due: returned, clauses: ["(1)"]}'
PAID = '- {case: token-paid, lines: [token], due: {pay-table: token}, clauses: ["(1)"]}'
LIMIT = 'clauses: ["(4)"], readings: [cents]}'
DEAL = "  deal: {title: cards are dealt, event: deal}"
STEPS = f"""  place: {{title: wagers are placed, event: wager}}
{DEAL}
  settle: {{title: wagers are settled, event: [pay, collect]}}"""


def write(**words: str) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in words.items()) + "}"


def stating(case: str, *requirements: str) -> tuple[str, str]:
    """Return a short statement, and the same with requirements."""
    return case, f"{case[:-1]}, requirements: [{', '.join(requirements)}]}}"


def omit(*names: str) -> str:
    """Return the file of requirements without some of them."""
    entries = REQUIREMENTS.split("\n- ")
    kept = [entry for entry in entries if not any(entry.startswith(f"{{requirement: {name},") for name in names)]
    assert len(kept) == len(entries) - len(names)
    return "\n- ".join(kept)


def change(*changes: tuple[str, str], game: str = GAME) -> str:
    for old, new in changes:
        assert game.count(old) == 1, old
        game = game.replace(old, new)
    return game


def content(requirement: Requirement) -> dict[str, Any]:
    return requirement.model_dump(exclude={"evidence_"})


def refuse(game: str, requirements: str = REQUIREMENTS) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        load(game, requirements)
    return caught.value.diagnostics


def line_of(game: str, text: str) -> int:
    (line,) = [number for number, line_text in enumerate(game.split("\n"), 1) if text in line_text]
    return line


WORDS = write(title="Side", severity="critical", message="Wrong.")[1:]
TABLE = write(title="Table", severity="critical", message="Wrong.")[1:]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("side-settled", [stating(SIDE, "{requirement: side-settled, " + WORDS)]),
        (
            "token-settled",
            [
                stating(BACK, "token-settled"),
                stating(PAID, "{requirement: token-settled, title: Token, severity: critical, message: Wrong.}"),
            ],
        ),
        ("limited", [stating(LIMIT, "{requirement: limited, title: Limit, severity: critical, message: Wrong.}")]),
        (
            "main-table",
            [
                (
                    "    when: wide\n",
                    "    when: wide\n    requirements:\n    - {requirement: main-table, match: at-least,\n"
                    "       when: {at: options.version, equals: wide}, " + TABLE + "\n",
                )
            ],
        ),
        (
            "token-table",
            [
                ("  token-share:\n", "  token-share:\n    requirements: [{requirement: token-table, " + TABLE + "]\n"),
                ("  token-amount:\n", "  token-amount:\n    requirements: [token-table]\n"),
            ],
        ),
    ],
)
def test_it_is_the_requirement_that_a_file_would_have(name: str, changes: list[tuple[str, str]]) -> None:
    there, alone = load(change(*changes), omit(name)), load()
    faultless = {**content(there.find_requirement(name)), "fault_": None}
    assert faultless == content(alone.find_requirement(name))
    assert len(there.requirements) == len(alone.requirements)


@pytest.mark.parametrize(
    ("due", "words", "fault"),
    [
        ("due: {pay-table: side}", "", "under"),
        ("due: 1 to 1", "", "under"),
        ("due: returned", "", "under"),
        ("due: lost", "", "over"),
        ("due: lost", ", fault: {pay: under}", "under"),
        ("due: open", "", None),
    ],
)
def test_what_is_due_tells_how_it_is_broken(due: str, words: str, fault: str | None) -> None:
    stated = stating(
        SIDE.replace("due: {pay-table: side}", due), "{requirement: side-settled, " + WORDS[:-1] + words + "}"
    )
    found = load(change((SIDE, stated[1])), omit("side-settled")).find_requirement("side-settled").fault
    assert (found and found.pay) == fault


@pytest.mark.parametrize(
    ("words", "title", "message"),
    [
        ({"title": "Side", "message": "Wrong."}, "Side", "Wrong."),
        ({"title": "Side is paid"}, "Side is paid", "Side is paid."),
        ({"message": "Side is paid."}, "Side is paid", "Side is paid."),
        ({}, "Side paid: Side is paid by the pay table", "Side paid: Side is paid by the pay table."),
    ],
)
def test_of_title_and_message_each_stands_in_for_the_other(words: dict[str, str], title: str, message: str) -> None:
    game = change(stating(SIDE, write(requirement="side-settled", severity="critical", **words)))
    found = load(game, omit("side-settled")).find_requirement("side-settled")
    assert (found.title, found.message) == (title, message)


def with_milestone(*requirements: str) -> str:
    listed = "".join(f"  - {requirement}\n" for requirement in requirements)
    head = "milestones:\n- at: {last: deal}\n  severity: minor\n  remedy: Wait.\n  requirements:\n"
    return change(("\nacts:\n", f"\n{head}{listed}acts:\n"), (DEAL, STEPS))


@pytest.mark.parametrize(
    ("said", "full"),
    [
        (
            "after: [settle], pattern: {name: decisions-after-the-deal, decision: settle}",
            "order: {milestones: [{at: {last: deal}, after: [settle]}]}",
        ),
        (
            "before: [place], pattern: {name: decisions-after-the-deal, decision: settle}, fault: {omit: deal}",
            "order: {milestones: [{at: {last: deal}, before: [place], after: [settle]}]}, fault: {omit: deal}",
        ),
    ],
)
def test_a_requirement_at_a_milestone_may_be_an_instance(said: str, full: str) -> None:
    words = '{requirement: own, clauses: ["(1)"], severity: minor, remedy: Stop., title: Own, broken: It was not., '
    stated = load(with_milestone(f"{words}{said}}}")).find_requirement("own")
    bare = change((DEAL, STEPS))
    listed = load(bare, REQUIREMENTS + f"- {words}{full}}}\n").find_requirement("own")
    assert content(stated) == {**content(listed), "pattern": "decisions-after-the-deal"}


def test_only_a_pattern_on_milestones_has_an_instance_at_one() -> None:
    (problem,) = refuse(with_milestone('{requirement: own, clauses: ["(1)"], pattern: no-card-twice}'))
    assert problem.message == "the pattern `no-card-twice` has no check `order`, so a milestone cannot use it"


def test_milestones_may_share_a_requirement() -> None:
    words = '{requirement: own, clauses: ["(1)"], broken: It was not., after: [settle]}'
    game = with_milestone(words).replace(
        "\nacts:\n",
        "\n- {at: {first: deal}, requirements: [{requirement: own, before: [place]}]}\nacts:\n",
    )
    own = load(game).find_requirement("own")
    assert own.severity.value == "minor" and own.remedy == "Wait."
    assert own.title == "Wagers are settled, only after cards are dealt; Wagers are placed, only before cards are dealt"
    assert [(bounds.at.operator, bounds.before, bounds.after) for bounds in own.check.operand.milestones] == [
        ("last", [], ["settle"]),
        ("first", ["place"], []),
    ]
    late = game.replace("before: [place]", "before: [placed]")
    (problem,) = refuse(late)
    assert (problem.message, problem.line) == ("there is no step `placed`", line_of(late, "before: [placed]"))


def silent(head: str = "  severity: minor\n  remedy: Correct it.\n") -> Regulation:
    return load(change(("settlement:\n", f"settlement:\n{head}")), omit("side-settled", "limited", "token-settled"))


def test_a_case_and_a_limit_are_requirements_by_themselves() -> None:
    regulation = silent()
    names = ["side-paid", "token-back", "token-paid", "hand-limit"]
    assert [requirement.requirement for requirement in regulation.requirements][: len(names)] == names
    own = [regulation.find_requirement(name) for name in names]
    assert [(requirement.title, requirement.message) for requirement in own] == [
        ("Side paid: Side is paid by the pay table", "Side paid: Side is paid by the pay table."),
        ("Token back: Token is returned", "Token back: Token is returned."),
        ("Token paid: Token is paid by the pay table", "Token paid: Token is paid by the pay table."),
        ("Hand limit: Main and Twin are paid up to it", "Hand limit: Main and Twin are paid up to it."),
    ]
    assert {(requirement.severity.value, requirement.remedy) for requirement in own} == {("minor", "Correct it.")}
    assert [requirement.clauses for requirement in own] == [["(1)"], ["(1)"], ["(1)"], ["(4)"]]


def test_what_is_wrong_is_told_at_its_place_in_the_game() -> None:
    words = '{requirement: side-settled, title: Side, severity: critical, fault: {omit: shufle}, clauses: ["(9)"]}'
    game = change(stating(SIDE, words))
    problems = refuse(game, omit("side-settled"))
    assert [(problem.file, problem.line, problem.code) for problem in problems] == [
        ("game.yaml", line_of(game, "shufle"), "unknown-name"),
        ("game.yaml", line_of(game, "shufle"), "unknown-name"),
    ]
    assert {problem.message for problem in problems} == {"there is no clause `(9)`", "there is no step `shufle`"}
    assert {(problem.source_line or "")[(problem.column or 0) - 1 :][: problem.length] for problem in problems} == {
        '"(9)"',
        "shufle",
    }


@pytest.mark.parametrize(
    ("changes", "gone", "message"),
    [
        ([stating(SIDE, "{requirement: side-settled, title: Side}")], ["side-settled"], "it has no severity"),
        ([stating(SIDE, "side-settled")], [], "requirement side-settled is listed more than once"),
        (
            [stating(SIDE, "{requirement: again, title: Side, severity: minor}")],
            [],
            "case side-paid must be judged by one requirement, not by 2",
        ),
        (
            [stating(BACK, "{requirement: token, title: A}"), stating(PAID, "{requirement: token, title: B}")],
            ["token-settled"],
            "another statement already defines token",
        ),
        (
            [stating(SIDE, "{requirement: both, title: A, severity: minor}"), stating(LIMIT, "both")],
            ["side-settled", "limited"],
            "both is the requirement of another statement, and the two cannot be judged as one",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: list[tuple[str, str]], gone: list[str], message: str) -> None:
    game = change(*changes)
    problems = refuse(game, omit(*gone))
    assert any(problem.message.startswith(message) for problem in problems), problems
    assert len(problems) == len(set(problems))


def test_nothing_else_is_added_to_what_a_game_says() -> None:
    assert [requirement.requirement for requirement in load().requirements] == [
        entry.split(",")[0] for entry in REQUIREMENTS.split("{requirement: ")[1:]
    ]


MAIN = "main: {title: Main, placed: before-the-deal}"
TWIN = "twin: {title: Twin, placed: before-the-deal}"
STAY = "stay: {title: stay, when: {placed: main}}"


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        (
            TWIN,
            TWIN[:-1] + ", amount: 2, of: main, %s}",
            ("multiple-of-a-wager", "{name: multiple-of-a-wager, wager: twin, of: main, times: 2}"),
        ),
        (
            TWIN,
            TWIN[:-1] + ", when: {placed: main}, %s}",
            ("wager-beside-another", "{name: wager-beside-another, wager: twin, beside: main}"),
        ),
        (MAIN, MAIN[:-1] + ", %s}", ("within-posted-limits", "{name: within-posted-limits, wager: main}")),
        (
            STAY,
            STAY[:-1] + ", places: twin, %s}",
            (
                "wager-goes-with-the-decision",
                "{name: wager-goes-with-the-decision, when: {placed: main}, decision: stay, wager: twin}",
            ),
        ),
        (
            DEAL,
            DEAL[:-1] + ", each: seat, when: {placed: main}, %s}",
            ("happens", "{name: happens, each: seat, when: {placed: main}, step: deal}"),
        ),
        (DEAL, DEAL[:-1] + ", by: machine, %s}", ("done-by", "{name: done-by, step: deal, by: machine}")),
        (
            DEAL,
            DEAL[:-1] + ", by: machine, %s}",
            ("{name: done-by, by: dealer}", "{name: done-by, step: deal, by: dealer}"),
        ),
    ],
)
def test_what_it_stands_beside_lends_a_pattern_what_it_says(old: str, new: str, whole: tuple[str, str]) -> None:
    short, full = whole
    words = '{requirement: own, clauses: ["(1)"], severity: minor, remedy: Stop., title: Own, pattern: '
    plain = change((old, new.replace(", %s", "")))
    beside = load(change((old, new % f"requirements: [{words}{short}}}]")))
    apart = load(plain, REQUIREMENTS + f"- {words}{full}}}\n")
    assert content(beside.find_requirement("own")) == content(apart.find_requirement("own"))


def test_severity_at_the_head_of_a_game_is_that_of_what_stands_in_it() -> None:
    own = 'requirements: [{requirement: own, clauses: ["(1)"], pattern: within-posted-limits}]'
    game = change((MAIN, f"{MAIN[:-1]}, {own}}}"), ("title: Purse\n", "title: Purse\nseverity: minor\n"))
    assert load(game).find_requirement("own").severity == "minor"
    assert "severity" in refuse(change((MAIN, f"{MAIN[:-1]}, {own}}}")))[0].message


def test_what_is_lent_is_no_law_where_the_statement_does_not_say_it() -> None:
    own = 'requirements: [{requirement: own, clauses: ["(1)"], severity: minor, pattern: multiple-of-a-wager}]'
    (told, other) = refuse(change((TWIN, f"{TWIN[:-1]}, {own}}}")))
    assert "needs the parameter `of`" in told.message
    assert "needs the parameter `times`" in other.message


def test_it_is_shown_where_it_stands() -> None:
    document = "co-rule10-3card-shine"
    game = (rules_folder() / document / "game.yaml").read_text("utf-8")
    shown = RuleIndex.from_files(document).requirements

    of_cases = shown["dealer-not-qualified"]
    assert of_cases.place == f"rules_data/{document}/game.yaml:{line_of(game, 'case: not-qualified-play')}"
    assert of_cases.text.startswith("  - {case: not-qualified-play, ")
    assert "\n  - {case: not-qualified-ante, " in of_cases.text
    assert of_cases.text.endswith("requirements: [dealer-not-qualified]}")

    of_phases = shown["decisions-before-the-reveal"]
    line = line_of(game, "requirement: decisions-before-the-reveal")
    assert of_phases.place == f"rules_data/{document}/game.yaml:{line}"
    assert of_phases.text.split("\n")[0] == game.split("\n")[line - 1]
    assert of_phases.text.endswith("move: {step: decision, after: reveal}}}")
