"""Names that a submission takes from the rulebook: misspelt ones are refused in place, a casino's own are not."""

from __future__ import annotations

import pytest

from tests.facade.rules import Rulebook
from tests.facade.submissions import file_submission
from tests.facade.text import Diagnostic, InputError, decode_source

RULEBOOK = Rulebook()
HEAD = "submission: spring\nlicensee: {name: House}\neffective: 2026-01-01\n"


def refuse(text: str) -> tuple[Diagnostic, ...]:
    try:
        file_submission(decode_source("house.yaml", (HEAD + text).encode()), RULEBOOK)
    except InputError as error:
        return error.diagnostics
    return ()


@pytest.mark.parametrize(
    ("document", "text", "line", "column", "meant"),
    [
        ("co-rule10-3card-shine", "wagers: [{wager: Ante}]", 5, 18, "ante"),
        ("co-rule10-3card-shine", "wagers: [{wager: antes}]", 5, 18, "ante"),
        ("co-rule10-3card-shine", "pay-tables: [{pays: Ante Bonus, rows: []}]", 5, 21, "ante-bonus"),
        (
            "co-rule10-3card-shine",
            "pay-tables:\n- pays: ante-bonus\n  rows: [{hand: three of a kind, odds: 4 to 1}]",
            7,
            17,
            "three-of-a-kind",
        ),
        ("co-rule10-3card-shine", "hand-order: [three-acse]", 5, 14, "three-aces"),
        ("co-rule10-3card-shine", "dealing: One at a time", 5, 10, "one-at-a-time"),
        ("co-rule10-3card-shine", "deck: {cards: standard52, decks: 1}", 5, 15, "standard-52"),
        ("co-rule10-3card-shine", "layout: {style: 3 Card Shine}", 5, 17, "co-rule10-3card-shine"),
        ("co-rule10-3card-shine", "layout: {style: x, areas: [{wager: plya, legend: Play}]}", 5, 36, "play"),
        ("co-rule10-3card-shine", "layout: {style: x, areas: [{for: discard, legend: D}]}", 5, 34, "discards"),
        ("poker-room", "notices: [no check raise]", 5, 11, "no-check-raise"),
        ("poker-room", "notices: [{of: no-check-rase}]", 5, 16, "no-check-raise"),
        ("poker-room", "options: {fromat: one-two}", 5, 11, "format"),
        ("poker-room", "options: {format: one-tow}", 5, 19, "one-two"),
        ("poker-room", "options: {format: true}", 5, 19, None),
        ("poker-room", "options: {check-raise: never}", 5, 24, None),
        ("poker-room", "rake: {kind: increment}", 5, 14, "increments"),
        ("poker-room", "rake: {from: preflop}", 5, 14, "flop"),
        ("s38", "options: {version: required bet}", 5, 20, "required-bet"),
        ("s38", "attestations: [{clause: (99), by: A, given: 2025-12-15}]", 5, 25, None),
        ("s38", "waivers: [{clauses: [s38/(99)], reason: A, by: B}]", 5, 22, None),
        ("caribbean-draw", "meters: [{meter: grand, fed-by: progresive}]", 5, 33, "progressive"),
        ("S 38", "wagers: [{wager: nobody}]", 4, 11, "s38"),
        ("Colorado Hold'em", "", 4, 11, "s38"),
    ],
)
def test_a_misspelt_name_is_refused_where_it_stands(
    document: str, text: str, line: int, column: int, meant: str | None
) -> None:
    (found,) = refuse(f"document: {document}\n{text}\n")
    assert (found.code, found.line, found.column) == ("unknown-name", line, column)
    assert found.expected is not None
    if meant is None:
        assert found.help is None or "did you mean" in found.help
    else:
        assert found.help == f"did you mean `{meant}`?"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("co-rule10-3card-shine", "wagers: [{wager: insurance}, {wager: super-7}]"),  # which requirements judge
        ("co-rule10-3card-shine", "pay-tables: [{pays: ante-bonus, name: Ante Bonsu, rows: []}]"),
        ("co-rule10-3card-shine", "pay-tables: [{pays: ante-bonus, rows: [{hand: pair-of-fives, odds: 1 to 1}]}]"),
        ("co-rule10-3card-shine", "dealing: two-at-a-time"),
        (
            "co-rule10-3card-shine",
            "layout: {style: own, signage: [Antee], areas: [{for: decoration, legend: Antee}]}",
        ),
        ("co-rule10-3card-shine", "tables: [ante, Ante]\nnotices: [new carpet]"),
        ("co-rule10-3card-shine", "attestations: [{clause: co-rule10-3card-shine/(2), by: A, given: 2025-12-15}]"),
        ("poker-room", "options: {format: five-ten, check-raise: true, ante: none}"),
        ("poker-room", "games-offered: [Texas Holdem, Omahaha]"),
        ("caribbean-draw", "meters: [{meter: progressive-2}, {meter: progresive}]"),
        ("co-rule8-burnout", "wagers: [{wager: anything}]"),
    ],
)
def test_names_that_a_casino_may_give_are_not(document: str, text: str) -> None:
    assert refuse(f"document: {document}\n{text}\n") == ()


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_the_file() -> None:
    found = refuse(
        "document: poker-room\n"
        "options: {fromat: one-two}\n"
        "wagers: [{wager: bigblind, posted: [layuot]}]\n"
        "layuot: {}\n"
        "hand-order: [royal flush]\n"
    )
    assert [(problem.line, problem.code) for problem in found] == [
        (5, "unknown-name"),
        (6, "unknown-name"),
        (6, "unknown-value"),
        (7, "unknown-key"),
        (8, "unknown-name"),
    ]
