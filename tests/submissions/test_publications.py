"""Pay tables in publications: the tables in use, and those that repeat them."""

from __future__ import annotations

import pytest

from fairdeal.validator.audit.submissions.posted_odds import check_publications
from fairdeal.validator.language.submission_conditions import Answer
from tests.facade.rules import PublicationsCheck
from tests.facade.submissions import build_configuration
from tests.facade.text import NO, YES
from tests.submissions.helpers import answer, file_text

AT_THE_TABLE = "{pays: side, displayed: [signage], rows: [{hand: flush, odds: 5 to 1}, {hand: pair, odds: 1 to 1}]}"


def brochure(rows: str, displayed: str = "publication") -> str:
    return f"{{pays: side, displayed: [{displayed}], rows: [{rows}]}}"


SAME = "{hand: pair, odds: '1:1'}, {hand: flush, odds: 6 for 1}"
MORE = "{hand: pair, odds: 1 to 1}, {hand: flush, odds: 6 to 1}"


def publish(*tables: str) -> Answer:
    submission = file_text(f"pay-tables: [{', '.join(tables)}]").submission
    return check_publications(submission, PublicationsCheck.model_validate({"of": ["side"]}))


def test_the_same_odds_in_any_order_and_wording_repeat_the_table() -> None:
    found = publish(AT_THE_TABLE, brochure(SAME))
    assert (found.value, found.is_vacuous) == (YES, False)


def test_other_odds_are_told_row_by_row() -> None:
    found = publish(brochure(MORE), AT_THE_TABLE)
    assert found.value == NO
    assert [(reason.path, reason.expected, reason.observed) for reason in found.reasons] == [
        (("pay-tables", 0, "rows", 1, "odds"), "flush 5 to 1, as in the table in use", "6 to 1")
    ]


@pytest.mark.parametrize(
    "tables",
    [(AT_THE_TABLE,), (brochure(MORE),), (brochure(MORE), brochure(SAME)), (AT_THE_TABLE, brochure(MORE, "layout"))],
)
def test_without_a_table_at_the_table_or_beside_it_nothing_is_repeated(tables: tuple[str, ...]) -> None:
    found = publish(*tables)
    assert (found.value, found.is_vacuous) == (YES, True)


def test_rounds_are_settled_by_the_table_in_use() -> None:
    tables = f"pay-tables: [{brochure(MORE)}, {AT_THE_TABLE}]"
    (rows,) = build_configuration(file_text(tables).submission).pay_tables["side"]
    assert str(rows["flush"]) == "5 to 1"
    (rows,) = build_configuration(file_text(f"pay-tables: [{brochure(MORE)}]").submission).pay_tables["side"]
    assert str(rows["flush"]) == "6 to 1"


def test_distinct_looks_at_the_entries_it_speaks_of() -> None:
    both = f"pay-tables: [{AT_THE_TABLE}, {brochure(MORE)}]"
    in_use = "when: {not: {at: .displayed, equals: [publication]}}, at: .pays}"
    assert answer("{distinct: pay-tables, at: .pays}", both).value == NO
    assert answer(f"{{distinct: pay-tables, {in_use}", both).value == YES


def test_alternatives_at_several_places_are_named() -> None:
    found = answer(
        "{any: [{at: deck.cards, equals: spanish}, {at: deck.decks, at-least: 6}]}",
        "deck: {cards: standard-52, decks: 2}",
    )
    (reason,) = found.reasons
    assert reason.expected == "“cards” of “deck” is spanish; or “decks” of “deck” is at least 6"
    assert reason.observed == "“cards”: standard-52; “decks”: 2"


def test_money_is_told_as_money() -> None:
    found = answer(
        "{every: wagers, must: {at: .minimum, at-most: {at: .maximum}}}",
        "wagers: [{wager: main, minimum: 5.01, maximum: 5}]",
    )
    (reason,) = found.reasons
    assert (reason.expected, reason.observed) == ("at most the “maximum”, 5.00", "5.01")
